"""The four views as static HTML, as the files of `web/views` with their names draw them."""

import base64
import re
from html import escape

import numpy as np

from manyheads.maps import readable
from manyheads.maps.compared_maps import aligned, difference, moved, moved_heads
from manyheads.maps.legend import legend_of
from manyheads.maps.written import percent
from manyheads.widgets.static_cells import cells, class_of, row
from manyheads.widgets.static_pictures import colour_of, heads_as_pixels, is_mixed, png

TABLE_CELLS = 2048  # so many, all heads together, are tables here: some 300 kB
DENSE = 20  # keys; as in math/maps.js
MOVERS = 5  # heads that are named; as in views/grid.js
ASKS = ' class="hm-asks"'


def drawn_as(attributes, map, layer):
    """The view; Paint where another would be too large."""
    view = attributes.get("view")
    fits = map.weights[layer].size <= TABLE_CELLS
    return view if view in ("grid", "lines") or (view == "matrix" and fits) else "paint"


def stage(attributes, map, layer, asked, look, compared):
    """What the view shows."""
    view, head = drawn_as(attributes, map, layer), attributes.get("head")
    most = most_heads(attributes.get("models"))
    if view == "grid":
        return _grid(map, layer, asked, look, compared)
    if view == "lines":
        return f'{_heads(map)}<div class="hm-stage">{_lines(map, layer, asked, head)}</div>'
    if view == "matrix":
        return f'<div class="hm-stage">{_matrices(map, layer, asked, look, compared, head, most)}</div>'
    return f'<div class="hm-stage">{_paint(map, layer, asked, look, compared, most)}</div>'


def legend(from_to):
    """What no colour means, and the full one; as views/legend.js."""
    low, high = from_to
    return f'<p class="hm-legend"><span>{low}</span><i aria-hidden="true"></i><span>{high}</span></p>'


# --- Paint


def _paint(map, layer, query, look, compared, most):
    order, second = range(map.shape[1]), [""] * map.shape[1]
    shares = None if compared is None else moved(map, compared, layer, query)
    if shares is not None:
        order = np.argsort(-shares, kind="stable")
        second = [f"moved {percent(share)}" for share in shares]
    rows = "".join(row(map, layer, head, query, map.head_names[head], look, compared, second[head]) for head in order)
    name, style, room = "hm-paint", f"--keys:{map.shape[3]}", ""
    if most and not is_mixed(map):
        name, style = f"{name} hm-roomy", f"{style};--most:{most};--heads:{map.shape[1]}"
        room = f' data-room="{room_for(most - map.shape[1])}"' if most > map.shape[1] else ""
    return f'<table class="{name}" role="table" style="{style}"{room}>{rows}</table>'


def most_heads(models):
    """The most heads that any of several models has whose name tells it; as `mostHeads` in math/text.js."""
    names = (models or "").split()
    counts = [int(count) for name in names for count in re.findall(r"\bheads-(\d+)$", name)]
    return max(counts, default=0) if len(names) > 1 else 0


def room_for(more):
    """As `roomFor` in math/text.js."""
    return f"room for {more} more {'head' if more == 1 else 'heads'}"


# --- Matrix


def _matrices(map, layer, asked, look, compared, chosen, most):
    """The heads of a layer as tables; of two sentences, their differences, and the heads that moved most come first."""
    heads = range(map.shape[1])
    places, told, drawn = [""] * len(heads), [""] * len(heads), map
    if compared is not None:
        drawn, shares = difference(map, compared), moved_heads(map, compared, layer)
        common = [place for place, _ in aligned(map.query_tokens, compared.query_tokens)]
        asked = common.index(asked) if asked in common else None
        look = look.of_differences(map)
        if shares is not None:
            places = [f";order:{place}" for place in np.argsort(np.argsort(-shares, kind="stable"))]
            told = [f"moved {percent(share)}" for share in shares]
    figures = "".join(
        _matrix(drawn, layer, head, asked, look, chosen == head, "" if chosen == head else places[head], told[head])
        for head in heads
    )
    roomy = bool(most) and chosen is None and not is_mixed(map)
    vacant = [room_for(most - len(heads)), *[""] * (most - len(heads) - 1)] if roomy and most > len(heads) else []
    rest = "".join(f'<div class="hm-vacant" aria-hidden="true">{text}</div>' for text in vacant)
    return f'<div class="hm-matrices{" hm-roomy" if roomy else ""}">{figures}{rest}</div>'


def _matrix(map, layer, head, asked, look, large, place, moved):
    keys = map.shape[3]
    sizes = f"{' hm-large' if large else ''}{' hm-dense' if keys > DENSE else ''}"
    columns = "".join(
        f'<th scope="col"><span{class_of(key)}>{escape(readable(key))}</span></th>' for key in map.key_tokens
    )
    rows = "".join(
        f"<tr{ASKS if query == asked else ''}><th scope='row'{class_of(token)}>{escape(readable(token))}</th>"
        f"{cells(map, layer, head, query, look, written=False)}</tr>"
        for query, token in enumerate(map.query_tokens)
    )
    return (
        f'<figure class="hm-matrix{sizes}" style="--head:{colour_of(map, head)}{place};--keys:{keys}"><figcaption>'
        f'<span><span class="hm-head hm-on">{escape(map.head_names[head])}</span></span>'
        f'<span class="hm-moved">{moved}</span>'
        '<span class="hm-enlarge hm-room">Enlarge</span></figcaption>'
        f'<div class="hm-scroll" tabindex="0"><table><thead><tr><th role="cell"></th>{columns}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        "</figure>"
    )


