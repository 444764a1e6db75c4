"""A map as static HTML: what `<head-map>` shows before, or without, any script.

The markup is the one that `figures/head-map.js` and its views draw, so that nothing moves when the script takes over.
"""

import base64
import io
import json
import re
from dataclasses import dataclass, replace
from html import escape

import numpy as np
from PIL import Image

from manyheads.maps import is_special, readable
from manyheads.maps.compared_maps import aligned, difference, moved, moved_heads, row_in_second
from manyheads.maps.names import (
    ASKED_FOR,
    CHOICES,
    FORMER_NAMES,
    FULL,
    HEAD_COLOURS,
    MIXED_COLOUR,
    NUMBER_COLOURS,
    TONES,
)
from manyheads.maps.shown import legend_of, shown_map
from manyheads.maps.small_pictures import Tint, small_pictures
from manyheads.maps.wire import map_json
from manyheads.maps.written import percent, written
from manyheads.widgets.static_controls import chooser_room, examples_room, guide_room, tools_room, undo_room
from manyheads.widgets.static_views import TABLE_CELLS, lines, matrices

BAKED = 2**22  # weights; a page of a map with more has one layer of it, some 4 MB at most
SHOWN = (*CHOICES, "top", "first", "last")  # the attributes that what is shown of a map depends on


def head_map_html(
    map,
    *,
    query=0,
    layer=0,
    status="A computed example. Live, it answers to your own sentence.",
    whole=False,
    compared=None,
    **attributes,
):
    """The `<head-map>` element with `map` baked in; `attributes` (model, sentence, view, ...) become its own.

    >>> from manyheads.maps import AttentionMap
    >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.25, 0.75], [0.5, 0.5]]]])
    >>> 'data-weight="0.7500"' in head_map_html(map, sentence="<tea>")
    True

    `compared` is the map of a second sentence. Of a map with more than `BAKED` weights, one layer is baked in, and
    small pictures of the others, unless the `whole` is wanted.
    """
    attributes = {"layer": layer, "query": query or None, **attributes}
    written = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if value is not None)
    sentence = attributes.get("sentence")
    texts = [text for text in (sentence, attributes.get("compare")) if text]
    rows = [f'<p class="hm-sentence">{escape(text)}</p>{undo_room() if text is sentence else ""}' for text in texts]
    box = examples_room(attributes.get("examples")) + "".join(f'<div class="hm-ask">{row}</div>' for row in rows)
    grid = attributes.get("view") == "grid"
    chosen = {name: attributes.get(name) for name in SHOWN}
    everywhere = grid or chosen["layers"] == "rollout"
    found = shown_map(map, chosen, None if everywhere else [min(layer, map.shape[0] - 1)])
    shown, asked = found.map, found.asked(query, map.query_tokens)
    scale = FORMER_NAMES.get(chosen["scale"], chosen["scale"]) or CHOICES["scale"][0]
    look = _Look(scale, top=bool(chosen["top"]), sought=attributes.get("find") or "")
    second = compared and shown_map(compared, chosen, None if everywhere else [min(layer, map.shape[0] - 1)]).map
    differs = second is not None and _is_matrix(attributes, shown, layer)
    if differs:
        look = replace(look, top=False, full=FULL if shown.kind in ("shares", "parts") else None)
    stage = _stage(attributes, shown, layer, asked, look, second)
    drawn = replace(shown, kind="signed") if differs else shown
    low, high = legend_of(drawn, scale, min(layer, shown.shape[0] - 1), look.full)
    legend = f'<p class="hm-legend"><span>{low}</span><i aria-hidden="true"></i><span>{high}</span></p>'
    legend = "" if attributes.get("view") == "lines" else legend
    key = f'<div class="hm-key">{chooser_room("Asked by", shown.query_tokens[asked])}{legend}</div>'
    predictions = "".join(_prediction(map, name, compared) for name in map.predictions)
    words = "" if map.translation is None else f'<p class="hm-translation">{escape(map.translation)}</p>'
    there = None
    if not whole and map.weights.size > BAKED:
        there = [min(layer, map.shape[0] - 1)]
        status += (
            f" Of its {map.shape[0]} layers, layer {there[0] + 1} is in this page: the others would make it too large."
        )
    baked = map_json(map, there) | ({} if compared is None else {"compared": map_json(compared, there)})
    data = json.dumps(baked, separators=(",", ":")).replace("<", "\\u003c")
    said = " ".join([status, *dict.fromkeys((*map.notes, *shown.notes))])
    status = f'<p class="hm-status" data-said="{escape(status)}">{escape(said)}</p>'
    tools = tools_room(map, attributes, any(attributes.get(name) for name in ("model", "models")))
    early = not {*ASKED_FOR}.isdisjoint((attributes.get("model") or "").split())  # where the page offers to load it
    return (
        f'<head-map class="head-map"{written}>{box}{status if early else ""}'
        f'{tools}{words}<div class="hm-body{_signed(drawn)}">{stage}{key}'
        f'<dl class="hm-predictions">{predictions}</dl>{guide_room(attributes.get("guide"))}</div>'
        f"{'' if early else status}"
        f'<script type="application/json">{data}</script></head-map>'
    )


