"""The weights of PyTorch's own attention, which its functions don't give: computed beside each call."""

import inspect
import math
from contextlib import nullcontext

import torch
from torch.nn import functional as F

from manyheads.reading.clusters import make_whole

BLOCK = 2**24  # weights that are computed at once
DROPPED = "{} drops weights at random in its call, whether the model trains or not: these are the weights before that."
MHA = inspect.signature(F.multi_head_attention_forward)


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
    **_,
):  # -> [..., q, k] on the CPU, notes
    """The weights of `F.scaled_dot_product_attention`, which takes the same and gives none.

    >>> fused_weights(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4), is_causal=True)[0][0, 0, 1]
    tensor([0.5000, 0.5000, 0.0000])

    A query that may look nowhere gets zeros. Weights are those before dropout, and a note says so. They are computed
    as float32, some queries at a time. Of `groups` of queries and of keys, a `Groups` or None each, the averages and
    sums are given.
    """
    query, key = make_whole(query), make_whole(key).float()
    q, k = query.shape[-2], key.shape[-2]
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if hasattr(attn_mask, "_materialize"):  # torch.nn.attention.bias
        attn_mask = attn_mask._materialize(query.device)
    attn_mask = None if attn_mask is None else make_whole(attn_mask)
    asking, looked_at = groups
    means, sums = asking and asking.means(query, q), looked_at and looked_at.sums(query)
    notes = (DROPPED.format("scaled_dot_product_attention"),) * (dropout_p > 0)
    step = max(BLOCK // (math.prod(query.shape[:-2]) * k), 1)
    blocks, averages = [], 0
    for start in range(0, q, step):
        rows = slice(start, start + step)
        weights = _weights_of_rows(query, key, rows, scale, attn_mask, is_causal)
        weights = weights if sums is None else sums(weights)
        if means is None:
            blocks.append(weights.cpu())
        else:
            averages = averages + means[:, rows] @ weights
    if means is not None:
        return averages.cpu(), notes
    return blocks[0] if len(blocks) == 1 else torch.cat(blocks, -2), notes


def _weights_of_rows(query, key, rows, scale, mask, is_causal):
    """The weights of some queries."""
    scores = (query[..., rows, :].float() * scale) @ key.mT
    if is_causal:
        later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(rows.start + 1)
        scores.masked_fill_(later, -torch.inf)
    if mask is None:
        return scores.softmax(-1)
    mask = mask[..., rows, :] if mask.ndim > 1 and mask.shape[-2] > 1 else mask
    scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
    return scores.softmax(-1).nan_to_num_(0)


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
