"""How the induction model learns to go on with what repeats."""

import torch

from manyheads.models.files import key_of
from manyheads.models.induction.head_model import InductionModel
from manyheads.models.induction.network import AttentionOnly, InductionConfig, next_losses
from manyheads.models.keeping import file_name
from manyheads.models.training import fit, reproducible
from manyheads_recipes import SHORT
from manyheads_recipes.induction.data import held_out_sequences, repeated
from manyheads_recipes.induction.measures import measured

# The version of the recipe. Raise it when code changes what is learnt; the config is in the key by itself.
RECIPE = 2
EVERY = 10  # steps between two measurements
KEPT_JOBS = ("",)
CHECKPOINTS = (0, 100, 130, 150, 170, 190, 220, 260, 350)  # around the turn


def recipe_key(config=InductionConfig()):
    """The key of what is learnt: the recipe's version, the config, and when it's looked at.

    >>> recipe_key() == recipe_key(InductionConfig(steps=1))
    False
    """
    return key_of(recipe=RECIPE, config=config, checkpoints=CHECKPOINTS, every=EVERY)


def train_induction(config=InductionConfig(), *, seed=0, steps=None, checkpoint=None, progress=True):
    """Train a network from nothing, the same one for the same seed: the network, and a measurement every 10 steps.

    >>> network, history = train_induction(steps=10, progress=False)
    >>> [point["step"] for point in history]
    [0, 10]

    `checkpoint(step, network)` is called before the first step and after each, while the network is float64. It
    runs on one thread and in float64: the network is then the same on every machine.
    """
    steps = config.steps if steps is None else steps
    history, held_out = [], held_out_sequences(config)
    with reproducible(seed, torch.float64):
        ids, _ = repeated(config.num_sequences, config)
        network = AttentionOnly(config)

        def after(step):
            if step % EVERY == 0:
                history.append({"step": step, **measured(network, *held_out)})
            if checkpoint:
                checkpoint(step, network)

        fit(
            torch.optim.AdamW(network.parameters(), lr=config.learning_rate, betas=(0.9, 0.98), fused=True),
            lambda drawn: next_losses(network(drawn)[0], drawn).mean(),
            (ids,),
            torch.full((len(ids),), config.positions),
            steps=steps,
            batch=config.batch,
            warmup=0.05,
            start=0.005,
            after=after,
            label="what repeats",
            progress=progress,
        )
    return network.float().eval(), history


def train_kept(folder, job="", *, seed=0, steps=None, progress=True):
    """Train the model and keep its checkpoints in a folder, as float16; gives metrics by variant."""
    kept, config = {}, InductionConfig()

    def checkpoint(step, network):
        if step in CHECKPOINTS:
            kept[f"step-{step}"] = {name: tensor.clone() for name, tensor in network.state_dict().items()}

    network, history = train_induction(config, seed=seed, steps=steps, checkpoint=checkpoint, progress=progress)
    kept[""] = network.state_dict()
    roles = {"previous": _strongest(history, "previous", 0), "induction": _strongest(history, "induction", 1)}
    metrics = {}
    for variant, weights in kept.items():
        model = InductionModel(variant, config, roles, history if not variant else ())
        model.network.load_state_dict(weights)
        path = folder / file_name("induction", variant)
        model.save(path, torch.float16)
        found = measured(InductionModel.load(path).network, *held_out_sequences(config))
        scores = {f"largest {score} score": max(max(layer) for layer in found[score]) for score in roles}
        metrics[variant] = {name: found[name] for name in ("first", "second", "right")} | scores
    metrics[job][SHORT] = loss_after(40)
    return metrics


def loss_after(steps, job=""):
    """The loss of the second copy after a short training: how the recipe learns."""
    _, history = train_induction(steps=steps, progress=False)
    return history[-1]["second"]


def _strongest(history, score, layer):
    """The head of a layer that scored highest in the end: [layer, head]."""
    scores = history[-1][score][layer]
    return [layer, scores.index(max(scores))]
