"""What a check finds, and how the reader's own code is called: what it raises becomes a hint."""

import copy
import time
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from manyheads.shared.threads import one_thread

SLOW = 5  # times as long as the reference, from which on a report says so


@dataclass(frozen=True, repr=False)
class Report:
    """Whether all rungs hold; else the first that does not, and a hint. As a truth value it is `passed`.

    >>> report = Report(passed=False, rung="a mask", place=2, rungs=3, hint="It takes no mask.")
    >>> report
    Not yet. Rung 2 of 3 does not hold: a mask.
    Hint: It takes no mask.
    >>> bool(report)
    False

    `slower` is how many times as long as the reference it took, where all rungs hold; from 5 on the text says so.
    """

    passed: bool
    rung: str
    place: int
    rungs: int
    hint: str = ""
    slower: float | None = None

    def __bool__(self) -> bool:
        return self.passed

    def __repr__(self) -> str:
        if self.passed:
            slow = self.slower is not None and self.slower >= SLOW
            time = f" It takes about {float(f'{self.slower:.1g}'):.0f} times as long as the reference." if slow else ""
            rungs = f" All {self.rungs} rungs hold." if self.rungs > 1 else ""
            return f"Right.{rungs}{time}"
        hint = f"\nHint: {self.hint}" if self.hint else ""
        return f"Not yet. Rung {self.place} of {self.rungs} does not hold: {self.rung}.{hint}"


class Mistake(Exception):
    """Ends a climb; its text is the hint."""


def climb(rungs: Mapping[str, Callable[[], float | None]]) -> Report:
    """Report on rungs, {name: function that raises `Mistake`}, up to the first that does not hold.

    >>> climb({"it counts": lambda: None})
    Right.

    A rung that takes the time gives how many times slower than the reference it was.
    """
    slower = None
    for place, (name, holds) in enumerate(rungs.items(), 1):
        try:
            slower = holds() or slower
        except Mistake as mistake:
            return Report(False, name, place, len(rungs), str(mistake))
    return Report(True, "", len(rungs), len(rungs), slower=slower)


def slowness(mine: Callable[[], Any], reference: Callable[[], Any]) -> float:
    """How many times as long as the reference the reader's function takes.

    >>> slowness(lambda: time.sleep(0.01), lambda: time.sleep(0.001)) > 2
    True
    """
    with one_thread():  # on a busy machine threads wait for each other
        return _seconds(lambda: call(mine)) / _seconds(lambda: call(reference))


def _seconds(fn: Callable[[], Any]) -> float:
    """The least of some runs, so that whatever else the machine does is left out."""
    began, least = time.perf_counter(), float("inf")
    for _ in range(10):
        start = time.perf_counter()
        fn()
        least = min(least, time.perf_counter() - start)
        if time.perf_counter() - began > 0.3:
            break
    return least


def call(fn: Callable[..., Any], *arguments: Any, otherwise: str = "", **options: Any) -> Any:
    """Call the reader's function on copies; `Mistake` if it raises, or if it changes what it was given.

    >>> call(lambda x: x / "2", 1, otherwise="Try 2.")
    Traceback (most recent call last):
    manyheads.check.report.Mistake: It raises TypeError: unsupported operand type(s) for /: 'int' and 'str'. Try 2.

    `otherwise` is the hint to add where it raises. Only `KeyboardInterrupt` passes through, for a loop without an end.
    """
    copied, named = copy.deepcopy((arguments, options))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = fn(*copied, **named)
        except (Mistake, KeyboardInterrupt):
            raise
        except SystemExit as error:
            raise Mistake("It ends Python, as sys.exit does. Leave that out, and return the results.") from error
        except BaseException as error:
            raised = f"{type(error).__name__}: {error}".strip().rstrip(".")
            raise Mistake(f"It raises {raised}. {otherwise}".strip()) from error
    for before, after in zip((*arguments, *options.values()), (*copied, *named.values())):
        if isinstance(before, np.ndarray | torch.Tensor) and not np.array_equal(array(before), array(after)):
            raise Mistake("It changes what it was given. Work on a copy, or write what is new into a new array.")
    return result


def answered(value: Any) -> Any:
    """What the reader gave; `Mistake` where the dots of an empty cell still stand.

    >>> answered(...)
    Traceback (most recent call last):
    manyheads.check.report.Mistake: There is nothing yet where your answer belongs.
    """
    if value is None or value is ...:
        raise Mistake("There is nothing yet where your answer belongs.")
    return value


def array(value: Any) -> np.ndarray:
    """An array or tensor, with or without gradients, as NumPy, which has no bfloat16; `Mistake` for what is none.

    >>> array([[1], [1, 2]])
    Traceback (most recent call last):
    manyheads.check.report.Mistake: It gives a list of rows of different lengths, and must give an array.
    """
    try:
        if isinstance(value, torch.Tensor):
            value = value.detach().cpu()
            return (value.float() if value.dtype == torch.bfloat16 else value).numpy()
        return np.asarray(value)
    except Exception as error:
        of = " of rows of different lengths" if isinstance(value, list | tuple) else ""
        raise Mistake(f"It gives a {type(value).__name__}{of}, and must give an array.") from error
