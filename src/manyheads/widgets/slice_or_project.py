"""One wide projection cut afterwards, many narrow ones, and the bug that cuts the input: `<slice-or-project>`."""

import base64

import numpy as np
import torch

from manyheads.drawing.element import element_html
from manyheads.maps.wire import base64_arrays
from manyheads.models.steps import attention_input


@torch.no_grad()
def projections(model, sentence, word=0):
    """The queries of all heads of a focus model for the token at place `word`, made in three ways, as float32 [h, d_k].

    >>> from manyheads import load_focus_model
    >>> made = projections(load_focus_model(), "Tea, please!", word=1)
    >>> made["wide"].shape, made["x"].shape, made["weight"].shape
    ((4, 16), (1, 160), (160, 64))
    >>> [bool(np.allclose(made["wide"], made[way], atol=1e-5)) for way in ("narrow", "sliced")]
    [True, False]

    `wide` multiplies `x` by `weight`, W^Q of all heads, and deals out the columns. `narrow` multiplies it by each
    head's own columns. `sliced` is the bug: each head gets only its slice of `x`, and the rows of its columns that fit.
    Raises `ValueError` for a word that is not there, or heads that do not divide the width of `x`.
    """
    X, attention = attention_input(model, sentence)
    heads, layer = model.num_heads, model.attention.query
    if not 0 <= word < len(X):
        raise ValueError(f"word counts from 0 to {len(X) - 1}, got {word}")
    if X.shape[1] % heads:
        raise ValueError(f"{heads} heads do not divide the width {X.shape[1]}")
    x, weights, biases = X[word].double(), layer.weight.double(), layer.bias.double()
    own = list(zip(weights.chunk(heads), biases.chunk(heads)))  # per head [d_k, d], [d_k]
    slices = list(zip(x.chunk(heads), own))
    width = len(x) // heads
    made = {
        "wide": (weights @ x + biases).unflatten(0, (heads, -1)),
        "narrow": torch.stack([weight @ x + bias for weight, bias in own]),
        "sliced": torch.stack(
            [
                weight[:, head * width : (head + 1) * width] @ part + bias
                for head, (part, (weight, bias)) in enumerate(slices)
            ]
        ),
    }
    named = {
        "tokens": list(attention.key_tokens),
        "headNames": list(model.head_names),
        "notes": list(attention.notes),
        "word": word,
    }
    arrays = {"x": x[None], "weight": layer.weight.T} | made
    return named | {name: array.float().numpy(force=True) for name, array in arrays.items()}


def projections_element(made, **attributes):
    """The `<slice-or-project>` element of a page, with its numbers; `attributes` become its own."""
    weight = made["weight"]
    tints = np.rint(127 * weight / np.abs(weight).max()).astype(np.int8)
    picture = {"shape": list(weight.shape), "tints": base64.b64encode(tints.tobytes()).decode()}
    data = base64_arrays({name: value for name, value in made.items() if name != "weight"}) | {"tints": picture}
    return element_html("slice-or-project", attributes, data)
