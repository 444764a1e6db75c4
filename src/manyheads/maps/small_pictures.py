"""Heads as small pictures of a few pixels: all of them at once, before or without their weights."""

from dataclasses import dataclass

import numpy as np

from manyheads.maps.names import CHOICES, DECADES, FULL

SIDE = 32  # pixels to a side of a head, at most


@dataclass(frozen=True)
class Tint:
    """How deep a weight is tinted: its share of the one that has the full colour; see `CHOICES["scale"]`.

    That one is `fixed` where the scale does not say it.
    """

    scale: str = CHOICES["scale"][0]
    fixed: float | None = None

    def full(self, map, layer):  # -> [head, query, 1]
        """The weights that have the full colour in the rows of a layer, as `fullWeight` in math/maps.js.

        >>> from manyheads.maps import AttentionMap
        >>> map = AttentionMap(["a"], ["a", "b"], [[[[0.25, 0.75]]]])
        >>> [Tint(scale).full(map, 0).item() for scale in ("absolute", "relative", "log")]
        [0.4, 0.75, 1.0]
        """
        sizes = np.abs(map.weights[layer])
        if self.scale == "relative":
            return sizes.max(axis=-1, keepdims=True, initial=0)
        shares = map.kind in ("shares", "parts")
        full = self.fixed or ((1 if self.scale == "log" else FULL) if shares else sizes.max(initial=0))
        return np.full((*sizes.shape[:-1], 1), full, float)

    def of(self, weights, full):
        """As `tintShare` in math/maps.js.

        >>> Tint().of(np.array([1, -2]), 4), Tint("log").of(np.array([0.01, 0]), 1)
        (array([0.25, 0.5 ]), array([0.5, 0. ]))
        """
        sizes = np.abs(weights)
        positive = np.asarray(full) > 0
        ratios = np.divide(sizes, full, out=np.zeros(sizes.shape, np.result_type(sizes, np.float32)), where=positive)
        ratios = np.minimum(ratios, 1)
        if self.scale != "log":
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
    tint = tint or Tint()
    return np.stack([_pooled(weights, tint, tint.full(map, layer)) for layer, weights in enumerate(map.weights)])


def _pooled(weights, tint, full):  # [h, q, k], [h, q, 1] -> [h, y, x]
    deep = tint.of(weights, full).astype(np.float32)
    least = np.where(weights < 0, -deep, 0) if weights.min(initial=0) < 0 else None
    most = deep if least is None else np.where(weights > 0, deep, 0)
    for axis in (1, 2):
        side = weights.shape[axis]
        if side > SIDE:
            edges = np.arange(SIDE) * side // SIDE
            most = np.maximum.reduceat(most, edges, axis=axis)
            least = None if least is None else np.minimum.reduceat(least, edges, axis=axis)
    return most if least is None else np.where(-least > most, least, most)
