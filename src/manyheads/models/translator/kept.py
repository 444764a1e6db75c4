"""Translators that are trained once and kept: in the cache, or in the package that a wheel brings."""

from functools import lru_cache, partial

from manyheads.models.files import kept_folder, key_of, made_once, side_by_side
from manyheads.models.translator import sentences
from manyheads.models.translator.config import TranslatorConfig
from manyheads.models.translator.maker import HELD_OUT_STRUCTURES
from manyheads.models.translator.training import RECIPE, VARIANTS, train_translator
from manyheads.models.translator.translator import ATTENTIONS, Translator
from manyheads.models.translator.words import words_data


@lru_cache
def translator_key(config=TranslatorConfig()):
    """The key of the trained variants: it changes with the recipe, the config and the words.

    >>> translator_key() == translator_key(TranslatorConfig(steps=1))
    False
    """
    limits = sentences.MAX_WORDS, sentences.HELD_OUT_EVERY, HELD_OUT_STRUCTURES
    return key_of(recipe=RECIPE, config=config, words=words_data(), heads=sentences.HEADS, limits=limits)


def load_translator(variant="taught", *, attention="cross", progress=True):
    """Load a trained translator, or train it now and keep it: taught, untaught or heads-1.

    >>> load_translator().translate("The girl sees the red apple.")
    'La fille voit la pomme rouge.'
    >>> load_translator(attention="french")("The cat sleeps.").query_tokens
    ['<s>', 'le', 'chat', 'dort']

    `attention` is the one that its maps show: "cross" (of the last layer), "first" (of the first), "english" (the
    encoder's self-attention) or "french" (the decoder's, which is causal).

    Raises `ValueError` for another variant or attention.
    """
    return Translator.load(translator_file(variant, progress=progress), attention)


def load_variant(name):
    """The translator that pages call `translator/<name>`: a training, an attention, or both with a slash between.

    >>> load_variant("heads-1/french").head_names
    ['head 1']
    """
    parts = name.split("/") if name else []
    training = next((part for part in parts if part in VARIANTS), "taught")
    return load_translator(training, attention=next((part for part in parts if part in ATTENTIONS), "cross"))


def translator_file(variant="taught", *, config=TranslatorConfig(), progress=True):
    """The path of `translator-<variant>.safetensors`; it is made if missing."""
    if variant not in VARIANTS:
        raise ValueError(f"no such variant: {variant!r}; there are {', '.join(VARIANTS)}")
    path = _path(variant, config)
    return made_once(path, lambda: train_translator(variant, config=config, progress=progress).save(path))


def _path(variant, config):
    return kept_folder(f"translator-{translator_key(config)}") / f"translator-{variant}.safetensors"


def translator_files(*, config=TranslatorConfig(), progress=True):
    """The paths of all variants; those that are missing are trained now, side by side where there are processors."""
    side_by_side(translator_jobs(config=config, progress=progress))
    return [translator_file(variant, config=config, progress=progress) for variant in VARIANTS]


def translator_jobs(*, config=TranslatorConfig(), progress=True):
    """The trainings whose translators are missing, as functions without arguments."""
    missing = [variant for variant in VARIANTS if not _path(variant, config).exists()]
    return [partial(translator_file, variant, config=config, progress=progress) for variant in missing]