@dataclass(frozen=True)
class _Look:
    """How weights are shown: tinted by which scale, only the strongest of a row, with a word that is searched.

    `full` is the weight of full colour, where the scale does not say it.
    """

    scale: str = CHOICES["scale"][0]
    top: bool = False
    sought: str = ""
    full: float | None = None

    def tints(self, map, layer, head, query):
        tint = Tint(self.scale)
        own = self.full is None or self.scale == "relative"
        return tint.of(map.weights[layer, head, query], tint.full(map, layer)[head, query] if own else self.full)

    def told(self, map, weight):
        return "left out" if self.top and weight == 0 else written(map, weight)

    def finds(self, token):
        """As `isFound` in figures/head-map-more.js."""
        sought = self.sought.strip().lower()
        return sought != "" and sought in readable(token).lower()


def _stage(attributes, map, layer, asked, look, compared):
    """What the view shows; Paint where another would be too large."""
    view, head = attributes.get("view"), attributes.get("head")
    if view == "grid":
        return _grid(map, layer, asked, look)
    if view == "lines":
        return f'{_heads(map)}<div class="hm-stage">{lines(map, layer, asked, lambda at: _colour(map, at), head)}</div>'
    if not _is_matrix(attributes, map, layer):
        return _paint(map, layer, asked, look, compared, _most_heads(attributes.get("models")))

    drawn, asks, shares = map, asked, None
    if compared is not None:
        drawn, shares = difference(map, compared), moved_heads(map, compared, layer)
        places = [place for place, _ in aligned(map.query_tokens, compared.query_tokens)]
        asks = places.index(asked) if asked in places else None

    def cells(head, query):
        return "".join(_cells(drawn, layer, head, query, look, written=False))

    tables = matrices(drawn, asks, head, cells, lambda at: _colours(map, at), shares)
    return f'<div class="hm-stage">{tables}</div>'


def _is_matrix(attributes, map, layer):
    return attributes.get("view") == "matrix" and map.weights[layer].size <= TABLE_CELLS


def _paint(map, layer, query, look, compared=None, most=0):
    order, shares = range(map.shape[1]), None
    if compared is not None:
        shares = moved(map, compared, layer, query)
        order = order if shares is None else np.argsort(-shares, kind="stable")
    rows = "".join(_row(map, layer, head, query, map.head_names[head], look, compared, shares) for head in order)
    room = ("", "") if most == 0 or _is_mixed(map) else (" hm-roomy", f";--most:{most}")
    style = f"--keys:{map.shape[3]}{room[1]}"
    return f'<div class="hm-stage"><table class="hm-paint{room[0]}" role="table" style="{style}">{rows}</table></div>'


def _most_heads(models):
    """The most heads that any of several models has whose name tells it; as `mostHeads` in math/text.js."""
    names = (models or "").split()
    counts = [int(count) for name in names for count in re.findall(r"\bheads-(\d+)$", name)]
    return max(counts, default=0) if len(names) > 1 else 0


def _signed(map):
    return " hm-signed" if map.kind == "signed" else ""


def _grid(map, layer, query, look):
    """All heads of all layers as one picture, framed as views/grid.js frames its canvas; below, one head painted."""
    layers, heads = map.shape[:2]
    short = all(name == f"head {head + 1}" for head, name in enumerate(map.head_names)) and heads > 4
    names = [name.removeprefix("head ") if short else name for name in map.head_names]
    titles = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(f'<tr><th scope="row">Layer {number + 1}</th>{"<td></td>" * heads}</tr>' for number in range(layers))
    name = f"layer {layer + 1}, {map.head_names[0]}" if layers > 1 else map.head_names[0]
    source = f"data:image/png;base64,{base64.b64encode(png(heads_as_pixels(map, look))).decode()}"
    corner = "Head" if short else ""
    return (
        f"{_heads(map, layer)}"
        f'<div class="hm-stage"><div class="hm-scroll"><div class="hm-grid" style="--columns:{heads}">'
        f'<img alt="{layers} layers of {heads} heads: how much each word looks at each" src="{source}">'
        f"<table><thead><tr><td>{corner}</td>{titles}</tr></thead><tbody>{rows}</tbody></table></div></div>"
        f'<p class="hm-hint">Choose a head to enlarge it.</p>'
        f'<table class="hm-paint" role="table" style="--keys:{map.shape[3]}">'
        f"{_row(map, layer, 0, query, name, look)}</table></div>"
    )


