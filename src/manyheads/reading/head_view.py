"""The arguments of `bertviz.head_view` as a request, as `HeadMap.of` has one."""

from collections.abc import Sequence

import numpy as np

from manyheads.reading.request import Request
from manyheads.reading.weights import EAGER, PICK, is_step

# Which tokens each part needs: those that ask, those that are looked at.
NEEDS = {
    "": ("tokens",),
    "encoder": ("encoder_tokens",),
    "decoder": ("decoder_tokens",),
    "cross": ("decoder_tokens", "encoder_tokens"),
}


def translate_head_view(
    attention=None,
    tokens=None,
    sentence_b_start=None,
    prettify_tokens=True,
    encoder_attention=None,
    decoder_attention=None,
    cross_attention=None,
    encoder_tokens=None,
    decoder_tokens=None,
    include_layers=None,
):  # -> Request
    """What a call of `bertviz.head_view` would show, as a request: of one stack of layers, or of up to three by name.

    >>> translate_head_view([np.full((1, 3, 2, 2), 0.5)] * 6, ["tea", "!"], include_layers=[1, 4]).layers
    [1, 4]
    >>> translate_head_view([np.full((1, 3, 2, 2), 0.5)], "hi")
    Traceback (most recent call last):
    TypeError: tokens must be a list of strings, got 'hi'

    Raises `ValueError` for arguments that are missing, do not go together, or do not fit each other; `TypeError` for
    those of the wrong type.
    """
    lists = {"tokens": tokens, "encoder_tokens": encoder_tokens, "decoder_tokens": decoder_tokens}
    apart = {"encoder": encoder_attention, "decoder": decoder_attention, "cross": cross_attention}
    parts = {name: layers for name, layers in apart.items() if layers is not None}
    if attention is not None:
        named = [f"{name}_attention" for name in parts]
        named += [name for name in ("encoder_tokens", "decoder_tokens") if lists[name] is not None]
        if named:
            raise ValueError(f"attention is for models of one stack of layers; leave it out, or leave out {named[0]}")
        parts = {"": attention}
    if not parts:
        raise ValueError("give attention, or at least one of encoder_attention, decoder_attention and cross_attention")
    if sentence_b_start is not None and attention is None:
        raise ValueError("sentence_b_start is for attention; an encoder and a decoder have tokens of their own")
    for name, layers in parts.items():
        for needed in NEEDS[name]:
            check_tokens(needed, lists[needed], f"{name}_attention".strip("_"))
        check_layers(layers, include_layers)
    parts = {name: [*layers] if isinstance(layers, tuple) else layers for name, layers in parts.items()}
    return Request(
        parts.get("", parts),
        encoder_tokens if attention is None else tokens,
        decoder_tokens,
        layers=None if include_layers is None else list(include_layers),
        prettify_tokens=prettify_tokens,
        max_weights=None,
        notes=() if sentence_b_start is None else (note_second_sentence(sentence_b_start, tokens),),
    )


def check_tokens(name, tokens, of):
    """Refuse anything but a list of strings."""
    if tokens is None:
        raise ValueError(f"{of} needs {name}")
    if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not all(isinstance(t, str) for t in tokens):
        raise TypeError(f"{name} must be a list of strings, got {tokens!r}")


def note_second_sentence(place, tokens):
    """The note on where a second sentence starts; `ValueError` where there's no such token."""
    if not isinstance(place, (int, np.integer)) or not 0 < place < len(tokens):
        raise ValueError(f"sentence_b_start must be from 1 to {len(tokens) - 1} for these tokens, got {place!r}")
    return f"The second sentence starts with token {place + 1}, {tokens[place]!r}."


def check_layers(layers, include=None):
    """Refuse what isn't one [head, query, key] or [1, head, query, key] for each layer, of those that are included."""
    if hasattr(layers, "attentions") or hasattr(layers, "encoder_attentions"):
        raise ValueError("this is a model's whole output: give its attentions, or give HeadMap.of the output as it is")
    if not len(layers):
        raise ValueError(f"there are no layers: {EAGER}")
    if include is None:
        include = range(len(layers))
    elif not len(include) or not all(0 <= layer < len(layers) for layer in include):
        raise ValueError(f"include_layers must name layers from 0 to {len(layers) - 1}, got {list(include)}")
    for layer in include:
        if layers[layer] is None:
            raise ValueError(f"layer {layer} is None: {EAGER}")
        if is_step(layers[layer]):
            raise ValueError("these are the steps of generate(): HeadMap.of(outputs, tokens) makes one map of them")
    shapes = [np.shape(layers[layer]) for layer in include]
    texts = {shape[0] for shape in shapes if len(shape) == 4} - {1}
    if texts:
        raise ValueError(f"each layer must be [1, head, query, key], got {texts.pop()} texts: {PICK}")
    shapes = [tuple(shape[1:] if len(shape) == 4 else shape) for shape in shapes]
    if len(set(shapes)) != 1 or len(shapes[0]) != 3:
        lost = ". nn.MultiheadAttention keeps its heads with average_attn_weights=False" if len(shapes[0]) == 2 else ""
        raise ValueError(f"each layer must be [head, query, key] or [1, head, query, key], alike, got {shapes}{lost}")
