"""A reader's own model, computed again: with heads off, or by groups of tokens where its map is large."""

from dataclasses import replace
from functools import cache, partial

import numpy as np

from manyheads.reading.bertviz_arguments import pretty
from manyheads.reading.other_tools import maps_of
from manyheads.reading.patches import tells_of_patches
from manyheads.reading.places import Reading, counted, reading_of
from manyheads.reading.seen import seen_by
from manyheads.reading.sentences import FEW, TOO_LARGE, Holding, TooMany, grouping_of
from manyheads.reading.sources import is_module, modules_among, named_of
from manyheads.reading.tokens_from import of_processor

FEWEST = 8  # groups


def maps_within(source, *tokens, most, **options):
    """The maps in a source, and how they're held: by groups of tokens, where they'd have more than `most` weights.

    >>> uniform = np.full((2, 3, 600, 600), 1 / 600)
    >>> maps, holding = maps_within(uniform, most=2**20)
    >>> maps[""].shape, len(holding.groups[600].asking())
    ((2, 3, 10, 10), 10)

    Raises as `maps_of`, and `ValueError` where even groups are too many.
    """
    holding = Holding(most=most)
    while True:
        try:
            return maps_of(source, *tokens, holding=holding, **options), holding
        except TooMany as many:
            names = partial(names_within, source, *tokens, **options)
            holding = grouped_more(holding, many.shapes, names)


def grouped_more(holding, shapes, names_of):
    """What is held, with groups of the tokens of as many axes as it takes, the longest first, and then with fewer.

    `shapes` are those of `TooMany`; `names_of(length=...)` names the tokens of an axis, and says which aren't padding.
    """
    lengths = sorted({length for _, *sides in shapes for length in sides if length >= FEW} - {*holding.groups})
    while not holding.allows(shapes):
        if lengths:
            more = {length: grouping_of(*names_of(length=length)) for length in [lengths.pop()]}
        else:
            most = max((len(one.queries) for one in holding.groups.values()), default=0) // 2
            if most < FEWEST:
                raise ValueError(TOO_LARGE.format(most=holding.most))
            more = {length: grouping_of(*names_of(length=length), most) for length in holding.groups}
        holding = replace(holding, groups=holding.groups | more)
    return holding


def names_within(source, tokens=None, query_tokens=None, *, length, **options):
    # -> names, the places that aren't padding or None
    """The names of the tokens along an axis of this length, as far as a source tells; else they're counted."""
    named, tokenizer, batch = {}, of_processor(options.get("tokenizer")), options.get("batch", 0)
    config = None
    if modules_among(source):
        named = named_of(source, options.get("inputs"))
        config = getattr(source, "config", None)
    if is_module(source):
        config = tells_of_patches(config, source)
    reading = reading_of(source, tokens, query_tokens, named, tokenizer, batch, options.get("attention_mask"))
    shape, grid = (1, 1, length, length), options.get("grid")
    found = [seen_by("", shape, reading, config, named, None, grid, batch).reading.tokens, reading.query_tokens]
    picture = seen_by("image", shape, Reading(), config, named, None, grid, batch)
    found.append(picture.reading.tokens)
    names = next((names for names in found if names is not None and len(names) == length), counted(length))
    ordered = picture.order if names is picture.reading.tokens else None
    names = pretty(names) if options.get("prettify_tokens", True) else names
    if ordered is not None:
        return [names[place] for place in ordered], ordered
    mask = next((mask for mask in (reading.mask, reading.decoder_mask) if np.shape(mask) == (length,)), None)
    if mask is None or mask.all():
        return names, None
    places = tuple(np.flatnonzero(mask).tolist())
    return [names[place] for place in places], places


def with_heads_off(name, source, *tokens, layers=None, part=None, **options):
    """What makes the map of this name again with heads off, a function of the mask; None where nothing computes it."""
    if not modules_among(source):
        return None
    key = (
        next((key for key in source if f"{name}, ".startswith(f"{key}, ")), None) if isinstance(source, dict) else None
    )
    module = source if key is None else source[key]
    if not is_module(module):
        return None
    if in_pieces(module):  # its other processes wouldn't compute
        return None
    part = name if key is None else name.removeprefix(str(key)).removeprefix(", ")

    inputs, batch = options.get("inputs"), options.get("batch", 0)

    @cache
    def heads():
        from manyheads.reading.heads_off import heads_of_layers

        return heads_of_layers(module, inputs, part, layers, batch)

    def again(head_mask):
        from manyheads.reading.heads_off import turned_off

        before = turned_off(module, inputs, heads(), head_mask)
        maps = maps_of(module, *tokens, layers=layers, part=part or None, before=before, **options)
        return maps[part]

    return again


def in_pieces(source):
    """Whether a source has modules that are in pieces on several processes."""
    if not modules_among(source):
        return False
    from manyheads.reading.clusters import is_sharded

    return any(map(is_sharded, [source] if is_module(source) else filter(is_module, source.values())))
