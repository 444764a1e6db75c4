"""What a check finds, and how the reader's own code is called: what it raises becomes a hint."""

import copy
import warnings
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True, repr=False)
class Report:
    """Whether all rungs hold; else the first that does not, and a hint. As a truth value it is `passed`.

    >>> report = Report(passed=False, rung="a mask", place=2, rungs=3, hint="It takes no mask.")
    >>> report
    Not yet. Rung 2 of 3 does not hold: a mask.
    Hint: It takes no mask.
    >>> bool(report)
    False
    """

    passed: bool
    rung: str
    place: int
    rungs: int
    hint: str = ""

    def __bool__(self):
        return self.passed

    def __repr__(self):
        if self.passed:
            return f"Right. All {self.rungs} rungs hold."
        return f"Not yet. Rung {self.place} of {self.rungs} does not hold: {self.rung}.\nHint: {self.hint}"


class Mistake(Exception):
    """Ends a climb; its text is the hint."""


def climb(rungs):
    """Report on rungs, {name: function that raises `Mistake`}, up to the first that does not hold.

    >>> climb({"it counts": lambda: None})
    Right. All 1 rungs hold.
    """
    for place, (name, holds) in enumerate(rungs.items(), 1):
        try:
            holds()
        except Mistake as mistake:
            return Report(False, name, place, len(rungs), str(mistake))
    return Report(True, "", len(rungs), len(rungs))


def call(fn, *arguments, otherwise="", **options):
    """Call the reader's function on copies; `Mistake` if it raises, or if it changes what it was given.

    >>> call(lambda x: x / "2", 1, otherwise="Try 2.")
    Traceback (most recent call last):
    manyheads.check.report.Mistake: It raises TypeError: unsupported operand type(s) for /: 'int' and 'str'. Try 2.

    `otherwise` is the hint to add where it raises.
    """
    given, named = copy.deepcopy((arguments, options))
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            result = fn(*given, **named)
        except Mistake:
            raise
        except Exception as error:
            raised = f"{type(error).__name__}: {error}".strip().rstrip(".")
            raise Mistake(f"It raises {raised}. {otherwise}".strip()) from error
    for before, after in zip((*arguments, *options.values()), (*given, *named.values())):
        if isinstance(before, np.ndarray | torch.Tensor) and not np.array_equal(array(before), array(after)):
            raise Mistake("It changes what it was given. Work on a copy, or write what is new into a new array.")
    return result


def array(value):
    """An array or tensor, with or without gradients, as NumPy."""
    return value.detach().cpu().numpy() if isinstance(value, torch.Tensor) else np.asarray(value)
