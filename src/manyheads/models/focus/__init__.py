"""Four heads on one sentence: the focus model, its training, its sentences, and how well it does."""

from manyheads.models.focus.config import FocusConfig
from manyheads.models.focus.kept import (
    CHECKPOINTS,
    HEAD_COUNTS,
    VARIANTS,
    focus_file,
    focus_files,
    focus_jobs,
    focus_key,
    load_focus_model,
    page_files,
)
from manyheads.models.focus.model import FocusModel
from manyheads.models.focus.tokens import CLS, SEP, encode, pieces, tokenize, tokenizer
from manyheads.models.focus.training import train_focus_model, validation_loss
from manyheads.models.focus.word_vectors import reduced_words, words_file

__all__ = [
    "CHECKPOINTS",
    "CLS",
    "HEAD_COUNTS",
    "SEP",
    "VARIANTS",
    "FocusConfig",
    "FocusModel",
    "encode",
    "focus_file",
    "focus_files",
    "focus_jobs",
    "focus_key",
    "load_focus_model",
    "page_files",
    "pieces",
    "reduced_words",
    "tokenize",
    "tokenizer",
    "train_focus_model",
    "validation_loss",
    "words_file",
]
