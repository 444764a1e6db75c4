"""Heads as small pictures of a few pixels: all of them at once, before or without their weights."""

import numpy as np

from manyheads.maps.names import FULL

SIDE = 32  # pixels to a side of a head, at most


def tints_of(map, layer):  # -> [head, query, key]
    """How deep the weights of a layer are tinted, 0 to 1, as `tintShare` in math/maps.ts says on the absolute scale.

    >>> from manyheads.maps import AttentionMap
    >>> tints_of(AttentionMap(["a"], ["a", "b"], [[[[0.25, 0.75]]]]), 0).tolist()
    [[[0.625, 1.0]]]
    """
    sizes = np.abs(map.weights[layer])
    full = FULL if map.kind in ("shares", "parts") else sizes.max(initial=0)
    return np.minimum(sizes / full, 1) if full > 0 else sizes


def small_pictures(map):  # -> [layer, head, y, x]
    """The tints of all heads, -1 to 1, below 0 where the weight is; of several on a pixel, the farthest from 0.

    >>> from manyheads.maps import AttentionMap
    >>> tokens = [str(place) for place in range(64)]
    >>> small_pictures(AttentionMap(tokens, tokens, np.eye(64)[None, None])).shape
    (1, 1, 32, 32)
    """
    return np.stack([_pooled(weights, tints_of(map, layer)) for layer, weights in enumerate(map.weights)])


def _pooled(weights, deep):  # [h, q, k] twice -> [h, y, x]
    least = np.where(weights < 0, -deep, 0) if weights.min(initial=0) < 0 else None
    most = deep if least is None else np.where(weights > 0, deep, 0)
    for axis in (1, 2):
        side = weights.shape[axis]
        if side > SIDE:
            edges = np.arange(SIDE) * side // SIDE
            most = np.maximum.reduceat(most, edges, axis=axis)
            least = None if least is None else np.minimum.reduceat(least, edges, axis=axis)
    return most if least is None else np.where(-least > most, least, most)