# --- Grid


def _grid(map, layer, query, look, compared):
    """All heads of all layers as one picture, framed as views/grid.js frames its canvas; below, one head painted.

    Of two sentences, the picture is of their differences; both are painted.
    """
    layers, heads = map.shape[:2]
    short = all(name == f"head {head + 1}" for head, name in enumerate(map.head_names)) and heads > 4
    names = [name.removeprefix("head ") if short else name for name in map.head_names]
    titles = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(f'<tr><th scope="row">Layer {number + 1}</th>{"<td></td>" * heads}</tr>' for number in range(layers))
    pixels = heads_as_pixels(map, look.tint)
    shows, hint, plain, weights = "how much each word looks at each", "", "", ""
    if compared is not None:
        pixels = heads_as_pixels(difference(map, compared), look.of_differences(map).tint)
        shows, hint, plain = "the second sentence less the first", _tell_moved(map, compared), " hm-plain"
        weights = legend(legend_of(map, look.tint.scale, layer))
    source = f"data:image/png;base64,{base64.b64encode(png(pixels)).decode()}"
    painted = row(map, layer, 0, query, _name(map, layer, 0), look, compared, "second sentence")
    return (
        f"{_heads(map, layer)}"
        f'<div class="hm-stage"><div class="hm-scroll" tabindex="0"><div class="hm-grid" style="--columns:{heads}">'
        f'<img alt="{layers} layers of {heads} heads: {shows}" src="{source}">'
        f"<table><thead><tr><td>{'Head' if short else ''}</td>{titles}</tr></thead><tbody>{rows}</tbody></table>"
        "</div></div>"
        f'<p class="hm-hint">{hint}Choose a head to enlarge it.</p>'
        f'<table class="hm-paint{plain}" role="table" style="--keys:{map.shape[3]}">{painted}</table>{weights}</div>'
    )


def _tell_moved(map, compared):
    """The heads that moved most, of all layers."""
    shares = [moved_heads(map, compared, layer) for layer in range(map.shape[0])]
    if shares[0] is None:
        return ""
    most = np.argsort(-np.ravel(shares), kind="stable")[:MOVERS]
    places = [divmod(int(at), map.shape[1]) for at in most]
    told = ", ".join(f"{escape(_name(map, *place))} ({percent(shares[place[0]][place[1]])})" for place in places)
    return f"Moved most: {told}. "


def _name(map, layer, head):
    return f"layer {layer + 1}, {map.head_names[head]}" if map.shape[0] > 1 else map.head_names[head]


def _heads(map, layer=0):
    """The names of the heads, where the view has no place for them."""
    toggles = "".join(
        f'<span class="hm-head hm-on" style="--head:{colour_of(map, head)}">{escape(name)}</span>'
        for head, name in enumerate(map.head_names)
    )
    of = f"Heads of layer {layer + 1}" if map.shape[0] > 1 else "Heads"
    return f'<div class="hm-heads"><span>{of}</span>{toggles}</div>'


# --- Lines


def _lines(map, layer, asked, chosen):
    """The sentence twice, and lines from the word that asks: as strong as each head's weight."""
    rows = max(map.shape[2:])
    heads = range(map.shape[1]) if chosen is None else [min(chosen, map.shape[1] - 1)]
    drawn = [(float(map.weights[layer, head, asked, key]), head, key) for head in heads for key in range(map.shape[3])]
    unit = 1 if map.kind in ("shares", "parts") else max(abs(weight) for weight, *_ in drawn) or 1
    paths = "".join(
        f'<path d="M0 {asked + 0.5}C45 {asked + 0.5} 55 {key + 0.5} 100 {key + 0.5}" '
        f'stroke="{colour_of(map, head)}" stroke-width="{1 + 3.5 * abs(weight) / unit:.2f}" '
        f'stroke-opacity="{0.08 + 0.92 * abs(weight) / unit:.3f}"/>'
        for weight, head, key in sorted(drawn, key=lambda each: abs(each[0]))
        if abs(weight) >= 0.01 * unit
    )
    sides = [
        "".join(
            f"<li><button type='button' disabled{class_of(token)}>{escape(readable(token))}</button></li>"
            for token in tokens
        )
        for tokens in (map.query_tokens, map.key_tokens)
    ]
    asks = escape(readable(map.query_tokens[asked]))
    frame = f'viewBox="0 0 100 {rows}" preserveAspectRatio="none" style="--rows:{rows}" aria-hidden="true"'
    return (
        f'<p class="hm-hint">{asks} asks.</p><div class="hm-scroll" tabindex="0"><div class="hm-lines">'
        f"<ol>{sides[0]}</ol><svg {frame}>{paths}</svg><ol>{sides[1]}</ol></div></div>"
    )
