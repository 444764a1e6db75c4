"""English to French in the page: a small encoder-decoder, its words and sentences, its training, what its heads do."""

from manyheads.models.translator.head_model import (
    ATTENTIONS,
    NotTranslated,
    Translator,
    load_translator,
    load_variant,
    page_files,
)
from manyheads.models.translator.network import TranslatorConfig
from manyheads.models.translator.training import train_translator

__all__ = [
    "ATTENTIONS",
    "NotTranslated",
    "Translator",
    "TranslatorConfig",
    "load_translator",
    "load_variant",
    "page_files",
    "train_translator",
]
