"""Drawings, as a hand would make them: a generator draws them, so there's no data set, and no licence to mind.

A stroke is points [n, 2] in dots, from 0 to 32, x to the right and y down.
"""

import math

import numpy as np

from manyheads.models.drawing.strokes import SIDE, inked, shut_in

KINDS = {  # how often each is drawn; of those that might close, about half don't
    "blob": 0.2,
    "open blob": 0.14,
    "ajar": 0.14,
    "polygon": 0.16,
    "cup": 0.12,
    "spiral": 0.08,
    "scribble": 0.08,
    "line": 0.08,
}
LID = 0.3  # how often an open shape gets another stroke from end to end, as a hand shuts it
WIDTHS = (1.6, 2.6)  # dots that the pen is wide


def drawings(count, seed):
    """That many drawings, always the same for a seed: ink float32 [n, 32, 32], and which place each dot is in, int.

    >>> ink, places = drawings(3, seed=1)
    >>> ink.shape, places.shape
    ((3, 32, 32), (3, 32, 32))
    """
    rng = np.random.default_rng(seed)
    ink = np.stack([inked([stroke / SIDE for stroke in tangle(rng)], rng.uniform(*WIDTHS)) for _ in range(count)])
    return ink, np.stack([shut_in(each) for each in ink])


def tangle(rng, most=3):
    """One to three shapes, anywhere, that may cross."""
    strokes = []
    for _ in range(rng.integers(1, most + 1)):
        size = rng.uniform(8, 28)
        middle = rng.uniform(size / 2.6, SIDE - size / 2.6, 2)
        kind = rng.choice(list(KINDS), p=list(KINDS.values()))
        stroke = shaky(turned(SHAPES[kind](rng), rng, size, middle), rng)
        strokes.append(stroke)
        if kind in ("open blob", "ajar", "cup") and rng.random() < LID:
            ends = np.stack([stroke[0], stroke[-1]]) + rng.normal(0, 1, (2, 2))
            strokes.append(shaky(ends, rng))
    return strokes


def turned(points, rng, size, middle):
    """A shape of size 1 turned any way, squeezed a little, and put in its place."""
    angle, squeeze = rng.uniform(0, 2 * math.pi), rng.uniform(0.75, 1, 2)
    turn = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
    return (points * squeeze) @ turn * size + middle


def shaky(points, rng, shake=0.35, steps=40):
    """A line as a hand draws it: the same way, with a slow shake of about a third of a dot."""
    share = np.linspace(0, 1, steps)
    along = np.r_[0, np.cumsum(np.hypot(*np.diff(points, axis=0).T))]
    points = np.stack([np.interp(share * along[-1], along, points[:, axis]) for axis in (0, 1)], 1)
    for wave in range(4):
        points = points + rng.normal(0, shake / (wave + 1), 2) * np.sin(wave * 3 * share + rng.uniform(0, 6))[:, None]
    return points


# --- Shapes of about size 1 around (0, 0)
def blob(rng, gap=0.0):
    """A round line that ends where it began, or `gap` radians before."""
    angle = np.linspace(gap / 2, 2 * math.pi - gap / 2, 48)
    waves = (rng.normal(0, 0.22 / wave) * np.cos(wave * angle + rng.uniform(0, 6)) for wave in (1, 2, 3))
    return 0.5 * (1 + sum(waves))[:, None] * circle(angle)


def polygon(rng, closed=True):
    """Three to six corners, one after the other, all the way around or without the last side."""
    corners = rng.integers(3, 7)
    turns = np.arange(corners) + rng.uniform(-0.25, 0.25, corners)
    angle = rng.uniform(0, 2 * math.pi) + turns * 2 * math.pi / corners
    points = 0.5 * rng.uniform(0.75, 1.1, corners)[:, None] * circle(angle)
    return np.concatenate([points, points[:1]]) if closed else points


def spiral(rng):
    angle = np.linspace(0, rng.uniform(2.2, 4) * math.pi, 60)
    return (0.08 + 0.45 * angle / angle[-1])[:, None] * circle(angle)


def scribble(rng):
    points = np.cumsum(circle(rng.uniform(0, 6) + np.cumsum(rng.normal(0, 0.35, 40))), axis=0)
    return (points - points.mean(0)) / np.ptp(points, axis=0).max()


def line(rng):
    return np.array([[-0.5, 0], [0.5, 0]]) + rng.normal(0, 0.1, (2, 2))


def circle(angle):  # [n] -> [n, 2]
    return np.stack([np.cos(angle), np.sin(angle)], axis=-1)


SHAPES = {
    "blob": blob,
    "open blob": lambda rng: blob(rng, rng.uniform(0.35, 2.4)),
    "ajar": lambda rng: blob(rng, rng.uniform(0.1, 0.7)),
    "polygon": polygon,
    "cup": lambda rng: polygon(rng, closed=False),
    "spiral": spiral,
    "scribble": scribble,
    "line": line,
}
