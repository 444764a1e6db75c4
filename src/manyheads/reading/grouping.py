"""Maps that are too large to be held whole, made by groups of their tokens: sentences, or rows of patches."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
from tqdm.auto import tqdm

from manyheads.reading.parts import Part
from manyheads.reading.patches import tells_of_patches
from manyheads.reading.picture_places import find_patches
from manyheads.reading.pipeline import make_maps
from manyheads.reading.places import Text, count_places
from manyheads.reading.sentences import FEW, PASSAGE_TOO_LARGE, TOO_LARGE, Holding, TooMany, grouping_of, passage_of
from manyheads.reading.token_names import pretty
from manyheads.reading.weights import Weighed

FEWEST = 8  # groups
PATIENCE = 2  # seconds before a bar shows how far it is
BAR = "Reading a long text: {percentage:3.0f}%|{bar}| {elapsed}<{remaining}"


def make_maps_within(request, passage=None):  # -> {name: map}, Holding
    """The maps of a request, and how they're held where they'd have more than its `max_weights`: by groups of tokens.

    >>> from manyheads.reading.request import Request
    >>> request = Request(np.full((2, 3, 600, 600), 1 / 600), max_weights=2**20)
    >>> maps, holding = make_maps_within(request)
    >>> maps[""].shape, len(holding.groups[600].asking())
    ((2, 3, 10, 10), 10)

    Of a `passage`, first and last token, nothing else is held then:

    >>> make_maps_within(request, passage=(10, 20))[0][""].shape
    (2, 3, 11, 11)

    Raises as `make_maps`, and `ValueError` where even these are too many.
    """
    holding, count = Holding(most=request.max_weights), None
    while True:
        try:
            with show_progress(count) as bar:
                return make_maps(replace(request, holding=replace(holding, advance=bar.update))), holding
        except TooMany as many:
            name = partial(name_axis, request)
            if passage is None:
                holding = group_more(holding, many.shapes, name, request)
            else:
                holding = hold_passage(holding, many.shapes, name, passage)
            count = sum(map(math.prod, many.shapes))


def show_progress(count):
    """A bar that says how far it is with so many weights, where they take longer than `PATIENCE`; None for no bar."""
    return tqdm(total=count, bar_format=BAR, delay=PATIENCE, leave=False, disable=count is None)


def group_more(holding, shapes, name_axis, request):
    """What is held, with groups of the tokens of as many axes as it takes, the longest first, and then with fewer.

    `shapes` are those of `TooMany`; `name_axis(length)` names the tokens of an axis, and says which aren't padding.
    Sources of the request are kept apart.
    """
    named = {} if not request.found or request.text.tokens is None else {len(request.text.tokens): request.found}

    def group(length, most=None):
        names, places = name_axis(length)
        grouping = grouping_of(names, places, most)
        if length not in named:
            return grouping
        return keep_apart(grouping, move_places(named[length], places))

    lengths = sorted({length for _, *sides in shapes for length in sides if length >= FEW} - {*holding.groups})
    while not holding.allows(shapes):
        if lengths:
            more = {length: group(length) for length in [lengths.pop()]}
        else:
            most = max((len(one.queries) for one in holding.groups.values()), default=0) // 2
            if most < FEWEST:
                raise ValueError(TOO_LARGE.format(most=holding.most))
            more = {length: group(length, most) for length in holding.groups}
        holding = replace(holding, groups=holding.groups | more)
    return holding


def move_places(found, places):
    """Sources by the numbers of tokens without padding, where these stand at some `places` among all."""
    if places is None:
        return found
    numbers = {place: number for number, place in enumerate(places)}
    return {name: [numbers[place] for place in of if place in numbers] for name, of in found.items()}


def keep_apart(grouping, found):
    """Groups that no source shares with what stands beside it; the last of them, which asks, is open."""
    bounds = {end for places in found.values() for end in (places[0], places[-1] + 1)}
    queries = grouping.queries.parted(bounds)
    return replace(grouping, queries=queries, keys=grouping.keys.parted(bounds), open=queries.starts[-1])


def hold_passage(holding, shapes, name_axis, passage):
    """What is held of tokens `passage`, first and last: these alone. `shapes` and `name_axis` are as above."""
    groups = {}
    for length in {keys for _, _, keys in shapes}:
        names, places = name_axis(length)
        groups[length] = passage_of(len(names), places, *passage)
    holding = replace(holding, groups=groups, passage=passage)
    if not holding.allows(shapes):
        raise ValueError(PASSAGE_TOO_LARGE.format(count=holding.count(shapes), most=holding.most))
    return holding


def name_axis(request, length):  # -> names, the places that aren't padding or None
    """The names of the tokens along an axis of this length, as far as a source tells; else they're counted."""
    config = None
    if request.kind == "module":
        config = tells_of_patches(getattr(request.source, "config", None), request.source)
    text, unseen, weighed = (
        request.text,
        replace(request, image=None),
        Weighed(Part({}, config=config), None, (length, length)),
    )
    image = replace(weighed, part=replace(weighed.part, name="image", among=("image",)))
    of_text, of_picture = find_patches(unseen, weighed, text), find_patches(unseen, image, Text())
    found = (of_text.tokens, text.query_tokens, of_picture.tokens)
    lengths = (length, length + hasattr(request.source, "sequences"))  # one more, which was written and not read
    names = next((names for names in found if names is not None and len(names) in lengths), count_places(length))
    ordered = of_picture.order if names is of_picture.tokens else None
    names = pretty(names[:length])
    if ordered is not None:
        return [names[place] for place in ordered], ordered
    mask = next((mask for mask in (text.mask, text.decoder_mask) if np.shape(mask) == (length,)), None)
    if mask is None or mask.all():
        return names, None
    places = tuple(np.flatnonzero(mask).tolist())
    return [names[place] for place in places], places
