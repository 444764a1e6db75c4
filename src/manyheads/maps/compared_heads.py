"""Heads beside heads: which look alike, and what some of them add up to. Twin of `web/math/heads.ts`."""

import numpy as np


def similar_heads(map, layer, head, count=5):
    """See `AttentionMap.similar_heads`."""
    layers, heads = map.shape[:2]
    if not (0 <= layer < layers and 0 <= head < heads):
        raise ValueError(f"there are {layers} layers of {heads} heads, counted from 0; got layer {layer}, head {head}")
    own = map.weights[layer, head]
    apart = np.stack(
        [np.abs(each - own).sum(-1, dtype=np.float64).mean(-1) / 2 for each in map.weights]
    )  # [layer, head]
    order = np.argsort(apart, axis=None, kind="stable")
    places = [divmod(int(place), heads) for place in order if place != layer * heads + head]
    return [(*place, float(apart[place])) for place in places[:count]]


def totals(map, layers=None, heads=None, queries=None, keys=None):
    """See `AttentionMap.totals`."""
    chosen = [
        range(size) if places is None else list(places)
        for size, places in zip(map.shape, (layers, heads, queries, keys))
    ]
    for name, places, size in zip(AXES, chosen, map.shape):
        if any(not 0 <= place < size for place in places):
            raise ValueError(f"{name} count from 0 to {size - 1}, got {list(places)}")
    found = {}
    for axis, name in enumerate(AXES):
        whole = [range(map.shape[at]) if at == axis else places for at, places in enumerate(chosen)]
        part = map.weights[np.ix_(*whole)]
        found[name] = part.sum(axis=tuple(at for at in range(4) if at != axis), dtype=np.float64)
    return found


AXES = ("layers", "heads", "queries", "keys")