def _heads(map, layer=0):
    """The names of the heads, where the view has no place for them."""
    toggles = "".join(
        f'<span class="hm-head hm-on" style="--head:{_colour(map, head)}">{escape(name)}</span>'
        for head, name in enumerate(map.head_names)
    )
    of = f"Heads of layer {layer + 1}" if map.shape[0] > 1 else "Heads"
    return f'<div class="hm-heads"><span>{of}</span>{toggles}</div>'


def heads_as_pixels(map, look=None):
    """RGBA bytes [row, column, 4]: a head's colour, as opaque as the weight is tinted.

    Of signed weights, it is the colour of their sign.
    """
    tints = small_pictures(map, Tint(look.scale if look else CHOICES["scale"][0]))
    layers, heads, height, width = tints.shape
    pixels = np.empty((*tints.shape, 4), np.uint8)  # [layer, head, y, x, 4]
    if map.kind == "signed":
        below, above = (rgb(NUMBER_COLOURS[sign]) for sign in ("negative", "positive"))
        pixels[..., :3] = np.where((tints < 0)[..., None], below, above)
    else:
        pixels[..., :3] = np.array([rgb(_tone(map, head)) for head in range(heads)])[:, None, None]
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
    return MIXED_COLOUR if _is_mixed(map) else HEAD_COLOURS[head % len(HEAD_COLOURS)]


def _is_mixed(map):
    return map.head_names[0].startswith(("mean of", "rollout"))


def _tone(map, head):
    """As `toneOf` in math/maps.js."""
    colour = _colour(map, head)
    return TONES[HEAD_COLOURS.index(colour)] if colour in HEAD_COLOURS else colour


def _colours(map, head):
    return f"--head:{_colour(map, head)};--tone:{_tone(map, head)}"


def _row(map, layer, head, query, name, look, compared=None, shares=None):
    """One head's weights on all words; of two sentences, one below the other."""
    cells = "".join(_cells(map, layer, head, query, look, asker=map.query_tokens == map.key_tokens, other=compared))
    second = ""
    if compared is not None:
        asked = row_in_second(map, compared, query)
        told = "" if shares is None else f"moved {percent(shares[head])}"
        rest = "".join(_cells(compared, layer, head, asked, look, asker=True, other=map))
        second = f'<tr role="row"><th scope="row" role="rowheader">{told}</th>{rest}</tr>'
    return (
        f'<tbody role="rowgroup" style="{_colours(map, head)}"><tr role="row"><th scope="row" role="rowheader">'
        f'<span class="hm-head hm-on">{escape(name)}</span></th>{cells}</tr>{second}</tbody>'
    )


def _cells(map, layer, head, query, look, *, asker=False, other=None, written=True):
    """The cells of a row; those of words that the `other` sentence has not are marked, and so is the word that asks."""
    weights = map.weights[layer, head, query]
    asks = escape(map.query_tokens[query])
    seen = [True] * len(weights) if map.mask is None else map.mask[query]
    told = [look.told(map, weight) if looked else "masked" for weight, looked in zip(weights, seen)]
    alike = range(len(weights)) if other is None else {at for at, _ in aligned(map.key_tokens, other.key_tokens)}
    marks = [
        {"hm-masked": not looked, "hm-asker": asker and place == query, "hm-only": place not in alike}
        for place, looked in enumerate(seen)
    ]
    return [
        f'<td role="cell" class="{_classes(token, weight, look, mark)}" data-weight="{weight:.4f}" '
        f'data-percent="{said}" style="--share:{tint:.2f}" aria-label="{asks} to {escape(token)}: {said}">'
        f"{escape(readable(token)) if written else ''}</td>"
        for token, weight, tint, mark, said in zip(
            map.key_tokens, weights, look.tints(map, layer, head, query), marks, told
        )
    ]


def _classes(token, weight, look, marks):
    piece = readable(token) != token
    names = {
        "hm-piece": piece,
        "hm-special": not piece and is_special(token),
        "hm-minus": round(float(weight), 4) < 0,
        "hm-found": look.finds(token),
        **marks,
    }
    return " ".join(name for name, there in names.items() if there)


def _prediction(map, name, compared=None):
    colour = HEAD_COLOURS[map.head_names.index(name)] if name in map.head_names else "currentColor"
    second = "" if compared is None else f'<dd class="hm-second">{_concluded(compared, name)}</dd>'
    first = f"<dt>{escape(name)}</dt><dd>{_concluded(map, name)}<small></small></dd>"
    return f'<div style="--head:{colour}">{first}{second}</div>'


def _concluded(map, name):
    labels = map.predictions[name]
    label = max(labels, key=labels.get)
    share = labels[label]
    return f'<b>{escape(label)}</b><span>{percent(share)}</span><meter max="1" value="{share:.4f}"></meter>'
