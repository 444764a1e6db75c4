"""Focus models that differ in their number of heads alone, trained briefly: four of the claims are tested on them.

Width, parameters and sentences are the same for every number of heads; each seed draws its own sentences and first
weights.
"""

from manyheads.models.focus import encode, train_focus_model
from manyheads.models.focus.data import generate_sentences
from manyheads_book.experiments import diversity, generalisation, noise
from manyheads_book.experiments.focus_sentences import drawn, losses, right
from manyheads_recipes.focus.sentences import held_out_sentences
from manyheads_recipes.focus.training import recipe_key

RECIPE = 2
SEEDS = 10
HEADS = (1, 2, 4, 8, 32)
STEPS, NUM_SENTENCES, DRAWN = 150, 6_000, 500


def parts():
    """What the numbers follow from, for their key."""
    return {"focus": recipe_key(), "held_out": held_out_sentences(), "sizes": (HEADS, STEPS, NUM_SENTENCES, DRAWN)}


def measure(seed, heads=HEADS, steps=STEPS, num_sentences=NUM_SENTENCES):
    """All that is measured of the models of one seed: {heads: {name: number}}.

    >>> found = measure(0, heads=(2,), steps=1, num_sentences=200)
    >>> found["2"]["look apart"] > 0, found["2"]["validation loss"] > 1
    (True, True)

    Beside the losses there are the numbers of `diversity.py`, and the share of right answers on the sentences of
    `generalisation.py` and with each noise of `noise.py`.
    """
    trained_on, fresh = generate_sentences(num_sentences, seed), drawn(DRAWN, seed)
    learnt, tested = encode(trained_on[:DRAWN]), encode(fresh)
    questions = generalisation.sentences_of(trained_on, fresh) | noise.sentences_of(fresh, seed)
    questions = {name: encode(sentences) for name, sentences in questions.items()}
    found = {}
    for count in heads:
        options = {"steps": steps, "num_sentences": num_sentences, "progress": False}
        model = train_focus_model(f"heads-{count}", seed=seed, **options)
        numbers = {"training loss": losses(model, learnt), "validation loss": losses(model, tested)}
        numbers |= diversity.of(model, fresh, tested)
        numbers |= {name: right(model, encoded) for name, encoded in questions.items()}
        found[str(count)] = numbers
    return found
