"""Live figures for notebooks."""

from manyheads.widgets.formula_steps import FormulaSteps
from manyheads.widgets.head_map import HeadMap

__all__ = ["FormulaSteps", "HeadMap"]
