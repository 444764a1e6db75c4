"""A map as it travels: to a page as JSON, from a kernel as bytes. `decodeMap` of math/wire.js reads both."""

from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np

from manyheads.maps.names import DIGITS

SMALL = 4096  # up to so many weights are written as numbers, more as digits
ALPHABET = np.frombuffer(DIGITS["alphabet"].encode(), np.uint8)


def map_json(map):
    """The map as `decodeMap` reads it in a page. Many weights become digits, each off by 0.0007 at most."""
    weights = map.weights.ravel()
    weights = [round(float(weight), 5) for weight in weights] if weights.size <= SMALL else _digits(weights)
    return map_dict(map) | {"weights": weights}


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
        **({} if map.mask is None else {"mask": map.mask.ravel().astype(int).tolist()}),
        **({} if map.translation is None else {"translation": map.translation}),
    }


def map_message(map):
    """The map as a kernel sends it: the weights are the bytes of float32."""
    return map_dict(map) | {"weights": map.weights.tobytes()}


def percent(share):
    """A share of 1 in per cent, to a tenth below ten: as `percent` in math/text.js.

    >>> percent(0.034), percent(0.125)
    ('3.4 %', '13 %')
    """
    return f"{fixed(100 * float(share), 1 if 0 < share < 0.0995 else 0)} %"


def fixed(value, digits):
    """A number with so many decimals, halves rounded away from zero: as `toFixed` of JavaScript writes it.

    >>> fixed(0.125, 2), f"{0.125:.2f}"
    ('0.13', '0.12')
    """
    return f"{HALF_UP.quantize(Decimal(float(value)), Decimal(1).scaleb(-digits)):f}"


HALF_UP = Context(prec=400, rounding=ROUND_HALF_UP)  # digits enough for any float
