"""A map as it travels, to a page or from a kernel: as JSON, which `decodeMap` of math/wire.ts reads."""

import base64
import weakref

import numpy as np

from manyheads.drawing.thumbnails import small_pictures
from manyheads.shared.names import DIGITS, KINDS

WHOLE = 2**20  # up to so many weights a kernel sends at once, some 1.3 MB
KNOWN = weakref.WeakKeyDictionary()  # slow: a notebook needs them twice, for the widget and for its HTML
CHUNK = 2**16  # weights that are written at once
SMALL = 4096  # up to so many weights are written as numbers, more as digits
ALPHABET = np.frombuffer(DIGITS["alphabet"].encode(), np.uint8)


def map_json(attention, layers=None, digits=None):
    """The map as `decodeMap` reads it, with the weights of these layers, all unless given.

    Many weights become digits, each off by 0.0007 at most; those that are not shares, by that of the largest at most.
    `digits` stands for those that come later, from `digits_of`.
    """
    named = map_dict(attention)
    if layers is not None:
        named |= _known_of_all(attention, layers)
    layers = range(attention.shape[0]) if layers is None else layers
    if len(layers) * attention.weights[0].size <= SMALL:
        shares = attention.kind in ("shares", "parts")
        return named | {
            "weights": [round(float(w), 6) if shares else float(w) for w in attention.weights[layers].ravel()]
        }
    return named | _with_largest(attention, "".join(digits_of(attention, layers)) if digits is None else digits)


def digits_of(attention, layers=None):
    """The weights of these layers as digits, some at a time: a long string takes more memory than its weights."""
    for layer in range(attention.shape[0]) if layers is None else layers:
        weights = attention.weights[layer].ravel()
        for start in range(0, weights.size, CHUNK):
            part = weights[start : start + CHUNK]
            yield _digits(part) if attention.kind in ("shares", "parts") else _pairs(part / _largest(attention))


def digits_in(attention):
    """How many characters `digits_of` writes."""
    if attention.kind not in ("shares", "parts"):
        return 2 * attention.weights.size
    return attention.weights.size + sum(np.count_nonzero(layer >= DIGITS["few"]) for layer in attention.weights)


def _largest(attention):
    return max(float(attention.weights.max(initial=0)), -float(attention.weights.min(initial=0))) or 1.0


def _pairs(weights):  # [n], -1 to 1 -> a string of 2n characters
    steps = (len(ALPHABET) ** 2 - 1) // 2  # to each side of 0
    digits = np.rint(weights * steps).astype(int) + steps
    return ALPHABET[np.stack([digits // len(ALPHABET), digits % len(ALPHABET)], axis=1)].tobytes().decode()


def _digits(weights):  # [n] -> a string of n to 2n characters
    few, single, double = DIGITS["few"], DIGITS["single"], DIGITS["double"]
    small = weights < few
    beyond = np.rint(np.clip(weights - few, 0, 1 - few) / (1 - few) * double).astype(int)
    first = np.where(small, np.rint(weights / few * single).astype(int), single + 1 + beyond // len(ALPHABET))
    digits = np.stack([first, beyond % len(ALPHABET)], axis=1)  # [n, 2]
    return ALPHABET[digits[np.stack([np.ones_like(small), ~small], axis=1)]].tobytes().decode()


def map_dict(attention):
    """The map by the page's names, all but its weights.

    A mask is written as bits, row after row, eight to a byte with the first as the highest, the last byte filled up
    with zeros; the bytes in base64. So are norms, as float32.
    """
    return {
        "queryTokens": attention.query_tokens,
        "keyTokens": attention.key_tokens,
        "shape": list(attention.shape),
        "headNames": attention.head_names,
        **({} if attention.counts_layers else {"layerNames": attention.layer_names}),
        **({} if attention.named_layer is None else {"namedLayer": attention.named_layer}),
        "predictions": attention.predictions,
        "notes": list(attention.notes),
        **({} if attention.kind == KINDS[0] else {"kind": attention.kind}),
        **({"causal": True} if attention.causal else {}),
        **({} if attention.mask is None else {"mask": base64.b64encode(np.packbits(attention.mask)).decode()}),
        **(
            {}
            if attention.value_norms is None
            else {"valueNorms": base64.b64encode(attention.value_norms.tobytes()).decode()}
        ),
        **({} if attention.written is None else {"written": attention.written}),
        **({} if attention.answer_start is None else {"answerStart": attention.answer_start}),
        **({} if attention.picture is None else {"picture": picture_dict(attention.picture)}),
        **({} if attention.sources is None else {"sources": source_dicts(attention.sources)}),
    }


def source_dicts(sources):
    """Sources by the page's names, in their order."""
    return [{"name": name, "places": one.places, "sizes": one.sizes} for name, one in sources.items()]


def picture_dict(picture):
    """A picture by the page's names."""
    return {
        "src": picture.source,
        "rows": picture.rows,
        "columns": picture.columns,
        "width": picture.width,
        "height": picture.height,
        "keyStart": picture.key_start,
        "queryStart": picture.query_start,
        **({} if picture.places is None else {"places": picture.places}),
    }


def base64_arrays(named):
    """What stands under names, as a page has it: arrays in base64, as float16 where they are, else as float32.

    >>> base64_arrays({"tokens": ["tea"], "X": np.zeros((1, 2))})
    {'tokens': ['tea'], 'X': {'shape': [1, 2], 'values': 'AAAAAAAAAAA='}}

    So do arrays in a dictionary among them.
    """
    nested = {name: base64_arrays(value) for name, value in named.items() if isinstance(value, dict)}
    arrays = {name: _base64(value) for name, value in named.items() if isinstance(value, np.ndarray)}
    return named | nested | arrays


def _base64(array):
    dtype = np.float16 if array.dtype == np.float16 else np.float32
    values = base64.b64encode(np.ascontiguousarray(array, dtype)).decode()
    return {"shape": list(array.shape), "values": values}


def map_message(attention, layer=None):
    """The map as a kernel sends it: as a page has it; of a map with more than `WHOLE` weights, one layer."""
    return map_json(attention, None if attention.weights.size <= WHOLE else [attention.opened(layer)])


def layer_message(attention, layer):
    """The weights of a layer as a kernel sends it alone."""
    return _with_largest(attention, "".join(digits_of(attention, [layer])))


def _with_largest(attention, digits):
    """Digits, with what those that are no shares count in."""
    return (
        {"weights": digits}
        if attention.kind in ("shares", "parts")
        else {"weights": digits, "largest": _largest(attention)}
    )


def _known_of_all(attention, layers):
    """What is sent of all layers where only some have their weights: small pictures."""
    if attention not in KNOWN:
        KNOWN[attention] = np.rint(127 * small_pictures(attention)).astype(np.int8)
    tints = KNOWN[attention]
    return {"present": layers, "pictures": {"shape": list(tints.shape), "tints": base64.b64encode(tints).decode()}}
