"""Attention maps as matplotlib pictures: for print, for papers, and for pages without scripts."""

import math

import numpy as np

from manyheads.drawing.thumbnails import pool
from manyheads.shared.names import NUMBER_COLOURS, OFF_COLOUR

MOST_POINTS = 1024  # along a side of a picture; of more tokens, some share a point
FEW_TOKENS = 14  # up to so many, numbers fit into the cells of one head, and tokens beside small pictures
# From paper to ink with even steps of lightness (OKLab, Ottosson 2020), so that equal differences look equal to every
# eye, in grey print too. It has no hue, since a picture is of any head.
PAPER, INK = (1.0, 0.0, 0.0), (0.25, -0.003, -0.012)
LETTERS_TURN = 0.58  # of the largest weight: black letters can be read on what is lighter, white ones on the rest

TO_CONES = np.array(
    [[1, 1, 1], [0.3963377774, -0.1055613458, -0.0894841775], [0.2158037573, -0.0638541728, -1.2914855480]]
)
TO_LINEAR = np.array(
    [
        [4.0767416621, -1.2684380046, -0.0041960863],
        [-3.3077115913, 2.6097574011, -0.7034186147],
        [0.2309699292, -0.3413193965, 1.7076147010],
    ]
)


def ink():
    """The colours of the pictures as a matplotlib colormap: white for 0, nearly black for 1.

    >>> ink().N, (255 * ink().colors[0]).round().astype(int).tolist()
    (256, [255, 255, 255])
    """
    from matplotlib.colors import ListedColormap

    return ListedColormap(srgb(np.linspace(PAPER, INK, 256)), "ink")


def two_inks():
    """The colours of weights of both signs as a matplotlib colormap: white for 0, teal below, brown above.

    >>> below, above = two_inks()(0.0), two_inks()(1.0)
    >>> bool(below[2] > below[0]), bool(above[0] > above[2])
    (True, True)
    """
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list(
        "two inks", [NUMBER_COLOURS["negative"], "white", NUMBER_COLOURS["positive"]]
    )


def srgb(lab):  # [..., 3] -> [..., 3]
    """Colours of OKLab as sRGB, 0 to 1.

    >>> srgb(np.array([1.0, 0.0, 0.0])).round(3).tolist()
    [1.0, 1.0, 1.0]
    """
    linear = ((lab @ TO_CONES) ** 3 @ TO_LINEAR).clip(0, 1)
    return np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1 / 2.4) - 0.055).clip(0, 1)


def plot(attention, layer=None, head=None, *, axes=None, size=None):
    """Draw one head, all heads of one layer, one head of all layers, or all: see `AttentionMap.plot`."""
    from matplotlib.figure import Figure

    layers, heads = choose("layer", layer, attention.shape[0]), choose("head", head, attention.shape[1])
    whole = len(layers) > 1 and len(heads) > 1
    one = len(layers) == len(heads) == 1
    if axes is not None:
        if not one:
            raise ValueError(f"axes have room for one head, got {len(layers)} layers x {len(heads)} heads: name both")
        _draw(axes, attention, layers[0], heads[0], large=True)
        return axes.figure
    columns = len(heads) if whole else columns_of(len(layers) * len(heads))
    rows = -(-len(layers) * len(heads) // columns)
    side = min(max(3.2, 0.42 * max(attention.shape[2:]) + 1.4), 12) if one else 9
    height = side if one else 9 * rows / columns * attention.shape[2] / attention.shape[3] + 0.7
    figure = Figure(figsize=size or (side, height), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False).ravel()
    for place, panel in enumerate(grid):
        at, index = divmod(place, len(heads))
        if place >= len(layers) * len(heads):
            panel.set_axis_off()
            continue
        edges = {"left": not whole and place % columns == 0, "below": not whole and place + columns >= len(grid)}
        image = _draw(panel, attention, layers[at], heads[index], large=one, **edges)
        if whole:
            titled = at == 0 or attention.named_layer is not None  # then a column has no name of its own
            panel.set_title(_literal(attention.head_name(layers[at], heads[index])) if titled else "", fontsize=7)
            panel.set_ylabel(_literal(attention.layer_names[layers[at]]) if index == 0 else "", fontsize=7)
    if whole:
        figure.supxlabel(_literal(" ".join(attention.key_tokens[:40])), fontsize=8)
    figure.colorbar(image, ax=list(grid), shrink=0.6, aspect=30, label="attention weight")
    return figure


def choose(name, index, count):
    """The places that an index means, all for None; raises for one that does not exist."""
    if index is None:
        return range(count)
    if not isinstance(index, (int, np.integer)) or isinstance(index, bool):
        raise TypeError(f"{name} must be a whole number or None, got {index!r}")
    if not 0 <= index < count:
        raise ValueError(f"{name} must be from 0 to {count - 1}, got {index}")
    return [int(index)]


def columns_of(count):
    """How many small pictures stand beside each other: 4, 3 or 5, whichever leaves no gap."""
    return next((columns for columns in (4, 3, 5) if count % columns == 0), min(count, 4))


def _draw(axes, attention, layer, head, *, large, left=True, below=True):
    weights = attention.weights[layer, head]
    shares = attention.kind in ("shares", "parts")
    most = 1 if shares else max(attention.weights.max(initial=0), -attention.weights.min(initial=0)) or 1
    least, colours = (-most, two_inks()) if attention.kind == "signed" else (0, ink())
    queries, keys = weights.shape
    points, edges = pool(weights[None], MOST_POINTS)[0], (-0.5, keys - 0.5, queries - 0.5, -0.5)
    image = axes.imshow(points, cmap=colours, vmin=least, vmax=most, interpolation="nearest", extent=edges)
    few = max(weights.shape) <= FEW_TOKENS
    size = 9 if large and few else 7 if large else 5.5
    sides = (attention.query_tokens, axes.yaxis, left), (attention.key_tokens, axes.xaxis, below)
    for (tokens, axis, wanted), step in zip(sides, _steps(axes, weights.shape, size)):
        ticks = range(0, len(tokens), step) if wanted and (large or few) else ()
        axis.set_ticks(ticks, [_literal(tokens[tick]) for tick in ticks])
    axes.tick_params(length=0, labelsize=size)
    axes.tick_params(axis="x", rotation=90)
    axes.set_title(
        _literal(f"{attention.layer_names[layer]}, {attention.head_name(layer, head)}"),
        fontsize=10 if large else 7,
        pad=4,
    )
    if large:
        axes.set(xlabel="looked at (key)", ylabel="asks (query)")
    if large and few:
        for (query, key), weight in np.ndenumerate(weights):
            if abs(weight) >= 0.005 * most:
                colour = "white" if attention.kind != "signed" and weight > LETTERS_TURN * most else "black"
                text = f"{weight:.2f}".lstrip("0") if shares else f"{weight:.2g}".replace("-", "\u2212")
                axes.text(key, query, text, ha="center", va="center", fontsize=6.5, color=colour)
    for spine in axes.spines.values():
        spine.set(color=OFF_COLOUR, linewidth=0.5)
    return image


def _steps(axes, counts, size):
    """Every how many-th row and column is named, so that letters of this size stand apart; alike in a square."""
    window, inch = axes.get_window_extent(), axes.figure.dpi
    points = (72 * side / inch for side in (window.height, window.width))
    steps = [max(1, math.ceil(1.3 * size * count / max(side, 1))) for count, side in zip(counts, points)]
    return [max(steps)] * 2 if counts[0] == counts[1] else steps


def _literal(text):
    """A token as it is: `$` starts a formula in matplotlib."""
    return text.replace("$", r"\$")
