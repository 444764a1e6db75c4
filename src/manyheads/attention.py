"""Multi-head attention, from one NumPy function to a transformer block. Equations and sections are those of the source:
Vaswani et al. 2017, "Attention Is All You Need", arXiv:1706.03762.

Axes, named alike everywhere:  ... batch (none, one or several)   h head   q query position   k key position   d width
g heads of keys and values, where query heads share them   c key positions in a cache
Maps are [..., h, q, k]. Masks are boolean and broadcast to the map; True means: this query may attend to this key.
A query that may attend to no key gets zero weights and a zero context, where the formula alone would give 0/0 = NaN.
Shapes that do not fit raise `ValueError`; masks that are not boolean and tensors that are not floats, `TypeError`.
Modules take `bias`, `device` and `dtype` as PyTorch's own do; `reset_parameters()` draws all their weights anew.
"""

import math

import numpy as np
import torch
from einops import einsum, rearrange
from torch import nn
from torch.nn import functional as F

from manyheads.inputs import check_cache, check_groups, check_inputs, check_mask, check_width


# --- In NumPy: the formula itself
def softmax(scores, mask=None):  # [..., q, k] -> [..., q, k]
    """Turn each row of scores into shares that sum to 1; where the mask is False the share is 0.

    >>> softmax(np.array([1.0, 1.0, 9.9]), mask=np.array([True, True, False]))
    array([0.5, 0.5, 0. ])
    """
    shown = True if mask is None else check_mask(mask, np.shape(scores), np.bool_)
    scores = np.where(shown, scores, -math.inf)  # whole numbers become floats here
    highest = scores.max(axis=-1, keepdims=True, initial=-math.inf)
    powers = np.exp(scores - np.where(highest == -math.inf, 0, highest))
    sums = powers.sum(axis=-1, keepdims=True)
    return powers / np.where(sums == 0, 1, sums)


def self_attention(X, Wq, Wk, Wv, mask=None):  # [..., q, d], 2 × [d, d_k], [d, d_v] -> [..., q, d_v], [..., q, k]
    """Rewrite every word as a weighted sum of all words: softmax(Q K^T / sqrt(d_k)) V, equation 1.

    >>> X, W = np.ones((5, 4)), np.ones((4, 2))  # five words of width 4, projected to width 2
    >>> output, weights = self_attention(X, W, W, W)
    >>> output.shape, weights.shape
    ((5, 2), (5, 5))
    """
    X, Wq, Wk, Wv = map(np.asarray, (X, Wq, Wk, Wv))
    if X.ndim < 2 or Wq.shape != Wk.shape or not X.shape[-1:] == Wq.shape[:-1] == Wv.shape[:-1]:
        got = [list(array.shape) for array in (X, Wq, Wk, Wv)]
        raise ValueError(f"X, Wq, Wk, Wv must be [..., q, d], [d, d_k], [d, d_k], [d, d_v], got {got}")
    Q, K, V = X @ Wq, X @ Wk, X @ Wv  # [..., q, d_k], [..., k, d_k], [..., k, d_v]
    scores = Q @ K.swapaxes(-2, -1) / math.sqrt(Q.shape[-1])  # [..., q, k]
    weights = softmax(scores, mask)
    return weights @ V, weights  # [..., q, d_v], [..., q, k]


