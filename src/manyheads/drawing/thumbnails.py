"""Heads as small pictures of a few pixels: all of them at once, before or without their weights."""

import numpy as np

from manyheads.shared.names import FULL

SIDE = 32  # pixels to a side of a head, at most


def full_of(attention, layer):
    """The weight of a layer that has the full colour on the absolute scale; 0 where all are 0.

    >>> from manyheads.maps import AttentionMap
    >>> full_of(AttentionMap(["a"], ["a", "b"], [[[[-2, 1]]]], kind="signed"), 0)
    2.0
    """
    weights = attention.weights[layer]
    shares = attention.kind in ("shares", "parts")
    return FULL if shares else float(max(weights.max(initial=0), -weights.min(initial=0)))


def tints_of(weights, full):  # [...] -> [...]
    """How deep weights are tinted, 0 to 1, as `tintShare` in math/maps.ts says on the absolute scale.

    >>> tints_of(np.array([0.25, 0.75]), FULL).tolist()
    [0.625, 1.0]
    """
    sizes = np.abs(weights)
    return np.minimum(sizes / full, 1) if full > 0 else sizes


def small_pictures(attention):  # -> [layer, head, y, x]
    """The tints of all heads, -1 to 1, below 0 where the weight is; of several on a pixel, the farthest from 0.

    >>> from manyheads.maps import AttentionMap
    >>> tokens = [str(place) for place in range(64)]
    >>> small_pictures(AttentionMap(tokens, tokens, np.eye(64)[None, None])).shape
    (1, 1, 32, 32)
    """
    pictures = []
    for layer, weights in enumerate(attention.weights):
        farthest = pool(weights, SIDE)  # few numbers, before they are tinted: a long map has many
        pictures.append(np.copysign(tints_of(farthest, full_of(attention, layer)), farthest))
    return np.stack(pictures)


def pool(weights, most):  # [h, q, k] -> [h, y, x]
    """Heads of at most so many rows and columns: of the weights that fall together, the farthest from 0.

    >>> pool(np.array([[[0, 0.25, 0, -0.5]]]), 2).tolist()
    [[[0.25, -0.5]]]
    """
    signed = weights.min(initial=0) < 0
    high = _bands(_bands(weights, most, 1, np.max), most, 2, np.max)
    if not signed:
        return high
    low = _bands(_bands(weights, most, 1, np.min), most, 2, np.min)
    return np.where(-low > high, low, high)


def _bands(weights, most, axis, reduce):
    """Weights with an axis of at most so many places, each of which is some reduced to one."""
    side = weights.shape[axis]
    if side <= most:
        return weights
    edges = np.arange(most + 1) * side // most
    bands = np.split(weights, edges[1:-1], axis)
    return np.stack([reduce(band, axis) for band in bands], axis)  # some ten times as fast as `reduceat`
