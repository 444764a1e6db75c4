"""`HeadMap.of`: any attentions as attention maps, in five stages that stand here in their order.

read     what was given is made ready: inputs of a text or a picture, tokens of a table
parts    the layers that a source hands out, or is seen to compute, as parts by name: each becomes a map
weights  the layers of a part as one array
places   the tokens that these weights are between, without padding; the patches of a picture
map      all of it as an `AttentionMap`
"""

from dataclasses import replace

import numpy as np

from manyheads.maps.attention_map import AttentionMap
from manyheads.maps.choosing import between, cut
from manyheads.reading.answers import choose_answer
from manyheads.reading.outputs import parts_of_cache, parts_of_layers, parts_of_output, parts_of_weights, read_table
from manyheads.reading.parts import choose_part, find_role, group_alike
from manyheads.reading.picture_places import NO_PATCHES, UNKNOWN_GRID, find_patches, lay_over
from manyheads.reading.places import is_causal, place_groups, place_tokens, read_text, text_in_part
from manyheads.reading.sentences import Holding
from manyheads.reading.token_names import pads_among, pretty, tokenizer_in
from manyheads.reading.tokenizing import make_inputs
from manyheads.reading.weights import are_steps, gather_weights, leave_rows, pick_layers, scale_rows

ASK_MODEL = (
    ". The model itself knows where its picture is: HeadMap.of(model, inputs=dict(inputs, input_ids=output.sequences), "
    "...), with the inputs that generate had"
)
WHOLE = (None, None)  # neither queries nor keys are in groups
PADS = "{places} padding, {token}, by the tokenizer: {how} leaves padding out."
NO_INPUTS = (
    "HeadMap.of({}, ...) needs inputs, what the module is called with; or a text and tokenizer=, the model's own; or "
    "image= and its processor as tokenizer="
)
NOT_HELD = "The others aren't held, because all would make more than {most:,} weights: max_weights= allows more."
NO_ATTENTIONS = (
    "a {} has no place for attentions: its model has none to give, as state-space models don't, or it is a hybrid that "
    "gives them elsewhere"
)


def make_maps(request, holding=Holding(), before=None):
    """The attention maps of a request that was `read`, by name; "" where there is one alone.

    >>> from manyheads.reading.request import Request
    >>> weights = np.full((2, 3, 4, 4), 1 / 4)
    >>> {name: map.shape for name, map in make_maps(read(Request(weights, list("abcd")))).items()}
    {'': (2, 3, 4, 4)}
    >>> list(make_maps(read(Request({"before": weights, "after": weights}, list("abcd")))))
    ['before', 'after']

    `before` is called with a module before it computes, and `holding` says what is held of the weights: see
    `parts_of_module`. None are made where another process has them.
    """
    holding = replace(holding, layers=None if request.layers is None else tuple(np.ravel(request.layers).tolist()))
    parts = take_parts(request, holding, before)
    if not parts:
        return {}
    runs = group_alike(parts, request.layers)
    roles = {name: find_role(name, runs) for name in runs}
    inputs = name_inputs(request)
    text = read_text(request, inputs)
    maps, refusals = {}, []
    for name, part in choose_part(runs, request.part).items():
        if isinstance(part, AttentionMap):
            chosen = choose_from_map(part, request)
            maps[name] = chosen if request.image is None else lay_over(chosen, request.image, request.grid)
            continue
        in_windows = part.in_windows()  # before its layers are let go
        chosen = request.layers if name in parts else None
        weights = gather_weights(part, roles[name] != "cross", request.batch, chosen, holding)
        here = text_in_part(roles[name], text, [*roles.values()], weights.full)
        causal = request.grid is not None and (part.decodes or are_steps(part.layers) or is_causal(weights.array))
        patches = find_patches(roles[name], weights.full, here, part, inputs, request, in_windows, causal)
        refusals += [patches.refusal] * (patches.refusal is not None)
        sides = holding.sides(*weights.full)
        placed = place_weights(request, part, weights, roles[name], patches, sides)
        if sides == WHOLE:
            norms, picture = choose_norms(request, placed.kept, runs), patches.picture(placed)
        else:
            norms, picture = None, patches.picture_of_groups(*sides)
        made = make_map(request, part, placed, weights.layer_names, norms, picture)
        maps[name] = made if holding.passage is None else cut_to_passage(made, holding, sides[1])
    refuse_without_patches(request, maps, refusals)
    return maps