def multi_head_attention(X, Wq, Wk, Wv, Wo, num_heads, mask=None):  # [..., q, d] -> [..., q, d], [..., h, q, k]
    """Cut the columns of Wq, Wk, Wv into heads, attend with each, join the results and mix them: section 3.2.2.

    >>> X, W, Wo = np.ones((5, 4)), np.ones((4, 6)), np.ones((6, 4))
    >>> output, weights = multi_head_attention(X, W, W, W, Wo, num_heads=3)
    >>> output.shape, weights.shape
    ((5, 4), (3, 5, 5))
    """
    X, Wq, Wk, Wv, Wo = map(np.asarray, (X, Wq, Wk, Wv, Wo))
    check_width(num_heads, Wq=Wq.shape[-1], Wk=Wk.shape[-1], Wv=Wv.shape[-1])
    if Wo.ndim != 2 or Wo.shape[0] != Wv.shape[-1]:
        raise ValueError(f"Wo must have a row for each column of Wv {list(Wv.shape)}, got {list(Wo.shape)}")
    masks = [None] * num_heads
    if mask is not None:
        shape = (*X.shape[:-2], num_heads, *X.shape[-2:-1], *X.shape[-2:-1])
        allowed = np.broadcast_to(check_mask(mask, shape, np.bool_), shape)
        masks = np.moveaxis(allowed, -3, 0)  # [h, ..., q, k]
    columns = (np.split(W, num_heads, axis=-1) for W in (Wq, Wk, Wv))  # 3 × h × [d, d_k]
    parts = zip(*columns, masks, strict=True)
    contexts, weights = zip(*(self_attention(X, *part) for part in parts), strict=True)
    context = np.concatenate(contexts, axis=-1)  # [..., q, h * d_v]
    return context @ Wo, np.stack(weights, axis=-3)  # [..., q, d], [..., h, q, k]


# --- Masks: who may look at whom
def causal_mask(length, device=None):  # -> [q, k]
    """Let every position look at itself and back, never ahead (section 3.2.3).

    >>> causal_mask(2).tolist()
    [[True, False], [True, True]]
    """
    return torch.ones(length, length, dtype=torch.bool, device=device).tril()


def padding_mask(lengths, longest):  # [...] -> [..., h = 1, q = 1, k]
    """Hide the padding of a batch: of each text, filled up to `longest` words, only the first `lengths` may be seen.

    >>> (causal_mask(3) & padding_mask(torch.tensor([2, 3]), longest=3)).shape  # [b, h, q, k]
    torch.Size([2, 1, 3, 3])
    """
    lengths = torch.as_tensor(lengths)
    return torch.arange(longest, device=lengths.device) < lengths[..., None, None, None]


# --- In PyTorch: equation 1, once for all that follows
def attention_scores(queries, keys, scale=None, cap=None):  # [..., q, d], [..., k, d] -> [..., q, k]
    """Compare every query with every key: Q K^T / sqrt(d_k), or Q K^T * scale.

    >>> attention_scores(torch.ones(5, 4), torch.ones(7, 4)).shape
    torch.Size([5, 7])

    A `cap` bends scores, cap * tanh(score / cap), so that none is larger (Gemma 2, arXiv:2408.00118).
    """
    if scale is None:
        scale = 1 / math.sqrt(queries.shape[-1])
    scores = (queries * scale) @ keys.mT  # [..., q, k]
    return scores if cap is None else cap * torch.tanh(scores / cap)


def masked_softmax(scores, mask=None):  # [..., q, k] -> [..., q, k]
    """Do what `softmax` does, with finite gradients.

    >>> masked_softmax(torch.tensor([1.0, 1.0, 9.9]), mask=torch.tensor([True, True, False]))
    tensor([0.5000, 0.5000, 0.0000])
    """
    if mask is not None:
        lowest = torch.finfo(scores.dtype).min  # a row of -inf alone would give NaN, and so would its gradient
        scores = scores.masked_fill(~mask, lowest)
    weights = scores.softmax(dim=-1)
    if mask is not None:
        weights = weights.masked_fill(~mask, 0)  # also where a query may attend to no key
    return weights


def attend(queries, keys, values, mask=None, *, scale=None, cap=None, dropout=0.0):
    # [..., q, d_k], [..., k, d_k], [..., k, d_v] -> [..., q, d_v], [..., q, k]
    """Average the values by how well their keys fit each query: softmax(Q K^T / sqrt(d_k)) V, equation 1.

    >>> context, weights = attend(torch.randn(5, 4), torch.randn(7, 4), torch.randn(7, 3))
    >>> context.shape, weights.shape
    (torch.Size([5, 3]), torch.Size([5, 7]))

    `dropout` is the share of weights left out of the average; those returned are the weights before. `scale` and `cap`
    are those of `attention_scores`.
    """
    scores = attention_scores(queries, keys, scale, cap)  # [..., q, k]
    weights = masked_softmax(scores, mask)  # [..., q, k]
    context = F.dropout(weights, dropout) @ values  # [..., q, d_v]
    return context, weights


