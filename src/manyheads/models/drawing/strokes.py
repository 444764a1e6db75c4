"""Strokes become ink, and ink shuts places in: what a page's paper does, dot by dot."""

import json
from pathlib import Path

import numpy as np

_DRAWING = json.loads((Path(__file__).parents[2] / "shared" / "drawing.json").read_text(encoding="utf-8"))
SIDE = _DRAWING["side"]  # dots to a side of the paper
PEN = _DRAWING["pen"]  # dots that a stroke is wide
INK = _DRAWING["ink"]  # from which a dot counts as ink
FEWEST = _DRAWING["fewest"]  # dots of the smallest place that counts
MOST = _DRAWING["most"]  # points that are read of a drawing
CUT = _DRAWING["cut"]  # what is said where there are more
READY = _DRAWING["ready"]  # drawings that stand ready, by name, as text


def inked(strokes, width=PEN):
    """Strokes on paper: `[[[x, y], ...], ...]` from 0 to 1, x to the right and y down -> float32 [32, 32], 1 is ink.

    >>> inked([[[0.5, 0.25], [0.5, 0.75]]])[16, 13:19].tolist()  # a line down the middle, two dots wide
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]

    A dot is as dark as it lies within half the pen of a stroke; a stroke of one point is a dot.
    """
    y, x = np.mgrid[:SIDE, :SIDE] + 0.5
    nearest = np.full((SIDE, SIDE), np.inf)
    for points in strokes:
        points = SIDE * np.asarray(points, dtype=float)
        for start, end in zip(points, points[1:] if len(points) > 1 else points):
            nearest = np.minimum(nearest, _distance(x, y, start, end))
    return np.clip(width / 2 + 0.5 - nearest, 0, 1).astype(np.float32)


def _distance(x, y, start, end):
    """How far each dot is from the line between two points."""
    along, across = end - start
    length = along**2 + across**2
    share = np.clip(((x - start[0]) * along + (y - start[1]) * across) / length, 0, 1) if length else 0
    return np.hypot(x - start[0] - share * along, y - start[1] - share * across)


def shut_in(ink):
    """The places that ink shuts off from the edge of the paper: int [32, 32], 0 outside and on ink, else which place.

    >>> from manyheads.models.drawing import inked, shut_in
    >>> ring = [[0.5 + 0.3 * np.cos(angle), 0.5 + 0.3 * np.sin(angle)] for angle in np.linspace(0, 2 * np.pi, 40)]
    >>> [int(shut_in(inked([stroke])).max()) for stroke in (ring, ring[:-6])]
    [1, 0]

    From dot to dot one goes up, down, left and right, never across a corner. A place of fewer than four dots doesn't
    count: a crooked stroke makes such holes.
    """
    side = len(ink) + 2  # a rim of paper around it
    paper = np.pad(np.asarray(ink) < INK, 1, constant_values=True)
    free = paper.ravel().tolist()
    _fill(free, 0, side)
    places, number = np.zeros(side * side, dtype=int), 0
    for start in range(len(free)):
        if free[start]:
            found = _fill(free, start, side)
            if len(found) >= FEWEST:
                number += 1
                places[found] = number
    return places.reshape(side, side)[1:-1, 1:-1]


def _fill(free, start, side):
    """The dots that one reaches from a free dot; afterwards they aren't free."""
    found, waiting = [], [start]
    free[start] = False
    while waiting:
        at = waiting.pop()
        found.append(at)
        for beside in (at - side, at - 1, at + 1, at + side):
            if 0 <= beside < len(free) and free[beside]:
                free[beside] = False
                waiting.append(beside)
    return found
