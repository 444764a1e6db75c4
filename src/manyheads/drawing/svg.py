"""Attention maps as SVG whose cells carry their weights: the pictures that a page saves, from Python."""

import re
from dataclasses import dataclass
from xml.sax.saxutils import escape

import numpy as np

from manyheads.drawing.legend import legend_of
from manyheads.drawing.plot import choose, columns_of
from manyheads.drawing.thumbnails import full_of, tints_of
from manyheads.shared.names import DEPTH, NUMBER_COLOURS, PAPER, colour_of
from manyheads.shared.tokens import direction_of, isolated

SIDE, GAP, MARGIN = 224, 28, 16  # of a head among others, in pixels
FEW_HEADS = 8  # up to so many, each has its tokens beside it


@dataclass(frozen=True)
class Style:
    """The colours of letters and lines, how many cells there may be, and whether they carry their weights."""

    ink: str = PAPER["ink"]
    soft: str = PAPER["soft"]
    line: str = PAPER["line"]
    cells: int = PAPER["cells"]
    exact: bool = True


def svg(attention, layer=None, head=None):
    """The SVG of one head, all heads of a layer, one head of all layers, or all: see `AttentionMap.to_svg`."""
    layers, heads = choose("layer", layer, attention.shape[0]), choose("head", head, attention.shape[1])
    style = Style()
    drawn, width, height = _heads(attention, layers, heads, style)
    size = attention.weights[np.ix_(layers, heads)].size
    omitted = (f"The {style.cells:,} strongest of {size:,} weights are drawn.",) if size > style.cells else ()
    legends = dict.fromkeys(" to ".join(legend_of(attention, layer)) for layer in layers)
    colours = [f"Colour: {legend}." for legend in legends] if len(legends) == 1 else []
    notes = [_text(note) for note in (*omitted, *colours, *attention.notes)]
    footer = "".join(
        f'<text x="{MARGIN}" y="{height + 12 * at + 8}" font-size="10" fill="{style.soft}">{note}</text>'
        for at, note in enumerate(notes)
    )
    height += 12 * len(notes) + (8 if notes else 0)
    described = "".join(f" {note}" for note in notes)
    inner = (
        f"<title>{_text(' '.join(attention.query_tokens))}</title>"
        "<desc>Rows ask, columns are looked at; data-weight is the share of attention that a query gives a key."
        f'{described}</desc><rect width="{width}" height="{height}" fill="#fff"/>{drawn}{footer}'
    )
    return _svg(width, height, f'width="{width}" height="{height}"', style, inner)


def plain_svg(attention, layer, cells):
    """The heads of one layer in the colours of the page around it: at most so many cells, without their numbers."""
    style = Style(
        "currentColor", "currentColor", "#808890", cells, exact=False
    )  # grey lines show on white and on black
    drawn, width, height = _heads(attention, [layer], range(attention.shape[1]), style)
    fitted = f'role="img" aria-label="Attention of each head" style="width: {width}px; max-width: 100%; height: auto"'
    return _svg(width, height, fitted, style, drawn)


def _svg(width, height, attributes, style, inner):
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {attributes} viewBox="0 0 {width} {height}" '
        f'font-family="system-ui, sans-serif" font-size="14" fill="{style.ink}">{inner}</svg>'
    )


