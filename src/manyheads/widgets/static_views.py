"""Matrix and Lines as static HTML, as `views/matrix.js` and `views/lines.js` draw them."""

from html import escape

import numpy as np

from manyheads.maps import is_special, readable
from manyheads.maps.written import percent

TABLE_CELLS = 2048  # so many, all heads together, are tables here: some 300 kB
DENSE = 20  # keys; as in math/maps.js
ASKS = ' class="hm-asks"'


def matrices(map, asked, chosen, cells, dress, moved=None):
    """The heads of a layer as tables; `cells(head, query)` is one row of weights, `dress(head)` a head's colours.

    Of two sentences, `moved[head]` is the share that lands elsewhere; the heads that moved most come first.
    """
    heads = range(map.shape[1])
    places = [""] * len(heads)
    told = [""] * len(heads)
    if moved is not None:
        for place, head in enumerate(np.argsort(-moved, kind="stable")):
            places[head] = "" if head == chosen else f";order:{place}"
        told = [f"moved {percent(share)}" for share in moved]
    figures = "".join(
        _matrix(map, head, asked, chosen == head, cells, dress(head) + places[head], told[head]) for head in heads
    )
    return f'<div class="hm-matrices">{figures}</div>'


def _matrix(map, head, asked, large, cells, style, moved):
    keys = map.shape[3]
    sizes = f"{' hm-large' if large else ''}{' hm-dense' if keys > DENSE else ''}"
    columns = "".join(
        f'<th scope="col"><span{_class(key)}>{escape(readable(key))}</span></th>' for key in map.key_tokens
    )
    rows = "".join(
        f"<tr{ASKS if query == asked else ''}><th scope='row'{_class(token)}>{escape(readable(token))}</th>"
        f"{cells(head, query)}</tr>"
        for query, token in enumerate(map.query_tokens)
    )
    return (
        f'<figure class="hm-matrix{sizes}" style="{style};--keys:{keys}"><figcaption>'
        f'<span><span class="hm-head hm-on">{escape(map.head_names[head])}</span></span>'
        f'<span class="hm-moved">{moved}</span>'
        '<span class="hm-enlarge hm-room">Enlarge</span></figcaption>'
        f'<div class="hm-scroll"><table><thead><tr><th></th>{columns}</tr></thead><tbody>{rows}</tbody></table></div>'
        "</figure>"
    )


def lines(map, layer, asked, colour, chosen):
    """The sentence twice, and lines from the word that asks: as strong as each head's weight."""
    rows = max(map.shape[2:])
    heads = range(map.shape[1]) if chosen is None else [min(chosen, map.shape[1] - 1)]
    drawn = [(float(map.weights[layer, head, asked, key]), head, key) for head in heads for key in range(map.shape[3])]
    unit = 1 if map.kind in ("shares", "parts") else max(abs(weight) for weight, *_ in drawn) or 1
    paths = "".join(
        f'<path d="M0 {asked + 0.5}C45 {asked + 0.5} 55 {key + 0.5} 100 {key + 0.5}" '
        f'stroke="{colour(head)}" stroke-width="{1 + 3.5 * abs(weight) / unit:.2f}" '
        f'stroke-opacity="{0.08 + 0.92 * abs(weight) / unit:.3f}"/>'
        for weight, head, key in sorted(drawn, key=lambda each: abs(each[0]))
        if abs(weight) >= 0.01 * unit
    )
    sides = [
        "".join(
            f"<li><button type='button' disabled{_class(token)}>{escape(readable(token))}</button></li>"
            for token in tokens
        )
        for tokens in (map.query_tokens, map.key_tokens)
    ]
    asks = escape(readable(map.query_tokens[asked]))
    frame = f'viewBox="0 0 100 {rows}" preserveAspectRatio="none" style="--rows:{rows}" aria-hidden="true"'
    return (
        f'<p class="hm-hint">{asks} asks.</p><div class="hm-scroll"><div class="hm-lines">'
        f"<ol>{sides[0]}</ol><svg {frame}>{paths}</svg><ol>{sides[1]}</ol></div></div>"
    )


def _class(token):
    """The class that a token's marks give it."""
    piece = readable(token) != token
    name = "hm-piece" if piece else "hm-special" if is_special(token) else ""
    return f' class="{name}"' if name else ""