def fused_attend(queries, keys, values, mask=None, *, dropout=0.0):
    # [..., q, d_k], [..., k, d_k], [..., k, d_v] -> [..., q, d_v]
    """Give the context of `attend`, without the weights, by PyTorch's fused kernel.

    >>> fused_attend(torch.randn(5, 4), torch.randn(7, 4), torch.randn(7, 3)).shape
    torch.Size([5, 3])

    For texts with one batch axis it never holds a whole map; for others PyTorch falls back to plain products.
    """
    if mask is None:
        return F.scaled_dot_product_attention(queries, keys, values, dropout_p=dropout)
    blind = ~mask.any(dim=-1, keepdim=True)  # [..., q, 1]: queries without keys, on which the kernels differ
    context = F.scaled_dot_product_attention(queries, keys, values, attn_mask=mask | blind, dropout_p=dropout)
    return context.masked_fill(blind, 0)


# --- In PyTorch: one head, then a loop over heads, then all heads at once
class AttentionHead(nn.Module):
    """One head, equation 1. Arguments are those of `MultiHeadAttention`; the mask broadcasts to [..., q, k].

    >>> output, weights = AttentionHead(embed_dim=8, head_dim=4)(torch.randn(2, 5, 8))
    >>> output.shape, weights.shape
    (torch.Size([2, 5, 4]), torch.Size([2, 5, 5]))
    """

    def __init__(self, embed_dim, head_dim, *, bias=True, device=None, dtype=None):
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        self.embed_dim = embed_dim
        self.query = nn.Linear(embed_dim, head_dim, **options)  # W_i^Q
        self.key = nn.Linear(embed_dim, head_dim, **options)  # W_i^K
        self.value = nn.Linear(embed_dim, head_dim, **options)  # W_i^V

    def reset_parameters(self):
        for layer in (self.query, self.key, self.value):
            layer.reset_parameters()

    def forward(self, query, key=None, value=None, *, mask=None):  # [..., q, d] -> [..., q, d], [..., q, k]
        query, key, value, mask = check_inputs(query, key, value, mask, self.embed_dim)
        queries = self.query(query)  # [..., q, d]
        keys = self.key(key)  # [..., k, d]
        values = self.value(value)  # [..., k, d]
        return attend(queries, keys, values, mask)  # [..., q, d], [..., q, k]


class LoopedMultiHeadAttention(nn.Module):
    """Many heads, one after the other: the readable reference. Arguments are those of `MultiHeadAttention`.

    >>> output, weights = LoopedMultiHeadAttention(embed_dim=8, num_heads=2)(torch.randn(3, 5, 8))
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 5]))
    """

    def __init__(self, embed_dim, num_heads, *, attention_dim=None, bias=True, device=None, dtype=None):
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        attention_dim = embed_dim if attention_dim is None else attention_dim
        check_width(num_heads, attention_dim=attention_dim)
        head_dim = attention_dim // num_heads
        self.embed_dim = embed_dim
        self.heads = nn.ModuleList(AttentionHead(embed_dim, head_dim, **options) for _ in range(num_heads))
        self.output = nn.Linear(attention_dim, embed_dim, **options)  # W^O

    def reset_parameters(self):
        for layer in (*self.heads, self.output):
            layer.reset_parameters()

    def forward(self, query, key=None, value=None, *, mask=None):  # [..., q, d] -> [..., q, d], [..., h, q, k]
        num_heads = len(self.heads)
        query, key, value, mask = check_inputs(query, key, value, mask, self.embed_dim, num_heads)
        masks = [None] * num_heads
        if mask is not None:
            masks = mask.expand(*query.shape[:-2], num_heads, -1, -1).unbind(-3)  # h × [..., q, k]
        contexts, maps = [], []
        for head, head_mask in zip(self.heads, masks):
            context, weights = head(query, key, value, mask=head_mask)  # [..., q, d], [..., q, k]
            contexts.append(context)
            maps.append(weights)
        context = torch.cat(contexts, dim=-1)  # [..., q, h * d]
        return self.output(context), torch.stack(maps, dim=-3)  # [..., q, d], [..., h, q, k]


