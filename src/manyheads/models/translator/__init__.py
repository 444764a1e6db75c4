"""English to French in the page: a small encoder-decoder."""

from manyheads.models.translator.head_model import (
    ATTENTIONS,
    NotTranslated,
    Translator,
    load_translator,
    load_variant,
    page_files,
)
from manyheads.models.translator.network import TranslatorConfig

__all__ = [
    "ATTENTIONS",
    "NotTranslated",
    "Translator",
    "TranslatorConfig",
    "load_translator",
    "load_variant",
    "page_files",
]
