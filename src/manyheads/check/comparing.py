"""What a reader's attention gives, compared with what is right, in the precision that it has."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from manyheads import attention
from manyheads.check.mistakes import OUTPUTS, WEIGHTS, wrong_attention
from manyheads.check.report import Mistake, array, call

PAIR = "Give two things: (output, weights)."
OVERFLOW = "Powers of large numbers overflow: subtract the largest score of each row before np.exp."
# How far numbers may differ, as a share of the largest.
TOLERANCES = {"float64": 1e-6, "float32": 1e-4, "float16": 1e-2, "bfloat16": 5e-2}


class Pair(NamedTuple):
    """What one call gives, as arrays, and how far from right it may be."""

    output: np.ndarray
    weights: np.ndarray
    tolerance: float


def pair(fn: Callable[..., Any], *arguments: Any, otherwise: str = "", **options: Any) -> Pair:
    """The output and the weights of one call.

    >>> pair(lambda x: (x, np.float32(1)), np.ones(2))
    Pair(output=array([1., 1.]), weights=array(1., dtype=float32), tolerance=0.0001)
    """
    result = call(fn, *arguments, otherwise=otherwise, **options)
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise Mistake(f"It gives {type(result).__name__}. {PAIR}")
    output, weights = found = [array(part) for part in result]
    if any(part.dtype.kind not in "fiu" for part in found):
        raise Mistake(f"It gives {[str(part.dtype) for part in found]}. {PAIR}")
    precisions = [str(getattr(part, "dtype", "")).removeprefix("torch.") for part in result]
    return Pair(output, weights, max(TOLERANCES.get(name, TOLERANCES["float64"]) for name in precisions))


def all_same(
    fn: Callable[..., Any],
    arguments: tuple[Any, ...],
    options: Mapping[str, Any],
    otherwise: str,
    mistakes: Mapping[str, Any] | None = None,
) -> None:
    """Raise `Mistake` where the output or the weights of one call are wrong.

    >>> case = *map(np.ones, ((5, 4), (4, 6), (4, 6), (4, 6), (6, 4))), 3
    >>> all_same(attention.multi_head_attention, case, {}, "Look again.")
    """
    output, weights = attention.multi_head_attention(*arguments, **options)
    found = pair(fn, *arguments, otherwise=otherwise, **options)
    for part, right, name in zip(found, (output, weights), ("output is", "weights are")):
        if part.shape != right.shape:
            raise Mistake(f"The {name} {list(part.shape)} and should be {list(right.shape)}. {otherwise}")
    arguments = (*arguments, *options.values())
    wrong = {**(mistakes or {}), **WEIGHTS}
    compare(found, weights, "weights", arguments, wrong, rows(found, options, otherwise))
    compare(found, output, "output", arguments, OUTPUTS, otherwise)


def compare(
    found: Pair, right: np.ndarray, part: str, arguments: tuple[Any, ...], mistakes: Mapping[str, Any], unknown: str
) -> None:
    """Raise `Mistake` where the numbers differ, with the hint of the mistake that comes closest to them.

    >>> compare(Pair(np.ones(3), np.ones(3), 1e-6), np.zeros(3), "output", (), {}, "Look again.")
    Traceback (most recent call last):
    manyheads.check.report.Mistake: Look again.
    """
    numbers = getattr(found, part)
    if close(numbers, right, found.tolerance):
        return
    likely = {}
    for hint, replaced in mistakes.items():
        try:
            with np.errstate(all="ignore"):
                wrong = wrong_attention(*arguments, **replaced)[Pair._fields.index(part)]
        except ValueError:  # these shapes do not allow this mistake
            continue
        if close(numbers, wrong, found.tolerance):
            likely[hint] = np.abs(numbers - wrong).max()
    if likely:
        raise Mistake(min(likely, key=likely.get))
    if close(numbers, right, TOLERANCES["float16"]):
        raise Mistake("It is right to two digits or so: a step is computed in a lower precision than the others.")
    raise Mistake(unknown)


def close(found: np.ndarray, right: np.ndarray, tolerance: float) -> bool:
    """Whether two arrays are one, but for rounding.

    >>> close(np.array([1e-9, 1.0]), np.array([0.0, 1.0]), tolerance=1e-6)
    True
    """
    if found.shape != right.shape:
        return False
    largest = np.abs(right).max(initial=0, where=np.isfinite(right))
    return np.allclose(found, right, rtol=tolerance, atol=tolerance * largest)


def rows(found: Pair, options: Mapping[str, Any] = MappingProxyType({}), otherwise: str = "") -> str:
    """What can be said of wrong weights that no well-known mistake gives.

    >>> rows(Pair(np.ones(3), np.ones((2, 3)), 1e-6))
    'The rows do not sum to 1. Softmax turns each row of scores, [k], into shares.'
    """
    weights = found.weights
    if np.isnan(weights).any():
        if otherwise == OVERFLOW:
            return OVERFLOW
        if "mask" in options:
            return "There is NaN: softmax of nothing but minus infinity is 0/0. Put zeros there after softmax."
        return "There is NaN in the weights: nothing here divides by zero, so look at what softmax gets."
    sums = weights.sum(-1, dtype=np.float64)
    if not close(sums, np.ones_like(sums), found.tolerance) and not options:
        return "The rows do not sum to 1. Softmax turns each row of scores, [k], into shares."
    return f"The rows sum to 1, but the shares are others. Scores are Q @ K.T / sqrt(d_k). {otherwise}".strip()


def misshapen(found: tuple[int, ...], right: tuple[int, ...]) -> str:
    """What a wrong shape of the weights says.

    >>> misshapen((5, 5), (3, 5, 5))
    ': one map, of one head or of an average. Give each head its own.'
    """
    heads, length = right[0], right[1]
    if found == (length, length):
        return ": one map, of one head or of an average. Give each head its own."
    if found in ((length, heads, length), (length, length, heads)):
        return ": bring the axis of the heads to the front, with a transpose."
    if heads * length in found:
        return ": the maps are joined. Stack them along a new axis instead."
    return ". Scores compare each query with each key, in each head."
