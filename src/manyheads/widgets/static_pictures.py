"""Heads as pictures, for a page without scripts and for what other sites show of a page."""

import io

import numpy as np
from PIL import Image

from manyheads.maps.names import HEAD_COLOURS, MIXED_COLOUR, NUMBER_COLOURS, TONES
from manyheads.maps.small_pictures import Tint, small_pictures


def heads_as_pixels(map, tint=None):
    """RGBA bytes [row, column, 4]: a head's colour, as opaque as the weight is tinted.

    Of signed weights, it is the colour of their sign.
    """
    tints = small_pictures(map, tint or Tint())
    layers, heads, height, width = tints.shape
    pixels = np.empty((*tints.shape, 4), np.uint8)  # [layer, head, y, x, 4]
    if map.kind == "signed":
        below, above = (rgb(NUMBER_COLOURS[sign]) for sign in ("negative", "positive"))
        pixels[..., :3] = np.where((tints < 0)[..., None], below, above)
    else:
        pixels[..., :3] = np.array([rgb(tone_of(map, head)) for head in range(heads)])[:, None, None]
    pixels[..., 3] = np.rint(255 * np.abs(tints))
    return pixels.transpose(0, 2, 1, 3, 4).reshape(layers * height, heads * width, 4)


def rgb(colour):
    """The parts of a colour.

    >>> rgb("#8DB600")
    (141, 182, 0)
    """
    return tuple(bytes.fromhex(colour.lstrip("#")))


def png(pixels):  # [row, column, 4] -> the bytes of a PNG
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG")
    return written.getvalue()


def is_mixed(map):
    """Whether its rows are no single head's."""
    return map.head_names[0].startswith(("mean of", "rollout"))


def colour_of(map, head):
    """As `headColour` in math/maps.js; what is no head's has none of their colours."""
    return MIXED_COLOUR if is_mixed(map) else HEAD_COLOURS[head % len(HEAD_COLOURS)]


def tone_of(map, head):
    """As `toneOf` in math/maps.js."""
    colour = colour_of(map, head)
    return TONES[HEAD_COLOURS.index(colour)] if colour in HEAD_COLOURS else colour


def weight_colour(map, head, weight):
    """The colour of a cell: its head's, or where weights may be below 0, that of its sign."""
    return NUMBER_COLOURS["negative" if weight < 0 else "positive"] if map.kind == "signed" else tone_of(map, head)
