"""Sequences that repeat, and how the induction model learns to go on with them."""

import torch

from manyheads.models.induction.config import InductionConfig
from manyheads.models.induction.measures import measured, next_losses
from manyheads.models.induction.model import AttentionOnly
from manyheads.models.training import fit, reproducible

# The version of the recipe. Raise it when code changes what is learnt, or the form of the kept files: the config needs
# no raise, because it is in the key (kept.py).
RECIPE = 2
EVERY = 10  # steps between two measurements


def repeated(count, config=InductionConfig()):  # -> [count, position], [count]
    """Random symbols that repeat, and after how many; within a copy no symbol comes twice.

    >>> ids, periods = repeated(3)
    >>> bool(ids[0, 0] == ids[0, periods[0]]), ids.shape
    (True, torch.Size([3, 64]))

    The period is random, because with a fixed one a position alone would give the answer away.
    """
    periods = torch.randint(config.shortest, config.longest + 1, (count,))
    first = torch.rand(count, config.symbols).argsort(-1)
    return first.gather(1, torch.arange(config.positions) % periods[:, None]), periods


def held_out_sequences(config=InductionConfig(), count=128):
    """The sequences that everything is measured on, always the same: ids [count, position], periods [count]."""
    with reproducible(seed=77):
        return repeated(count, config)


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
