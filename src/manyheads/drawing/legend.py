"""What the colours of a drawn map mean, in words. Twin of `legendOf` in `web/math/shown.ts`, on the absolute scale."""

import numpy as np

from manyheads.shared.names import FULL, LEGEND
from manyheads.shared.numbers import amount, percent


def legend_of(attention, layer):
    """What no colour and the full colour mean in a layer of a map: [from, to].

    >>> from manyheads.maps import AttentionMap
    >>> legend_of(AttentionMap(["a"], ["a", "b"], [[[[1, 2]]]], kind="amounts"), 0)
    ['0', '2.00, the largest weight of the layer']
    """
    if attention.kind in ("shares", "parts"):
        return [text.format(full=percent(FULL)) for text in LEGEND["absolute"]]
    full = amount(np.abs(attention.weights[layer]).max(initial=0))
    return [text.format(full=full) for text in LEGEND[attention.kind]]
