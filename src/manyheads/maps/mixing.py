"""All heads as one: their mean, and attention rollout; and how far each moved. Twin of functions in `web/math`."""

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


def heads_moved(attention, other):
    """See `AttentionMap.moved`."""
    check_alike(attention, other)
    for each in (attention, other):
        if each.kind not in ("shares", "parts"):
            raise ValueError(f"how far heads moved is told of rows that sum to 1, got {each.kind}")
    moved = [_rows_moved(*both).mean(-1) for both in zip(attention.weights, other.weights, strict=True)]
    return np.stack(moved)


def _rows_moved(before, after):  # [head, q, k] twice -> [head, q]
    before, after = before.astype(np.float64), after.astype(np.float64)
    lacks = np.abs(before.sum(-1) - after.sum(-1))
    return np.minimum((np.abs(before - after).sum(-1) + lacks) / 2, 1)


def check_alike(attention, other):
    """Raises `ValueError` for maps whose heads can't be compared one by one."""
    if attention.shape[:2] != other.shape[:2]:
        (layers, heads), (others, their) = attention.shape[:2], other.shape[:2]
        raise ValueError(
            f"heads are compared one by one, but there are {layers} layers of {heads} heads, and {others} of {their}"
        )
    for side in ("query", "key"):
        tokens, others = (getattr(each, f"{side}_tokens") for each in (attention, other))
        if tokens != others:
            raise ValueError(
                f"rows are compared token by token, but the maps have other tokens, {_beginning(tokens)} and "
                f"{_beginning(others)}: compare models that cut the text alike"
            )


def _beginning(tokens, most=8):
    return f"[{', '.join(map(repr, tokens[:most]))}{', ...' if len(tokens) > most else ''}]"
