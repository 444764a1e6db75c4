"""Other kinds of attention for layer 1 of the focus model, which then reads from left to right.

A model that writes keeps what later words read of the earlier ones, its *cache*. Each kind makes that smaller in
another way. Nothing is trained anew: the heads get what is left of the keys and values that they were trained with.
`shared/attention-kinds.json` has the kinds, with their sizes; `web/math/kinds.ts` is the twin of this file.
"""

import copy
import json
from pathlib import Path

import torch
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, causal_mask, join_heads, silence_heads

KINDS = json.loads((Path(__file__).parents[2] / "shared" / "attention-kinds.json").read_text(encoding="utf-8"))
BYTES = 2  # of a number that is kept: 16 bits


def share(module, groups):
    """Let the heads of a group read the same keys and values: the means of their own (Ainslie et al. 2023).

    >>> share(MultiHeadAttention(embed_dim=8, num_heads=4), 2).key.weight.shape
    torch.Size([4, 8])
    """
    widths = {"attention_dim": module.attention_dim, "value_dim": module.value_dim, "rotary_base": module.rotary_base}
    shared = MultiHeadAttention(module.embed_dim, module.num_heads, num_kv_heads=groups, **widths)
    state = module.state_dict()
    for name in ("key.weight", "key.bias", "value.weight", "value.bias"):
        heads = state[name].unflatten(0, (groups, module.num_heads // groups, -1))  # [g, h / g, d_k, ...]
        state[name] = heads.mean(1).flatten(0, 1)
    shared.load_state_dict(state)
    return shared


def narrow(module, waist):
    """Make all keys and values from `waist` numbers of each word: the best that so few can do, by an SVD."""
    narrowed = copy.deepcopy(module)
    both = torch.cat([module.key.weight, module.value.weight]).double()  # [h * (d_k + d_v), d]
    down = torch.linalg.svd(both, full_matrices=False).Vh[:waist]  # [r, d]: what makes the short vector
    for layer in (narrowed.key, narrowed.value):
        layer.weight.data = (layer.weight.double() @ down.T @ down).to(layer.weight.dtype)
    return narrowed


def reach(length, window, first=False):  # -> [q, k]
    """Let every position look at the last `window` positions, itself among them, and at the first if that stays.

    >>> reach(4, 2, first=True).int()
    tensor([[1, 0, 0, 0],
            [1, 1, 0, 0],
            [1, 1, 1, 0],
            [1, 0, 1, 1]], dtype=torch.int32)
    """
    back = causal_mask(length)
    near = back & ~back.tril(-window)
    near[:, 0] |= first
    return near


def linear_attend(queries, keys, values):  # 2 × [..., t, d_k], [..., t, d_v] -> [..., t, d_v], [..., t, t]
    """Attention without softmax (Katharopoulos et al. 2020): all that is kept is a sum, which each word adds to.

    The weights, never written down in earnest, are here to be shown.
    """
    queries, keys = F.elu(queries) + 1, F.elu(keys) + 1  # features that are never negative
    sums = (keys[..., None] * values[..., None, :]).cumsum(-3)  # [..., t, d_k, d_v]: after each word
    totals = keys.cumsum(-2)  # [..., t, d_k]
    context = (queries[..., None, :] @ sums)[..., 0, :] / (queries * totals).sum(-1, keepdim=True)
    fit = (queries @ keys.mT).tril()
    return context, fit / fit.sum(-1, keepdim=True)


class LinearAttention(MultiHeadAttention):
    """`MultiHeadAttention` of a text on itself by `linear_attend`."""

    def forward(self, query, *, head_mask=None, **_):
        context, weights = linear_attend(*self.project(query, query, query))
        return self.output(join_heads(silence_heads(context, head_mask))), weights


def look_only(module, allowed):
    """Let a module's queries look only where `allowed(length)`, [q, k], says. Changes the module and returns it."""

    def mask_others(_module, inputs, options):
        return inputs, options | {"mask": options["mask"] & allowed(inputs[-1].shape[-2])}

    module.register_forward_pre_hook(mask_others, with_kwargs=True)
    return module


def attention_of(kind, module):
    """A copy of a `MultiHeadAttention` as another kind of attention, which looks back only."""
    row, module = KINDS[kind], copy.deepcopy(module)
    if "summed" in row:
        module.__class__ = LinearAttention
        return module
    if "groups" in row:
        module = share(module, row["groups"])
    if "waist" in row:
        module = narrow(module, row["waist"])
    if "window" in row:
        return look_only(module, lambda length: reach(length, row["window"], row.get("first", False)))
    return look_only(module, causal_mask)


def with_kind(model, kind):
    """Give layer 1 of a focus model another kind of attention. Changes the model and returns it."""
    model.first = attention_of(kind, model.first).eval()
    return model


def cache_of(kind, module):
    """What a cache keeps: numbers of "each" word, of "most" words at most, and "always" so many besides."""
    row, heads = KINDS[kind], module.num_heads
    d_k, d_v = module.attention_dim // heads, module.value_dim // heads
    if "summed" in row:
        return {"each": 0, "most": 0, "always": heads * d_k * (d_v + 1)}
    each = row["waist"] if "waist" in row else row.get("groups", heads) * (d_k + d_v)
    return {"each": each, "most": row["window"] + row.get("first", False) if "window" in row else None, "always": 0}


def cache_bytes(kind, module, words):
    """The bytes that a layer's cache holds for so many words."""
    cache = cache_of(kind, module)
    kept = words if cache["most"] is None else min(words, cache["most"])
    return BYTES * (cache["always"] + cache["each"] * kept)
