"""Why a head looks where it looks: its score of a query and a key, as a sum over who wrote what the two are made of.

A query and a key are linear in the vectors that they're read from, and to each vector the embedding, every earlier head
and every MLP have added. The norm before a head divides by the vector's spread, the only step on the way that isn't
linear. Frozen at the spread of this text, it lets the score fall apart into pairs: what one part wrote into the query's
vector, compared with what another wrote into the key's. Other norms are frozen like it, where a model has them: of the
query and of the key, and of what a layer's heads or its MLP have written; and so is the factor by which a cap bends a
score. Where such a pair is large, a head reads what another has written; Elhage and colleagues call it composition ("A
Mathematical Framework for Transformer Circuits", 2021).
"""

import math
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from manyheads.attention import causal_mask, contributions, rotate
from manyheads.models.registry import HeadModel, check_tells, checked_head
from manyheads.reading.value_norms import held

BIASES = "biases"  # of norms and projections, which are the same for all texts


@dataclass(frozen=True)
class ScoreParts:
    """The score of a query and a key, taken apart; `score_parts` makes one.

    `parts` names what wrote into the two vectors, such as "embedding", "layer 1, head 2" and "layer 3, MLP". `pairs`,
    float64 [part of the query, part of the key], are what each adds to the score with each.
    """

    parts: tuple[str, ...]
    pairs: NDArray[np.float64]

    @property
    def score(self) -> float:
        """The sum of all pairs: what the head's softmax gets for this query and key."""
        return float(self.pairs.sum())

    def top(self, count: int = 5) -> dict[tuple[str, str], float]:
        """The pairs that add or take away most, the largest first: {(part of the query, part of the key): value}.

        >>> found = ScoreParts(("embedding", "layer 1, head 1"), np.array([[0.5, 4.0], [-1.0, 0.1]]))
        >>> found.top(2)
        {('embedding', 'layer 1, head 1'): 4.0, ('layer 1, head 1', 'embedding'): -1.0}
        """
        order = np.argsort(-np.abs(self.pairs), axis=None, kind="stable")[:count]
        places = zip(*np.unravel_index(order, self.pairs.shape))
        return {(self.parts[query], self.parts[key]): float(self.pairs[query, key]) for query, key in places}


def score_parts(
    model: HeadModel, text: str, layer: int, head: int, query: int, key: int, head_mask: ArrayLike | None = None
) -> ScoreParts:
    """Why a head looks from one token at another: their score, split by who wrote what it compares.

    >>> from manyheads import load_induction
    >>> model = load_induction()
    >>> layer, head = model.induction_head
    >>> why = score_parts(model, "a7kq3xwma7kq3xwm", layer, head, query=8, key=1)  # from the second a to the 7
    >>> why.pairs.shape, why.parts
    ((5, 5), ('embedding', 'position', 'layer 1, head 1', 'layer 1, head 2', 'biases'))
    >>> next(iter(why.top(1)))  # what the character is, with what the previous-token head wrote
    ('embedding', 'layer 1, head 1')

    `model` is the induction model, the decoder or a focus model. Layers, heads and tokens are numbered from 0. A part
    is "embedding", "position" where positions are vectors of their own, a head or an MLP of the layers below, or
    "biases"; the names count from 1. A decoder's positions turn query and key, which leaves each pair a number of its
    own. `head_mask` [layer, head] is False for heads that are off: these write nothing.

    The pairs sum to the score before the softmax, divided by the root of the head's width. The softmax compares the
    scores of one query's keys, so a pair that's as large at every key moves no attention. And a pair says what was
    compared, not what would happen without it: turn the part off for that.

    Raises `TypeError` for a model of another kind; `ValueError` for a layer, head or token that isn't there, and for a
    key that comes after its query where the model can't look ahead.
    """
    check_tells(model, "read_in_parts", "who wrote what its heads read isn't known")
    checked_head(model, layer, head)
    attention, parts = model.read_in_parts(text, layer, (query, key), head_mask)  # {part: [2, d]}
    return ScoreParts(tuple(parts), pairs_of(attention, parts, head, query, key))


