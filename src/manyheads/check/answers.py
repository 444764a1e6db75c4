"""A reader's answer to an exercise: a value or a function, against what is right or what has to hold."""

import hashlib
import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

import numpy as np

from manyheads.check.comparing import TOLERANCES, close
from manyheads.check.report import Mistake, Report, answered, array, call, climb


def equals(mine: Any, right: Any, *arguments: Any, hint: str = "") -> Report:
    """Check a value, or a function on `arguments`, against what is right: numbers, or a function that gives them.

    >>> equals(lambda x: x + x, lambda x: 2 * x, np.arange(3))
    Right. All 3 rungs hold.
    >>> equals([1.0, 3.0], [1.0, 2.0], hint="Count again.")
    Not yet. Rung 3 of 3 does not hold: the numbers.
    Hint: It is furthest off at [1], counted from 0. Count again.

    Numbers may differ by a ten-thousandth of the largest. `hint` is added where the shape or the numbers are wrong.
    """

    def found() -> np.ndarray:
        return array(answered(call(mine, *arguments) if callable(mine) else mine))

    def expected() -> np.ndarray:
        return array(right(*arguments) if callable(right) else right)

    def numbers() -> None:
        if (kind := found().dtype).kind not in "biufc":
            raise Mistake(f"It holds {kind}, and must hold numbers.")

    def shape() -> None:
        if (shape := found().shape) != expected().shape:
            raise Mistake(f"It is {list(shape)} and should be {list(expected().shape)}. {hint}".strip())

    def content() -> None:
        if not close(found(), expected(), TOLERANCES["float32"]):
            off = np.nan_to_num(np.abs(found() - expected()), nan=np.inf)
            place = [int(at) for at in np.unravel_index(off.argmax(), off.shape)]
            raise Mistake(f"It is furthest off at {place}, counted from 0. {hint}".strip())

    return climb({"it gives numbers": numbers, "the shape": shape, "the numbers": content})


def holds(mine: Any, tests: Mapping[str, Callable[[Any], Any]], *, hint: str = "") -> Report:
    """Check what an exercise asks for: `tests` are {what has to hold: a function of `mine` that says whether it does}.

    >>> holds(["a", "b"], {"three words": lambda words: len(words) == 3}, hint="One is missing.")
    Not yet. Rung 1 of 1 does not hold: three words.
    Hint: One is missing.

    Where `mine` is a function, a test may call it; what it raises becomes the hint.
    """
    answer = _reporting(mine) if inspect.isfunction(mine) else mine

    def rung(test: Callable[[Any], Any]) -> Callable[[], None]:
        def climbed() -> None:
            answered(mine)
            if not call(lambda: test(answer), otherwise=hint):
                raise Mistake(hint)

        return climbed

    return climb({name: rung(test) for name, test in tests.items()})


def seal(value: Any) -> str:
    """A mark of whole numbers, words, or lists, sets and dictionaries of them, from which nobody reads the value.

    >>> seal({"river": 3, "money": np.float64(1)}) == seal({"money": 1, "river": 3.0})
    True
    >>> seal({1, 2}) == seal([1, 2])
    False

    A check that compares marks says whether an answer is right, and never what it is.
    """
    return hashlib.sha256(repr(_plain(value)).encode()).hexdigest()[:8]


def _plain(value):
    """A value as Python writes it, whatever wrote it: whole numbers of any kind are alike, and so is any order."""
    if isinstance(value, Mapping):
        return "dict", sorted((_plain(key), _plain(item)) for key, item in value.items())
    if isinstance(value, set | frozenset):
        return "set", sorted(map(_plain, value))
    if isinstance(value, str):
        return "word", value
    if isinstance(value, tuple | list):
        return "list", [_plain(item) for item in value]
    numbers = array(value)
    if numbers.ndim:
        return _plain(numbers.tolist())
    if numbers.dtype.kind not in "biuf" or not np.isclose(numbers, np.round(numbers), atol=1e-3):
        raise Mistake(f"It holds {value!r}. Give whole numbers and words.")
    return "number", int(np.round(numbers))


def _reporting(fn):
    """The reader's function, of which mistakes become hints."""

    @wraps(fn)
    def reported(*arguments, **options):
        return answered(call(fn, *arguments, **options))

    return reported
