"""The decoder's layers, around the book's own attention: Llama's (Touvron et al. 2023, arXiv:2302.13971)."""

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, causal_mask


class GatedMLP(nn.Module):
    """What a layer computes on each word by itself, behind a gate: SwiGLU (Shazeer 2020, arXiv:2002.05202).

    >>> GatedMLP(width=4, hidden=6)(torch.randn(5, 4)).shape
    torch.Size([5, 4])
    """

    def __init__(self, width, hidden):
        super().__init__()
        self.gate = nn.Linear(width, hidden, bias=False)
        self.up = nn.Linear(width, hidden, bias=False)
        self.down = nn.Linear(hidden, width, bias=False)

    def forward(self, x):  # [..., t, d] -> [..., t, d]
        return self.down(F.silu(self.gate(x)) * self.up(x))


class DecoderLayer(nn.Module):
    """Attention, then the MLP; each reads the words normed, and adds to them.

    >>> layer = DecoderLayer(width=8, heads=4, kv_heads=2, hidden=6, rotary_base=10_000, epsilon=1e-5)
    >>> x, weights, cache = layer(torch.randn(5, 8), cache=(), mask=causal_mask(5))
    >>> x.shape, weights.shape, cache[0].shape
    (torch.Size([5, 8]), torch.Size([4, 5, 5]), torch.Size([2, 5, 2]))
    """

    def __init__(self, *, width, heads, kv_heads, hidden, rotary_base, epsilon):
        super().__init__()
        self.attention_norm = nn.RMSNorm(width, epsilon)
        self.attention = MultiHeadAttention(width, heads, num_kv_heads=kv_heads, rotary_base=rotary_base, bias=False)
        self.mlp_norm = nn.RMSNorm(width, epsilon)
        self.mlp = GatedMLP(width, hidden)

    def forward(self, x, *, cache, **options):  # [..., t, d] -> [..., t, d], [..., h, t, c + t], the longer cache
        change, weights, cache = self.attention(self.attention_norm(x), cache=cache, **options)
        x = x + change
        return x + self.feed_forward(x), weights, cache

    def feed_forward(self, x):  # [..., t, d] -> [..., t, d]
        """What the MLP adds to the words."""
        return self.mlp(self.mlp_norm(x))


class LanguageModel(nn.Module):
    """Token ids in, the score of each token that may come next out.

    >>> sizes = {"width": 8, "heads": 4, "kv_heads": 2, "hidden": 6, "rotary_base": 10_000, "epsilon": 1e-5}
    >>> model, ids = LanguageModel(tokens=10, layers=3, **sizes), torch.tensor([3, 1, 4, 1, 5])
    >>> states, maps, cache = model(ids)
    >>> states.shape, maps.shape, model.scores(states).shape
    (torch.Size([5, 8]), torch.Size([3, 4, 5, 5]), torch.Size([5, 10]))
    >>> more, _, _ = model(ids[4:], model(ids[:4])[2])
    >>> torch.allclose(more, states[4:], atol=1e-5)
    True
    """

    def __init__(self, *, tokens, layers, width, **sizes):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.layers = nn.ModuleList(DecoderLayer(width=width, **sizes) for _ in range(layers))
        self.norm = nn.RMSNorm(width, sizes["epsilon"])

    def forward(self, ids, cache=None, *, head_mask=None, hidden_keys=None, need_weights=True):
        # [..., t], layers x cache, [layer, h], [c + t] -> [..., t, d], [..., layer, h, t, c + t], layers x cache
        """The last states, all maps, and the cache with the new tokens.

        `cache` is a list with a layer's cache for each layer, None at the start. `head_mask` is False for heads that
        are off, `hidden_keys` True for tokens that others may not look at. Without `need_weights` the maps are None.
        """
        cache = [()] * len(self.layers) if cache is None else cache
        past = cache[0][0].shape[-2] if cache[0] else 0
        mask = causal_mask(past + ids.shape[-1], ids.device)[past:]  # [t, c + t]
        if hidden_keys is not None:
            mask = mask & (
                ~hidden_keys | torch.eye(len(hidden_keys), dtype=torch.bool)[past:]
            )  # all may see themselves
        x, maps, longer = self.embedding(ids), [], []
        for number, layer in enumerate(self.layers):
            on = None if head_mask is None else head_mask[number]
            x, weights, kept = layer(x, cache=cache[number], mask=mask, head_mask=on, need_weights=need_weights)
            maps.append(weights)
            longer.append(kept)
        return self.norm(x), torch.stack(maps, dim=-4) if need_weights else None, longer

    def scores(self, states):  # [..., t, d] -> [..., t, token]
        """How well each token would come next: the state's product with the token's embedding."""
        return F.linear(states, self.embedding.weight)
