"""Your own attention weights as attention maps: what `bertviz.head_view` takes, and whatever else fits."""

import re
from collections.abc import Sequence

import numpy as np

from manyheads.maps.attention_map import AttentionMap
from manyheads.reading.weights_from import EAGER, PICK, array_of, averaged_note, is_step, names_of, rows_to_one
from manyheads.shared.tokens import are_bytewise, is_special, of_bytes, spelled


def maps_from_bertviz(
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
):
    """The maps of what a call of `bertviz.head_view` would show: {"": map}, or those of encoder, decoder and cross.

    >>> maps_from_bertviz([np.full((1, 3, 2, 2), 0.5)] * 6, ["Ġtea", "!"], include_layers=[1, 4])[""].shape
    (2, 3, 2, 2)
    >>> maps_from_bertviz([np.full((1, 3, 2, 2), 0.5)], "hi")
    Traceback (most recent call last):
    TypeError: tokens must be a list of strings, got 'hi'

    Raises `ValueError` for arguments that are missing, do not go together, or do not fit each other; `TypeError` for
    those of the wrong type.
    """
    apart = {
        "encoder": (encoder_attention, "encoder_tokens", "encoder_tokens"),
        "decoder": (decoder_attention, "decoder_tokens", "decoder_tokens"),
        "cross": (cross_attention, "decoder_tokens", "encoder_tokens"),  # the decoder asks, the encoder is looked at
    }
    lists = {"tokens": tokens, "encoder_tokens": encoder_tokens, "decoder_tokens": decoder_tokens}
    parts = {name: part for name, part in apart.items() if part[0] is not None}
    if attention is not None:
        named = [f"{name}_attention" for name in parts]
        named += [name for name in ("encoder_tokens", "decoder_tokens") if lists[name] is not None]
        if named:
            raise ValueError(f"attention is for models of one stack of layers; leave it out, or leave out {named[0]}")
        parts = {"": (attention, "tokens", "tokens")}
    if not parts:
        raise ValueError("give attention, or at least one of encoder_attention, decoder_attention and cross_attention")
    if sentence_b_start is not None and attention is None:
        raise ValueError("sentence_b_start is for attention; an encoder and a decoder have tokens of their own")

    maps = {}
    for name, (layers, queries, keys) in parts.items():
        for tokens_name in (queries, keys):
            check_tokens(tokens_name, lists[tokens_name], f"{name}_attention".strip("_"))
        weights, kind, chosen, notes = _weights(layers, include_layers)
        if include_layers is not None:
            notes += (f"Layers {', '.join(str(layer + 1) for layer in chosen)} of {len(layers)} are shown.",)
        if sentence_b_start is not None:
            notes += (f"The second sentence starts with token {_start(sentence_b_start, lists[queries])}.",)
        shown = [pretty(lists[of]) if prettify_tokens else lists[of] for of in (queries, keys)]
        maps[name] = AttentionMap(*shown, weights, notes=notes, kind=kind, layer_names=names_of(chosen))
    return maps


def pretty(tokens):
    """Tokens as text, without the marks that tokenizers put into them; special tokens as they are.

    >>> pretty(["Ġtea", "▁or", "cof", "fee</w>"])
    [' tea', ' or', 'cof', 'fee']
    >>> pretty(["Ġæĺ¯", "ĠcafÃ©", "ĠðŁ", "Ċ"])
    [' 是', ' café', ' <F0 9F>', '\\n']
    >>> pretty(["▁café", "<0xF0>", "<0x0A>", "<s>"])
    [' café', '<F0>', '\\n', '<s>']

    Bytes that are part of a character only are in hexadecimal; `AttentionMap.merge_pieces` makes characters of them.
    """
    text_of = of_bytes if are_bytewise(tokens) else _of_piece
    return [token if is_special(token) else text_of(token).replace("</w>", "") for token in tokens]


def _of_piece(token):
    if re.fullmatch("<0x[0-9A-F]{2}>", token):
        return spelled(bytes.fromhex(token[3:5]))
    return token.replace("Ġ", " ").replace("▁", " ")


def check_tokens(name, tokens, of):
    """Refuse anything but a list of strings.

    >>> check_tokens("tokens", "tea", "attention")
    Traceback (most recent call last):
    TypeError: tokens must be a list of strings, got 'tea'
    """
    if tokens is None:
        raise ValueError(f"{of} needs {name}")
    if isinstance(tokens, str) or not isinstance(tokens, Sequence) or not all(isinstance(t, str) for t in tokens):
        raise TypeError(f"{name} must be a list of strings, got {tokens!r}")


def _start(place, tokens):
    if not isinstance(place, (int, np.integer)) or not 0 < place < len(tokens):
        raise ValueError(f"sentence_b_start must be from 1 to {len(tokens) - 1} for these tokens, got {place!r}")
    return f"{place + 1}, {tokens[place]!r}"


def _weights(layers, include):  # -> [layer, h, q, k], what they are, the layers that are included, notes
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
    arrays = [array_of(layers[layer]) for layer in include]
    batches = {len(array) for array in arrays if array.ndim == 4} - {1}
    if batches:
        raise ValueError(f"each layer must be [1, head, query, key], got {batches.pop()} texts: {PICK}")
    arrays = [array[0] if array.ndim == 4 else array for array in arrays]
    if len({array.shape for array in arrays}) != 1 or arrays[0].ndim != 3:
        shapes = [array.shape for array in arrays]
        lost = ". nn.MultiheadAttention keeps its heads with average_attn_weights=False" if arrays[0].ndim == 2 else ""
        raise ValueError(f"each layer must be [head, query, key] or [1, head, query, key], alike, got {shapes}{lost}")
    weights, kind, notes = rows_to_one(np.stack(arrays))
    return weights, kind, list(include), (*notes, *averaged_note(layers))
