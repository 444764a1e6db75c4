"""What pushes an ambiguous word towards one of its senses: each word that it looks at, through each head.

A layer turns a word's vector into another in steps of which only three aren't linear: two norms divide by a spread, and
the MLP's gates let more or less through. Held at what they are in this sentence, they let the score after the layer
fall apart into a sum: what each head takes from each word, and the rest, which is the word's own vector and the biases.
(A GELU is its input times a gate, Hendrycks and Gimpel 2016; that a norm is held is Elhage et al. 2021.)
"""

from dataclasses import dataclass

import numpy as np
import torch

from manyheads.attention import silence_heads
from manyheads.inputs import checked_heads


@dataclass(frozen=True)
class Pushes:
    """How a word comes to its scores, layer by layer, in log-odds of its second sense: 0.7 more doubles the odds.

    `scores` [layer + 1] are those after each layer, the embeddings first. `weights` [layer, head, key] is what the word
    looks at, `pushes` [layer, head, key] how far what it takes from there moves it in that layer, `rest` [layer] what
    the layer would come to without. So `scores[1:]` is `pushes.sum((1, 2)) + rest`. `tokens` are the keys, `places`
    those of the word; for a word of several tokens all is their mean.
    """

    tokens: list[str]
    places: list[int]
    scores: np.ndarray
    weights: np.ndarray
    pushes: np.ndarray
    rest: np.ndarray


@torch.no_grad()
def find_pushes(encoder, axes, word, sentence, places_of, head_mask=None, masked=()):
    """The `Pushes` of a word in a sentence; `places_of(tokens)` says where the word stands.

    `masked` holds the places of tokens that no token may look at, in any layer. Raises `ValueError` for a place that
    isn't one of the sentence's, and for an encoder that isn't BERT's kind.
    """
    layers = getattr(getattr(encoder.model, "encoder", None), "layer", None)
    if layers is None or not hasattr(layers[0], "intermediate"):
        raise ValueError(f"the layers of {encoder.name} aren't BERT's, so what its heads write can't be followed")
    tokens, *read = encoder.reading(sentence, head_mask, masked)
    weights, states = (tensor.double() for tensor in read)
    places = places_of(tokens)
    at = list(axes.senses).index(word)
    directions = torch.from_numpy(axes.directions[at]).double()
    mask = checked_heads(head_mask, encoder.num_layers, encoder.num_heads)
    pushes, rest = [], []
    for number, layer in enumerate(layers):
        on = None if mask is None else mask[number]
        found = [
            _pushes_in(layer, states[number], weights[number, :, place], place, directions[number + 1], on)
            for place in places
        ]
        pushes.append(torch.stack([parts for parts, _ in found]).mean(0))
        rest.append(float(axes.offsets[at, number + 1]) + sum(own for _, own in found) / len(found))
    scores = axes.scores(states[:, places].mean(1).numpy(force=True), word)
    return Pushes(
        tokens,
        places,
        scores,
        weights[:, :, places].mean(2).numpy(force=True),
        torch.stack(pushes).numpy(),
        np.array(rest),
    )


def _pushes_in(layer, before, weights, place, direction, on):  # BertLayer, [t, d], [h, k], [d], [h] -> [h, k], rest
    attention, output = layer.attention.self, layer.attention.output
    up, down = layer.intermediate.dense, layer.output.dense
    heads = len(weights)
    values = _linear(attention.value, before).unflatten(-1, (heads, -1)).transpose(0, 1)  # [h, k, d_v]
    context = silence_heads((weights[:, None] @ values), on)[:, 0]  # [h, d_v]
    # Forward, for the two spreads and the gates.
    summed = before[place] + _linear(output.dense, context.flatten())
    middle = _norm(output.LayerNorm, summed)
    gates = torch.special.ndtr(_linear(up, middle))  # a GELU is its input times these
    changed = middle + _linear(down, gates * _linear(up, middle))
    # Backward: what a vector at each step adds to the score.
    at_end = _norm_back(layer.output.LayerNorm, changed, direction)
    at_gates = gates * (down.weight.double().T @ at_end)
    at_middle = at_end + up.weight.double().T @ at_gates
    at_start = _norm_back(output.LayerNorm, summed, at_middle)
    of_heads = (output.dense.weight.double().T @ at_start).unflatten(0, (heads, -1))  # [h, d_v]
    pushes = silence_heads(weights[..., None] * values, on) @ of_heads[..., None]  # [h, k, 1]
    biases = (
        (output.dense, at_start),
        (output.LayerNorm, at_middle),
        (up, at_gates),
        (down, at_end),
        (layer.output.LayerNorm, direction),
    )
    rest = before[place] @ at_start + sum(part.bias.double() @ through for part, through in biases)
    return pushes[..., 0], float(rest)


def _linear(layer, x):
    return x @ layer.weight.double().T + layer.bias.double()


def _spread(norm, x):
    return (x.var(unbiased=False) + norm.eps).sqrt()


def _norm(norm, x):
    return (x - x.mean()) / _spread(norm, x) * norm.weight.double() + norm.bias.double()


def _norm_back(norm, x, direction):
    """What a vector before the norm adds along a direction after it, with the spread held at that of `x`."""
    through = direction * norm.weight.double()
    return (through - through.mean()) / _spread(norm, x)
