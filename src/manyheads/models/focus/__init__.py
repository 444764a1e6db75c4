"""Four heads on one sentence: the focus model, its training, its sentences, and how well it does."""

from manyheads.models.focus.head_model import FocusModel, load_focus_model, load_variant, page_files
from manyheads.models.focus.network import FocusConfig
from manyheads.models.focus.tokens import CLS, SEP, encode, pieces, tokenize, tokenizer
from manyheads.models.focus.training import CHECKPOINTS, HEAD_COUNTS, train_focus_model, validation_loss
from manyheads.models.focus.word_vectors import reduced_words

__all__ = [
    "CHECKPOINTS",
    "CLS",
    "HEAD_COUNTS",
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
    "validation_loss",
]
