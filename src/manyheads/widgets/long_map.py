"""A long text as a head model of a `HeadMap`: sentence by sentence, one of them opened into its words."""

from dataclasses import replace

from manyheads.maps.sentences import BY_SENTENCES, LONG, sentences_of


class LongMap:
    """A head model that knows the map of one long text, by groups of its tokens.

    `computed(groups)` makes the map by groups; it's called anew when a sentence is opened.
    """

    def __init__(self, name, tokens, computed):
        self.name, self._tokens, self._computed = name, tokens, computed
        self._sentences = self._groups = sentences_of(tokens)
        self._compute()

    def __call__(self, sentence, head_mask=None):
        return self.map

    def open(self, place):
        """Opens the sentence at a place of the map, and closes the one that was open; returns its new place."""
        start = self._groups.starts[place]
        if start not in self._sentences.starts or self._tokens_at(place) == 1:
            return place
        sentence = self._sentences.starts.index(start)
        self._groups = self._sentences.opened(sentence)
        self._compute()
        return sentence

    def _tokens_at(self, place):
        return [*self._groups.starts[1:], self._groups.count][place] - self._groups.starts[place]

    def _compute(self):
        map = self._computed(self._groups)
        note = BY_SENTENCES.format(count=len(self._tokens), shown=map.shape[2])
        self.map = replace(map, notes=(note, *map.notes))
        self.num_layers, self.num_heads = map.shape[:2]


def by_groups(map):
    """What makes the map of a long text by groups of its tokens, from the map of its words."""

    def computed(groups):
        names = groups.names(map.key_tokens)
        return replace(
            map,
            query_tokens=names,
            key_tokens=names,
            weights=groups.summed(map.weights),
            mask=None,
            value_norms=None,
        )

    return computed


def is_long(map):
    """Whether a map is shown by sentences: it looks at itself, at many places."""
    return map.shape[2] == map.shape[3] >= LONG and map.kind == "shares"
