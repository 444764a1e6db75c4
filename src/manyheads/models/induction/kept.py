"""Induction models that are trained once and kept: in the cache, or in the package that a wheel brings."""

from functools import lru_cache, partial

from manyheads.models.files import kept_folder, key_of, made_once, side_by_side
from manyheads.models.induction.config import InductionConfig
from manyheads.models.induction.induction import InductionModel
from manyheads.models.induction.training import EVERY, RECIPE, train_induction

CHECKPOINTS = (0, 100, 130, 150, 170, 190, 220, 260, 350)  # around the turn
VARIANTS = (*(f"step-{step}" for step in CHECKPOINTS), "")


@lru_cache
def induction_key(config=InductionConfig()):
    """The key of what was trained: it changes with the recipe and the config.

    >>> induction_key() == induction_key(InductionConfig(steps=1))
    False
    """
    return key_of(recipe=RECIPE, config=config, checkpoints=CHECKPOINTS, every=EVERY)


def load_induction(variant="", *, progress=True):
    """Load the induction model, or train it now and keep it; `"step-190"` is what it was after 190 steps.

    >>> model = load_induction()
    >>> "".join(model.guesses("tea cup tea").characters[8:])
    'ea '
    >>> load_induction("step-0").name
    'induction/step-0'

    Raises `ValueError` for another variant.
    """
    return InductionModel.load(induction_file(variant, progress=progress))


def induction_file(variant="", *, config=InductionConfig(), progress=True):
    """The path of `induction.safetensors` or `induction-<variant>.safetensors`; it is made if missing."""
    if variant not in VARIANTS:
        raise ValueError(f"no such variant: {variant!r}; there are {', '.join(VARIANTS[:-1])}, and none")
    path = _path(variant, config)
    return made_once(path, lambda: _make(config, progress), lock=path.with_name("induction.lock"))


def _path(variant, config):
    name = "-".join(filter(None, ("induction", variant)))
    return kept_folder(f"induction-{induction_key(config)}") / f"{name}.safetensors"


def _make(config, progress):
    kept = {}

    def checkpoint(step, network):
        if step in CHECKPOINTS:
            kept[f"step-{step}"] = {name: tensor.clone() for name, tensor in network.state_dict().items()}

    network, history = train_induction(config, checkpoint=checkpoint, progress=progress)
    kept[""] = network.state_dict()
    roles = {"previous": _strongest(history, "previous", 0), "induction": _strongest(history, "induction", 1)}
    for variant, weights in kept.items():
        model = InductionModel(variant, config, roles, history if not variant else ())
        model.network.load_state_dict(weights)
        model.save(_path(variant, config))


def _strongest(history, score, layer):
    """The head of a layer that scored highest in the end: [layer, head]."""
    scores = history[-1][score][layer]
    return [layer, scores.index(max(scores))]


def induction_files(*, config=InductionConfig(), progress=True):
    """The paths of all variants; those that are missing are made now, in one training."""
    side_by_side(induction_jobs(config=config, progress=progress))
    return [induction_file(variant, config=config, progress=progress) for variant in VARIANTS]


def induction_jobs(*, config=InductionConfig(), progress=True):
    """The training as a function without arguments, in a list; an empty one where nothing is missing."""
    missing = any(not _path(variant, config).exists() for variant in VARIANTS)
    return [partial(induction_file, config=config, progress=progress)] if missing else []
