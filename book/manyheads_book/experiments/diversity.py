"""Claim: more heads capture more diverse features.

Two meanings of "diverse", each with a statement of its own: do heads look at more different words when there are more
of them, and can more be read from their outputs? (How far apart the subspaces of W^V are says nothing here:
narrower ones are closer to right angles by chance alone, and together they're always as wide.)
"""

from itertools import combinations

import numpy as np
import torch

from manyheads.models.focus.data import HEADS as LABELS
from manyheads_book.experiments.evidence import clearly, differences
from manyheads_book.experiments.focus_sentences import computed

PENALTY = 1.0  # of the ridge regression


def statements(runs):
    """Whether more heads differ more, and more can be read from them; `runs` are those of short_trainings."""
    return {
        "Any two of eight heads look at more different words than two heads alone": clearly(
            differences(runs, (8, "look apart"), (2, "look apart"))
        ),
        "More can be read from the outputs of eight heads than from that of one": clearly(
            differences(runs, (8, "probe"), (1, "probe"))
        ),
    }


def of(model, sentences, encoded):
    """How far a model's heads look apart, and how well the probes read their outputs."""
    _, weights, home = computed(model, encoded)
    found = {"probe": probe(home, sentences)}
    if model.num_heads > 1:
        found["look apart"] = look_apart(weights)
    return found


def look_apart(weights):  # [b, h, k] -> number
    """The share of their attention that two heads put on different words, on average (total variation distance).

    >>> look_apart(torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])), look_apart(torch.tensor([[[0.5, 0.5], [0.5, 0.5]]]))
    (1.0, 0.0)
    """
    pairs = list(combinations(range(weights.shape[1]), 2))
    apart = [(weights[:, one] - weights[:, other]).abs().sum(-1) / 2 for one, other in pairs]
    return torch.stack(apart).mean().item()


def probe(home, sentences):
    """How well a linear probe reads counts that were not trained for from the output: R^2, mean over five counts.

    >>> from manyheads_book.experiments.focus_sentences import drawn
    >>> sentences = drawn(100, seed=0)
    >>> probe(torch.tensor(counts(sentences)), sentences) > 0.9, abs(probe(torch.zeros(100, 4), sentences)) < 0.2
    (True, True)

    Fitted to the first half of the sentences, measured on the second.
    """
    inputs, targets = np.asarray(home, float), counts(sentences)
    half = len(sentences) // 2
    inputs = inputs - inputs[:half].mean(0)
    centred = targets - targets[:half].mean(0)
    A, b = inputs[:half], centred[:half]
    fitted = np.linalg.solve(A.T @ A + PENALTY * np.eye(A.shape[1]), A.T @ b)
    missed = ((inputs[half:] @ fitted - centred[half:]) ** 2).mean(0)
    return float((1 - missed / targets[half:].var(0)).mean())


def counts(sentences):  # -> [b, 5]
    """How many words of each label a sentence has, and how many words in all."""
    return np.array(
        [[*(sum(x in labels for labels in s.labels) for x in LABELS), len(s.words)] for s in sentences], float
    )
