"""A map as static HTML: what `<head-map>` shows before, or without, any script.

The markup is the one that `figures/head-map.js` and its views draw, so that nothing moves when the script takes over.
"""

import base64
import io
import json
from html import escape

import numpy as np
from PIL import Image

from manyheads.maps import is_special, readable
from manyheads.maps.names import ASKED_FOR, CHOICES, HEAD_COLOURS, MIXED_COLOUR
from manyheads.maps.wire import map_json, percent

THUMB = 32  # pixels to a side of a head in the picture of a grid, at most


def head_map_html(
    map, *, query=0, layer=0, status="A computed example. Live, it answers to your own sentence.", **attributes
):
    """The `<head-map>` element with `map` baked in; `attributes` (model, sentence, view, ...) become its own.

    >>> from manyheads.maps import AttentionMap
    >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.25, 0.75], [0.5, 0.5]]]])
    >>> 'data-weight="0.7500"' in head_map_html(map, sentence="<tea>")
    True
    """
    attributes = {"layer": layer, "query": query or None, **attributes}
    written = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if value is not None)
    sentence = attributes.get("sentence")
    box = f'<div><p class="hm-sentence">{escape(sentence)}</p></div>' if sentence else ""
    shown, asked = _shown(map, query, **{name: attributes.get(name) for name in ("layers", "heads", "special")})
    stage = (_grid if attributes.get("view") == "grid" else _paint)(shown, layer, asked)
    predictions = "".join(_prediction(map, name) for name in map.predictions)
    words = "" if map.translation is None else f'<p class="hm-translation">{escape(map.translation)}</p>'
    data = json.dumps(map_json(map), separators=(",", ":")).replace("<", "\\u003c")
    status = f'<p class="hm-status">{escape(" ".join([status, *map.notes]))}</p>'
    early = not {*ASKED_FOR}.isdisjoint((attributes.get("model") or "").split())  # where the page offers to load it
    return (
        f'<head-map class="head-map"{written}>{box}{status if early else ""}'
        f'<p class="hm-tools">Asked by {escape(shown.query_tokens[asked])}</p>'
        f'<p class="hm-tools">Special tokens: {attributes.get("special") or CHOICES["special"][0]}</p>{words}{stage}'
        f'<dl class="hm-predictions">{predictions}</dl>{"" if early else status}'
        f'<script type="application/json">{data}</script></head-map>'
    )


def _shown(map, query, layers=None, heads=None, special=None):
    """What is shown of a map at first, and the place of the asking token in it: as `shownMap` in math/maps.js."""
    shown = map.rollout() if layers == "rollout" else map.average() if heads == "average" else map
    if special != "remove":
        return shown, query
    shown = shown.without_special()
    kept = [place for place, token in enumerate(map.query_tokens) if not is_special(token)]
    return shown, kept.index(query) if query in kept else 0


def _paint(map, layer, query):
    rows = "".join(_row(map, layer, head, query, map.head_names[head]) for head in range(map.shape[1]))
    return f'<div class="hm-stage"><table class="hm-paint" role="table">{rows}</table></div>'


def _grid(map, layer, query):
    """All heads of all layers as one picture, framed as views/grid.js frames its canvas; below, one head painted."""
    layers, heads = map.shape[:2]
    short = all(name == f"head {head + 1}" for head, name in enumerate(map.head_names)) and heads > 4
    names = [name.removeprefix("head ") if short else name for name in map.head_names]
    titles = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(f'<tr><th scope="row">Layer {number + 1}</th>{"<td></td>" * heads}</tr>' for number in range(layers))
    toggles = "".join(
        f'<span class="hm-head hm-on" style="--head:{_colour(map, head)}">{escape(name)}</span>'
        for head, name in enumerate(map.head_names)
    )
    of = f"Heads of layer {layer + 1}" if layers > 1 else "Heads"
    name = f"layer {layer + 1}, {map.head_names[0]}" if layers > 1 else map.head_names[0]
    source = f"data:image/png;base64,{base64.b64encode(png(heads_as_pixels(map))).decode()}"
    corner = "Head" if short else ""
    return (
        f'<div class="hm-heads"><span>{of}</span>{toggles}</div>'
        f'<div class="hm-stage"><div class="hm-scroll"><div class="hm-grid" style="--columns:{heads}">'
        f'<img alt="{layers} layers of {heads} heads: how much each word looks at each" src="{source}">'
        f"<table><thead><tr><td>{corner}</td>{titles}</tr></thead><tbody>{rows}</tbody></table></div></div>"
        f'<p class="hm-hint">Choose a head to enlarge it.</p>'
        f'<table class="hm-paint" role="table">{_row(map, layer, 0, query, name)}</table></div>'
    )