@torch.no_grad()
def pairs_of(attention, parts, head, query, key):  # {part: [2, d]} -> [part of the query, part of the key]
    """What each part at a query adds to a head's score with each part at a key.

    >>> from manyheads.attention import MultiHeadAttention
    >>> module = MultiHeadAttention(8, 4, num_kv_heads=2, rotary_base=10_000)
    >>> pairs_of(module, {"embedding": torch.randn(2, 8), "biases": torch.zeros(2, 8)}, head=3, query=5, key=2).shape
    (2, 2)
    """
    width = attention.attention_dim // attention.num_heads
    group = head * attention.num_kv_heads // attention.num_heads  # whose keys the head reads
    at_query, at_key = torch.stack([*parts.values()], dim=1).double()  # 2 × [part, d]
    sides = []
    for vectors, name, number, place in ((at_query, "query", head, query), (at_key, "key", group, key)):
        layer, norm = getattr(attention, name), getattr(attention, f"{name}_norm", None)
        own = slice(number * width, (number + 1) * width)
        whole = norm is not None and len(norm.weight) == layer.out_features  # the norm of all heads together
        rows = slice(None) if whole else own
        projected = vectors @ layer.weight[rows].double().T  # [part, d_k]
        if layer.bias is not None:
            projected[list(parts).index(BIASES)] += layer.bias[rows].double()
        if norm is not None:
            projected = torch.stack([*through(norm, dict(enumerate(projected))).values()])
        if whole:
            projected = projected[:, own]
        if attention.rotary_base is not None:
            projected = rotate(projected[:, None], place, attention.rotary_base)[:, 0]  # each as one word at this place
        sides.append(projected)
    queries, keys = sides
    pairs = queries @ keys.T / math.sqrt(width)
    if attention.cap and (straight := pairs.sum()):
        pairs *= attention.cap * torch.tanh(straight / attention.cap) / straight
    return pairs.numpy(force=True)


@torch.no_grad()
def added_parts(words, layers, places, head_mask=None):  # {part: [t, d]}, [place], [layer, h] -> {part: [place, d]}
    """What each part of a decoder adds to its vectors at some places, after all of the layers given.

    `words` are the parts before the first layer. A layer is (norm, attention, MLP or None); what biases of its values
    write, a head writes, and the bias of its output is a part of its own with that of all other layers.
    """
    x, places = sum(words.values()), list(places)
    parts, mask = {name: vectors[places] for name, vectors in words.items()}, causal_mask(len(x))
    for number, (norm, attention, mlp) in enumerate(layers):
        on = None if head_mask is None else head_mask[number]
        heads = contributions(attention, norm(x), mask=mask, head_mask=on)  # [h, t, d]
        heads = heads * held(attention.output, heads.sum(0))
        parts |= {f"layer {number + 1}, head {head + 1}": part[places] for head, part in enumerate(heads)}
        x = x + heads.sum(0)
        if (bias := attention.output.bias) is not None:
            parts[BIASES] = parts.get(BIASES, 0) + bias.expand(len(places), -1)
            x = x + bias
        if mlp is not None:
            change = mlp(x)  # [t, d]
            parts[f"layer {number + 1}, MLP"] = change[places]
            x = x + change
    return parts


@torch.no_grad()
def through(norm, parts):  # {part: [..., d]} -> {part: [..., d]}
    """The parts of a vector through a norm that's frozen at the spread of their sum; they sum to the normed vector.

    >>> norm, x, y = nn.LayerNorm(4), torch.randn(4), torch.randn(4)
    >>> parts = through(norm, {"x": x, "y": y})
    >>> list(parts), torch.allclose(sum(parts.values()).float(), norm(x + y), atol=1e-5)
    (['x', 'y', 'biases'], True)
    """
    stacked = torch.stack([*parts.values()]).double()  # [part, ..., d]
    if isinstance(norm, nn.Identity):
        return dict(zip(parts, stacked))
    if isinstance(norm, nn.LayerNorm):
        stacked = stacked - stacked.mean(-1, keepdim=True)
    spread = (stacked.sum(0).square().mean(-1, keepdim=True) + norm.eps).sqrt()  # [..., 1]
    normed = dict(zip(parts, stacked * norm.weight.double() / spread))
    if isinstance(norm, nn.LayerNorm):
        normed[BIASES] = normed.get(BIASES, 0) + norm.bias.double().expand(stacked.shape[1:])
    return normed


def checked_places(count, places, *, causal):
    """Refuse a query or key that a text of so many tokens doesn't have, or that the one can't see of the other.

    >>> checked_places(5, (2, 3), causal=True)
    Traceback (most recent call last):
    ValueError: token 2 can't look at token 3, which comes later: choose a key from 0 to 2
    """
    query, key = places
    for name, place in (("query", query), ("key", key)):
        if not 0 <= place < count:
            raise ValueError(f"{name} must be a token of the text, from 0 to {count - 1}, got {place}")
    if causal and key > query:
        raise ValueError(f"token {query} can't look at token {key}, which comes later: choose a key from 0 to {query}")
