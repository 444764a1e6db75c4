"""Live figures for notebooks."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from manyheads.widgets.head_map import HeadMap

if TYPE_CHECKING:
    from manyheads.widgets.attention_flow import AttentionFlow as AttentionFlow
    from manyheads.widgets.formula_steps import FormulaSteps as FormulaSteps
    from manyheads.widgets.head_ledger import HeadLedger as HeadLedger
    from manyheads.widgets.next_word import NextWord as NextWord

__all__ = ["AttentionFlow", "FormulaSteps", "HeadLedger", "HeadMap", "NextWord"]

COMPUTING = {  # they wait for torch
    "AttentionFlow": "attention_flow",
    "FormulaSteps": "formula_steps",
    "HeadLedger": "head_ledger",
    "NextWord": "next_word",
}


def __getattr__(name: str) -> Any:
    if name not in COMPUTING:
        raise AttributeError(f"module 'manyheads.widgets' has no attribute {name!r}")
    return getattr(import_module(f"manyheads.widgets.{COMPUTING[name]}"), name)
