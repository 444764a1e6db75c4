"""Things with a gap, each also shut: rings, cups, and houses with an open door. Where the gap is, is known."""

import math
from dataclasses import dataclass

import numpy as np

from manyheads.models.drawing.strokes import PEN, SIDE, inked, shut_in
from manyheads_recipes.drawing.data import circle, shaky, turned

NEAR = 3.0  # dots between a line and the middle of a patch that lies on it


@dataclass(frozen=True)
class Openings:
    """Drawings with a gap, and what is known of them; places are patches, row by row."""

    opened: np.ndarray  # ink, [n, 32, 32]
    closed: np.ndarray  # the same with the gap drawn, [n, 32, 32]
    inside: np.ndarray  # dots that the closed ones shut in, bool [n, 32, 32]
    asking: np.ndarray  # patches of which most dots are inside, bool [n, 64]
    at_gap: np.ndarray  # patches on the line that is missing, bool [n, 64]
    elsewhere: np.ndarray  # as many patches on the line that is there, bool [n, 64]
    on_line: np.ndarray  # all patches on the line that is there, bool [n, 64]


def openings(kind, count, seed, patch=4):
    """So many things of a kind, "ring", "cup" or "house", anywhere and turned any way; the same for the same seed.

    >>> found = openings("ring", 5, seed=1)
    >>> found.opened.shape, bool(found.opened.sum() < found.closed.sum()), bool(found.at_gap.any(axis=1).all())
    ((5, 32, 32), True, True)
    """
    rng = np.random.default_rng(seed)
    each = [_opening(kind, rng, patch) for _ in range(count)]
    return Openings(*(np.stack(column) for column in zip(*each)))


def _opening(kind, rng, patch):
    while True:
        size, middle = rng.uniform(*SIZES[kind]), rng.uniform(12.5, 19.5, 2)
        line, missing = KINDS[kind](rng)
        whole = shaky(turned(np.concatenate([line, missing]), rng, size, middle), rng, steps=80)
        # the shake moves both together; where the gap begins is a share of the way
        share = _length(line) / (_length(line) + _length(np.concatenate([line[-1:], missing])))
        last = round(share * (len(whole) - 1))
        line, missing = whole[: last + 1], whole[last:]
        opened, closed = inked([line / SIDE], PEN), inked([whole / SIDE], PEN)
        places = shut_in(closed)
        inside = places > 0
        asking = inside.reshape(SIDE // patch, patch, SIDE // patch, patch).mean((1, 3)).ravel() > 0.5
        if not shut_in(opened).any() and places.max() == 1 and asking.any():
            break
    at_gap = _on(missing, patch)
    on_line = _on(line, patch) & ~at_gap
    spots = np.flatnonzero(on_line)
    centres = _centres(patch)
    spot = rng.choice(spots)
    nearest = spots[np.argsort(np.hypot(*(centres[spots] - centres[spot]).T))][: at_gap.sum()]
    elsewhere = np.isin(np.arange(len(centres)), nearest)
    return opened, closed, inside, asking, at_gap, elsewhere, on_line


def _centres(patch):
    across = np.arange(SIDE // patch) * patch + patch / 2
    return np.stack(np.meshgrid(across, across), axis=-1).reshape(-1, 2)


def _on(line, patch):
    """Which patches have their middle near a line."""
    apart = _centres(patch)[:, None] - line
    return np.hypot(apart[..., 0], apart[..., 1]).min(1) < NEAR


def _length(points):
    return np.hypot(*np.diff(points, axis=0).T).sum()


# --- The line that is drawn, and the one that is missing; together they end where they began
def ring(rng):
    gap = 0.8  # radians
    angle = np.linspace(gap / 2, 2 * math.pi - gap / 2, 60)
    return 0.5 * circle(angle), 0.5 * circle(np.linspace(-gap / 2, gap / 2, 12))


def cup(rng):
    deep = rng.uniform(0.35, 0.5)
    line = np.array([[-0.4, -deep], [-0.4, deep], [0.4, deep], [0.4, -deep]])
    return line, line[:1]


def house(rng):
    left = rng.uniform(-0.35, 0.05)  # where the door begins
    walls = [[-0.45, 0.5], [-0.45, -0.1], [0, -0.55], [0.45, -0.1], [0.45, 0.5]]
    line = np.array([[left, 0.5], *walls, [left + 0.3, 0.5]])
    return line, line[:1]


KINDS = {"ring": ring, "cup": cup, "house": house}
SIZES = {"ring": (15, 23), "cup": (16, 22), "house": (18, 23)}  # dots