def heads_as_pixels(map):
    """RGBA bytes [row, column, 4]: a head's colour, as opaque as the weight's share of the largest of its row."""
    layers, heads, *sides = map.shape
    largest = map.weights.max(axis=-1, keepdims=True)
    shares = np.divide(map.weights, largest, out=np.zeros_like(map.weights), where=largest > 0)
    for axis, side in zip((2, 3), sides):
        if side > THUMB:  # the largest of those that fall on one pixel
            shares = np.maximum.reduceat(shares, np.arange(THUMB) * side // THUMB, axis=axis)
    colours = [tuple(bytes.fromhex(_colour(map, head).lstrip("#"))) for head in range(heads)]
    pixels = np.empty((*shares.shape, 4), np.uint8)  # [layer, head, y, x, 4]
    pixels[..., :3] = np.array(colours)[:, None, None]
    pixels[..., 3] = np.rint(255 * shares)
    *_, height, width, _ = pixels.shape
    return pixels.transpose(0, 2, 1, 3, 4).reshape(layers * height, heads * width, 4)


def png(pixels):  # [row, column, 4] -> the bytes of a PNG
    written = io.BytesIO()
    Image.fromarray(pixels).save(written, "PNG")
    return written.getvalue()


def _colour(map, head):
    """As `headColour` in math/maps.js; what is no head's has none of their colours."""
    mixed = map.head_names[0].startswith(("mean of", "rollout"))
    return MIXED_COLOUR if mixed else HEAD_COLOURS[head % len(HEAD_COLOURS)]


def _row(map, layer, head, query, name):
    weights = map.weights[layer, head, query]
    largest = weights.max() or 1.0
    asks = escape(map.query_tokens[query])
    seen = [True] * len(weights) if map.mask is None else map.mask[query]
    told = [percent(weight) if looked else "masked" for weight, looked in zip(weights, seen)]
    cells = "".join(
        f'<td role="cell" class="{_classes(token)}{"" if looked else " hm-masked"}" data-weight="{weight:.4f}" '
        f'data-percent="{said}" style="--share:{weight / largest:.3f}" aria-label="{asks} to {escape(token)}: {said}">'
        f"{escape(readable(token))}</td>"
        for token, weight, looked, said in zip(map.key_tokens, weights, seen, told)
    )
    return (
        f'<tbody role="rowgroup" style="--head:{_colour(map, head)}"><tr role="row"><th scope="row" role="rowheader">'
        f'<span class="hm-head">{escape(name)}</span></th>{cells}</tr></tbody>'
    )


def _classes(token):
    if readable(token) != token:
        return "hm-piece"
    return "hm-special" if is_special(token) else ""


def _prediction(map, name):
    labels = map.predictions[name]
    label = max(labels, key=labels.get)
    colour = HEAD_COLOURS[map.head_names.index(name)] if name in map.head_names else "currentColor"
    return (
        f'<div style="--head:{colour}"><dt>{escape(name)}</dt><dd><b>{escape(label)}</b>'
        f'<span>{percent(labels[label])}</span><meter max="1" value="{labels[label]:.4f}"></meter>'
        "<small></small></dd></div>"
    )
