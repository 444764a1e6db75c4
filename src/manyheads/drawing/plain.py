"""A map as plain HTML, for places without scripts: a picture and a caption in words."""

import base64
import io
from html import escape

import numpy as np
from PIL import Image

from manyheads.drawing.legend import legend_of
from manyheads.drawing.svg import FEW_HEADS, plain_svg
from manyheads.drawing.thumbnails import small_pictures
from manyheads.shared.names import DEPTH, NUMBER_COLOURS, colour_of
from manyheads.shared.numbers import percent
from manyheads.shared.tokens import direction_of, isolated

CELLS = 4096  # that one drawing may have; of more, the strongest
FEW_TOKENS = 100  # up to so many can be read beside a drawing
GAP = 2  # pixels between two heads
LEVELS = 15  # of opacity


def plain_html(attention, compared=None, layer=None):
    """A map as a `<figure>` that needs no script, in the colours of the page around it, light or dark.

    >>> from manyheads.maps import AttentionMap
    >>> tokens = ["hot", "tea"]
    >>> attention = AttentionMap(tokens, tokens, [[[[0.25, 0.75], [0.5, 0.5]]]], notes=("One is left out.",))
    >>> html = plain_html(attention)
    >>> html.startswith("<figure"), "One is left out." in html, "<script" in html
    (True, True, False)

    It draws the heads of one layer, counted from 0, or of the one that the map opens on; of many heads with many
    tokens, all layers as small pictures. `compared` is the map of a second sentence, drawn below.
    """
    maps = [each for each in (attention, compared) if each is not None]
    drawn = "".join(_draw(each, each.opened(layer)) for each in maps)
    return f'<figure style="margin: 0">{drawn}</figure>'


def _draw(attention, layer):
    layers, heads, queries, keys = attention.shape
    size = heads * queries * keys
    if size <= CELLS or (heads <= FEW_HEADS and max(queries, keys) <= FEW_TOKENS):
        picture, name = plain_svg(attention, layer, CELLS), attention.layer_names[layer]
        what = f"{name[:1].upper()}{name[1:]} of {layers}. " if layers > 1 else ""
        omitted = (f"The {CELLS:,} strongest of {size:,} weights are drawn.",) if size > CELLS else ()
    else:
        picture, omitted = _picture(attention), ()
        what = f"A row for each of {layers} layers, a small square for each of its {heads} heads. "
    low, high = legend_of(attention, layer)
    how = f"{what}In each square, rows are queries and columns are keys. Colour: {low} to {high}."
    written = () if attention.written is None else (attention.written,)
    sentences = (*written, how, *omitted, *_conclusions(attention), *attention.notes)
    caption = "".join(f"<div>{escape(sentence)}</div>" for sentence in sentences)
    return f'<div style="overflow-x: auto">{picture}</div><figcaption>{caption}</figcaption>'


def _conclusions(attention):
    """The likeliest label of each prediction, in a sentence."""
    for name, labels in attention.predictions.items():
        label = max(labels, key=labels.get)
        yield f"{name}: {isolated(label)}, {percent(labels[label])}."


def head_pixels(attention):  # -> [layer, head, y, x, 4]
    """Every head as a small picture in RGBA bytes: its colour, as opaque as its weight is tinted.

    >>> from manyheads.maps import AttentionMap
    >>> head_pixels(AttentionMap(["tea"], ["hot", "tea"], [[[[0.25, 0.75]]]]))[0, 0, 0].tolist()
    [[109, 109, 158, 141], [109, 109, 158, 235]]
    """
    tints = small_pictures(attention)
    pixels = np.empty((*tints.shape, 4), np.uint8)
    if attention.kind == "signed":
        negative, positive = (_rgb(NUMBER_COLOURS[sign]) for sign in ("negative", "positive"))
        pixels[..., :3] = np.where((tints < 0)[..., None], negative, positive)
    else:
        for layer, head in np.ndindex(attention.shape[:2]):
            pixels[layer, head, ..., :3] = _rgb(colour_of(attention.head_name(layer, head)))
    steps = np.rint(LEVELS * np.abs(tints)) / LEVELS
    pixels[..., 3] = np.rint(255 * DEPTH * steps)
    return pixels


def png(pixels):  # [y, x, 4] -> the bytes of a PNG
    encoded = io.BytesIO()
    Image.fromarray(pixels).save(encoded, "PNG", optimize=True)
    return encoded.getvalue()


def _picture(attention):
    """All heads as one PNG, a row for each layer."""
    columns = slice(None, None, -1 if direction_of(attention.key_tokens) == "rtl" else 1)
    pixels = np.pad(head_pixels(attention)[..., columns, :], ((0, 0), (0, 0), (0, GAP), (0, GAP), (0, 0)))
    layers, heads, height, width, _ = pixels.shape
    pixels = pixels.transpose(0, 2, 1, 3, 4).reshape(layers * height, heads * width, 4)
    source = f"data:image/png;base64,{base64.b64encode(png(pixels)).decode()}"
    fitted = f"width: {2 * pixels.shape[1]}px; max-width: 100%; image-rendering: pixelated"
    return f'<img alt="Attention of all heads" style="{fitted}" src="{source}">'


def _rgb(colour):
    return tuple(bytes.fromhex(colour.lstrip("#")))
