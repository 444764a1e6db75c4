"""Attentions as other tools hand them out, as attention maps: one call for all that `maps_of` knows.

`sources` takes apart what a tool hands out, `weights_from` makes the weights of a part, `places` and `seen` name what
asks and what is looked at.
"""

from dataclasses import replace
from functools import partial

import numpy as np

from manyheads.maps.attention_map import AttentionMap
from manyheads.reading.bertviz_arguments import pretty
from manyheads.reading.parts import alike, chosen_part, role
from manyheads.reading.places import grouped, placed, reading_in, reading_of
from manyheads.reading.seen import seen_by
from manyheads.reading.sentences import Holding
from manyheads.reading.sources import named_of, names_in_table, parts_of
from manyheads.reading.tokens_from import of_processor
from manyheads.reading.weights_from import are_steps, kind_of, picked, rows_to_one, weights_of

NO_PATCHES = "no part of this map looks at patches of the image: grid=(rows, columns) says how many there are"


def maps_of(
    source,
    tokens=None,
    query_tokens=None,
    *,
    inputs=None,
    part=None,
    batch=0,
    attention_mask=None,
    layers=None,
    layer_names=None,
    head_names=None,
    key_value_heads=None,
    normalised=True,
    prettify_tokens=True,
    tokenizer=None,
    value_norms=None,
    image=None,
    grid=None,
    predictions=None,
    notes=(),
    before=None,
    holding=Holding(),
):
    """The attention maps in what some tool computed, by name; "" where there is one alone. As `HeadMap.of` takes it.

    >>> import numpy as np
    >>> weights = np.full((2, 3, 4, 4), 1 / 4)
    >>> {name: map.shape for name, map in maps_of(weights, list("abcd")).items()}
    {'': (2, 3, 4, 4)}
    >>> list(maps_of({"before": weights, "after": weights}, list("abcd")))
    ['before', 'after']

    A module is called with `inputs`, which `asked` makes of texts. `notes` stand before those of each map. `before` is
    called with a module before it computes, and `holding` says what is held of the weights: see
    `of_module`.
    """
    tokenizer = of_processor(tokenizer)
    tokens = inputs if tokens is None and getattr(inputs, "is_fast", False) else tokens
    if tokens is None and query_tokens is None and hasattr(source, "columns"):
        tokens, query_tokens, source = names_in_table(source)
    named = named_of(source, inputs)
    holding = replace(holding, layers=None if layers is None else tuple(np.ravel(layers).tolist()))
    parts = parts_of(source, inputs, batch, before, holding)
    if not parts:  # another process has them
        return {}
    reading = reading_of(source, tokens, query_tokens, named, tokenizer, batch, attention_mask)
    runs = alike(parts, layers)
    wanted = chosen_part(runs, part)
    maps, refusals = {}, []
    for name, one in wanted.items():
        if isinstance(one, AttentionMap):
            heads = names_of_heads(one.shape[1], head_names, key_value_heads)
            maps[name] = chosen_of(one, layers, layer_names, heads)
            continue
        which, steps = role(name, runs), are_steps(one.layers)
        chosen = layers if name in parts else None
        windows = one.in_windows()  # before its layers are let go
        weights, names, more, full = weights_of(
            *(one.layers, which != "cross", batch, chosen, one.texts, holding, one.full and one.full[0], one.array)
        )
        read = reading_in(which, reading, [role(other, runs) for other in runs], full)
        seen = seen_by(which, (*weights.shape[:2], *full), read, one.config, named, image, grid, batch, windows)
        refusals += filter(None, [seen.refusal])
        sides = holding.sides(*full)
        by_groups = partial(grouped, full=full, sides=sides, readable=pretty if prettify_tokens else list)
        place = placed if sides == (None, None) else by_groups
        weights, kind, queries, keys, notes_on_rows = rows_of_part(
            *(weights, which, one, seen.reading, normalised, steps, place)
        )
        if place is placed:
            weights, queries, keys = seen.in_rows(weights, queries, keys)
        if prettify_tokens and place is placed:
            queries, keys = pretty(queries), pretty(keys)
        options = {
            "notes": tuple(dict.fromkeys((*notes, *one.notes, *more, *notes_on_rows, *seen.notes))),  # each once
            "kind": kind,
            "layer_names": names if layer_names is None else list(layer_names),
            "value_norms": norms_of_part(value_norms, layers, reading.mask, runs) if place is placed else None,
            "picture": seen.picture(len(queries), len(keys)) if place is placed else seen.picture_by(*sides),
        }
        if predictions is not None:
            options["predictions"] = predicted(predictions, source if one.output is None else one.output)
        heads = names_of_heads(weights.shape[1], head_names, key_value_heads)
        weights.flags.writeable = False  # the map holds it as it is
        maps[name] = AttentionMap(queries, keys, weights, heads, **options)
    if image is not None and not any(getattr(map, "picture", None) for map in maps.values()):
        raise ValueError(NO_PATCHES if not refusals else refusals[0])
    if grid is not None and refusals and len(refusals) == len(maps):
        raise ValueError(refusals[0])
    return maps


