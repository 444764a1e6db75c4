"""The public names and the modules that they are in, from which `__init__.py` takes both."""

from typing import Any

from manyheads import attention as attention
from manyheads import check as check
from manyheads.attention import MultiHeadAttention as MultiHeadAttention
from manyheads.attention import multi_head_attention as multi_head_attention
from manyheads.attention import self_attention as self_attention
from manyheads.figures.page_figure import PageFigure as PageFigure
from manyheads.maps.sources import SourceTable as SourceTable
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
from manyheads.models.machine import Machine as Machine
from manyheads.models.machine import Neurons as Neurons
from manyheads.models.machine import without_parts as without_parts
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

def __getattr__(name: str) -> Any: ...  # the figures of the pages have their names from a table