# --- Read ---------------------------------------------------------------------------------------------------------


def read(request):
    """The request made ready: a module with inputs, made of a text or a picture; a table as its names and numbers."""
    request = make_inputs(replace(request, source=unwrap(request.source)))
    if request.tokens is None and getattr(request.inputs, "is_fast", False):
        request = replace(request, tokens=request.inputs)
    if request.kind == "table" and request.tokens is None and request.query_tokens is None:
        tokens, query_tokens, weights = read_table(request.source)
        request = replace(request, source=weights, tokens=tokens, query_tokens=query_tokens)
    return choose_answer(replace(request, tokenizer=tokenizer_in(request.tokenizer)))


def unwrap(source):
    """The module within one of nnsight; all else as it is."""
    return getattr(source, "_module", source) if type(source).__module__.startswith("nnsight") else source


def name_inputs(request):
    """The inputs by the names that the module gives them, or by their own."""
    if request.inputs is None or not request.modules:
        return dict(request.inputs) if hasattr(request.inputs, "keys") else {}
    from manyheads.reading.arguments import name_arguments

    return name_arguments(request.modules[0], request.inputs)


# --- Parts --------------------------------------------------------------------------------------------------------


def take_parts(request, holding=Holding(), before=None):
    """The parts of what a source hands out, or is seen to compute, each with its name: the maps that will be.

    >>> from manyheads.reading.request import Request
    >>> list(take_parts(Request({"mine": np.ones((1, 1)), "theirs": np.ones((1, 1))})))
    ['mine', 'theirs']
    """
    kind, source = request.kind, request.source
    if kind == "module":
        if request.inputs is None:
            raise TypeError(NO_INPUTS.format(type(source).__name__))
        from manyheads.reading.modules import parts_of_module

        return parts_of_module(source, request.inputs, request.batch, before, holding)
    if request.inputs is not None and kind not in ("modules", "output"):
        raise TypeError(f"inputs are what a torch module is called with; got {type(source).__name__} for the module")
    if kind in ("modules", "named"):
        return take_named_parts(request, holding, before)
    if kind == "map":
        return {"": getattr(source, "attention", source)}
    if kind == "output":
        return parts_of_output(source, request.batch)
    if kind == "empty":
        raise ValueError(NO_ATTENTIONS.format(type(source).__name__))
    if kind == "cache":
        return parts_of_cache(source)
    return parts_of_layers(source) if kind == "layers" else parts_of_weights(source)


def take_named_parts(request, holding, before):
    """The parts of several sources by names of one's own."""
    parts = {}
    for key, source in request.source.items():
        one = replace(request, source=unwrap(source))
        found = take_parts(one if one.kind == "module" else replace(one, inputs=None), holding, before)
        parts |= {f"{key}, {name}".removesuffix(", "): part for name, part in found.items()}
    return parts


# --- Places -------------------------------------------------------------------------------------------------------


def place_weights(request, part, weights, which, patches, sides):  # -> Placed
    """The weights of a part of this role between tokens, as an `AttentionMap` takes them: `sides` are in groups.

    What's known of the model is told where they make no map: it may be why.
    """
    reasons, steps = part.notes, are_steps(part.layers)
    try:
        if sides == WHOLE:
            placed = place_tokens(weights.array, which, part, patches.text, steps)
        else:
            placed = place_groups(weights, which, part, patches.text, steps, sides)
        reasons += placed.notes
        if request.normalised:
            array, kind, notes = scale_rows(placed.weights, part.sinks, of_module=bool(request.modules))
        else:
            array, kind, notes = leave_rows(placed.weights)
    except ValueError as error:
        raise ValueError(f"{error}. {' '.join(reasons)}".rstrip(". ")) from error
    notes = (*request.notes, *part.notes, *weights.notes, *notes, *placed.notes, *patches.notes)
    notes += note_pads(placed.keys, request) if sides == WHOLE else ()
    placed = replace(placed, weights=array, kind=kind, notes=tuple(dict.fromkeys(notes)))  # each once
    if sides == WHOLE:
        placed = patches.in_rows(placed)
        placed = replace(placed, queries=pretty(placed.queries), keys=pretty(placed.keys))
    return placed


