"""Many Heads: multi-head attention you can edit.

The names a notebook needs; each module has more, and imports only those that stand above it in CONTRIBUTING. A name is
imported when it's first used, so that `import manyheads` costs nothing.
"""

import importlib
import importlib.metadata
import importlib.util
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for editors and type checkers
    from manyheads import check as check
    from manyheads.attention import MultiHeadAttention as MultiHeadAttention
    from manyheads.attention import multi_head_attention as multi_head_attention
    from manyheads.attention import self_attention as self_attention
    from manyheads.maps import AttentionMap as AttentionMap
    from manyheads.maps.value_norms import value_norms as value_norms
    from manyheads.models.attributing import attribution as attribution
    from manyheads.models.decoder import load_decoder as load_decoder
    from manyheads.models.encoder import load_encoder as load_encoder
    from manyheads.models.focus import load_focus_model as load_focus_model
    from manyheads.models.focus import train_focus_model as train_focus_model
    from manyheads.models.induction import load_induction as load_induction
    from manyheads.models.senses import word_sense as word_sense
    from manyheads.models.translator import load_translator as load_translator
    from manyheads.widgets import HeadMap as HeadMap
    from manyheads.widgets.attention_flow import AttentionFlow as AttentionFlow
    from manyheads.widgets.formula_steps import FormulaSteps as FormulaSteps
    from manyheads.widgets.head_ledger import HeadLedger as HeadLedger
    from manyheads.widgets.next_word import NextWord as NextWord

    __version__: str

MODULES = {
    "AttentionMap": "manyheads.maps",
    "AttentionFlow": "manyheads.widgets.attention_flow",
    "FormulaSteps": "manyheads.widgets.formula_steps",
    "HeadLedger": "manyheads.widgets.head_ledger",
    "HeadMap": "manyheads.widgets",
    "MultiHeadAttention": "manyheads.attention",
    "NextWord": "manyheads.widgets.next_word",
    "attribution": "manyheads.models.attributing",
    "load_decoder": "manyheads.models.decoder",
    "load_encoder": "manyheads.models.encoder",
    "load_focus_model": "manyheads.models.focus",
    "load_induction": "manyheads.models.induction",
    "load_translator": "manyheads.models.translator",
    "multi_head_attention": "manyheads.attention",
    "self_attention": "manyheads.attention",
    "train_focus_model": "manyheads.models.focus",
    "value_norms": "manyheads.maps.value_norms",
    "word_sense": "manyheads.models.senses",
}

__all__ = [*MODULES, "check"]


def __getattr__(name: str) -> Any:
    if name in MODULES:
        value = getattr(importlib.import_module(MODULES[name]), name)
    elif name == "__version__":
        value = importlib.metadata.version("manyheads")
    elif not name.startswith("_") and importlib.util.find_spec(f"manyheads.{name}"):
        value = importlib.import_module(f"manyheads.{name}")
    else:
        raise AttributeError(f"module 'manyheads' has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return [*globals(), *__all__, "__version__"]
