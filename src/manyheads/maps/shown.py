"""A map as its reader chose to see it. Twin of `web/math/shown.js`."""

from dataclasses import dataclass

import numpy as np

from manyheads.maps.attention_map import AttentionMap
from manyheads.maps.choosing import left_out, noted, received, sinks_of, strongest, taken, unspecial, without_sinks
from manyheads.maps.names import CHOICES, FORMER_NAMES
from manyheads.maps.tokens import word_starts
from manyheads.maps.written import percent

USUAL = {name: values[0] for name, values in CHOICES.items()}


@dataclass(frozen=True)
class Shown:
    """A map as it is shown, and the places that its tokens have in the map that was computed."""

    map: AttentionMap
    queries: list[int]
    keys: list[int]

    def row_of(self, query, tokens):
        """The row of a token of the computed map; of a piece of a word, that of the word; the first if it is not shown.

        >>> tokens = ["hot", "un", "##tea"]
        >>> map = AttentionMap(tokens, tokens, [[[[1, 0, 0]] * 3]])
        >>> shown_map(map, {"pieces": "merge"}).row_of(2, tokens)
        1
        """
        if query in self.queries:
            return self.queries.index(query)
        if query >= len(tokens):
            return 0
        start = max((place for place in word_starts(tokens) if place <= query), default=0)
        return self.queries.index(start) if start in self.queries else 0


def shown_map(map, chosen, layers=None, head_mask=None):
    """The map as chosen: {name: value}, of `CHOICES` and top, first, last; what is left out is as usual.

    >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.25, 0.75], [0.5, 0.5]]]])
    >>> shown_map(map, {"special": "remove"}).map.key_tokens
    ['tea']

    Notes describe the `layers` that are looked at, else all. `head_mask`, [head] or [layer, head], is False for heads
    that are off, which the mean of the heads leaves out.
    """
    chosen = {**USUAL, **{name: FORMER_NAMES.get(value, value) for name, value in chosen.items() if value is not None}}
    alike = map.query_tokens == map.key_tokens
    shown = _mixed(map, chosen, alike, head_mask)
    queries, keys = list(range(shown.shape[2])), list(range(shown.shape[3]))
    shares = received(map) if chosen["sinks"] == "hide" and map.kind == "shares" else None  # of what was computed
    if chosen["pieces"] == "merge":
        queries, keys = word_starts(shown.query_tokens), word_starts(shown.key_tokens)
        shown = shown.merge_pieces()
        shares = None if shares is None else np.add.reduceat(shares, keys)
    if shares is not None:
        sinks = sinks_of(shown.key_tokens, shares)
        shown = without_sinks(shown, shares)
        if shown.shape[3] < len(keys):
            keys = [place for at, place in enumerate(keys) if at not in sinks]
    if chosen["special"] == "remove":
        kept = unspecial(shown.query_tokens), unspecial(shown.key_tokens)
        shown = shown.without_special()
        if all(kept):
            queries, keys = [queries[at] for at in kept[0]], [keys[at] for at in kept[1]]
    shown, queries, keys = _between(shown, queries, keys, chosen, map, alike, layers)
    if chosen.get("top"):
        shown = strongest(shown, chosen["top"], layers)
    if chosen["scale"] != USUAL["scale"]:
        shown = noted(shown, chosen["scale"])
    return Shown(shown, queries, keys)


def _mixed(map, chosen, alike, head_mask):
    if chosen["layers"] == "rollout" and alike and map.kind == "shares":
        return map.rollout()
    return map.average(head_mask) if chosen["heads"] == "average" else map


def _between(shown, queries, keys, chosen, map, alike, layers):
    """The tokens from `first` to `last`, places in the computed map: of both sides where they are the same."""
    count = len(map.key_tokens)
    first = min(chosen.get("first", 0), count - 1)
    last = max(min(chosen.get("last", count - 1), count - 1), first)
    query_rows = [at for at, place in enumerate(queries) if first <= place <= last or not alike]
    key_columns = [at for at, place in enumerate(keys) if first <= place <= last]
    if (first, last) == (0, count - 1) or not (query_rows and key_columns):
        return shown, queries, keys
    part = taken(shown, query_rows, key_columns)
    span = {"first": first + 1, "last": last + 1, "count": count}
    if map.kind == "shares":
        outside = left_out(shown.weights[:, :, query_rows], part.weights, layers)
        part = noted(part, "between", share=percent(outside), **span)
    else:
        part = noted(part, "betweenAny", **span)
    return part, [queries[at] for at in query_rows], [keys[at] for at in key_columns]
