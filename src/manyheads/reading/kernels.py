"""The weights of PyTorch's own attention, which its functions don't give: computed beside each call."""

import inspect
import math
from contextlib import nullcontext

import torch
from torch.nn import functional as F

from manyheads.reading.clusters import make_whole
from manyheads.reading.sentences import PIECE, keep_quiet

BLOCK, GPU_BLOCK = 2**20, 2**24  # weights that are computed at once: on a CPU as many as its cache holds
DROPPED = "{} drops weights at random in its call, whether the model trains or not: these are the weights before that."
MHA = inspect.signature(F.multi_head_attention_forward)


def _empty(shape):
    return torch.empty(shape, device="cpu")


def fused_weights(
    query,
    key,
    value=None,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
    groups=(None, None),
    place=_empty,
    advance=keep_quiet,
    **_,
):  # -> [..., q, k] on the CPU, notes
    """The weights of `F.scaled_dot_product_attention`, which takes the same and gives none.

    >>> fused_weights(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4), is_causal=True)[0][0, 0, 1]
    tensor([0.5000, 0.5000, 0.0000])

    A query that may look nowhere gets zeros. Weights are those before dropout, and a note says so. They are computed
    as float32, some heads and queries at a time, and of causal ones the part that isn't 0. Of `groups` of queries and
    of keys, a `Groups` or None each, the averages and sums are given. They're written where `place` says, a function of
    their shape, and `advance` is called with how many weights have been computed since.
    """
    query, key = make_whole(query), make_whole(key).float()
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if hasattr(attn_mask, "_materialize"):  # torch.nn.attention.bias
        attn_mask = attn_mask._materialize(query.device)
    attn_mask = None if attn_mask is None else make_whole(attn_mask)
    notes = (DROPPED.format("scaled_dot_product_attention"),) * (dropout_p > 0)
    *before, q, _ = query.shape
    asking, looked_at = groups
    shape = (asking or range(q), looked_at or range(key.shape[-2]))
    found = place((*before, *map(len, shape)))
    for heads, step in _blocks(before, q if asking is None else PIECE, key.shape[-2], query.device):
        some = _take(query, -3, heads), _take(key, -3, heads), scale, _take(attn_mask, -3, heads), is_causal
        into = _take(found, -3, heads)
        if asking is None:
            for start in range(0, q, step):
                rows = slice(start, start + step)
                weights = _weights_of_rows(rows, *some)
                into[..., rows, :] = weights if looked_at is None else looked_at.sums(weights)
        else:
            means = _means_of_rows(asking, step, *some)
            into[...] = means if looked_at is None else looked_at.sums(means)
        advance(math.prod(some[0].shape[:-1]) * key.shape[-2])
    return found, notes


def _blocks(before, rows, k, device):
    """Which heads are computed at once, and how many of their queries, so many `rows` at most, for [*before, q, k]."""
    most = BLOCK if device.type == "cpu" else GPU_BLOCK
    others, heads = math.prod(before[:-1]), before[-1] if before else 1
    step = max(min(most // max(others * k, 1), rows), 1)
    together = max(most // max(others * step * k, 1), 1)
    return [(slice(first, first + together), step) for first in range(0, heads, together)]


def _take(tensor, axis, some):
    """Some of a tensor along an axis, all where it has none there or is repeated along it."""
    if tensor is None or tensor.ndim < -axis or tensor.shape[axis] == 1:
        return tensor
    return tensor[(..., some, *[slice(None)] * (-axis - 1))]


def _means_of_rows(asking, step, query, key, *more):  # -> [..., group, k]
    """The means of weights over groups of queries, of so many queries at a time."""
    means = key.new_zeros(*query.shape[:-2], len(asking), key.shape[-2])
    for groups, places, members in asking.pieces(step):
        shares = means.new_tensor(members / asking.sizes()[groups, None])
        means[..., groups, :] += shares @ _weights_of_rows(places, query, key, *more)
    return means


def _weights_of_rows(places, query, key, scale, mask, is_causal):  # -> [..., row, k]
    """The weights of the queries at some places."""
    rows = torch.arange(query.shape[-2], device="cpu")[places]
    query = query[..., places, :].float() * scale
    if is_causal:
        return _causal_weights(query, key, rows)
    scores = query @ key.mT
    if mask is None:
        return scores.softmax(-1)
    mask = _take(mask, -2, places)
    scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    return scores.softmax(-1).nan_to_num_(0)


def _causal_weights(query, key, rows):  # -> [..., row, k]
    """The weights of queries in these rows, each of which may look at what doesn't come after it."""
    k = key.shape[-2]
    first, last = min(int(rows.min()), k), int(rows.max())
    scores = query @ key[..., : last + 1, :].mT
    later = torch.arange(first, scores.shape[-1], device="cpu") > rows[:, None]  # what is before `first`, all look at
    scores[..., first:].masked_fill_(later.to(scores.device), -torch.inf)
    return F.pad(scores.softmax(-1), (0, k - scores.shape[-1]))


def weights_of_layer(args, kwargs):  # -> [b, h, q, k], the names of keys that the layer adds
    """The weights of each head of `F.multi_head_attention_forward`, which gives their mean, or none."""
    call = MHA.bind(*args, **kwargs)
    call.apply_defaults()
    added = ("a learned key",) * (call.arguments["bias_k"] is not None) + ("zero",) * call.arguments["add_zero_attn"]
    call.arguments |= {"need_weights": True, "average_attn_weights": False, "training": False}
    weights = F.multi_head_attention_forward(*call.args, **call.kwargs)[1]
    return (weights if weights.ndim == 4 else weights[None]).nan_to_num(0), added


def uncast(tensor):
    """Within this, what is computed of a tensor isn't cast, whatever the module around it casts by itself."""
    device = tensor.device.type
    return torch.autocast(device, enabled=False) if torch.is_autocast_enabled(device) else nullcontext()
