"""Heads as small pictures of a few pixels: all of them at once, before or without their weights."""

from dataclasses import dataclass

import numpy as np

from manyheads.maps.names import DECADES

SIDE = 32  # pixels to a side of a head, at most


@dataclass(frozen=True)
class Tint:
    """How deep a weight is tinted: its share of the largest of its row, or that on a log scale."""

    log: bool = False

    def of(self, weights, largest):
        """As `tintShare` in math/maps.js.

        >>> Tint().of(np.array([1, -2]), 4), Tint(log=True).of(np.array([0.01, 0]), 1)
        (array([0.25, 0.5 ]), array([0.5, 0. ]))
        """
        sizes = np.abs(weights)
        there = np.asarray(largest) > 0
        ratios = np.divide(sizes, largest, out=np.zeros(sizes.shape, np.result_type(sizes, np.float32)), where=there)
        if not self.log:
            return ratios
        with np.errstate(divide="ignore"):
            return np.maximum(1 + np.log10(ratios) / DECADES, 0)


def small_pictures(map, tint=None):  # -> [layer, head, y, x]
    """The tints of all heads, -1 to 1, below 0 where the weight is; of several on a pixel, the farthest from 0.

    >>> from manyheads.maps import AttentionMap
    >>> tokens = [str(place) for place in range(64)]
    >>> small_pictures(AttentionMap(tokens, tokens, np.eye(64)[None, None])).shape
    (1, 1, 32, 32)
    """
    return np.stack([_pooled(layer, tint or Tint()) for layer in map.weights])


def _pooled(weights, tint):  # [h, q, k] -> [h, y, x]
    deep = tint.of(weights, np.abs(weights).max(axis=-1, keepdims=True, initial=0)).astype(np.float32)
    least = np.where(weights < 0, -deep, 0) if weights.min(initial=0) < 0 else None
    most = deep if least is None else np.where(weights > 0, deep, 0)
    for axis in (1, 2):
        side = weights.shape[axis]
        if side > SIDE:
            edges = np.arange(SIDE) * side // SIDE
            most = np.maximum.reduceat(most, edges, axis=axis)
            least = None if least is None else np.minimum.reduceat(least, edges, axis=axis)
    return most if least is None else np.where(-least > most, least, most)