def _heads(attention, layers, heads, style):
    """The heads side by side; the width and height of all."""
    shown = [(layer, head) for layer in layers for head in heads]
    named = len(shown) <= FEW_HEADS
    side = 2 * SIDE if len(shown) == 1 else SIDE if named else SIDE / 2
    cell = min(46, side / max(attention.shape[2:]))
    size = min(12, cell) if named else 0
    left, top = (
        8 + 0.6 * size * max(len(token) for token in tokens)
        for tokens in (attention.query_tokens, attention.key_tokens)
    )
    top += 24
    wide, high = left + cell * attention.shape[3] + GAP, top + cell * attention.shape[2] + GAP
    whole = len(layers) > 1 and len(heads) > 1
    columns = len(heads) if whole else columns_of(len(shown))
    rows = -(-len(shown) // columns)
    width, height = (round(2 * MARGIN + count * step - GAP) for count, step in ((columns, wide), (rows, high)))
    weights = attention.weights[np.ix_(layers, heads)]  # [layer, head, query, key]
    drawn = _strongest(weights, style.cells).reshape(-1, *attention.shape[2:])  # [place, query, key]
    parts = [
        f'<g transform="translate({MARGIN + place % columns * wide:.2f} {MARGIN + place // columns * high:.2f})">'
        f"{_head(attention, *which, drawn[place], left, top, cell, size, style)}</g>"
        for place, which in enumerate(shown)
    ]
    return "".join(parts), width, height


def _strongest(weights, count):
    """Which weights a picture has room for: True for the strongest, for all where they are few."""
    drawn = np.ones(weights.size, bool)
    if weights.size > count:
        drawn[np.argpartition(np.abs(weights), -count, axis=None)[:-count]] = False
    return drawn.reshape(weights.shape)


def _head(attention, layer, head, drawn, left, top, cell, size, style):
    weights = attention.weights[layer, head]
    masked = np.zeros(weights.shape, bool) if attention.allowed is None else ~attention.allowed
    drawn = drawn & ~masked
    shares = tints_of(weights, full_of(attention, layer))
    cells = (_exact_cells if style.exact else _levels)(attention, weights, shares, drawn)
    below = "".join(f"M{key + 0.3:g} {query + 0.5:g}h.4" for query, key in np.argwhere(drawn & (weights < 0)))
    minus = f'<path d="{below}" stroke="{style.ink}" stroke-width="0.08"/>' if below else ""
    lines = "".join(f"M{key} {query + 1}L{key + 1} {query}" for query, key in np.argwhere(masked))
    hatched = f'<path d="{lines}" stroke="{style.line}" stroke-width="0.08" data-masked=""/>' if lines else ""
    title = attention.head_title(layer, head)
    queries, keys = weights.shape
    from_left, across = (left + cell * keys, -cell) if _runs_left(attention) else (left, cell)
    labels = _labels(attention, left, top, cell, size, style) if size else ""
    return (
        f'<text x="{left:.2f}" y="14" font-size="{14 if size else 11}" font-weight="600">{_text(title)}</text>{labels}'
        f'<rect x="{left:.2f}" y="{top:.2f}" width="{cell * keys:.2f}" height="{cell * queries:.2f}" '
        f'fill="none" stroke="{style.line}"/>'
        f'<g data-layer="{layer}" data-head="{head}" fill="{colour_of(attention.head_name(layer, head))}" '
        f'transform="translate({from_left:.2f} {top:.2f}) scale({across:.3f} {cell:.3f})">{cells}{minus}{hatched}</g>'
    )


def _exact_cells(attention, weights, shares, drawn):
    """A rectangle for each weight, which carries it."""
    return "".join(
        f'<rect x="{key}" y="{query}" width="1" height="1" fill-opacity="{DEPTH * shares[query, key]:.2f}"'
        f'{_sign(attention, weights[query, key])} data-query="{query}" data-key="{key}" '
        f'data-weight="{weights[query, key]!s}"/>'
        for query, key in np.argwhere(drawn)
    )


def _levels(attention, weights, shares, drawn):
    """A path for all weights that are tinted alike, in twenty levels."""
    levels = np.where(drawn, np.rint(20 * shares), 0) * np.where(weights < 0, -1, 1)
    parts = []
    for level in np.unique(levels[levels != 0]):
        squares = "".join(f"M{key} {query}h1v1h-1z" for query, key in np.argwhere(levels == level))
        parts.append(f'<path d="{squares}" fill-opacity="{DEPTH * abs(level) / 20:.2f}"{_sign(attention, level)}/>')
    return "".join(parts)


def _sign(attention, weight):
    return f' fill="{NUMBER_COLOURS["negative" if weight < 0 else "positive"]}"' if attention.kind == "signed" else ""


def _labels(attention, left, top, cell, size, style):
    queries, keys = (
        [_text(isolated(token)) for token in tokens] for tokens in (attention.query_tokens, attention.key_tokens)
    )
    rows = "".join(
        f'<text x="{left - 6:.2f}" y="{top + cell * (at + 0.5) + size / 3:.2f}" text-anchor="end">{token}</text>'
        for at, token in enumerate(queries)
    )
    columns = "".join(
        f'<text transform="translate({left + cell * (at + 0.5) + size / 3:.2f} {top - 5:.2f}) rotate(-90)">'
        f"{token}</text>"
        for at, token in enumerate(reversed(keys) if _runs_left(attention) else keys)
    )
    return f'<g fill="{style.soft}" font-size="{size:.1f}">{rows}{columns}</g>'


def _runs_left(attention):
    """Whether columns run from right to left, as the text does."""
    return direction_of(attention.key_tokens) == "rtl"


def _text(text):
    """Text for XML, which cannot hold control characters in any spelling."""
    return escape(re.sub("[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "\ufffd", text))
