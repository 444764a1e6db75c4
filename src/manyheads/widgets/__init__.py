"""Live figures for notebooks."""

from typing import TYPE_CHECKING, Any

from manyheads.widgets.head_map import HeadMap

if TYPE_CHECKING:
    from manyheads.widgets.formula_steps import FormulaSteps as FormulaSteps

__all__ = ["FormulaSteps", "HeadMap"]


def __getattr__(name: str) -> Any:
    if name != "FormulaSteps":
        raise AttributeError(f"module 'manyheads.widgets' has no attribute {name!r}")
    from manyheads.widgets.formula_steps import FormulaSteps  # which computes, and so waits for torch

    return FormulaSteps
