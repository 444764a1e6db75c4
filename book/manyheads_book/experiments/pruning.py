"""Claim: more heads are not always better (note D). A sweep over numbers of heads; heads pruned from the encoder.

Michel et al. 2019 (arXiv:1905.10650) rank heads by the gradient of the loss. MiniLM comes without its loss, so here
heads are ranked by how far the sentence vector moves when one of them alone is off (the cards' `effect`), and pruned
from the least. They are ranked on the cards' sentences and pruned on others.
"""

import numpy as np

from manyheads.models.encoder import load_encoder
from manyheads.models.encoder.head_cards import head_cards
from manyheads.models.pretrained import SHA256
from manyheads.models.registry import all_but
from manyheads_book.experiments.evidence import clearly, differences
from manyheads_recipes.encoder.head_cards import card_sentences
from manyheads_recipes.senses.sentences import labelled_sentences

RECIPE = 1
SEEDS = 10
PRUNED = (0, 6, 12, 18, 24, 30, 36, 42, 48, 60, 72)
NUM_SENTENCES = 20
ORDERS = ("by importance", "at random")
THIRD, KEPT = 24, 0.9  # of the 72 heads; the agreement that counts as "nearly as before"


def statements(runs, trainings, tasks):
    """Whether there can be too many heads, or needlessly many; with the runs of short_trainings and of distances."""
    counts = [int(heads) for heads in trainings[0]]
    rises = [
        clearly(differences(trainings, (more, "validation loss"), (fewer, "validation loss"))) > 0
        for place, fewer in enumerate(counts)
        for more in counts[place + 1 :]
    ]
    ranked, drawn = (np.array([run[name]["agreement"][PRUNED.index(THIRD)] for run in runs]) for name in ORDERS)
    return {
        "Of the focus model, some number of heads is clearly worse than a smaller one": any(rises),
        "In the task of near and far, 64 heads are right less often than four": clearly(
            differences(tasks, ("right", 4), ("right", 64))
        ),
        "Without a third of its heads the encoder ranks pairs of sentences nearly as before": clearly(ranked - KEPT),
        "It matters which heads go: as many, drawn at random, cost more": clearly(ranked - drawn),
    }


def order():
    """All heads of the encoder, the least important first, as (layer, head).

    >>> len(order()), order()[0] != order()[-1]
    (72, True)
    """
    cards = sorted(head_cards(), key=lambda card: card.scores["effect"])
    return [(card.layer, card.head) for card in cards]


def parts():
    texts = [sentence.text for sentence in labelled_sentences()]
    return {"encoder": SHA256, "pruned": PRUNED, "sentences": (NUM_SENTENCES, card_sentences(), texts)}


def measure(seed, pruned=PRUNED, num_sentences=NUM_SENTENCES):
    """What is left of the sentence vectors: {"by importance" or "at random": {"cosine": [...], "agreement": [...]}}.

    >>> found = measure(0, pruned=(0, 72), num_sentences=4)
    >>> [round(left, 3) for left in found["by importance"]["cosine"]][0]
    1.0

    `cosine` is that between a sentence's vectors with all heads and with some pruned, on average; `agreement` the rank
    correlation of the similarities of all pairs of sentences.
    """
    rng = np.random.default_rng(seed)
    texts = [str(text) for text in rng.choice([s.text for s in labelled_sentences()], num_sentences, replace=False)]
    encoder = load_encoder()
    ranked = order()
    drawn = [ranked[place] for place in rng.permutation(len(ranked))]
    whole = encoder.sentence_vectors(texts)
    found = {}
    for name, heads in zip(ORDERS, (ranked, drawn)):
        vectors = [encoder.sentence_vectors(texts, all_but(encoder, heads[:count])) for count in pruned]
        found[name] = {
            "cosine": [float((left * whole).sum(-1).mean()) for left in vectors],
            "agreement": [agreement(left, whole) for left in vectors],
        }
    return found


def agreement(vectors, others):  # 2 x [sentence, d] -> number
    """How alike two sets of vectors rank the similarities of all pairs of sentences: Spearman's rank correlation.

    >>> vectors = np.random.default_rng(0).normal(size=(5, 3))
    >>> round(agreement(vectors, 2 * vectors), 3)
    1.0
    """
    pairs = np.triu_indices(len(vectors), 1)
    ranks = [(some @ some.T)[pairs].argsort().argsort() for some in (vectors, others)]
    return float(np.corrcoef(*ranks)[0, 1])