def split_heads(x, num_heads):  # [..., t, h * d] -> [..., h, t, d]
    """Deal the columns of each word out to the heads.

    >>> split_heads(torch.zeros(3, 5, 8), num_heads=2).shape
    torch.Size([3, 2, 5, 4])
    """
    parts = x.unflatten(-1, (num_heads, -1))  # [..., t, h, d]
    return parts.transpose(-3, -2)  # [..., h, t, d]


def join_heads(x):  # [..., h, t, d] -> [..., t, h * d]
    """Put the heads' columns side by side again: Concat(head_1, ..., head_h).

    >>> join_heads(torch.zeros(3, 2, 5, 4)).shape
    torch.Size([3, 5, 8])
    """
    parts = x.transpose(-3, -2)  # [..., t, h, d]
    return parts.flatten(start_dim=-2)  # [..., t, h * d]


def silence_heads(context, head_mask=None):  # [..., h, q, d], [h] or [..., h] -> [..., h, q, d]
    """Set the context of each head to zero where `head_mask` is False.

    >>> silence_heads(torch.ones(2, 1, 3), torch.tensor([True, False])).tolist()
    [[[1.0, 1.0, 1.0]], [[0.0, 0.0, 0.0]]]
    """
    if head_mask is None:
        return context
    check_mask(head_mask, context.shape[:-2], torch.bool, "head_mask")
    return context.masked_fill(~head_mask[..., None, None], 0)


