"""A map as static HTML: what `<head-map>` shows before, or without, any script.

The markup is the one that `figures/head-map.js` and its views draw, so that nothing moves when the script takes over.
"""

import base64
import io
import json
from dataclasses import dataclass
from html import escape

import numpy as np
from PIL import Image

from manyheads.maps import is_special, readable
from manyheads.maps.names import ASKED_FOR, CHOICES, HEAD_COLOURS, MIXED_COLOUR, NUMBER_COLOURS
from manyheads.maps.shown import shown_map
from manyheads.maps.small_pictures import Tint, small_pictures
from manyheads.maps.wire import map_json
from manyheads.maps.written import percent, written

BAKED = 2**22  # weights; a page of a map with more has one layer of it, some 4 MB at most
SHOWN = (*CHOICES, "top", "first", "last")  # the attributes that what is shown of a map depends on


def head_map_html(
    map,
    *,
    query=0,
    layer=0,
    status="A computed example. Live, it answers to your own sentence.",
    whole=False,
    **attributes,
):
    """The `<head-map>` element with `map` baked in; `attributes` (model, sentence, view, ...) become its own.

    >>> from manyheads.maps import AttentionMap
    >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.25, 0.75], [0.5, 0.5]]]])
    >>> 'data-weight="0.7500"' in head_map_html(map, sentence="<tea>")
    True

    Of a map with more than `BAKED` weights, one layer is baked in, and small pictures of the others, unless the `whole`
    is wanted.
    """
    attributes = {"layer": layer, "query": query or None, **attributes}
    written = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if value is not None)
    sentence = attributes.get("sentence")
    box = f'<div><p class="hm-sentence">{escape(sentence)}</p></div>' if sentence else ""
    grid = attributes.get("view") == "grid"
    chosen = {name: attributes.get(name) for name in SHOWN}
    everywhere = grid or chosen["layers"] == "rollout"
    found = shown_map(map, chosen, None if everywhere else [min(layer, map.shape[0] - 1)])
    shown, asked = found.map, found.asked(query, map.query_tokens)
    look = _Look(log=chosen["scale"] == "log", top=bool(chosen["top"]), sought=attributes.get("find") or "")
    stage = (_grid if grid else _paint)(shown, layer, asked, look)
    predictions = "".join(_prediction(map, name) for name in map.predictions)
    words = "" if map.translation is None else f'<p class="hm-translation">{escape(map.translation)}</p>'
    there = None
    if not whole and map.weights.size > BAKED:
        there = [min(layer, map.shape[0] - 1)]
        status += (
            f" Of its {map.shape[0]} layers, layer {there[0] + 1} is in this page: the others would make it too large."
        )
    data = json.dumps(map_json(map, there), separators=(",", ":")).replace("<", "\\u003c")
    said = " ".join([status, *dict.fromkeys((*map.notes, *shown.notes))])
    status = f'<p class="hm-status" data-said="{escape(status)}">{escape(said)}</p>'
    early = not {*ASKED_FOR}.isdisjoint((attributes.get("model") or "").split())  # where the page offers to load it
    return (
        f'<head-map class="head-map"{written}>{box}{status if early else ""}'
        f'<p class="hm-tools">Asked by {escape(shown.query_tokens[asked])}</p>'
        f'<p class="hm-tools">Special tokens: {attributes.get("special") or CHOICES["special"][0]}</p>{words}{stage}'
        f'<dl class="hm-predictions">{predictions}</dl>{"" if early else status}'
        f'<script type="application/json">{data}</script></head-map>'
    )


@dataclass(frozen=True)
class _Look:
    """How weights are shown: tinted by logarithms, only the strongest of a row, with a word that is searched."""

    log: bool = False
    top: bool = False
    sought: str = ""

    def tint(self, weights, largest):
        return Tint(self.log).of(weights, largest)

    def told(self, map, weight):
        return "left out" if self.top and weight == 0 else written(map, weight)

    def finds(self, token):
        """As `isFound` in figures/head-map-more.js."""
        sought = self.sought.strip().lower()
        return sought != "" and sought in readable(token).lower()


