"""English to French in the page: a small encoder-decoder, its words and sentences, its training, what its heads do."""

from manyheads.models.translator.config import TranslatorConfig
from manyheads.models.translator.kept import (
    load_translator,
    load_variant,
    translator_file,
    translator_files,
    translator_jobs,
    translator_key,
)
from manyheads.models.translator.reading import NotTranslated
from manyheads.models.translator.training import VARIANTS, train_translator
from manyheads.models.translator.translator import ATTENTIONS, Translator

__all__ = [
    "ATTENTIONS",
    "VARIANTS",
    "NotTranslated",
    "Translator",
    "TranslatorConfig",
    "load_translator",
    "load_variant",
    "train_translator",
    "translator_file",
    "translator_files",
    "translator_jobs",
    "translator_key",
]
