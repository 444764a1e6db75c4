"""Multi-head attention, from one NumPy function to a transformer block. Equations and sections are those of the source:
Vaswani et al. 2017, "Attention Is All You Need", arXiv:1706.03762.

Axes, named alike everywhere:  ... batch (none, one or several)   h head   q query position   k key position   d width
Maps are [..., h, q, k]. Masks are boolean and broadcast to the map; True means: this query may attend to this key.
A query that may attend to no key gets zero weights and a zero context, where the formula alone would give 0/0 = NaN.
What does not fit raises `ValueError`, masks that are not boolean and tensors that are not floating-point `TypeError`.
"""

import math

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from manyheads.plumbing import check_inputs, check_mask, check_width, fill
from manyheads.shortcuts import by_pieces, is_small, linear


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
        masks = np.moveaxis(np.broadcast_to(check_mask(mask, shape, np.bool_), shape), -3, 0)  # [h, ..., q, k]
    parts = zip(*(np.split(W, num_heads, axis=-1) for W in (Wq, Wk, Wv)), masks, strict=True)
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


# --- In PyTorch: one head, then a loop over heads, then all heads at once
def masked_softmax_(scores, mask=None, last_use=False):  # [..., q, k] -> [..., q, k]
    """Do what `softmax` does, with finite gradients; overwrites the scores where this is their last use."""
    masked_fill = torch.Tensor.masked_fill_ if last_use else torch.Tensor.masked_fill
    if mask is not None:  # the lowest finite number: a row of -inf alone becomes NaN, and so does its gradient
        scores = masked_fill(scores, ~mask, torch.finfo(scores.dtype).min)
    weights = torch.softmax(scores, dim=-1, out=scores if last_use else None)
    return weights if mask is None else masked_fill(weights, ~mask, 0)


class AttentionHead(nn.Module):
    """One head, equation 1. Arguments are those of `MultiHeadAttention`; the mask broadcasts to [..., q, k].

    >>> output, weights = AttentionHead(embed_dim=8, head_dim=4)(torch.randn(2, 5, 8))
    >>> output.shape, weights.shape
    (torch.Size([2, 5, 4]), torch.Size([2, 5, 5]))
    """

    def __init__(self, embed_dim, head_dim, *, bias=True):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(embed_dim, head_dim, bias=bias) for _ in range(3))

    def forward(self, query, key=None, value=None, *, mask=None):  # [..., q, d] -> [..., q, d], [..., q, k]
        query, key, value, _ = check_inputs(query, key, value, mask, self.query.in_features)
        queries, keys, values = self.query(query), self.key(key), self.value(value)  # [..., q, d], 2 × [..., k, d]
        scores = queries @ keys.transpose(-2, -1) / math.sqrt(queries.shape[-1])  # [..., q, k]
        weights = masked_softmax_(scores, mask)
        return weights @ values, weights  # [..., q, d], [..., q, k]


