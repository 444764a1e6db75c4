"""The decoder's layers, around the book's own attention: Llama's (Touvron et al. 2023, arXiv:2302.13971)."""

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, causal_mask, rotate, split_heads


class NormedAttention(MultiHeadAttention):
    """Attention that norms each head's queries and keys before they turn (Yang et al. 2025, "Qwen3", arXiv:2505.09388).

    >>> module = NormedAttention(8, 4, epsilon=1e-6, attention_dim=24, num_kv_heads=2, rotary_base=10_000)
    >>> output, weights = module(torch.randn(5, 8), mask=causal_mask(5))
    >>> output.shape, weights.shape
    (torch.Size([5, 8]), torch.Size([4, 5, 5]))
    """

    def __init__(self, width, heads, *, epsilon, **options):
        super().__init__(width, heads, **options)
        self.query_norm, self.key_norm = (nn.RMSNorm(self.attention_dim // heads, epsilon) for _ in range(2))

    def project(self, query, key, value, past=0):  # [..., q, d], 2 × [..., k, d] -> [..., h, q, d], 2 × [..., g, k, d]
        queries = self.query_norm(split_heads(self.query(query), self.num_heads))
        keys = self.key_norm(split_heads(self.key(key), self.num_kv_heads))
        values = split_heads(self.value(value), self.num_kv_heads)
        if self.rotary_base is not None:
            queries, keys = (rotate(x, past, self.rotary_base) for x in (queries, keys))
        return queries, keys, values


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

    `rotary_base` is None for a layer that positions don't turn, else it's what `manyheads.attention.rotate` takes.
    `biased` says whether queries, keys and values have biases, `normed` whether queries and keys are normed.

    >>> layer = DecoderLayer(width=8, heads=4, kv_heads=2, hidden=6, rotary_base=10_000, epsilon=1e-5)
    >>> x, weights, cache = layer(torch.randn(5, 8), cache=(), mask=causal_mask(5))
    >>> x.shape, weights.shape, cache[0].shape
    (torch.Size([5, 8]), torch.Size([4, 5, 5]), torch.Size([2, 5, 2]))
    """

    def __init__(
        self, *, width, heads, kv_heads, hidden, rotary_base, epsilon, head_dim=None, biased=False, normed=False
    ):
        super().__init__()
        options = {"attention_dim": heads * (head_dim or width // heads), "num_kv_heads": kv_heads, "bias": biased}
        options["rotary_base"] = rotary_base
        self.attention_norm = nn.RMSNorm(width, epsilon)
        if normed:
            self.attention = NormedAttention(width, heads, epsilon=epsilon, **options)
        else:
            self.attention = MultiHeadAttention(width, heads, **options)
        self.attention.output.bias = None  # of these models, queries, keys and values alone may have biases
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

    The layers in `unturned`, from 0, have no rotary positions. `tied` models read the scores off the embedding, others
    have an output matrix of their own. `sizes` are those of a `DecoderLayer`.

    >>> sizes = {"width": 8, "heads": 4, "kv_heads": 2, "hidden": 6, "rotary_base": 10_000, "epsilon": 1e-5}
    >>> model, ids = LanguageModel(tokens=10, layers=3, **sizes), torch.tensor([3, 1, 4, 1, 5])
    >>> states, maps, cache = model(ids)
    >>> states.shape, maps.shape, model.scores(states).shape
    (torch.Size([5, 8]), torch.Size([3, 4, 5, 5]), torch.Size([5, 10]))
    >>> more, _, _ = model(ids[4:], model(ids[:4])[2])
    >>> torch.allclose(more, states[4:], atol=1e-5)
    True
    """

    def __init__(self, *, tokens, layers, width, unturned=(), tied=True, **sizes):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        each = [sizes | ({"rotary_base": None} if number in unturned else {}) for number in range(layers)]
        self.layers = nn.ModuleList(DecoderLayer(width=width, **own) for own in each)
        self.norm = nn.RMSNorm(width, sizes["epsilon"])
        self.output = None if tied else nn.Linear(width, tokens, bias=False)

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
        """How well each token would come next: the state's product with the token's row of `readouts`."""
        return F.linear(states, self.readouts)

    @property
    def readouts(self):  # [token, d]
        """The matrix that scores are read off: the output's, or the embedding where the model has no other."""
        return (self.output or self.embedding).weight
