"""Many Heads: multi-head attention you can edit.

The names a notebook needs; each module has more, and imports only those that stand above it in CONTRIBUTING.
"""

from manyheads import check
from manyheads.attention import MultiHeadAttention, multi_head_attention, self_attention
from manyheads.maps import AttentionMap
from manyheads.models.focus import load_focus_model, train_focus_model
from manyheads.models.senses import word_sense
from manyheads.models.translator import load_translator
from manyheads.widgets import HeadMap
from manyheads.widgets.formula_steps import FormulaSteps

__all__ = [
    "AttentionMap",
    "FormulaSteps",
    "HeadMap",
    "MultiHeadAttention",
    "check",
    "load_focus_model",
    "load_translator",
    "multi_head_attention",
    "self_attention",
    "train_focus_model",
    "word_sense",
]
