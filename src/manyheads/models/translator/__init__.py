"""English to French in the page: a small encoder-decoder."""

from manyheads.models.translator.head_model import ATTENTIONS, Translator, load_translator, load_variant, page_files
from manyheads.models.translator.network import TranslatorConfig
from manyheads.models.translator.sentences import NotTranslated

__all__ = [
    "ATTENTIONS",
    "NotTranslated",
    "Translator",
    "TranslatorConfig",
    "load_translator",
    "load_variant",
    "page_files",
]