def _paint(map, layer, query, look):
    rows = "".join(_row(map, layer, head, query, map.head_names[head], look) for head in range(map.shape[1]))
    return f'<div class="hm-stage{_signed(map)}"><table class="hm-paint" role="table">{rows}</table></div>'


def _signed(map):
    return " hm-signed" if map.kind == "signed" else ""


def _grid(map, layer, query, look):
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
    source = f"data:image/png;base64,{base64.b64encode(png(heads_as_pixels(map, look))).decode()}"
    corner = "Head" if short else ""
    return (
        f'<div class="hm-heads"><span>{of}</span>{toggles}</div>'
        f'<div class="hm-stage{_signed(map)}"><div class="hm-scroll"><div class="hm-grid" style="--columns:{heads}">'
        f'<img alt="{layers} layers of {heads} heads: how much each word looks at each" src="{source}">'
        f"<table><thead><tr><td>{corner}</td>{titles}</tr></thead><tbody>{rows}</tbody></table></div></div>"
        f'<p class="hm-hint">Choose a head to enlarge it.</p>'
        f'<table class="hm-paint" role="table">{_row(map, layer, 0, query, name, look)}</table></div>'
    )


def heads_as_pixels(map, look=None):
    """RGBA bytes [row, column, 4]: a head's colour, as opaque as the weight's share of the largest of its row.

    Of signed weights, it is the colour of their sign.
    """
    tints = small_pictures(map, Tint(look.log if look else False))
    layers, heads, height, width = tints.shape
    pixels = np.empty((*tints.shape, 4), np.uint8)  # [layer, head, y, x, 4]
    if map.kind == "signed":
        below, above = (rgb(NUMBER_COLOURS[sign]) for sign in ("negative", "positive"))
        pixels[..., :3] = np.where((tints < 0)[..., None], below, above)
    else:
        pixels[..., :3] = np.array([rgb(_colour(map, head)) for head in range(heads)])[:, None, None]
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


def _colour(map, head):
    """As `headColour` in math/maps.js; what is no head's has none of their colours."""
    mixed = map.head_names[0].startswith(("mean of", "rollout"))
    return MIXED_COLOUR if mixed else HEAD_COLOURS[head % len(HEAD_COLOURS)]


def _row(map, layer, head, query, name, look):
    weights = map.weights[layer, head, query]
    asks = escape(map.query_tokens[query])
    tints = look.tint(weights, np.abs(weights).max(initial=0))
    seen = [True] * len(weights) if map.mask is None else map.mask[query]
    told = [look.told(map, weight) if looked else "masked" for weight, looked in zip(weights, seen)]
    cells = "".join(
        f'<td role="cell" class="{_classes(token, weight, look)}{"" if looked else " hm-masked"}" '
        f'data-weight="{weight:.4f}" data-percent="{said}" style="--share:{tint:.3f}" '
        f'aria-label="{asks} to {escape(token)}: {said}">{escape(readable(token))}</td>'
        for token, weight, tint, looked, said in zip(map.key_tokens, weights, tints, seen, told)
    )
    return (
        f'<tbody role="rowgroup" style="--head:{_colour(map, head)}"><tr role="row"><th scope="row" role="rowheader">'
        f'<span class="hm-head">{escape(name)}</span></th>{cells}</tr></tbody>'
    )


def _classes(token, weight, look):
    piece = readable(token) != token
    names = {
        "hm-piece": piece,
        "hm-special": not piece and is_special(token),
        "hm-minus": weight < 0,
        "hm-found": look.finds(token),
    }
    return " ".join(name for name, there in names.items() if there)


def _prediction(map, name):
    labels = map.predictions[name]
    label = max(labels, key=labels.get)
    colour = HEAD_COLOURS[map.head_names.index(name)] if name in map.head_names else "currentColor"
    return (
        f'<div style="--head:{colour}"><dt>{escape(name)}</dt><dd><b>{escape(label)}</b>'
        f'<span>{percent(labels[label])}</span><meter max="1" value="{labels[label]:.4f}"></meter>'
        "<small></small></dd></div>"
    )
