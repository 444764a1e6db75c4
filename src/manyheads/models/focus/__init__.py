"""Four heads on one sentence: the focus model, its training and its sentences."""

from manyheads.models.focus.head_model import FocusModel, load_focus_model, load_variant, page_files
from manyheads.models.focus.network import FocusConfig
from manyheads.models.focus.tokens import CLS, SEP, pieces, tokenize, tokenizer
from manyheads.models.focus.training import encode, train_focus_model
from manyheads.models.focus.word_vectors import reduced_words

__all__ = [
    "CLS",
    "SEP",
    "FocusConfig",
    "FocusModel",
    "encode",
    "load_focus_model",
    "load_variant",
    "page_files",
    "pieces",
    "reduced_words",
    "tokenize",
    "tokenizer",
    "train_focus_model",
]
