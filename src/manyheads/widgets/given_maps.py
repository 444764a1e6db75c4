"""The head models of a `HeadMap` of given attentions: each knows one map, and perhaps how to make it again."""

from dataclasses import replace

from manyheads.maps.sources import move_sources
from manyheads.reading.grouping import keep_apart, make_maps_within
from manyheads.reading.pipeline import make_maps
from manyheads.reading.request import WeakRequest, is_module
from manyheads.reading.sentences import BY_ROWS, BY_SENTENCES, LONG, Holding, grouping_of

GIVEN = "These are the attentions you gave."
OPENS = "A long text, sentence by sentence. Click one, and it opens into its words."
OPENS_NOT = (
    "The model is in pieces on several processes, which don't compute any more, so no sentence can be opened: make the "
    "map again with layers=[0], or with max_weights= as large as you like."
)
SWITCHES = "Your model computed this. Turn a head off, and it computes again without it."


class GivenMap:
    """A head model that knows one map, and perhaps how to make it `again` with heads off, a function of the mask.

    `passage` are the first and the last token of the text of which alone anything is held, None where all is.
    """

    status = SWITCHES

    measure = None  # the probability of an answer without each source, a function of the answer and the mask

    def __init__(self, name, attention, again=None, passage=None):
        self.name, self.map, self._again = name, attention, again
        self.num_layers, self.num_heads = attention.shape[:2]
        self.passage = passage
        self.asks = [] if again is None else ["head_mask"]  # what makes it again

    def __call__(self, sentence, head_mask=None):
        return self.map if head_mask is None or self._again is None else self._again(head_mask)


class LongMap(GivenMap):
    """A head model that knows a map by groups of tokens, one of which is opened, and `regroup`, which makes it again.

    The map has as many rows as there are groups that ask in its `grouping`.
    """

    status = OPENS

    def __init__(self, name, attention, grouping, regroup):
        super().__init__(name, attention)
        self.asks, self._regroup = ["query"], regroup
        self._show(attention, grouping)

    def open(self, place):
        """Opens the sentence that asks at a place of the map, and closes the one that was open; returns its new place.

        What is one token by itself stays as it is.
        """
        asking = self._grouping.asking()
        start = asking.starts[place]
        if start not in self._grouping.queries.starts or asking.sizes()[place] == 1:
            return place
        grouping = replace(self._grouping, open=start)
        self._show(self._regroup(grouping), grouping)
        return grouping.asking().starts.index(start)

    def _show(self, attention, grouping):
        by = BY_SENTENCES if grouping.queries == grouping.keys else BY_ROWS
        note = by.format(count=grouping.queries.count, shown=attention.shape[2])
        self.map, self._grouping = replace(attention, notes=(note, *attention.notes)), grouping


def give_maps(request, passage=None):
    """The head models of a request, one for each of its maps; a large one opens by sentences.

    >>> from manyheads.reading.request import Request
    >>> [model.name for model in give_maps(Request({"before": [[1]], "after": [[1]]}))]
    ['before', 'after']

    With a `passage`, first and last token, none does; of a large one nothing else is held.
    """
    maps, holding = make_maps_within(request, passage)
    long = (
        {name: group_map(name, attention, request, holding) for name, attention in maps.items()}
        if passage is None
        else {}
    )
    if any(long.values()):
        models = [long[name] or GivenMap(name, attention) for name, attention in maps.items()]
    else:
        models = [
            GivenMap(name, attention, compute_without_heads(name, request, holding), holding.passage)
            for name, attention in maps.items()
        ]
    if request.found:
        weak = WeakRequest(request)
        for model in models:
            if model.map.sources:
                model.measure = measuring(weak, [*model.map.sources])
    return models


def measuring(weak, names):
    """What measures the sources that a map has, which may be some of those that were named."""

    def measure(answer, head_mask):
        request = weak.get("no source can be masked")
        return measure_sources(replace(request, found={name: request.found[name] for name in names}), answer, head_mask)

    return measure


def measure_sources(request, answer, head_mask):
    """The probability of an answer with and without each source: see `manyheads.reading.hiding.measure`."""
    from manyheads.reading.hiding import measure  # needs torch

    return measure(request, answer, head_mask)


def group_map(name, attention, request, holding):
    """The head model of a large map, which opens its sentences; None of one that isn't large."""
    grouping = next((one for one in holding.groups.values() if len(one.asking()) == attention.shape[2]), None)
    if grouping is None:
        return group_whole_map(name, attention) if is_long(attention) else None

    weak, sharded = WeakRequest(request), in_pieces(request)

    def regroup(grouping):
        if sharded:
            raise ValueError(OPENS_NOT)
        request = weak.get("no sentence can be opened")
        length = next(length for length, one in holding.groups.items() if one.queries == grouping.queries)
        wider = Holding(groups=holding.groups | {length: grouping})
        return make_maps(replace(request, part=name or request.part, holding=wider))[name]

    return LongMap(name, attention, grouping, regroup)


def group_whole_map(name, attention):
    """The head model of a map that is held whole, shown by sentences."""

    def regroup(grouping):
        holding = Holding(groups={len(attention.key_tokens): grouping})
        names = grouping.asking().names(attention.key_tokens)
        weights = holding.summed(attention.weights)
        sources = move_sources(attention.sources, grouping.looked_at().numbers())
        named = {"query_tokens": names, "key_tokens": names, "sources": sources}
        return replace(attention, **named, weights=weights, mask=None, value_norms=None)

    grouping = grouping_of(attention.key_tokens)
    if attention.sources is not None:
        grouping = keep_apart(grouping, {name: one.places for name, one in attention.sources.items()})
    return LongMap(name, regroup(grouping), grouping, regroup)


def is_long(attention):
    """Whether a map that is held whole is shown by sentences: at many places, which look at each other."""
    return attention.shape[2] == attention.shape[3] >= LONG and attention.kind == "shares" and attention.picture is None


def compute_without_heads(name, request, holding):
    """What makes the map of this name again with heads off, a function of the mask; None where nothing computes it."""
    if request.reading is not None:

        def read_again(head_mask):
            model = request.reading.get("no head can be turned off")
            made = make_maps(replace(request, source=model(request.reading.text, head_mask=head_mask)))
            return made[name]

        return read_again
    if not request.modules:
        return None
    source, part = request.source, name
    if request.kind == "modules":
        key = next((key for key in source if f"{name}, ".startswith(f"{key}, ")), None)
        source, part = source.get(key), name.removeprefix(str(key)).removeprefix(", ")
    if not is_module(source) or in_pieces(request):  # its other processes wouldn't compute
        return None
    from manyheads.reading.heads_off import heads_of_layers, turn_off

    weak, heads = WeakRequest(replace(request, source=source, part=part or None)), {}

    def again(head_mask):
        one = weak.get("no head can be turned off")
        if not heads:
            heads.update(heads_of_layers(one.source, one.inputs, part, one.layers, one.batch, holding=holding))
        before = turn_off(one.source, one.inputs, heads, head_mask)
        return make_maps(replace(one, holding=holding, before=before))[part]

    return again


def in_pieces(request):
    """Whether a request's modules are in pieces on several processes."""
    if not request.modules:
        return False
    from manyheads.reading.clusters import is_sharded

    return any(map(is_sharded, request.modules))
