"""The decoder's layers, around the book's own attention: Llama's (Touvron et al. 2023, arXiv:2302.13971), and what
other architectures do otherwise, in the words of `usual` of `shared/gguf.json`.
"""

from functools import partial

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, causal_mask, rotate, split_heads

NORMS = {"rms": nn.RMSNorm, "layer": nn.LayerNorm}
ACTIVATIONS = {"silu": F.silu, "gelu_pytorch_tanh": partial(F.gelu, approximate="tanh")}


class NormedAttention(MultiHeadAttention):
    """Attention that norms each head's queries and keys before they turn (Yang et al. 2025, "Qwen3", arXiv:2505.09388).

    Or `whole`, all heads' together (Walsh et al. 2025, "2 OLMo 2 Furious", arXiv:2501.00656).

    >>> module = NormedAttention(8, 4, epsilon=1e-6, attention_dim=24, num_kv_heads=2, rotary_base=10_000)
    >>> output, weights = module(torch.randn(5, 8), mask=causal_mask(5))
    >>> output.shape, weights.shape
    (torch.Size([5, 8]), torch.Size([4, 5, 5]))
    """

    def __init__(self, width, heads, *, epsilon, whole=False, **options):
        super().__init__(width, heads, **options)
        lengths = [layer.out_features if whole else self.attention_dim // heads for layer in (self.query, self.key)]
        self.query_norm, self.key_norm = (nn.RMSNorm(length, epsilon) for length in lengths)

    def project(self, query, key, value, past=0):  # [..., q, d], 2 × [..., k, d] -> [..., h, q, d], 2 × [..., g, k, d]
        queries = _normed_heads(self.query(query), self.query_norm, self.num_heads)
        keys = _normed_heads(self.key(key), self.key_norm, self.num_kv_heads)
        values = split_heads(self.value(value), self.num_kv_heads)
        if self.rotary_base is not None:
            queries, keys = (rotate(x, past, self.rotary_base) for x in (queries, keys))
        return queries, keys, values


def _normed_heads(x, norm, heads):  # [..., t, h * d] -> [..., h, t, d]
    return split_heads(norm(x), heads) if len(norm.weight) == x.shape[-1] else norm(split_heads(x, heads))


class NormedLinear(nn.Linear):
    """The last matrix of a part whose result is normed before it's added to the words.

    >>> NormedLinear(4, 6, epsilon=1e-5)(torch.randn(5, 4)).shape
    torch.Size([5, 6])
    """

    def __init__(self, columns, rows, epsilon):
        super().__init__(columns, rows, bias=False)
        self.norm = nn.RMSNorm(rows, epsilon)

    def forward(self, x):  # [..., t, columns] -> [..., t, rows]
        return self.norm(super().forward(x))


class MLP(nn.Module):
    """What a layer computes on each word by itself, most often behind a gate (Shazeer 2020, arXiv:2002.05202).

    >>> MLP(width=4, hidden=6)(torch.randn(5, 4)).shape
    torch.Size([5, 4])
    """

    def __init__(self, width, hidden, *, activation="silu", gated=True, biased=False):
        super().__init__()
        self.activation = ACTIVATIONS[activation]
        self.gate = nn.Linear(width, hidden, bias=False) if gated else None
        self.up = nn.Linear(width, hidden, bias=biased)
        self.down = nn.Linear(hidden, width, bias=biased)

    def forward(self, x):  # [..., t, d] -> [..., t, d]
        if self.gate is None:
            return self.down(self.activation(self.up(x)))
        return self.down(self.activation(self.gate(x)) * self.up(x))


class DecoderLayer(nn.Module):
    """Attention, then the MLP; each reads the words, most often normed, and adds to them.

    `rotary_base` is None for a layer that positions don't turn, else it's what `manyheads.attention.rotate` takes.
    `norms` says whether the two parts are normed "before" they read, "after" they've written, or "both", and `norm`
    how: "rms" or "layer". `biased` says whether queries, keys and values have biases; all matrices have them if it's
    "all". `normed` says whether each "head" of queries and keys is normed, or the "whole", `cap` where scores are
    bent; `activation` and `gated` are of the MLP.

    >>> layer = DecoderLayer(width=8, heads=4, kv_heads=2, hidden=6, rotary_base=10_000, epsilon=1e-5)
    >>> x, weights, cache = layer(torch.randn(5, 8), cache=(), mask=causal_mask(5))
    >>> x.shape, weights.shape, cache[0].shape
    (torch.Size([5, 8]), torch.Size([4, 5, 5]), torch.Size([2, 5, 2]))
    """

    def __init__(
        self,
        *,
        width,
        heads,
        kv_heads,
        hidden,
        rotary_base,
        epsilon,
        head_dim=None,
        biased=False,
        normed=None,
        norms="before",
        norm="rms",
        cap=None,
        activation="silu",
        gated=True,
    ):
        super().__init__()
        options = {"attention_dim": heads * (head_dim or width // heads), "num_kv_heads": kv_heads}
        options |= {"rotary_base": rotary_base, "bias": bool(biased)}
        if normed:
            self.attention = NormedAttention(width, heads, epsilon=epsilon, whole=normed == "whole", **options)
        else:
            self.attention = MultiHeadAttention(width, heads, **options)
        self.attention.cap = cap
        if biased != "all":
            self.attention.output.bias = None
        self.mlp = MLP(width, hidden, activation=activation, gated=gated, biased=biased == "all")
        before = nn.Identity if norms == "after" else NORMS[norm]
        self.attention_norm, self.mlp_norm = before(width, epsilon), before(width, epsilon)
        if norms != "before":
            self.attention.output = NormedLinear(options["attention_dim"], width, epsilon)
            self.mlp.down = NormedLinear(hidden, width, epsilon)

    def forward(self, x, *, cache, **options):  # [..., t, d] -> [..., t, d], [..., h, t, c + t], the longer cache
        change, weights, cache = self.attention(self.attention_norm(x), cache=cache, **options)
        x = x + change
        return x + self.feed_forward(x), weights, cache

    def feed_forward(self, x):  # [..., t, d] -> [..., t, d]
        """What the MLP adds to the words."""
        return self.mlp(self.mlp_norm(x))


class LanguageModel(nn.Module):
    """Token ids in, the score of each token that may come next out.

    A `rotary_base` that is a list has one for each layer; `positions` says how many are vectors instead, which are
    added to the words. `tied` models read the scores off the embedding, others have an output matrix of their own;
    `logit_cap` bends the scores. `sizes` are those of a `DecoderLayer`.

    >>> sizes = {"width": 8, "heads": 4, "kv_heads": 2, "hidden": 6, "rotary_base": 10_000, "epsilon": 1e-5}
    >>> model, ids = LanguageModel(tokens=10, layers=3, **sizes), torch.tensor([3, 1, 4, 1, 5])
    >>> states, maps, cache = model(ids)
    >>> states.shape, maps.shape, model.scores(states).shape
    (torch.Size([5, 8]), torch.Size([3, 4, 5, 5]), torch.Size([5, 10]))
    >>> more, _, _ = model(ids[4:], model(ids[:4])[2])
    >>> torch.allclose(more, states[4:], atol=1e-5)
    True
    """

    def __init__(
        self, *, tokens, layers, width, rotary_base, positions=0, tied=True, logit_cap=None, norm="rms", **sizes
    ):
        super().__init__()
        self.embedding = nn.Embedding(tokens, width)
        self.position = nn.Embedding(positions, width) if positions else None
        bases = rotary_base if isinstance(rotary_base, list) else [rotary_base] * layers
        each = ({"width": width, "norm": norm, "rotary_base": base} for base in bases)
        self.layers = nn.ModuleList(DecoderLayer(**own, **sizes) for own in each)
        self.norm, self.logit_cap = NORMS[norm](width, sizes["epsilon"]), logit_cap
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
        x, maps, longer = sum(self.words(ids, past).values()), [], []
        for number, layer in enumerate(self.layers):
            on = None if head_mask is None else head_mask[number]
            x, weights, kept = layer(x, cache=cache[number], mask=mask, head_mask=on, need_weights=need_weights)
            maps.append(weights)
            longer.append(kept)
        return self.norm(x), torch.stack(maps, dim=-4) if need_weights else None, longer

    def words(self, ids, past=0):  # [..., t] -> {part: [..., t, d]}
        """What the first layer reads, in parts that sum to it; `past` words stand before."""
        if self.position is None:
            return {"embedding": self.embedding(ids)}
        places = torch.arange(past, past + ids.shape[-1], device=ids.device)
        return {"embedding": self.embedding(ids), "position": self.position(places)}

    def scores(self, states):  # [..., t, d] -> [..., t, token]
        """How well each token would come next: the state's product with the token's row of `readouts`."""
        scores = F.linear(states, self.readouts)
        return scores if self.logit_cap is None else self.logit_cap * torch.tanh(scores / self.logit_cap)

    @property
    def readouts(self):  # [token, d]
        """The matrix that scores are read off: the output's, or the embedding where the model has no other."""
        return (self.output or self.embedding).weight
