"""A large map as a head model of a `HeadMap`: sentence by sentence, one of them opened into its words."""

from dataclasses import replace

from manyheads.reading.sentences import BY_ROWS, BY_SENTENCES, LONG, Holding, grouping_of

OPENS_NOT = (
    "The model is in pieces on several processes, which don't compute any more, so no sentence can be opened: make the "
    "map again with layers=[0], or with max_weights= as large as you like."
)


class LongMap:
    """A head model that knows a map by groups of tokens, and `computed(grouping)`, which makes it by others.

    The map has as many rows as there are groups that ask in its `grouping`.
    """

    def __init__(self, name, map, grouping, computed):
        self.name, self._computed = name, computed
        self.num_layers, self.num_heads = map.shape[:2]
        self._show(map, grouping)

    def __call__(self, sentence, head_mask=None):
        return self.map

    def open(self, place):
        """Opens the sentence that asks at a place of the map, and closes the one that was open; returns its new place.

        What is one token by itself stays as it is.
        """
        asking = self._grouping.asking()
        start = asking.starts[place]
        if start not in self._grouping.queries.starts or asking.sizes()[place] == 1:
            return place
        grouping = replace(self._grouping, open=start)
        self._show(self._computed(grouping), grouping)
        return grouping.asking().starts.index(start)

    def _show(self, map, grouping):
        by = BY_SENTENCES if grouping.queries == grouping.keys else BY_ROWS
        note = by.format(count=grouping.queries.count, shown=map.shape[2])
        self.map, self._grouping = replace(map, notes=(note, *map.notes)), grouping


def by_sentences(name, map):
    """The head model of a map that is held whole, shown by sentences."""
    grouping = grouping_of(map.key_tokens)

    def computed(grouping):
        holding = Holding(groups={len(map.key_tokens): grouping})
        names = grouping.asking().names(map.key_tokens)
        weights = holding.summed(map.weights)
        return replace(map, query_tokens=names, key_tokens=names, weights=weights, mask=None, value_norms=None)

    return LongMap(name, computed(grouping), grouping, computed)


def is_long(map):
    """Whether a map that is held whole is shown by sentences: at many places, which look at each other."""
    return map.shape[2] == map.shape[3] >= LONG and map.kind == "shares" and map.picture is None
