"""All heads as one: their mean, and attention rollout. Twin of functions in `web/math/maps`."""

from dataclasses import replace

import numpy as np

from manyheads.maps.choosing import rows_to_one


def average_heads(attention, head_mask=None):
    """See `AttentionMap.average`."""
    layers, heads = attention.shape[:2]
    on = np.ones((layers, heads), bool)
    if head_mask is not None:
        off = np.asarray(head_mask, bool)
        if off.shape not in ((heads,), (layers, heads)):
            expected = f"[head] = [{heads}] or [layer, head] = [{layers}, {heads}]"
            raise ValueError(f"head_mask must have shape {expected}, got {list(off.shape)}")
        on &= off
    sums = np.einsum("lhqk,lh->lqk", attention.weights, on, dtype=np.float64)[:, None]  # [layer, 1, q, k]
    counts = np.maximum(on.sum(axis=1), 1)[:, None, None, None]
    name = f"mean of {heads} heads" if head_mask is None else "mean of the heads that are on"
    weights = rows_to_one(sums) if attention.kind == "shares" else sums / counts
    return replace(attention, weights=weights, head_names=[name], named_layer=None, value_norms=None)


def roll_out(attention):
    """See `AttentionMap.rollout`."""
    if attention.kind != "shares":
        raise ValueError(f"rollout is for rows that sum to 1, got {attention.kind}")
    if attention.query_tokens != attention.key_tokens:
        queries, keys = attention.shape[2:]
        raise ValueError(f"rollout is for self-attention, of the same tokens; got {queries} and {keys} tokens")
    rolled = identity = np.eye(len(attention.key_tokens))
    layers = []
    for mean in rows_to_one(attention.weights.sum(axis=1, dtype=np.float64)):  # [q, k]
        rolled = rows_to_one(mean + identity) @ rolled
        layers.append(rolled[None])
    return replace(attention, weights=np.stack(layers), head_names=["rollout"], named_layer=None, value_norms=None)
