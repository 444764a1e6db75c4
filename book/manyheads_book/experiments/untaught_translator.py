"""The control of a claim about translators: four heads that nobody showed where to look, judged by the same rule.

A head does the work of a claim if at least half of its attention is on the word in question, and if the translator
suffers more without this head than without any other.
"""

import numpy as np

from manyheads_book.experiments.evidence import across
from manyheads_recipes.translator import training as claims
from manyheads_recipes.translator.training import recipe_key, train_translator

RECIPE = 1
SEEDS = 3


def parts():
    return {"translator": recipe_key()}


def measure(seed, steps=None, num_sentences=None, tried=600):
    """Trains the translator untaught; what `claims` finds of it, of the heads in its last layer.

    >>> found = measure(0, steps=2, num_sentences=2000, tried=200)
    >>> len(found["looked"]["subject"]), len(found["without"])
    (4, 4)
    """
    options = {"seed": seed, "steps": steps, "num_sentences": num_sentences}
    translator = train_translator("untaught", progress=False, **options)
    sentences = claims.held_out_sentences(tried)
    places = claims.trial(translator, sentences)
    return {
        "exact": claims.exact(translator, sentences),
        "looked": {claim: shares[-1].tolist() for claim, shares in claims.looked(translator, places).items()},
        "right": claims.right(translator, places),
        "without": [claims.right(translator, places, head) for head in range(translator.num_heads)],
    }


def times_done(runs, claim):
    """In how many trainings a head does the work of a claim.

    >>> run = {"looked": {"word": [0.9, 0.1]}, "right": {"word": 1.0}, "without": [{"word": 0.5}, {"word": 0.9}]}
    >>> times_done([run, run | {"looked": {"word": [0.1, 0.9]}}], "word")
    1
    """
    done = 0
    for run in runs:
        head = int(np.argmin(across(run["without"], claim)))
        done += run["without"][head][claim] < run["right"][claim] and run["looked"][claim][head] >= 0.5
    return done
