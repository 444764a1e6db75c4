"""Claim: several heads overfit less, since capacity is spread over them. Little data, equal width, equal parameters.

The focus model is trained on few sentences, without the noise and the broken words that else keep it from learning them
by heart. Both losses are compared twice: at the end, and where the training losses are equal (a model that learns
faster is further along, and its gap is larger for that reason alone).
"""

import numpy as np

from manyheads.models.focus import FocusConfig, encode, train_focus_model
from manyheads.models.focus.data import generate_sentences
from manyheads_book.experiments.evidence import clearly, differences
from manyheads_book.experiments.focus_sentences import drawn, losses
from manyheads_recipes.focus.training import recipe_key

RECIPE = 1
SEEDS = 10
HEADS = (1, 2, 8)
NUM_SENTENCES = 300
WATCHED = (10, 15, 20, 30, 40, 50, 60, 80, 120)  # steps after which the losses are taken; the last is the end
FEW, MANY = 1, 8
CONFIG = FocusConfig(word_noise=0.0, breaking=0.0)


def statements(runs):
    """Whether eight heads learn less by heart than one."""
    at_end = [gap(run, FEW)[-1] - gap(run, MANY)[-1] for run in runs]
    return {"At the end, the gap between the losses is smaller with eight heads than with one": clearly(at_end) > 0}


def fits_better(runs):
    """Whether eight heads reach lower validation losses: which a better fit to the task would also show."""
    return {
        "At equal training loss, the validation loss is lower with eight heads": clearly(
            [np.subtract(*at_equal_training(run)) for run in runs]
        )
        > 0,
        "The best validation loss on the way is lower with eight heads": clearly(
            differences(runs, (FEW, "best"), (MANY, "best"))
        )
        > 0,
    }


def gap(run, heads):
    """Validation loss less training loss, after each of the steps watched."""
    return np.subtract(run[str(heads)]["validation loss"], run[str(heads)]["training loss"])


def at_equal_training(run):
    """The validation losses of one head and of eight where their training losses are equal, averaged over such places.

    >>> few = {"training loss": [2, 1], "validation loss": [3, 2]}
    >>> many = {"training loss": [2, 0], "validation loss": [4, 3]}
    >>> at_equal_training({"1": few, "8": many})
    (2.5, 3.75)

    Between two steps watched, both losses are taken to fall evenly.
    """
    few, many = run[str(FEW)], run[str(MANY)]
    start = min(max(one["training loss"]) for one in (few, many))
    end = max(min(one["training loss"]) for one in (few, many))
    levels = np.linspace(end, start, 9)
    found = []
    for one in (few, many):
        order = np.argsort(one["training loss"])
        learnt, tested = (np.array(one[name])[order] for name in ("training loss", "validation loss"))
        found.append(float(np.interp(levels, learnt, tested).mean()))
    return tuple(found)


def parts():
    return {"focus": recipe_key(CONFIG), "heads": HEADS, "watched": WATCHED, "sentences": NUM_SENTENCES}


def measure(seed, heads=HEADS, watched=WATCHED):
    """The losses on the way, for each number of heads: {heads: {"training loss": [...], "validation loss": [...]}}.

    >>> found = measure(0, heads=(2,), watched=(1, 2))
    >>> len(found["2"]["training loss"])
    2
    """
    trained_on, fresh = encode(generate_sentences(NUM_SENTENCES, seed)), encode(drawn(NUM_SENTENCES, seed))
    found = {}
    for count in heads:
        curves = {"training loss": [], "validation loss": []}

        def watch(step, model, curves=curves):
            if step in watched:
                curves["training loss"].append(losses(model, trained_on))
                curves["validation loss"].append(losses(model, fresh))

        options = {"steps": max(watched), "num_sentences": NUM_SENTENCES, "checkpoint": watch, "progress": False}
        train_focus_model(f"heads-{count}", config=CONFIG, seed=seed, **options)
        found[str(count)] = {**curves, "best": min(curves["validation loss"])}
    return found
