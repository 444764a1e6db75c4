"""A map as it travels: to a page as JSON, from a kernel as bytes. `decodeMap` of math/wire.ts reads both."""

import base64
import weakref

import numpy as np

from manyheads.maps.names import DIGITS, KINDS
from manyheads.maps.small_pictures import small_pictures

WHOLE = 2**20  # up to so many weights a kernel sends at once, 4 MB
KNOWN = weakref.WeakKeyDictionary()  # slow: a notebook needs them twice, for the widget and for its HTML
CHUNK = 2**18  # weights that are written at once
SMALL = 4096  # up to so many weights are written as numbers, more as digits
LEAST, ONE = np.float32(2**-14), np.uint16(1024)  # the smallest normal number of float16, and its bits
ALPHABET = np.frombuffer(DIGITS["alphabet"].encode(), np.uint8)


def map_json(map, layers=None, digits=None):
    """The map as `decodeMap` reads it in a page, with the weights of these layers, all unless given.

    Many weights become digits, each off by 0.0007 at most; those that are not shares, by that of the largest at most.
    `digits` stands for those that come later, from `digits_of`.
    """
    named = map_dict(map)
    if layers is not None:
        named |= _known_of_all(map, layers)
        named["pictures"]["tints"] = base64.b64encode(named["pictures"]["tints"]).decode()
    weights = (map.weights if layers is None else map.weights[layers]).ravel()
    shares = map.kind in ("shares", "parts")
    if weights.size <= SMALL:
        return named | {"weights": [round(float(w), 6) if shares else float(w) for w in weights]}
    if not shares:
        named["largest"] = _largest(map)
    return named | {"weights": "".join(digits_of(map, layers)) if digits is None else digits}


def digits_of(map, layers=None):
    """The weights of these layers as digits, some at a time: a long string takes more memory than its weights."""
    for layer in range(map.shape[0]) if layers is None else layers:
        weights = map.weights[layer].ravel()
        for start in range(0, weights.size, CHUNK):
            part = weights[start : start + CHUNK]
            yield _digits(part) if map.kind in ("shares", "parts") else _pairs(part / _largest(map))


def _largest(map):
    return max(float(map.weights.max(initial=0)), -float(map.weights.min(initial=0))) or 1.0


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


def map_dict(map):
    """The map by the page's names, all but its weights.

    A mask is written as bits, row after row, eight to a byte with the first as the highest, the last byte filled up
    with zeros; the bytes in base64. So are norms, as float32.
    """
    return {
        "queryTokens": map.query_tokens,
        "keyTokens": map.key_tokens,
        "shape": list(map.shape),
        "headNames": map.head_names,
        **({} if map.counts_layers else {"layerNames": map.layer_names}),
        **({} if map.named_layer is None else {"namedLayer": map.named_layer}),
        "predictions": map.predictions,
        "notes": list(map.notes),
        **({} if map.kind == KINDS[0] else {"kind": map.kind}),
        **({"causal": True} if map.causal else {}),
        **({} if map.mask is None else {"mask": base64.b64encode(np.packbits(map.mask)).decode()}),
        **({} if map.value_norms is None else {"valueNorms": base64.b64encode(map.value_norms.tobytes()).decode()}),
        **({} if map.written is None else {"written": map.written}),
        **({} if map.picture is None else {"picture": picture_dict(map.picture)}),
    }


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
    }


def map_message(map, layer=None):
    """The map as a kernel sends it: its weights as bytes of float32; of a map with more than `WHOLE`, one layer."""
    if map.weights.size <= WHOLE:
        return map_dict(map) | {"weights": map.weights.tobytes()}
    layer = map.opened(layer)
    return map_dict(map) | _known_of_all(map, [layer]) | {"weights": layer_bytes(map, layer)}


def layer_bytes(map, layer):
    """A layer as a kernel sends it alone: shares in half precision, at most 0.0003 off; amounts as float32."""
    weights = map.weights[layer]
    if map.kind not in ("shares", "parts"):
        return weights.tobytes()
    flat = weights.ravel()
    return b"".join(halves(flat[start : start + CHUNK]).tobytes() for start in range(0, flat.size, CHUNK))


def halves(weights):
    """Weights, 0 or more, in half precision: as `astype` gives them, which is twenty times slower below `LEAST`.

    >>> some = np.array([0, 1e-7, 2e-6, 6.1e-5, 0.25, 1], np.float32)
    >>> bool((halves(some) == some.astype(np.float16)).all())
    True
    """
    normal = np.maximum(weights, LEAST).astype(np.float16).view(np.uint16)
    below = np.rint(np.minimum(weights, LEAST) / LEAST * ONE).astype(np.uint16)  # which counts in steps of 2^-24
    return (normal + below - ONE).view(np.float16)


def _known_of_all(map, layers):
    """What is sent of all layers where only some have their weights: small pictures."""
    if map not in KNOWN:
        KNOWN[map] = np.rint(127 * small_pictures(map)).astype(np.int8)
    tints = KNOWN[map]
    return {
        "present": layers,
        "pictures": {"shape": list(tints.shape), "tints": tints.tobytes()},
    }