# --- Rows, heads, norms and answers of one part -------------------------------------------------------------------


def rows_of_part(weights, which, part, reading, normalised=True, steps=False, place=placed):  # [l, h, q, k]
    """Weights that an `AttentionMap` takes, their kind, the tokens that ask, those that are looked at, and notes.

    >>> from manyheads.reading.parts import Part
    >>> from manyheads.reading.places import Reading
    >>> weights, kind, *_ = rows_of_part(np.array([[[[0.5, 1.5]]]]), "", Part(()), Reading(), normalised=False)
    >>> kind
    'amounts'

    What's known of the model is told where they make no map: it may be why.
    """
    reasons = part.notes
    try:
        weights, queries, keys, notes = place(weights, which, part, reading, steps)
        reasons += notes
        weights, kind, more = rows_to_one(weights, part.sinks) if normalised else (weights, *kind_of(weights))
    except ValueError as error:
        raise ValueError(". ".join(map(str, (error, *reasons)))) from error
    return weights, kind, queries, keys, (*more, *notes)


def chosen_of(attention, layers=None, layer_names=None, head_names=None):
    """The chosen layers of a map, under these names where they are given.

    >>> attention = AttentionMap(["tea"], ["tea"], np.ones((3, 1, 1, 1)))
    >>> chosen_of(attention, layers=[2]).layer_names, chosen_of(attention, head_names=["only"]).head_names
    (['layer 3'], ['only'])
    """
    if head_names is not None:
        attention = replace(attention, head_names=head_names, named_layer=None)
    if layers is None:
        return attention if layer_names is None else replace(attention, layer_names=layer_names)
    numbers, named = picked(range(attention.shape[0]), layers), attention.named_layer
    if named is not None and named not in numbers:
        attention = replace(attention, head_names=None, named_layer=None)
    return replace(
        attention,
        weights=attention.weights[numbers],
        value_norms=None if attention.value_norms is None else attention.value_norms[numbers],
        layer_names=layer_names or [attention.layer_names[number] for number in numbers],
        named_layer=numbers.index(named) if named in numbers else None,
    )


def norms_of_part(norms, layers, mask, parts):
    """The `value_norms` of the chosen layers and the places that aren't padding.

    >>> norms_of_part(np.ones((6, 12, 4)), layers=[0, 5], mask=np.array([True, True, False, True]), parts=[""]).shape
    (2, 12, 3)
    """
    if norms is None:
        return None
    if len(parts) > 1:
        raise ValueError(f"value_norms are of one map; this makes {len(parts)}: {', '.join(parts)}")
    norms = np.asarray(norms)
    norms = norms if layers is None else norms[list(layers)]
    return norms[..., mask] if mask is not None and len(mask) == norms.shape[-1] else norms


def names_of_heads(count, head_names=None, key_value_heads=None):
    """Names of one's own, or of the group that shares keys and values, in grouped-query attention; None for neither.

    >>> names_of_heads(4, key_value_heads=2)
    ['group 1, head 1', 'group 1, head 2', 'group 2, head 3', 'group 2, head 4']
    """
    if head_names is not None:
        if key_value_heads is not None:
            raise ValueError("give head_names or key_value_heads, not both")
        return list(head_names)
    if key_value_heads is None:
        return None
    if not 1 <= key_value_heads <= count or count % key_value_heads:
        raise ValueError(f"key_value_heads must divide the {count} heads, got {key_value_heads}")
    return [f"group {head // (count // key_value_heads) + 1}, head {head + 1}" for head in range(count)]


def predicted(predictions, output):
    """What a function of one's own tells of a model's output, checked: {name: {label: probability}}.

    >>> predicted(lambda output: {"sentiment": {"good": np.float32(output)}}, 0.5)
    {'sentiment': {'good': 0.5}}
    """
    answers = predictions(output)
    try:
        return {
            str(name): {str(label): float(share) for label, share in answer.items()} for name, answer in answers.items()
        }
    except (AttributeError, TypeError, ValueError) as error:
        raise TypeError(
            "predictions must be a function from what the model returns to {name: {label: probability}}, "
            f"such as {{'sentiment': {{'good': 0.9, 'bad': 0.1}}}}; it gave {answers!r}"
        ) from error
