"""The control of the chapter on drawings: the same training from five seeds, and what each network's heads do.

The kept model is one of them, chosen by `division` of `measures.py`; nothing else is told apart here.
"""

from functools import partial

import numpy as np

from manyheads.models.drawing.network import DrawingConfig
from manyheads_recipes.drawing import measures, training
from manyheads_recipes.drawing.data import drawings
from manyheads_recipes.drawing.openings import KINDS, openings

RECIPE = 1
SEEDS = 5
TRIED = 1000  # new drawings
MOST = 4  # heads that are off together


def parts():
    """What the numbers follow from, for their key."""
    return {
        "drawing": (training.RECIPE, DrawingConfig()),
        "tried": (TRIED, MOST, measures.COUNT, measures.CHOOSING, measures.TESTING),
    }


def measure(seed, config=DrawingConfig(), tried=TRIED, count=measures.COUNT):
    """Trains a network from a seed, about a quarter of an hour on one processor; what `found_in` says of it.

    >>> found = measure(0, DrawingConfig(num_drawings=64, steps=2), tried=10, count=2)
    >>> len(found["without"]["open"]), len(found["without"]["open"][0])  # layers, heads
    (3, 4)
    """
    return found_in(training.train_drawing(config, seed=seed, progress=False), tried, count)


def found_in(network, tried=TRIED, count=measures.COUNT):
    """How often a trained network is right, which head is which, and what the rings, cups and houses say of it.

    `without` gives what is filled of open and of closed rings without each head, [layer][head], and `all` with all;
    `looks` what patches inside give a patch through the gap head: at the gap, elsewhere on the line, and at the gap's
    place when it's closed. `one after another` turns off heads above layer 1, those first that look most at the gap:
    what is filled when one to four of them are off.
    """
    chosen_by, rings = (openings("ring", measures.COUNT, seed) for seed in (measures.CHOOSING, measures.TESTING))
    gap, carrier = measures.gap_head(network, chosen_by), measures.carrier(network, chosen_by)
    things = {"open": rings.opened, "closed": rings.closed}
    shape = network.config.layers, network.config.heads

    def filled(masks):
        shares = partial(measures.filled, network)
        return {name: [shares(ink, rings.inside, mask) for mask in masks] for name, ink in things.items()}

    alone = filled([measures.without(network, head) for head in np.ndindex(shape)])
    order = by_gap(network, chosen_by)[:MOST]
    together = [np.all([measures.without(network, head) for head in order[: count + 1]], 0) for count in range(MOST)]

    return {
        "new": measures.measured(network, *drawings(tried, training.NEW)),
        "letters": measures.measured(network, *measures.letters()),
        "gap head": list(gap),
        "carrier": list(carrier),
        "division": measures.division(network),
        "all": {name: measures.filled(network, ink, rings.inside) for name, ink in things.items()},
        "without": {name: np.reshape(shares, shape).tolist() for name, shares in alone.items()},
        "one after another": {"heads": order, **filled(together)},
        "looks": {name: float(given[gap]) for name, given in measures.looks(network, rings).items()},
        "claims": {kind: measures.claims(network, kind, count) for kind in KINDS},
    }


def by_gap(network, things):
    """The heads above layer 1, (layer, head) from 0, those first whose patches inside look most at the gap."""
    gap = measures.looks(network, things)["gap"]
    return sorted((head for head in np.ndindex(gap.shape) if head[0] > 0), key=lambda head: -gap[head])
