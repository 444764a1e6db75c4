"""Many Heads: multi-head attention you can edit.

`__all__` names what is public; of the modules `attention` and `check` everything is. The rest serves the package
itself, and may change. A name is imported when it's first used, so that `import manyheads` costs nothing.
"""

import importlib
import importlib.metadata
import importlib.util
from typing import TYPE_CHECKING, Any

from manyheads.figures import PAGE_FIGURES

if TYPE_CHECKING:  # for editors and type checkers
    from manyheads import attention as attention
    from manyheads import check as check
    from manyheads.attention import MultiHeadAttention as MultiHeadAttention
    from manyheads.attention import multi_head_attention as multi_head_attention
    from manyheads.attention import self_attention as self_attention
    from manyheads.figures.page_figure import PageFigure as PageFigure
    from manyheads.models.attributing import Attribution as Attribution
    from manyheads.models.attributing import attribution as attribution
    from manyheads.models.composing import ScoreParts as ScoreParts
    from manyheads.models.composing import score_parts as score_parts
    from manyheads.models.decoder import Decoder as Decoder
    from manyheads.models.decoder import load_decoder as load_decoder
    from manyheads.models.drawing import Answer as Answer
    from manyheads.models.drawing import DrawingModel as DrawingModel
    from manyheads.models.drawing import load_drawing as load_drawing
    from manyheads.models.encoder import Encoder as Encoder
    from manyheads.models.encoder import load_encoder as load_encoder
    from manyheads.models.focus import FocusModel as FocusModel
    from manyheads.models.focus import load_focus_model as load_focus_model
    from manyheads.models.focus import train_focus_model as train_focus_model
    from manyheads.models.induction import Guesses as Guesses
    from manyheads.models.induction import InductionModel as InductionModel
    from manyheads.models.induction import load_induction as load_induction
    from manyheads.models.registry import load_model as load_model
    from manyheads.models.senses import word_sense as word_sense
    from manyheads.models.translator import NotTranslated as NotTranslated
    from manyheads.models.translator import Translator as Translator
    from manyheads.models.translator import load_translator as load_translator
    from manyheads.reading.map_of import AttentionMap as AttentionMap
    from manyheads.reading.value_norms import value_norms as value_norms
    from manyheads.widgets import HeadMap as HeadMap
    from manyheads.widgets.attention_flow import AttentionFlow as AttentionFlow
    from manyheads.widgets.head_ledger import HeadLedger as HeadLedger
    from manyheads.widgets.next_word import NextWord as NextWord

    __version__: str

MODULES = {
    "Answer": "manyheads.models.drawing",
    "AttentionFlow": "manyheads.widgets.attention_flow",
    "AttentionMap": "manyheads.reading.map_of",
    "Attribution": "manyheads.models.attributing",
    "Decoder": "manyheads.models.decoder",
    "DrawingModel": "manyheads.models.drawing",
    "Encoder": "manyheads.models.encoder",
    "FocusModel": "manyheads.models.focus",
    "Guesses": "manyheads.models.induction",
    "HeadLedger": "manyheads.widgets.head_ledger",
    "HeadMap": "manyheads.widgets",
    "InductionModel": "manyheads.models.induction",
    "MultiHeadAttention": "manyheads.attention",
    "NextWord": "manyheads.widgets.next_word",
    "NotTranslated": "manyheads.models.translator",
    "PageFigure": "manyheads.figures.page_figure",
    "ScoreParts": "manyheads.models.composing",
    "Translator": "manyheads.models.translator",
    "attribution": "manyheads.models.attributing",
    "load_decoder": "manyheads.models.decoder",
    "load_drawing": "manyheads.models.drawing",
    "load_encoder": "manyheads.models.encoder",
    "load_focus_model": "manyheads.models.focus",
    "load_induction": "manyheads.models.induction",
    "load_model": "manyheads.models.registry",
    "load_translator": "manyheads.models.translator",
    "multi_head_attention": "manyheads.attention",
    "score_parts": "manyheads.models.composing",
    "self_attention": "manyheads.attention",
    "train_focus_model": "manyheads.models.focus",
    "value_norms": "manyheads.reading.value_norms",
    "word_sense": "manyheads.models.senses",
}

__all__ = [*MODULES, *PAGE_FIGURES, "attention", "check"]


def __getattr__(name: str) -> Any:
    if name in MODULES or name in PAGE_FIGURES:
        value = getattr(importlib.import_module(MODULES.get(name, "manyheads.figures.page_figure")), name)
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
