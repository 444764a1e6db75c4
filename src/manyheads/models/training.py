"""How our models are trained: batches, the learning rate, the loop."""

import math
import time
from contextlib import contextmanager

import torch
from torch import nn
from tqdm.auto import tqdm

from manyheads.defaults import new_tensors
from manyheads.shared.threads import one_thread


def check_variant(variant):
    """Refuse a variant that cannot be trained.

    >>> check_variant("heads-8")
    >>> check_variant("step-30")
    Traceback (most recent call last):
    ValueError: can train 'taught', 'untaught' and 'heads-N', not 'step-30'
    """
    if variant not in ("taught", "untaught") and not variant.startswith("heads-"):
        raise ValueError(f"can train 'taught', 'untaught' and 'heads-N', not {variant!r}")


@contextmanager
def reproducible(seed, dtype=torch.float32):
    """The same random numbers and sums for the same seed, on one thread, as `dtype`; afterwards all is as it was.

    >>> with reproducible(0):
    ...     first = torch.rand(1)
    >>> with reproducible(0):
    ...     bool(torch.rand(1) == first)
    True

    Every processor adds in an order of its own, and training makes a difference in the last digit grow: in float32
    until two processors have learned two models. In float64 they learn the same one, in about twice the time.
    """
    with new_tensors(dtype=dtype), one_thread(), torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        yield


def fit(
    optimizer,
    loss_of,
    data,
    lengths,
    *,
    steps,
    batch,
    warmup,
    start,
    seconds=None,
    clip=None,
    after=None,
    label="",
    progress=True,
):
    """Take `steps` steps down the loss, or as many as fit into some seconds.

    `data` are tensors with a row for each sentence, `lengths` how long each is; `loss_of(*tensors)` gives the loss of a
    batch. The learning rate of the optimizer's first group is the highest: it rises during the share `warmup` of the
    steps, from the share `start` of it, and falls along half a cosine. `clip` is the largest norm of the gradient.
    `after(step)` is called before the first step and after each.
    """
    [group] = optimizer.param_groups
    highest = group["lr"]
    drawn, began = batches(lengths, batch), time.monotonic()
    with tqdm(total=steps, desc=label, disable=not progress) as bar:
        if after:
            after(0)
        for step in range(steps):
            done = max(step / steps, (time.monotonic() - began) / seconds if seconds else 0)
            if done >= 1:
                break
            group["lr"] = highest * min(done / warmup + start, (1 + math.cos(math.pi * done)) / 2)
            rows = next(drawn)
            loss = loss_of(*(part[rows] for part in data))
            optimizer.zero_grad()
            loss.backward()
            if clip:
                nn.utils.clip_grad_norm_(group["params"], clip)
            optimizer.step()
            bar.update()
            if step % 20 == 0:
                bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
            if after:
                after(step + 1)


def batches(lengths, size, together=16):
    """Random batches without end, of sentences about equally long, so that little of a batch is padding.

    >>> next(batches(torch.tensor([3, 5, 4]), size=2)).shape
    torch.Size([2])
    """
    while True:
        drawn = torch.randint(len(lengths), (together * size,))
        drawn = drawn[lengths[drawn].argsort()].view(together, size)
        yield from drawn[torch.randperm(together)]
