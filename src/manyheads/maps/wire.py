"""A map as it travels: to a page as JSON, from a kernel as bytes. `decodeMap` of math/wire.js reads both."""

import numpy as np

from manyheads.maps.names import DIGITS, KINDS

SMALL = 4096  # up to so many weights are written as numbers, more as digits
ALPHABET = np.frombuffer(DIGITS["alphabet"].encode(), np.uint8)


def map_json(map):
    """The map as `decodeMap` reads it in a page.

    Many weights become digits, each off by 0.0007 at most; those that are no shares, by that of the largest at most.
    """
    weights = map.weights.ravel()
    shares = map.kind in ("shares", "parts")
    if weights.size <= SMALL:
        return map_dict(map) | {"weights": [round(float(w), 5) if shares else float(w) for w in weights]}
    if shares:
        return map_dict(map) | {"weights": _digits(weights)}
    largest = float(np.abs(weights).max()) or 1.0
    return map_dict(map) | {"weights": _pairs(weights / largest), "largest": largest}


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
    """The map by the page's names, all but its weights."""
    return {
        "queryTokens": map.query_tokens,
        "keyTokens": map.key_tokens,
        "shape": list(map.shape),
        "headNames": map.head_names,
        "predictions": map.predictions,
        "notes": list(map.notes),
        **({} if map.kind == KINDS[0] else {"kind": map.kind}),
    }


def map_message(map):
    """The map as a kernel sends it: the weights are the bytes of float32."""
    return map_dict(map) | {"weights": map.weights.tobytes()}

