"""Who wrote how much of an answer: direct logit attribution (Elhage et al. 2021, "A Mathematical Framework for
Transformer Circuits"), and what a model would answer after each of its layers.

An answer's logit is read from one token's vector, to which every part of a model has added. The norm on the way
divides by the vector's spread, the only step that isn't linear. Frozen at the spread of this text, it lets the logit
fall apart into a sum.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from manyheads.attention import attend, causal_mask, join_heads, share_heads, silence_heads
from manyheads.maps.ledger import answer_of
from manyheads.models.registry import HeadModel, check_tells
from manyheads.reading.value_norms import held, rows_of

UNITS = ("head", "layer")


@dataclass(frozen=True)
class Attribution:
    """What each part of a model adds to the logit of an answer; `attribution` makes one.

    `parts` maps each part's name to what it adds, in the unit of a logit: 0.7 more doubles the odds of the answer.
    """

    answer: str
    parts: dict[str, float]

    @property
    def logit(self) -> float:
        """The sum of all parts."""
        return sum(self.parts.values())

    def top(self, count: int = 5) -> dict[str, float]:
        """The parts that add or take away most, by name, the largest first.

        >>> from manyheads import load_focus_model
        >>> attribution(load_focus_model(), "I hate tea.", "sentiment: negative").top(1).keys()
        dict_keys(['sentiment'])
        """
        ranked = sorted(self.parts.items(), key=lambda part: -abs(part[1]))
        return dict(ranked[:count])


def attribution(model: HeadModel, text: str, answer: str = "", unit: str = "head") -> Attribution:
    """What each part of a model adds to the logit of an answer, in parts that sum to it.

    >>> from manyheads import load_decoder
    >>> rome = attribution(load_decoder(), "The capital of Italy is", "next word:  Rome")
    >>> list(rome.top(2))
    ['layer 30, MLP', 'layer 28, MLP']

    `model` is the decoder, whose answers are "next word: " and a token; the induction model, "next character: " and a
    character of the text; or a focus model, "fact: label". A fact alone means its likeliest label, and no answer that
    of the first fact. `unit` is "head", or "layer" for the heads of each layer together.

    What a part adds isn't what its absence costs: later parts read what it wrote, and the norm divides by another
    spread. For that, turn it off by `head_mask`.

    Raises `TypeError` for a model of another kind, `ValueError` for an answer that the model can't give and for another
    unit.
    """
    if unit not in UNITS:
        raise ValueError(f"unit is one of {', '.join(UNITS)}, got {unit!r}")
    check_tells(model, "logit_parts", "its answers aren't read from what its heads add")
    parts = model.logit_parts(text, answer)
    place = answer_of(parts, answer)
    heads, others, _ = np.split(np.asarray(parts["parts"][place], float), [len(parts["headNames"]), -1])
    names = parts["headNames"]
    if unit == "layer":
        heads = heads.reshape(-1, model.num_heads).sum(1)  # of the last layers: the answer may be read from these alone
        names = [f"layer {model.num_layers - len(heads) + at + 1}, heads" for at in range(len(heads))]
    named = zip([*names, *parts["others"]], [*heads.tolist(), *others.tolist()])
    return Attribution(": ".join(parts["labels"][place]), dict(named))


@torch.no_grad()
def walk(x, layers, head_mask=None):  # [t, d], layers of (norm, attention, MLP or None), [layer, h]
    """What a decoder's parts write into its last token's vector, as a dict.

    `weights` [layer * h, k] are what the token looks at, `values` [layer * h, k, d_v] what is there, `rows`
    [layer * h, d_v, d] the blocks of W^O that these go through, zeros for a head that is off, with a norm's factor
    where one comes after; `biases` [layer, d] those of W^O, `mlps` [layer, d] the MLPs' parts, and `states`
    [layer + 1, d] the vector before the first layer and after each.
    """
    mask, states = causal_mask(len(x)), [x[-1]]
    walked = {"weights": [], "values": [], "rows": [], "mlps": [], "biases": []}
    for number, (layer_norm, attention, mlp) in enumerate(layers):
        words = layer_norm(x)
        queries, keys, values = attention.project(words, words, words)
        keys, values = share_heads(keys, attention.num_heads), share_heads(values, attention.num_heads)
        context, weights = attend(queries, keys, values, mask, cap=attention.cap)  # [h, t, d_v], [h, t, k]
        walked["weights"] += weights[:, -1]
        walked["values"] += values
        on = None if head_mask is None else head_mask[number]
        joined = join_heads(silence_heads(context, on))
        rows = rows_of(attention.output, attention.num_heads)
        rows = rows * held(attention.output, joined[-1] @ attention.output.weight.T)
        walked["rows"] += rows if on is None else rows * on[:, None, None]
        if attention.output.bias is not None:
            walked["biases"].append(attention.output.bias)
        x = x + attention.output(joined)
        if mlp is not None:
            change = mlp(x)
            walked["mlps"].append(change[-1])
            x = x + change
        states.append(x[-1])
    return {name: torch.stack(parts) for name, parts in walked.items() if parts} | {"states": torch.stack(states)}


@torch.no_grad()
def read_back(walked, norm, readouts, cap=None):  # [label, d] -> {name: array}
    """What each part adds to the logits: the arrays of a ledger.

    `says` [layer * h, k, label] is what each word would add with all of the weight; `parts` [label, part] what all
    heads add, then the `others` by their names, then their sum, the logits. Where a `cap` bends these, it shrinks each
    logit by one factor, which is held still as the norm's is.
    """
    through = reading(norm, walked["states"][-1], readouts)  # [d, label]
    if cap is not None:
        straight = walked["states"][-1].double() @ through
        through = through * torch.where(straight == 0, 1, cap * torch.tanh(straight / cap) / straight)
    says = walked["values"].double() @ (walked["rows"].double() @ through)
    heads = (walked["weights"].double()[:, None] @ says)[:, 0]  # [layer * h, label]
    others = {"embedding": walked["states"][0].double() @ through}
    mlps = walked["mlps"].double() @ through if "mlps" in walked else []
    others |= {f"layer {layer}, MLP": part for layer, part in enumerate(mlps, start=1)}
    if isinstance(norm, nn.LayerNorm):
        others["biases"] = readouts.double() @ norm.bias.double()
    if "biases" in walked:
        others["biases"] = others.get("biases", 0) + walked["biases"].double().sum(0) @ through
    parts = torch.stack([*heads, *others.values()], dim=1)  # [label, part]
    parts = torch.cat([parts, parts.sum(1, keepdim=True)], dim=1)
    found = {"weights": walked["weights"], "says": says, "parts": parts}
    return {name: array.numpy(force=True) for name, array in found.items()} | {"others": list(others)}


def reading(norm, whole, readouts):  # [d], [label, d] -> [d, label]
    """What a vector adds to each logit through a norm whose spread is frozen at that of `whole`: its linear part.

    >>> norm, x, y, readouts = nn.LayerNorm(4), torch.randn(4), torch.randn(4), torch.randn(3, 4)
    >>> through = reading(norm, x + y, readouts)
    >>> bool((x.double() @ through + y.double() @ through - readouts @ norm(x + y)).abs().max() < 1e-4)
    True
    """
    whole, through = whole.double(), readouts.double() * norm.weight.double()
    if isinstance(norm, nn.LayerNorm):
        whole, through = whole - whole.mean(), through - through.mean(-1, keepdim=True)
    return (through / (whole.square().mean() + norm.eps).sqrt()).T


def value_weighted(model: HeadModel, text):
    """A map of how long the vector is that each head writes from each token: weight times value, through W^O.

    >>> from manyheads import load_decoder
    >>> decoder, text = load_decoder(), "The capital of Italy is"
    >>> maps = decoder(text), value_weighted(decoder, text)
    >>> last = [attention.weights[..., -1, :].mean((0, 1)) for attention in maps]  # of the last token, over all heads
    >>> [round(float(keys[0] / keys.sum()), 2) for keys in last]  # the share of the first token
    [0.67, 0.39]

    A sink, which gets much attention and writes nothing, fades (Kobayashi et al. 2020, arXiv:2004.10102). The map is
    one of "amounts", for `HeadMap.of`. Raises `TypeError` for a model that can't tell.
    """
    attention = model(text)
    if attention.value_norms is None:
        raise TypeError(f"the map of a {type(model).__name__} has no value_norms: what its heads write isn't known")
    return attention.value_weighted()


def strongest_heads(ledger, most=10):
    """For each label the heads that add to its logit or take away most, by their places among all heads.

    >>> strongest_heads({"headNames": ["a", "b", "c"], "parts": torch.tensor([[2.0, -3, 1, 9, 9]])}, most=2).tolist()
    [[1, 0]]
    """
    heads = np.asarray(ledger["parts"])[:, : len(ledger["headNames"])]
    return np.argsort(-np.abs(heads), axis=1)[:, :most]


def titles(model: HeadModel):
    """The names of all heads of a model, layer by layer.

    >>> from manyheads import load_induction
    >>> titles(load_induction())
    ['layer 1, head 1', 'layer 1, head 2', 'layer 2, head 1', 'layer 2, head 2']
    """
    return [f"layer {layer + 1}, {name}" for layer in range(model.num_layers) for name in model.head_names]