def share_heads(x, num_heads):  # [..., g, k, d] -> [..., h, k, d]
    """Repeat the keys or values of each group for all its query heads: head i reads those of group i // (h / g).

    >>> share_heads(torch.tensor([[[1.0]], [[2.0]]]), num_heads=4).flatten().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    groups = x.shape[-3]
    return x if groups == num_heads else x.repeat_interleave(num_heads // groups, dim=-3)


def rotate(x, start=0, base=10_000.0):  # [..., t, d] -> [..., t, d]
    """Turn each row by its position, from `start` on: the rotary positions of Su et al. 2021, arXiv:2104.09864.

    >>> rotate(torch.tensor([[1.0, 0.0]] * 3))  # by 0, 1 and 2 radians
    tensor([[ 1.0000,  0.0000],
            [ 0.5403,  0.8415],
            [-0.4161,  0.9093]])

    Columns i and i + d/2 are the two coordinates that turn together, by position * base^(-2i / d). So the product of
    a query and a key depends on how far apart they are, and not on where they stand. Instead of a base there may be
    these d/2 speeds themselves, as a tuple.
    """
    half = x.shape[-1] // 2
    options = {"device": x.device, "dtype": torch.promote_types(x.dtype, torch.float32)}
    powers = -torch.arange(half, **options) / half
    speeds = torch.tensor(base, **options) if isinstance(base, tuple) else base**powers  # [d / 2]
    angles = torch.arange(start, start + x.shape[-2], **options)[:, None] * speeds  # [t, d / 2]
    cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
    first, second = x.chunk(2, dim=-1)
    return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def extend(cache, keys, values):  # (2 × [..., g, c, d] or nothing), 2 × [..., g, k, d] -> 2 × [..., g, c + k, d]
    """Put new keys and values after those of a cache, which stays as it was; `()` is the empty one.

    >>> first = extend((), torch.ones(2, 3, 4), torch.ones(2, 3, 4))
    >>> [kept.shape[-2] for kept in extend(first, *torch.ones(2, 2, 1, 4))]
    [4, 4]
    """
    if not cache:
        return keys, values
    return tuple(torch.cat([old, new], dim=-2) for old, new in zip(cache, (keys, values)))


class MultiHeadAttention(nn.Module):
    """Many heads at once: MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, section 3.2.2.

    >>> module = MultiHeadAttention(embed_dim=8, num_heads=2)
    >>> output, weights = module(torch.randn(3, 5, 8), mask=causal_mask(5))
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 5]))
    >>> module(torch.randn(5, 8), torch.randn(7, 8), need_weights=False)[0].shape  # the queries look at another text
    torch.Size([5, 8])

    Widths are those of all heads together: `attention_dim` of queries and keys (else `embed_dim`), `value_dim` of
    values (else `attention_dim`). Training leaves out a share of the weights, `dropout`, but not of those returned.

    Query is [..., q, d]; key (else the query) and value (else the key) are [..., k, d]. `mask` broadcasts to
    [..., h, q, k]. `head_mask`, [h] or [..., h], is False for heads that are off: their context is zero, their weights
    are returned all the same. Gives the output [..., q, d] and the weights [..., h, q, k], or None without
    `need_weights`. A query that may attend to no key gets the bias of the output layer.

    A language model's heads differ in three ways. `num_kv_heads` groups share keys and values: one for all heads is
    multi-query attention, fewer than heads are grouped. `rotary_base` turns queries and keys by their positions (see
    `rotate`). With a `cache`, at first `()`, the new keys and values come after those in it, the mask is
    [..., h, q, c + k], and the longer cache, 2 × [..., g, c + k, d], is given as a third result:

    >>> module, X = MultiHeadAttention(8, 4, num_kv_heads=2, rotary_base=10_000), torch.randn(5, 8)
    >>> _, _, cache = module(X[:4], mask=causal_mask(4), cache=())
    >>> last, weights, cache = module(X[4:], cache=cache)  # the last word may look at all, so it needs no mask
    >>> weights.shape, cache[0].shape
    (torch.Size([4, 1, 5]), torch.Size([2, 5, 2]))
    >>> torch.allclose(last, module(X, mask=causal_mask(5))[0][4:], atol=1e-5)
    True
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        *,
        attention_dim=None,
        value_dim=None,
        num_kv_heads=None,
        rotary_base=None,
        bias=True,
        dropout=0.0,
        device=None,
        dtype=None,
    ):
        super().__init__()
        options = {"bias": bias, "device": device, "dtype": dtype}
        attention_dim = embed_dim if attention_dim is None else attention_dim
        value_dim = attention_dim if value_dim is None else value_dim
        num_kv_heads = num_heads if num_kv_heads is None else num_kv_heads
        check_width(num_heads, attention_dim=attention_dim, value_dim=value_dim)
        check_groups(num_heads, num_kv_heads, rotary_base and attention_dim // num_heads)
        self.embed_dim, self.attention_dim, self.value_dim = embed_dim, attention_dim, value_dim
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.rotary_base, self.dropout = rotary_base, dropout
        self.cap = None  # of scores, where a model has one
        self.query = nn.Linear(embed_dim, attention_dim, **options)  # W^Q: the heads' columns, head after head
        self.key = nn.Linear(embed_dim, attention_dim // num_heads * num_kv_heads, **options)  # W^K
        self.value = nn.Linear(embed_dim, value_dim // num_heads * num_kv_heads, **options)  # W^V
        self.output = nn.Linear(value_dim, embed_dim, **options)  # W^O
        if bias:
            nn.init.zeros_(self.output.bias)

    def reset_parameters(self):
        for layer in (self.query, self.key, self.value, self.output):
            layer.reset_parameters()
        if self.output.bias is not None:
            nn.init.zeros_(self.output.bias)

    def forward(self, query, key=None, value=None, *, mask=None, head_mask=None, need_weights=True, cache=None):
        past = cache[0].shape[-2] if cache else 0
        query, key, value, mask = check_inputs(query, key, value, mask, self.embed_dim, self.num_heads, past)
        queries, keys, values = self.project(query, key, value, past)  # [..., h, q, d], 2 × [..., g, k, d]
        if cache is not None:
            keys, values = cache = extend(check_cache(cache, keys, values), keys, values)  # 2 × [..., g, c + k, d]
        keys, values = share_heads(keys, self.num_heads), share_heads(values, self.num_heads)
        dropout = self.dropout if self.training else 0.0
        if need_weights or self.cap:  # [..., h, q, d], [..., h, q, k]
            context, weights = attend(queries, keys, values, mask, cap=self.cap, dropout=dropout)
        else:
            context, weights = fused_attend(queries, keys, values, mask, dropout=dropout), None
        context = silence_heads(context, head_mask)
        output = self.output(join_heads(context))  # [..., q, d]
        return (output, weights) if cache is None else (output, weights, cache)

    def project(self, query, key, value, past=0):  # [..., q, d], 2 × [..., k, d] -> [..., h, q, d], 2 × [..., g, k, d]
        """Multiply the words by W^Q, W^K and W^V, and split the results into heads; `past` words stand before them.

        >>> queries, keys, values = MultiHeadAttention(embed_dim=8, num_heads=2).project(*torch.randn(3, 5, 8))
        >>> queries.shape
        torch.Size([2, 5, 4])
        """
        queries = split_heads(self.query(query), self.num_heads)
        keys = split_heads(self.key(key), self.num_kv_heads)
        values = split_heads(self.value(value), self.num_kv_heads)
        if self.rotary_base is not None:
            queries, keys = (rotate(x, past, self.rotary_base) for x in (queries, keys))
        return queries, keys, values

    @classmethod
    def from_loop(cls, looped):
        """Copy the weights of a `LoopedMultiHeadAttention`.

        >>> looped, X = LoopedMultiHeadAttention(embed_dim=8, num_heads=2), torch.randn(5, 8)
        >>> torch.allclose(looped(X)[0], MultiHeadAttention.from_loop(looped)(X)[0], atol=1e-5)
        True
        """
        embed_dim, attention_dim = looped.output.weight.shape
        bias = looped.output.bias is not None
        heads = [head.state_dict() for head in looped.heads]  # "query.weight" [d_k, d], "query.bias" [d_k], ...
        state = {name: torch.cat([head[name] for head in heads]) for name in heads[0]}
        state |= {f"output.{name}": tensor for name, tensor in looped.output.state_dict().items()}
        module = cls(embed_dim, len(heads), attention_dim=attention_dim, bias=bias)
        module.to(looped.output.weight).load_state_dict(state)  # first its type: float64 must not pass through float32
        return module.train(looped.training)

    @classmethod
    def from_torch(cls, layer):
        """Copy the weights of a `torch.nn.MultiheadAttention`; `ValueError` where it uses an option that we lack.

        >>> layer, X = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(3, 5, 8)
        >>> torch.allclose(layer(X, X, X)[0], MultiHeadAttention.from_torch(layer)(X)[0], atol=1e-5)
        True
        """
        widths = [layer.embed_dim, layer.kdim, layer.vdim]
        if len(set(widths)) > 1 or layer.bias_k is not None or layer.add_zero_attn:
            raise ValueError(f"expected one width, no add_bias_kv, no add_zero_attn, got widths {widths} in {layer}")
        bias = layer.in_proj_bias is not None
        query, key, value = layer.in_proj_weight.chunk(3)  # one layer there, three here
        state = {"query.weight": query, "key.weight": key, "value.weight": value}
        state["output.weight"] = layer.out_proj.weight
        if bias:
            query, key, value = layer.in_proj_bias.chunk(3)
            state |= {"query.bias": query, "key.bias": key, "value.bias": value}
            state["output.bias"] = layer.out_proj.bias
        module = cls(layer.embed_dim, layer.num_heads, bias=bias, dropout=layer.dropout)
        module.to(layer.in_proj_weight).load_state_dict(state)
        return module.train(layer.training)

    def to_torch(self, *, batch_first=True):
        """Give a `torch.nn.MultiheadAttention` with the same weights; `ValueError` where it lacks what ours has.

        >>> MultiHeadAttention(embed_dim=8, num_heads=2).to_torch().in_proj_weight.shape
        torch.Size([24, 8])
        """
        widths = [self.embed_dim, self.attention_dim, self.attention_dim, self.value_dim]
        if len(set(widths)) > 1:
            raise ValueError(f"nn.MultiheadAttention has one width for words, queries, keys and values, got {widths}")
        if self.num_kv_heads != self.num_heads or self.rotary_base is not None:
            got = f"{self.num_heads} heads on {self.num_kv_heads} and rotary_base={self.rotary_base}"
            raise ValueError(f"nn.MultiheadAttention has no shared keys and values and no rotary positions, got {got}")
        bias = self.output.bias is not None
        state = {"in_proj_weight": torch.cat([self.query.weight, self.key.weight, self.value.weight])}
        state["out_proj.weight"] = self.output.weight
        if bias:
            state["in_proj_bias"] = torch.cat([self.query.bias, self.key.bias, self.value.bias])
            state["out_proj.bias"] = self.output.bias
        layer = nn.MultiheadAttention(self.embed_dim, self.num_heads, self.dropout, bias, batch_first=batch_first)
        layer.to(self.output.weight).load_state_dict(state)
        return layer.train(self.training)


def einsum_attention(queries, keys, values, num_heads, mask=None):
    # [..., q, h * d], 2 × [..., k, h * d] -> [..., q, h * d], [..., h, q, k]
    """Split, attend and join in note C's words, which name every axis: `rearrange` cuts and joins, `einsum` multiplies.

    >>> context, weights = einsum_attention(*torch.randn(3, 5, 8), num_heads=2)
    >>> context.shape, weights.shape
    (torch.Size([5, 8]), torch.Size([2, 5, 5]))

    It gets what the first three layers of a `MultiHeadAttention` make of the words, and gives what the last one reads.
    """
    queries = rearrange(queries, "... q (h d) -> ... h q d", h=num_heads)
    keys = rearrange(keys, "... k (h d) -> ... h k d", h=num_heads)
    values = rearrange(values, "... k (h d) -> ... h k d", h=num_heads)
    scores = einsum(queries, keys, "... h q d, ... h k d -> ... h q k")
    weights = masked_softmax(scores / math.sqrt(queries.shape[-1]), mask)
    context = einsum(weights, values, "... h q k, ... h k d -> ... h q d")
    return rearrange(context, "... h q d -> ... q (h d)"), weights


class AttentionBlock(nn.Module):
    """A whole layer: attention, dropout of its output, the query added again, layer norm (sections 3.1 and 5.4).

    >>> block = AttentionBlock(embed_dim=8, num_heads=2, attention_dim=6, value_dim=10)
    >>> output, weights = block(torch.randn(3, 5, 8), torch.randn(3, 7, 8))  # the queries look at another text
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 7]))
    """

    def __init__(
        self,
        embed_dim,
        num_heads,
        *,
        attention_dim=None,
        value_dim=None,
        bias=True,
        dropout=0.1,
        device=None,
        dtype=None,
    ):
        super().__init__()
        place = {"device": device, "dtype": dtype}
        widths = {"attention_dim": attention_dim, "value_dim": value_dim}
        self.attention = MultiHeadAttention(embed_dim, num_heads, **widths, bias=bias, **place)
        self.dropout = nn.Dropout(dropout)
        self.norm = nn.LayerNorm(embed_dim, **place)
        self.reset_parameters()

    def reset_parameters(self):
        self.attention.reset_parameters()
        self.norm.reset_parameters()
        for layer in (self.attention.query, self.attention.key, self.attention.value):
            head_dim = layer.out_features // self.attention.num_heads
            nn.init.normal_(layer.weight, std=math.sqrt(2 / (layer.in_features + head_dim)))
        nn.init.xavier_normal_(self.attention.output.weight)

    def forward(self, query, key=None, value=None, **options):  # [..., q, d] -> [..., q, d], [..., h, q, k]
        output, *rest = self.attention(query, key, value, **options)  # the weights and, with one given, the cache
        return self.norm(query + self.dropout(output)), *rest


# --- Every matrix on the way
@torch.no_grad()
def steps(module, X, head=0, *, mask=None, scaled=True):  # [q, d] -> {name: matrix}
    """Show every matrix on the way through one head of a `MultiHeadAttention`, by name.

    >>> list(steps(MultiHeadAttention(embed_dim=8, num_heads=2), torch.randn(5, 8)))
    ['X', 'Q', 'K', 'V', 'scores', 'masked', 'weights', 'context', 'concat', 'output']

    `mask` is [q, k]; `masked` is minus infinity where it is False. `scaled=False` leaves out sqrt(d_k), in all heads.
    Where positions turn queries and keys, there are also XWq and XWk, which are Q and K before they are turned.
    """
    X, _, _, mask = check_inputs(X, None, None, mask, module.embed_dim)
    Q, K, V = module.project(X, X, X)  # [h, q, d], 2 × [g, k, d]
    K, V = share_heads(K, module.num_heads), share_heads(V, module.num_heads)
    scale = None if scaled else 1
    scores = attention_scores(Q, K, scale, module.cap)  # [h, q, k]
    masked = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    context, weights = attend(Q, K, V, mask, scale=scale, cap=module.cap)  # [h, q, d], [h, q, k]
    concat = join_heads(context)  # [q, h * d]
    heads = {"Q": Q, "K": K, "V": V, "scores": scores, "masked": masked, "weights": weights, "context": context}
    if module.rotary_base is not None:
        straight = split_heads(module.query(X), module.num_heads), split_heads(module.key(X), module.num_kv_heads)
        heads |= {"XWq": straight[0], "XWk": share_heads(straight[1], module.num_heads)}
    own = {name: matrices[head] for name, matrices in heads.items()}
    return {"X": X, **own, "concat": concat, "output": F.linear(concat, module.output.weight, module.output.bias)}


# --- What each head writes
def contributions(module, query, key=None, value=None, *, mask=None, head_mask=None, by_key=False):
    # [..., q, d], 2 × [..., k, d] -> [..., h, q, d], or [..., h, q, k, d] by key
    """Say what each head adds to the output: its context through its own rows of W^O.

    >>> module, X = MultiHeadAttention(embed_dim=8, num_heads=2), torch.randn(5, 8)
    >>> parts = contributions(module, X)
    >>> parts.shape, torch.allclose(parts.sum(dim=0) + module.output.bias, module(X)[0], atol=1e-5)
    (torch.Size([2, 5, 8]), True)

    A transformer adds this output to each word's vector, the *residual stream*, so a head can write only what its rows
    of W^O can. Where it looks is decided by its queries and keys, the *QK circuit*; what it then writes by its values
    and W^O, the *OV circuit* (Elhage et al. 2021, "A Mathematical Framework for Transformer Circuits"). `by_key` splits
    each part by the words it came from: weight times value, through W^O. Arguments are those of a module's `forward`.
    """
    query, key, value, mask = check_inputs(query, key, value, mask, module.embed_dim, module.num_heads)
    queries, keys, values = module.project(query, key, value)  # [..., h, q, d], 2 × [..., g, k, d]
    keys, values = share_heads(keys, module.num_heads), share_heads(values, module.num_heads)
    context, weights = attend(queries, keys, values, mask, cap=module.cap)  # [..., h, q, d_v], [..., h, q, k]
    rows = module.output.weight.mT.unflatten(0, (module.num_heads, -1))  # [h, d_v, d]
    if not by_key:
        return silence_heads(context, head_mask) @ rows
    whole = silence_heads(values, head_mask) @ rows  # [..., h, k, d]: what each word would add with all of the weight
    return weights[..., None] * whole[..., None, :, :]