def note_pads(tokens, request):
    """A note on places that are padding by their names, and are shown all the same."""
    count = pads_among(tokens, request.tokenizer)
    if count == 0:
        return ()
    how = "an attention_mask among the inputs" if request.modules else "attention_mask="
    places = f"{count} places are" if count > 1 else "1 place is"
    return (PADS.format(places=places, token=request.tokenizer.pad_token, how=how),)


# --- Map ----------------------------------------------------------------------------------------------------------


def make_map(request, part, placed, layer_names, norms, picture):
    """The map of a part, by its weights and their places."""
    options = {
        "notes": placed.notes,
        "kind": placed.kind,
        "layer_names": layer_names if request.layer_names is None else list(request.layer_names),
        "value_norms": norms,
        "picture": picture,
    }
    if request.predictions is not None:
        options["predictions"] = predict(request.predictions, request.source if part.output is None else part.output)
    heads = name_heads(placed.weights.shape[1], request.head_names, request.key_value_heads)
    placed.weights.flags.writeable = False  # the map holds it as it is
    return AttentionMap(placed.queries, placed.keys, placed.weights, heads, **options)


def cut_to_passage(map, holding, looked_at):
    """A map that holds what a passage looks at in groups, without what lies outside."""
    start, end = between(*holding.passage, looked_at.count)
    before = int(start > 0)
    part = cut(map, slice(None), slice(before, before + end - start), (start, end, looked_at.count))
    return replace(part, notes=(*part.notes, NOT_HELD.format(most=holding.most)))


def choose_from_map(attention, request):
    """A map that was given, with its chosen layers, under these names where they are given.

    >>> from manyheads.reading.request import Request
    >>> attention = AttentionMap(["tea"], ["tea"], np.ones((3, 1, 1, 1)))
    >>> choose_from_map(attention, Request(attention, layers=[2])).layer_names
    ['layer 3']
    >>> choose_from_map(attention, Request(attention, head_names=["only"])).head_names
    ['only']
    """
    head_names = name_heads(attention.shape[1], request.head_names, request.key_value_heads)
    if head_names is not None:
        attention = replace(attention, head_names=head_names, named_layer=None)
    if request.layers is None:
        return attention if request.layer_names is None else replace(attention, layer_names=request.layer_names)
    numbers, named = pick_layers(range(attention.shape[0]), request.layers), attention.named_layer
    if named is not None and named not in numbers:
        attention = replace(attention, head_names=None, named_layer=None)
    return replace(
        attention,
        weights=attention.weights[numbers],
        value_norms=None if attention.value_norms is None else attention.value_norms[numbers],
        layer_names=request.layer_names or [attention.layer_names[number] for number in numbers],
        named_layer=numbers.index(named) if named in numbers else None,
    )


def choose_norms(request, kept, parts):
    """The `value_norms` of the chosen layers and of the keys that are left of the model's, None for all.

    >>> from manyheads.reading.request import Request
    >>> request = Request(None, layers=[0, 5], value_norms=np.ones((6, 12, 4)))
    >>> choose_norms(request, [0, 1, 3], parts=[""]).shape
    (2, 12, 3)
    """
    if request.value_norms is None:
        return None
    if len(parts) > 1:
        raise ValueError(f"value_norms are of one map; this makes {len(parts)}: {', '.join(parts)}")
    norms = np.asarray(request.value_norms)
    norms = norms if request.layers is None else norms[list(request.layers)]
    return norms if kept is None or norms.shape[-1] == len(kept) else norms[..., kept]


def name_heads(count, head_names=None, key_value_heads=None):
    """Names of one's own, or of the group that shares keys and values, in grouped-query attention; None for neither.

    >>> name_heads(4, key_value_heads=2)
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


def predict(predictions, output):
    """What a function of one's own tells of a model's output, checked: {name: {label: probability}}.

    >>> predict(lambda output: {"sentiment": {"good": np.float32(output)}}, 0.5)
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


def refuse_without_patches(request, maps, refusals):
    """Refuse an image, or a grid of its patches, where no map looks at any."""
    written = ASK_MODEL if hasattr(request.source, "sequences") else ""
    if request.image is not None and not any(map.picture for map in maps.values()):
        if request.grid is not None:
            refusals = [*refusals, f"{NO_PATCHES}, as their names say: {', '.join(maps)}"]
        raise ValueError((refusals[0] if refusals else UNKNOWN_GRID) + written)
    if request.grid is not None and refusals and len(refusals) == len(maps):
        raise ValueError(refusals[0] + written)
