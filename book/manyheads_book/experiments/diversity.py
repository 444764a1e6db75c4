"""Claim: more heads capture more diverse features.

Three meanings of "diverse", each with a statement of its own: do the heads look at different words, do they look for
different things (the subspaces of W^V), and can more be read from what they bring home?
"""

from itertools import combinations

import numpy as np
import torch

from manyheads.models.focus.data import HEADS as LABELS
from manyheads_book.experiments.evidence import clearly, differences
from manyheads_book.experiments.focus_sentences import computed

MANY = 8
PENALTY = 1.0  # of the ridge regression


def statements(runs):
    """Whether training drives heads apart, and whether more is brought home; `runs` are those of short_trainings."""
    more = differences(runs, (MANY, "probe"), (1, "probe"))
    return {
        "After training, eight heads look at more different words than before": _grown(runs, "look apart"),
        "Their values are taken from more different subspaces than before": _grown(runs, "values apart"),
        "More can be read from what eight heads bring home than from what one does": clearly(more) > 0,
    }


def _grown(runs, name):
    return clearly(differences(runs, (MANY, name), (MANY, f"{name} at the start"))) > 0


def of(model, sentences, encoded):
    """How far a model's heads are apart, and how well the probes read what they bring home."""
    _, weights, home = computed(model, encoded)
    found = {"probe": probe(home, sentences)}
    if model.num_heads > 1:
        found |= {"look apart": look_apart(weights), "values apart": values_apart(model.attention)}
    return found


def look_apart(weights):  # [b, h, k] -> number
    """The share of their attention that two heads put on different words, on average (total variation distance).

    >>> look_apart(torch.tensor([[[1.0, 0.0], [0.0, 1.0]]])), look_apart(torch.tensor([[[0.5, 0.5], [0.5, 0.5]]]))
    (1.0, 0.0)
    """
    pairs = list(combinations(range(weights.shape[1]), 2))
    apart = [(weights[:, one] - weights[:, other]).abs().sum(-1) / 2 for one, other in pairs]
    return torch.stack(apart).mean().item()


def values_apart(attention):
    """How far apart the heads' value subspaces are: 1 at right angles, 0 where they are one and the same, on average.

    >>> from manyheads.attention import MultiHeadAttention
    >>> module = MultiHeadAttention(embed_dim=4, num_heads=2)
    >>> module.value.weight.data = torch.eye(4)
    >>> values_apart(module)
    1.0
    """
    heads = attention.value.weight.detach().unflatten(0, (attention.num_heads, -1))  # [h, d_v, d]
    bases = torch.linalg.qr(heads.mT).Q  # [h, d, d_v]
    shared = [(bases[one].T @ bases[other]).square().sum() for one, other in combinations(range(len(bases)), 2)]
    return 1 - (torch.stack(shared).mean() / heads.shape[1]).item()


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
