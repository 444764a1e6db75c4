"""Which token comes next: from scores to probabilities, and from probabilities to a draw that a seed decides.

Pages draw alike: `web/math` has the same steps in the same order.
"""

import re

import numpy as np

from manyheads.shared.names import LONE_BYTES, LONGEST_WORD


def probabilities(scores, temperature=1.0, top_k=None, top_p=None):  # [token] -> int [n], float64 [n]
    """The tokens that may come next, the likeliest first, and their probabilities, which sum to 1.

    >>> scores = np.log([0.1, 0.6, 0.3])
    >>> tokens, shares = probabilities(scores)
    >>> tokens.tolist(), shares.round(2).tolist()
    ([1, 2, 0], [0.6, 0.3, 0.1])
    >>> probabilities(scores, top_k=2)[1].round(2).tolist()  # the two likeliest
    [0.67, 0.33]
    >>> probabilities(scores, top_p=0.5)[1].tolist()  # as many as it takes to have half
    [1.0]
    >>> probabilities(scores, temperature=0)[0].tolist()  # the likeliest alone: greedy
    [1]

    `temperature` divides the scores: below 1 the likely become likelier, above 1 all become more alike. `top_k` and
    `top_p` look at what it made of them, `top_k` first. Of equal scores the token with the lower number comes first.

    Raises `ValueError` for a temperature below 0, a `top_k` below 1 and a `top_p` that is not in (0, 1].
    """
    if temperature < 0:
        raise ValueError(f"temperature must be 0 (greedy) or more, got {temperature}")
    if top_k is not None and top_k < 1:
        raise ValueError(f"top_k must be 1 or more, got {top_k}")
    if top_p is not None and not 0 < top_p <= 1:
        raise ValueError(f"top_p must be above 0 and at most 1, got {top_p}")
    scores = np.asarray(scores, dtype=np.float64)
    tokens = np.argsort(-scores, kind="stable")[: 1 if temperature == 0 else top_k]
    powers = np.exp((scores[tokens] - scores[tokens[0]]) / (temperature or 1))
    shares = powers / powers.sum()
    if top_p is not None:
        kept = np.searchsorted(shares.cumsum(), top_p) + 1
        tokens, shares = tokens[:kept], shares[:kept] / shares[:kept].sum()
    return tokens, shares


def drawn(tokens, shares, uniform):
    """The token at which the shares, added up, first exceed a number from 0 to 1.

    >>> drawn(np.array([7, 3]), np.array([0.6, 0.4]), 0.59), drawn(np.array([7, 3]), np.array([0.6, 0.4]), 0.61)
    (7, 3)
    """
    place = np.searchsorted(shares.cumsum(), uniform, side="right")
    return int(tokens[min(place, len(tokens) - 1)])


def is_endless(tokens):
    """Whether a text that is being written has come into a word, or white space, that doesn't end.

    >>> is_endless([" a", " b"] * 40), is_endless(["_1"] * 40)
    (False, True)
    """
    last = tokens[-LONGEST_WORD:]
    return len(last) == LONGEST_WORD and not re.search(r"\s\S", re.sub(LONE_BYTES, ".", "".join(last)))


def uniforms(seed):
    """Numbers from 0 to 1, the same for the same seed here and in pages (mulberry32).

    >>> numbers = uniforms(7)
    >>> [round(next(numbers), 4) for _ in range(3)]
    [0.0117, 0.062, 0.9769]
    """
    state = seed % 2**32
    while True:
        state = (state + 0x6D2B79F5) % 2**32
        mixed = (state ^ (state >> 15)) * (state | 1) % 2**32
        mixed ^= (mixed + (mixed ^ (mixed >> 7)) * (mixed | 61)) % 2**32
        yield (mixed ^ (mixed >> 14)) / 2**32
