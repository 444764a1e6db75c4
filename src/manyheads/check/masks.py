"""A reader's own masks."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import torch

from manyheads import attention
from manyheads.check.report import Mistake, Report, answered, array, call, climb, slowness

OURS = "In this book, as in scaled_dot_product_attention, True may be attended to"


def causal_mask(fn: Callable[..., Any]) -> Report:
    """Check `fn(length)`, which gives [q, k], True where a word may look: at itself and back.

    >>> causal_mask(attention.causal_mask)
    Right. All 4 rungs hold.
    >>> causal_mask(lambda length: np.tri(length, dtype=bool).T)
    Not yet. Rung 4 of 4 does not hold: who may look at whom.
    Hint: Here each word looks ahead, and none looks back. Rows ask: take the lower triangle.
    """
    right = np.tri(5, dtype=bool)
    wrong = {
        f"Here True is what must not be seen. {OURS}.": ~right,
        "Here each word looks ahead, and none looks back. Rows ask: take the lower triangle.": right.T,
        "Here no word may look at itself. Keep the diagonal; without it the first word may look at nothing.": np.tri(
            5, k=-1
        )
        > 0,
        "Here each word may look one place ahead.": np.tri(5, k=1) > 0,
    }
    slower = partial(_slower, fn, attention.causal_mask, 256)
    return climb(_rungs(fn, (5,), right, wrong, "Rows ask, columns are looked at.", slower))


def padding_mask(fn: Callable[..., Any]) -> Report:
    """Check `fn(lengths, longest)`, which gives [text, 1, 1, k], True for the first `lengths` words of each text.

    >>> padding_mask(attention.padding_mask)
    Right. All 4 rungs hold.
    >>> padding_mask(lambda lengths, longest: torch.arange(longest) < lengths[:, None]).hint
    'It is [3, 5] and should be [3, 1, 1, 5]: it needs axes of length 1 for heads and queries.'
    """
    lengths = torch.tensor([2, 5, 3])
    right = attention.padding_mask(lengths, 5).numpy()
    wrong = {
        f"Here True is the padding. {OURS}; in PyTorch's key_padding_mask it is the other way round.": ~right,
        "Here one word of padding may be seen. The words are at the places 0 to length - 1.": (
            np.arange(5) <= lengths.numpy()[:, None, None, None]
        ),
        "Here the padding comes first and the words last.": right[..., ::-1],
    }
    axes = "it needs axes of length 1 for heads and queries."
    slower = partial(_slower, fn, attention.padding_mask, torch.arange(256), 256)
    return climb(_rungs(fn, (lengths, 5), right, wrong, axes, slower))


def _slower(fn, reference, *arguments):
    return slowness(partial(fn, *arguments), partial(reference, *arguments))


def _rungs(fn, arguments, right, wrong, axes, slower):
    def made():
        return array(answered(call(fn, *arguments)))

    def boolean():
        if (found := made()).dtype != np.bool_:
            raise Mistake(
                f"A mask holds True and False, and this one holds {found.dtype}. Compare, or turn it into bool."
            )

    def shape():
        if (found := made()).shape != right.shape:
            raise Mistake(f"It is {list(found.shape)} and should be {list(right.shape)}: {axes}")

    def content():
        found = made()
        if np.array_equal(found, right):
            return slower()
        place = np.argwhere(found != right)[0].tolist()
        unknown = f"The first wrong place is {place}, counted from 0: it should be {bool(right[tuple(place)])}."
        raise Mistake(next((hint for hint, mask in wrong.items() if np.array_equal(found, mask)), unknown))

    def runs():
        made()

    return {"it runs": runs, "it is boolean": boolean, "its shape": shape, "who may look at whom": content}
