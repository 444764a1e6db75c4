"""Claim: several heads are more expressive than one of the same width. Several lookups at once, in one layer.

A word that asks wants something of each of n words: four numbers of the first word, the next four of the second, and
so on. Each word is marked as which it is. Choosing its words, a *blind* head sees only these marks; a *seeing* one the
numbers, too. For blind heads there is a proof: with h of them, at least 1 - h/n is not brought home (see `bound`).
"""

import numpy as np
import torch
from torch import nn

from manyheads.attention import MultiHeadAttention
from manyheads_book.experiments.evidence import across, clearly

RECIPE = 1
SEEDS = 10
LOOKUPS, HEADS = (2, 4, 8), (1, 2, 4, 8)
NUMBERS = 4  # wanted of each word
MARKS = max(LOOKUPS)
WIDTH = MARKS + NUMBERS * max(LOOKUPS)
ATTENTION_WIDTH = 64
STEPS, BATCH, TESTED, RATE = 200, 128, 4000, 2e-2
DONE = 0.02  # a lookup that misses less is done


def statements(runs):
    """Whether two heads do what one of the same width cannot, blind or seeing."""
    missed = {
        (kind, lookups, heads): np.array(across(runs, kind, lookups, heads))
        for kind in ("blind", "seeing")
        for lookups in LOOKUPS
        for heads in HEADS
    }
    return {
        "Two heads do two lookups at once: they miss less than 2 %": min(
            clearly(DONE - missed[kind, 2, 2]) for kind in ("blind", "seeing")
        ),
        "One head of the same width does not, even where it may look at the numbers": clearly(
            missed["seeing", 2, 1] - DONE
        ),
        "No blind heads beat the bound, for any number of lookups and of heads": all(
            found.mean() >= bound(lookups, heads) - DONE
            for (kind, lookups, heads), found in missed.items()
            if kind == "blind"
        ),
    }


def bound(lookups, heads):
    """The least share that blind heads must miss: 1 - heads / lookups, or nothing.

    >>> bound(2, 1), bound(8, 2), bound(2, 4)
    (0.5, 0.75, 0)

    What blind heads bring home is a sum of h products, shares times a matrix, [n] x [d, d']. What is wanted is one of
    rank n with n equal singular values. Eckart and Young (1936): rank h leaves n - h of them.
    """
    return max(0, 1 - heads / lookups)


def parts():
    return {"grid": (LOOKUPS, HEADS), "sizes": (NUMBERS, ATTENTION_WIDTH, STEPS, BATCH, TESTED, RATE)}


def measure(seed, lookups=LOOKUPS, heads=HEADS, steps=STEPS):
    """The share that is not brought home: {"blind" or "seeing": {lookups: {heads: share}}}.

    >>> found = measure(0, lookups=(2,), heads=(1,), steps=2)
    >>> 0.3 < found["blind"]["2"]["1"] < 3
    True
    """
    return {
        kind: {str(n): {str(h): learn(n, h, kind == "seeing", seed, steps) for h in heads} for n in lookups}
        for kind in ("blind", "seeing")
    }


def learn(lookups, heads, seeing, seed, steps=STEPS):
    """Trains heads to bring home what is wanted; gives the share of it that they miss, by its variance.

    >>> learn(2, 2, seeing=False, seed=0) < 0.02
    True
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        attention = MultiHeadAttention(WIDTH, heads, attention_dim=ATTENTION_WIDTH)
        readout = nn.Linear(WIDTH, lookups * NUMBERS)
        optimizer = torch.optim.Adam([*attention.parameters(), *readout.parameters()], lr=RATE)
        schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1, 0.05, steps)
        for _ in range(steps):
            loss = _missed(attention, readout, lookups, seeing, BATCH)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            schedule.step()
        with torch.no_grad():
            return _missed(attention, readout, lookups, seeing, TESTED).item()


def _missed(attention, readout, lookups, seeing, count):
    carried = torch.randn(count, lookups, lookups * NUMBERS)
    wanted = torch.stack([carried[:, n, n * NUMBERS : (n + 1) * NUMBERS] for n in range(lookups)], 1).flatten(1)
    marks = torch.eye(MARKS)[:lookups].expand(count, -1, -1)
    blank = torch.zeros(count, lookups, WIDTH - MARKS - carried.shape[-1])
    words = torch.cat([marks, carried, blank], -1)  # [b, n, d]
    found_by = words if seeing else words * (torch.arange(WIDTH) < MARKS)
    asking = torch.ones(count, 1, WIDTH)  # the same in every text
    home, _ = attention(asking, found_by, words)
    return (readout(home[:, 0]) - wanted).square().mean()