class LoopedMultiHeadAttention(nn.Module):
    """Many heads, one after the other: the readable reference. Arguments are those of `MultiHeadAttention`.

    >>> output, weights = LoopedMultiHeadAttention(embed_dim=8, num_heads=2)(torch.randn(3, 5, 8))
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 5]))
    """

    def __init__(self, embed_dim, num_heads, *, attention_dim=None, bias=True):
        super().__init__()
        attention_dim = embed_dim if attention_dim is None else attention_dim
        check_width(num_heads, attention_dim=attention_dim)
        heads = (AttentionHead(embed_dim, attention_dim // num_heads, bias=bias) for _ in range(num_heads))
        self.heads = nn.ModuleList(heads)
        self.output = nn.Linear(attention_dim, embed_dim, bias=bias)

    def forward(self, query, key=None, value=None, *, mask=None):  # [..., q, d] -> [..., q, d], [..., h, q, k]
        query, key, value, shape = check_inputs(query, key, value, mask, self.output.out_features, len(self.heads))
        masks = [None] * len(self.heads) if mask is None else mask.broadcast_to(shape).unbind(-3)  # h × [..., q, k]
        each = (head(query, key, value, mask=mask) for head, mask in zip(self.heads, masks, strict=True))
        contexts, weights = zip(*each, strict=True)  # h × [..., q, d], h × [..., q, k]
        context = torch.cat(contexts, dim=-1)  # [..., q, h * d]
        return self.output(context), torch.stack(weights, dim=-3)  # [..., q, d], [..., h, q, k]


class MultiHeadAttention(nn.Module):
    """Many heads in one go: MultiHead(Q, K, V) = Concat(head_1, ..., head_h) W^O, section 3.2.2.

    >>> module = MultiHeadAttention(embed_dim=8, num_heads=2)
    >>> output, weights = module(torch.randn(3, 5, 8), mask=causal_mask(5))
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 5]))
    >>> module(torch.randn(5, 8), torch.randn(7, 8), need_weights=False)[0].shape  # the queries look at another text
    torch.Size([5, 8])

    Widths are those of all heads together: `attention_dim` of queries and keys (else `embed_dim`), `value_dim` of
    values (else `attention_dim`). Query is [..., q, d], key (else the query) and value (else the key) are [..., k, d].
    `mask` broadcasts to [..., h, q, k]. `head_mask`, [h] or [..., h], is False for heads that are off: zero context,
    weights as ever. Returns the output [..., q, d] and weights [..., h, q, k], or None unless `need_weights`. Training
    drops a share of the weights, `dropout`, but not from those returned. A query without keys gets the output's bias.
    """

    def __init__(self, embed_dim, num_heads, *, attention_dim=None, value_dim=None, bias=True, dropout=0.0):
        super().__init__()
        attention_dim = embed_dim if attention_dim is None else attention_dim
        value_dim = attention_dim if value_dim is None else value_dim
        check_width(num_heads, attention_dim=attention_dim, value_dim=value_dim)
        self.embed_dim, self.num_heads, self.dropout = embed_dim, num_heads, dropout
        self.widths = attention_dim, attention_dim, value_dim
        self.scale = 1 / math.sqrt(attention_dim // num_heads)
        self.projection = nn.Linear(embed_dim, sum(self.widths), bias=bias)  # the rows of W^Q, then W^K, then W^V
        self.output = nn.Linear(value_dim, embed_dim, bias=bias)  # W^O
        if bias:
            nn.init.zeros_(self.output.bias)

    def forward(self, query, key=None, value=None, *, mask=None, head_mask=None, need_weights=True):
        query, key, value, shape = check_inputs(query, key, value, mask, self.embed_dim, self.num_heads)
        if need_weights or is_small(shape, query):
            context, weights = by_pieces(self.attend, *self.project(query, key, value), mask, shape)  # [..., h, q, d]
        else:  # the fused kernel, which holds a part of a map at a time
            parts = self.project(query, key, value, fold=False)
            parts = [part.view(*shape[:-2], *part.shape[-2:]) for part in parts]  # 3 × [..., h, t, d]
            blind = None if mask is None else ~mask.any(-1, keepdim=True)  # [..., q, 1]: queries without keys
            opened = None if mask is None else torch.atleast_2d(mask | blind)  # kernels differ on the blind
            context = F.scaled_dot_product_attention(*parts, attn_mask=opened, dropout_p=self.dropout * self.training)
            context = context if mask is None else context.masked_fill(blind, 0)  # [..., h, q, d]
        if head_mask is not None:
            head_mask = check_mask(head_mask, shape[:-2], torch.bool, "head_mask")
            context = context.masked_fill(~head_mask[..., None, None], 0)
        weights = weights if need_weights else None  # gives its memory back before the output takes some
        context = context.transpose(-3, -2).flatten(-2)  # [..., h, q, d] -> [..., q, h * d]
        return linear(self, "output", context), weights  # [..., q, d], [..., h, q, k]

    def project(self, query, key, value, *, fold=True):  # 3 × [..., t, d] -> 3 × [n, t, d], or 3 × [..., h, t, d]
        """Give each head its queries, keys and values; folded, one axis n holds all heads of all texts."""
        if query is key is value and self.widths[1] == self.widths[2]:
            sizes = math.prod(query.shape[:-2]), query.shape[-2], 3, self.num_heads, self.widths[0] // self.num_heads
            joint = linear(self, "projection", query).view(*sizes).permute(0, 3, 2, 1, 4)  # [b, h, 3, t, d]
            return (joint.flatten(0, 1) if fold else joint).unbind(-3)  # 3 × [n, t, d] or [b, h, t, d]
        weights, bias = self.projection.weight.split(self.widths), self.projection.bias
        biases = [None] * 3 if bias is None else bias.split(self.widths)
        parts = map(F.linear, (query, key, value), weights, biases)  # 3 × [..., t, h * d]
        parts = [part.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2) for part in parts]  # 3 × [..., h, t, d]
        return [part.flatten(0, -3) for part in parts] if fold else parts

    def attend(self, queries, keys, values, mask, weights=None):  # 3 × [n, t, d], 2 × [n, q, k] -> [n, q, d], [n, q, k]
        """Apply equation 1 to n heads at once; returns contexts and weights, left in `weights` if that is given."""
        start = queries.new_empty(()) if weights is None else weights  # and beta=0: nothing is added to the product
        scores = torch.baddbmm(start, queries, keys.mT, beta=0, alpha=self.scale, out=weights)
        weights = masked_softmax_(scores, mask, last_use=weights is not None)
        return torch.bmm(F.dropout(weights, self.dropout) if self.training else weights, values), weights

    @classmethod
    def from_loop(cls, looped):
        """Take over the weights of a `LoopedMultiHeadAttention`.

        >>> looped, X = LoopedMultiHeadAttention(embed_dim=8, num_heads=2), torch.randn(5, 8)
        >>> torch.allclose(looped(X)[0], MultiHeadAttention.from_loop(looped)(X)[0], atol=1e-6)
        True
        """
        output, (embed_dim, attention_dim) = looped.output.state_dict(), looped.output.weight.shape
        linears = [getattr(head, name) for name in ("query", "key", "value") for head in looped.heads]
        projection = [torch.cat([getattr(linear, name).detach() for linear in linears]) for name in output]
        module = cls(embed_dim, len(looped.heads), attention_dim=attention_dim, bias="bias" in output)
        return fill(module, [*projection, *output.values()], looped)

    @classmethod
    def from_torch(cls, layer):
        """Take over the weights of a `torch.nn.MultiheadAttention`; `ValueError` where it has what we have not.

        >>> layer, X = nn.MultiheadAttention(8, 2, batch_first=True), torch.randn(3, 5, 8)
        >>> torch.allclose(layer(X, X, X)[0], MultiHeadAttention.from_torch(layer)(X)[0], atol=1e-6)
        True
        """
        widths, extras, bias = [layer.embed_dim, layer.kdim, layer.vdim], layer.bias_k, layer.in_proj_bias is not None
        if len(set(widths)) > 1 or extras is not None or layer.add_zero_attn:
            raise ValueError(f"expected one width, no add_bias_kv, no add_zero_attn, got widths {widths} in {layer}")
        module = cls(layer.embed_dim, layer.num_heads, bias=bias, dropout=layer.dropout)
        return fill(module, layer.state_dict().values(), layer)

    def to_torch(self, *, batch_first=True):
        """Give a `torch.nn.MultiheadAttention` with the same weights; `ValueError` where the widths are not one width.

        >>> MultiHeadAttention(embed_dim=8, num_heads=2).to_torch().in_proj_weight.shape
        torch.Size([24, 8])
        """
        bias, widths = self.output.bias is not None, [self.embed_dim, *self.widths]
        if len(set(widths)) > 1:
            raise ValueError(f"nn.MultiheadAttention has one width for words, queries, keys and values, got {widths}")
        layer = nn.MultiheadAttention(self.embed_dim, self.num_heads, self.dropout, bias, batch_first=batch_first)
        return fill(layer, self.state_dict().values(), self)


class AttentionBlock(nn.Module):
    """A whole layer: attention, dropout of its output, the query added again, layer norm (sections 3.1 and 5.4).

    >>> block = AttentionBlock(embed_dim=8, num_heads=2, attention_dim=6, value_dim=10)
    >>> output, weights = block(torch.randn(3, 5, 8), torch.randn(3, 7, 8))  # the queries look at another text
    >>> output.shape, weights.shape
    (torch.Size([3, 5, 8]), torch.Size([3, 2, 5, 7]))
    """

    def __init__(self, embed_dim, num_heads, *, attention_dim=None, value_dim=None, bias=True, dropout=0.1):
        super().__init__()
        widths = {"attention_dim": attention_dim, "value_dim": value_dim}
        self.attention = MultiHeadAttention(embed_dim, num_heads, **widths, bias=bias)
        self.dropout, self.norm = nn.Dropout(dropout), nn.LayerNorm(embed_dim)
        for weight in self.attention.projection.weight.split(self.attention.widths):
            nn.init.normal_(weight, std=math.sqrt(2 / (embed_dim + len(weight) // num_heads)))  # d_model + d_k
        nn.init.xavier_normal_(self.attention.output.weight)

    def forward(self, query, key=None, value=None, **options):  # [..., q, d] -> [..., q, d], [..., h, q, k]
        output, weights = self.attention(query, key, value, **options)
        return self.norm(query + self.dropout(output)), weights


@torch.no_grad()
def steps(module, X, head=0, *, mask=None, scaled=True):  # [q, d] -> {name: matrix}
    """Show every matrix on the way through one head of a `MultiHeadAttention`, by name.

    >>> list(steps(MultiHeadAttention(embed_dim=8, num_heads=2), torch.randn(5, 8)))
    ['X', 'Q', 'K', 'V', 'scores', 'masked', 'weights', 'context', 'concat', 'output']

    `mask` is [q, k]; `masked` is minus infinity where it is False. `scaled=False` leaves out sqrt(d_k), in all heads.
    """
    X, *_ = check_inputs(X, None, None, mask, module.embed_dim)
    Q, K, V = module.project(X, X, X)  # [h, q, d], 2 × [h, k, d]
    scores = Q @ K.transpose(1, 2) / (math.sqrt(Q.shape[-1]) if scaled else 1)  # [h, q, k]
    masked = scores if mask is None else scores.masked_fill(~mask, -math.inf)
    weights = masked_softmax_(scores, mask)
    context = weights @ V  # [h, q, d]
    concat = context.transpose(0, 1).flatten(1)  # [q, h * d]
    heads = {"Q": Q, "K": K, "V": V, "scores": scores, "masked": masked, "weights": weights, "context": context}
    own = {name: matrices[head] for name, matrices in heads.items()}
    return {"X": X, **own, "concat": concat, "output": module.output(concat)}
