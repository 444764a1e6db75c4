"""What the colours of a shown map mean, in words. Twin of `legendOf` in `web/math/shown`."""

import numpy as np

from manyheads.maps.names import DECADES, FULL, LEGEND
from manyheads.maps.written import amount, percent


def legend_of(map, scale, layer, full=None):
    """What no colour and the full colour mean in a shown map: [from, to].

    `full` is the difference of two shares that has the full colour, where such are shown.

    >>> from manyheads.maps import AttentionMap
    >>> map = AttentionMap(["a"], ["a", "b"], [[[[0.25, 0.75]]]])
    >>> legend_of(map, "relative", 0)
    ['0', 'the largest weight of its row']
    """
    if full and scale != "relative":
        return [text.format(full=percent(full)) for text in LEGEND["difference"]]
    shares = map.kind in ("shares", "parts")
    name = scale if shares or scale == "relative" else "signed" if map.kind == "signed" else "amounts"
    full = percent(FULL) if shares else amount(np.abs(map.weights[layer]).max(initial=0))
    low, high = (text.format(full=full, least=f"{100 / 10**DECADES:g} %") for text in LEGEND[name])
    return [low, f"{high}, on a log scale" if scale == "log" and name in ("amounts", "signed") else high]
