"""Focus models that are trained once and kept: in the cache, or in the package that a wheel brings."""

from functools import lru_cache, partial

from manyheads.models.files import encoder_file, kept_folder, key_of, made_once, side_by_side
from manyheads.models.focus import sentences
from manyheads.models.focus.config import FocusConfig
from manyheads.models.focus.grammar import grammar_data
from manyheads.models.focus.model import FocusModel
from manyheads.models.focus.training import RECIPE, train_focus_model
from manyheads.models.focus.word_vectors import words_file, words_key

CHECKPOINTS = (0, 30, 100, 300, 1000)
HEAD_COUNTS = (1, 2, 4, 8)
VARIANTS = (
    "taught",
    "untaught",
    *(f"heads-{count}" for count in HEAD_COUNTS),
    *(f"step-{step}" for step in CHECKPOINTS),
)
MADE_WITH = {"heads-4": "untaught", **{f"step-{step}": "taught" for step in CHECKPOINTS}}  # in one training


@lru_cache
def focus_key(config=FocusConfig()):
    """The key of the trained variants: it changes with the recipe, the config, the word vectors and the sentences.

    >>> focus_key() == focus_key(FocusConfig(steps=1))
    False
    """
    return key_of(
        recipe=RECIPE,
        config=config,
        words=words_key(config),
        grammar=grammar_data(),
        facts=sentences.FACTS,
        heads=sentences.HEADS,
        shares=sentences.SHARES,
        closings=sentences.CLOSINGS,
        openings=sentences.OPENINGS,
    )


def load_focus_model(variant="taught", *, progress=True):
    """Load a trained variant, or train it now and keep it: taught, untaught, heads-1|2|4|8, step-0|30|100|300|1000.

    >>> load_focus_model("heads-8").num_heads
    8

    Raises `ValueError` for another variant.
    """
    return FocusModel.load(focus_file(variant, progress=progress))


def focus_file(variant="taught", *, config=FocusConfig(), progress=True):
    """The path of `focus-<variant>.safetensors`; it is made if missing."""
    if variant not in VARIANTS:
        raise ValueError(f"no such variant: {variant!r}; there are {', '.join(VARIANTS)}")
    path = _path(variant, config)
    job = MADE_WITH.get(variant, variant)
    return made_once(path, lambda: _make(job, config, progress), lock=path.with_name(f"{job}.lock"))


def _path(variant, config):
    return kept_folder(f"focus-{focus_key(config)}") / f"focus-{variant}.safetensors"


def _make(job, config, progress):
    def keep(model, variant):
        model.variant = variant
        model.save(_path(variant, config))

    def checkpoint(step, model):
        if step in CHECKPOINTS:
            keep(model, f"step-{step}")
            model.variant = job

    watch = checkpoint if job == "taught" else None
    model = train_focus_model(job, config=config, checkpoint=watch, progress=progress)
    for variant in (*(variant for variant, other in MADE_WITH.items() if other == job and job != "taught"), job):
        keep(model, variant)


def focus_files(*, config=FocusConfig(), progress=True):
    """The paths of all files of the focus models, the words and every variant; those that are missing are made now.

    They are trained in as many processes as there are processors.
    """
    words = words_file(config)
    side_by_side(focus_jobs(config=config, progress=progress))
    return [words, *(focus_file(variant, config=config, progress=progress) for variant in VARIANTS)]


def page_files():
    """The paths of all that a page needs for the focus models."""
    return [*focus_files(), encoder_file("tokenizer.json")]


def focus_jobs(*, config=FocusConfig(), progress=True):
    """The trainings whose models are missing, as functions without arguments."""
    missing = (MADE_WITH.get(variant, variant) for variant in VARIANTS if not _path(variant, config).exists())
    return [partial(focus_file, job, config=config, progress=progress) for job in dict.fromkeys(missing)]
