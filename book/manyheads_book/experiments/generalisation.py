"""Claim: diverse heads generalise better (note B), to words and to structures that no training sentence had.

The claim is about diversity, which no experiment here varies; what more heads do is measured beside it.
"""

import numpy as np

from manyheads_book.experiments.evidence import across, clearly, differences
from manyheads_recipes.focus.sentences import held_out_sentences

MANY = 8


def statements(runs):
    """Whether models whose heads look further apart are right more often; `runs` are those of short_trainings."""
    alike, error = diversity_and_rightness(runs), 1 / np.sqrt(len(runs))  # about the standard error of no correlation
    return {
        "Of the models with eight heads, those whose heads look further apart are right more often on new words": (
            int(np.sign(alike)) if abs(alike) > 2 * error else 0
        )
    }


def diversity_and_rightness(runs):
    """The correlation, over models of eight heads, of how far their heads look apart with how often they are right."""
    return float(np.corrcoef(across(runs, MANY, "look apart"), across(runs, MANY, "held-out words"))[0, 1])


def more_heads(runs):
    """Whether eight heads answer more rightly than one, and lose less; `runs` are those of short_trainings."""
    lost = [differences(runs, (heads, "known structures"), (heads, "new structures")) for heads in (1, MANY)]
    return {
        "Eight heads are right more often than one on words that training never had": _better(runs, "held-out words"),
        "Eight heads are right more often than one on structures that it never had": _better(runs, "new structures"),
        "From known structures to new ones, eight heads lose less than one": clearly(np.subtract(*lost)) > 0,
    }


def _better(runs, name):
    return clearly(differences(runs, (MANY, name), (1, name))) > 0


def sentences_of(trained_on, fresh):
    """Sentences to ask about: held-out words, new structures and, beside them, known ones.

    >>> from manyheads.models.focus.data import generate_sentences
    >>> made = sentences_of(generate_sentences(200), generate_sentences(100, seed=1))
    >>> len(made["new structures"]) + len(made["known structures"])
    100
    """
    known = {structure(sentence) for sentence in trained_on}
    return {
        "held-out words": held_out_sentences(),
        "new structures": [sentence for sentence in fresh if structure(sentence) not in known],
        "known structures": [sentence for sentence in fresh if structure(sentence) in known],
    }


def structure(sentence):
    """The labels of a sentence's words, in order, and its facts.

    >>> from manyheads_recipes.focus.sentences import parse
    >>> tea = parse("statement, food or drink, state, neutral: Tea/O is/R hot ./T")
    >>> ale = parse("statement, food or drink, state, neutral: Ale/O was/R cold ./T")
    >>> structure(tea) == structure(ale)
    True
    """
    return sentence.labels, tuple(sentence.facts.values())
