"""What the induction model is trained on: sequences that repeat."""

import torch

from manyheads.models.induction.network import InductionConfig
from manyheads.models.training import reproducible


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
