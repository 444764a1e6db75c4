"""`HeadMap.of`: any attentions as attention maps, each stage made of the one before.

read        what was given is made ready: inputs of a text or a picture, tokens of a table
take_parts  the layers that a source hands out, or is seen to compute, as a `Part` for each map
weigh       `Part -> Weighed`: the layers of a part as one array
place       `Weighed -> Placed`: the tokens that these weights are between, without padding; the patches of a picture
make_map    `Placed -> AttentionMap`
"""

from dataclasses import dataclass, replace

import numpy as np

from manyheads.maps.attention_map import AttentionMap
from manyheads.maps.choosing import between, cut
from manyheads.maps.picture import Picture, move_picture
from manyheads.reading.answers import choose_answer, prompt_of
from manyheads.reading.outputs import parts_of_cache, parts_of_layers, parts_of_output, parts_of_weights, read_table
from manyheads.reading.parts import choose_part, group_alike
from manyheads.reading.picture_places import NO_PATCHES, UNKNOWN_GRID, find_patches, lay_over
from manyheads.reading.places import place_groups, place_tokens, text_in_part
from manyheads.reading.seconds import frame_of, name_seconds
from manyheads.reading.sources import NOT_READ, find_sources, let_read, place_sources
from manyheads.reading.token_names import pads_among, pretty, tokenizer_in
from manyheads.reading.tokenizing import make_inputs
from manyheads.reading.weights import Weighed, leave_rows, pick_layers, scale_rows, weigh

ASK_MODEL = (
    ". The model itself knows where its picture is: HeadMap.of(model, inputs=dict(inputs, input_ids=output.sequences), "
    "...), with the inputs that generate had; or give them here, as inputs=, with its processor as tokenizer="
)
WHOLE = (None, None)  # neither queries nor keys are in groups
PADS = "{places} padding, {token}, by the tokenizer: {how} leaves padding out."
NO_INPUTS = (
    "HeadMap.of({}, ...) needs inputs, what the module is called with; or a text and tokenizer=, the model's own; or "
    "image= and its processor as tokenizer="
)
NOT_HELD = "The others aren't held, because all would make more than {most:,} weights: max_weights= allows more."
SOURCES_LOST = "These sources aren't held whole, so nothing is told of them: {names}."
ALL_LOST = "of the tokens from first= to last=, which alone are held, none make up a whole source: choose others"
ANSWER = "What the model wrote begins with token {number}, {token!r}."
NO_ATTENTIONS = (
    "a {} has no place for attentions: its model has none to give, as state-space models don't, or it is a hybrid that "
    "gives them elsewhere"
)


def make_maps(request):
    """The attention maps of a request that was `read`, by name; "" where there is one alone.

    >>> from manyheads.reading.request import Request
    >>> weights = np.full((2, 3, 4, 4), 1 / 4)
    >>> {name: map.shape for name, map in make_maps(read(Request(weights, list("abcd")))).items()}
    {'': (2, 3, 4, 4)}
    >>> list(make_maps(read(Request({"before": weights, "after": weights}, list("abcd")))))
    ['before', 'after']

    None are made where another process has them.
    """
    request = replace(request, holding=request.holding.of_layers(request.layers))
    maps, refusals = {}, []
    for name, part in choose_part(group_alike(take_parts(request), request.layers), request.part).items():
        if isinstance(part, AttentionMap):
            attention = lay_over(request, choose_from_map(request, part))
            sources = place_sources(request, attention.shape[3])
            maps[name] = replace(attention, sources=sources) if sources else attention
            continue
        placed = place(request, weigh(request, part))
        refusals += [placed.refusal] * (placed.refusal is not None)
        maps[name] = make_map(request, placed)
    refuse_without_patches(request, maps, refusals)
    if request.found and maps and not any(attention.sources for attention in maps.values()):
        raise ValueError(NOT_READ)
    return maps


# --- Read ---------------------------------------------------------------------------------------------------------


def read(request):
    """The request made ready: a module with inputs, made of a text or a picture; a table as its names and numbers."""
    given, batch = request.tokens if request.inputs is None else None, request.batch
    request = make_inputs(let_read(replace(request, source=unwrap(request.source))))
    if request.tokens is None and getattr(request.inputs, "is_fast", False):
        request = replace(request, tokens=request.inputs)
    if request.kind == "table" and request.tokens is None and request.query_tokens is None:
        tokens, query_tokens, weights = read_table(request.source)
        request = replace(request, source=weights, tokens=tokens, query_tokens=query_tokens)
    frame, tokenizer = frame_of(request.tokenizer), tokenizer_in(request.tokenizer)
    tokenizer = None if frame and tokenizer is request.tokenizer else tokenizer  # a feature extractor names no tokens
    request = choose_answer(replace(request, tokenizer=tokenizer, processor=request.tokenizer, frame=frame))
    return request if request.sources is None else replace(request, found=find_sources(request, given, batch))


def unwrap(source):
    """The module within one of nnsight; all else as it is."""
    return getattr(source, "_module", source) if type(source).__module__.startswith("nnsight") else source


# --- Parts --------------------------------------------------------------------------------------------------------


def take_parts(request):
    """The parts of what a source hands out, or is seen to compute, each with its name: the maps that will be.

    >>> from manyheads.reading.request import Request
    >>> list(take_parts(Request({"mine": np.ones((1, 1)), "theirs": np.ones((1, 1))})))
    ['mine', 'theirs']
    """
    kind, source = request.kind, request.source
    if request.inputs is not None and kind not in ("module", "modules", "output"):
        raise TypeError(f"inputs are what a torch module is called with; got {type(source).__name__} for the module")
    return TAKE[kind](request)


def take_from_module(request):
    """The parts of a module, as it's seen to compute."""
    if request.inputs is None:
        raise TypeError(NO_INPUTS.format(type(request.source).__name__))
    from manyheads.reading.modules import parts_of_module

    return parts_of_module(request.source, request.inputs, request.batch, request.before, request.holding)


def refuse_empty(request):
    """Refuse what has no place for attentions."""
    raise ValueError(NO_ATTENTIONS.format(type(request.source).__name__))


def take_named_parts(request):
    """The parts of several sources by names of one's own."""
    parts = {}
    for key, source in request.source.items():
        one = replace(request, source=unwrap(source))
        found = take_parts(one if one.kind == "module" else replace(one, inputs=None))
        parts |= {f"{key}, {name}".removesuffix(", "): part for name, part in found.items()}
    return parts


TAKE = {  # by the kind of source
    "module": take_from_module,
    "modules": take_named_parts,
    "map": lambda request: {"": getattr(request.source, "attention", request.source)},
    "output": lambda request: parts_of_output(request.source, request.batch),
    "empty": refuse_empty,
    "table": lambda request: parts_of_weights(request.source),
    "cache": lambda request: parts_of_cache(request.source),
    "layers": lambda request: parts_of_layers(request.source),
    "named": take_named_parts,
    "weights": lambda request: parts_of_weights(request.source),
}


# --- Places -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Placed:
    """A part with its weights between tokens, as an `AttentionMap` takes them."""

    weighed: Weighed
    weights: np.ndarray  # [layer, head, query, key]
    queries: list
    keys: list
    kind: str
    notes: tuple
    picture: Picture | None
    norms: np.ndarray | None
    refusal: str | None  # why there's no picture
    answer_start: int | None = None
    sources: dict | None = None


def place(request, weighed):  # Weighed -> Placed
    """The weights of a part between its tokens, or its groups of these.

    What's known of the model is told where they make no map: it may be why.
    """
    part, sides = weighed.part, request.holding.sides(*weighed.full)
    text = text_in_part(request.text, part, weighed.full)
    read, sources = text.sides(part.role)[1], None
    text = find_patches(request, weighed, text)
    text = name_seconds(request, part, weighed.full[1] - len(part.keys_after), text)
    reasons = part.notes
    try:
        found = place_tokens(weighed, text) if sides == WHOLE else place_groups(weighed, text, sides)
        reasons += found.notes
        if request.normalised:
            weights, kind, notes = scale_rows(found.weights, part.sinks, of_module=bool(request.modules))
        else:
            weights, kind, notes = leave_rows(found.weights)
    except ValueError as error:
        raise ValueError(f"{error}. {' '.join(reasons)}".rstrip(". ")) from error
    notes = (*request.notes, *part.notes, *weighed.notes, *notes, *found.notes, *text.notes)
    queries, keys, norms = found.queries, found.keys, None
    if sides == WHOLE:
        notes += note_pads(keys, request)
        if text.order is not None:  # of patches, row after row
            weights = weights[:, :, text.order][..., text.order]
            queries, keys = ([names[place] for place in text.order] for names in (queries, keys))
        queries, keys, norms = pretty(queries), pretty(keys), choose_norms(request, found.kept, part.among)
    left = found.left(*weighed.full)
    picture, answer_start = text.picture and move_picture(text.picture, *left), None
    prompt = prompt_of(request, part)
    if prompt in left[1] and left[1][0] != prompt:  # of groups, those that are one token have a place
        answer_start = [*left[1]].index(prompt)
        notes += (ANSWER.format(number=answer_start + 1, token=keys[answer_start]),)
    notes = tuple(dict.fromkeys(notes))  # each once
    if read is not None and len(read) - part.steps <= weighed.full[1] <= len(read) and read == request.text.tokens:
        sources = place_sources(request, weighed.full[1], found.kept if sides[1] is None else None, sides[1])
    return Placed(weighed, weights, queries, keys, kind, notes, picture, norms, text.refusal, answer_start, sources)


def note_pads(tokens, request):
    """A note on places that are padding by their names, and are shown all the same."""
    count = pads_among(tokens, request.tokenizer)
    if count == 0:
        return ()
    how = "an attention_mask among the inputs" if request.modules else "attention_mask="
    places = f"{count} places are" if count > 1 else "1 place is"
    return (PADS.format(places=places, token=request.tokenizer.pad_token, how=how),)


# --- Map ----------------------------------------------------------------------------------------------------------


def make_map(request, placed):  # Placed -> AttentionMap
    """The map of a part, by its weights and their places; without what lies outside a passage that's held alone."""
    weighed, holding = placed.weighed, request.holding
    part, options = weighed.part, {}
    if request.predictions is not None:
        options["predictions"] = predict(request.predictions, request.source if part.output is None else part.output)
    placed.weights.flags.writeable = False  # the map holds it as it is
    attention = AttentionMap(
        placed.queries,
        placed.keys,
        placed.weights,
        name_heads(placed.weights.shape[1], request.head_names, request.key_value_heads),
        notes=placed.notes,
        kind=placed.kind,
        layer_names=weighed.layer_names if request.layer_names is None else list(request.layer_names),
        value_norms=placed.norms,
        picture=placed.picture,
        answer_start=placed.answer_start,
        sources=placed.sources,
        **options,
    )
    if holding.passage is None:
        return attention
    looked_at = holding.sides(*weighed.full)[1]
    start, end = between(*holding.passage, looked_at.count)
    before = int(start > 0)
    held = cut(attention, slice(None), slice(before, before + end - start), (start, end, looked_at.count))
    notes = (*held.notes, NOT_HELD.format(most=holding.most))
    if attention.sources is not None:
        whole = {name: one for name, one in (held.sources or {}).items() if one.tokens == len(request.found[name])}
        lost = [name for name in attention.sources if name not in whole]
        notes += (SOURCES_LOST.format(names=", ".join(lost)),) if lost else ()
        if not whole:
            raise ValueError(ALL_LOST)
        held = replace(held, sources=whole)
    return replace(held, notes=notes)


def choose_from_map(request, attention):
    """A map that was given, with its chosen layers, under these names where they are given.

    >>> from manyheads.reading.request import Request
    >>> attention = AttentionMap(["tea"], ["tea"], np.ones((3, 1, 1, 1)))
    >>> choose_from_map(Request(attention, layers=[2]), attention).layer_names
    ['layer 3']
    >>> choose_from_map(Request(attention, head_names=["only"]), attention).head_names
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


def choose_norms(request, kept, names):
    """The `value_norms` of the chosen layers and of the keys that are left of the model's, None for all.

    >>> from manyheads.reading.request import Request
    >>> request = Request(None, layers=[0, 5], value_norms=np.ones((6, 12, 4)))
    >>> choose_norms(request, [0, 1, 3], names=("",)).shape
    (2, 12, 3)
    """
    if request.value_norms is None:
        return None
    if len(names) > 1:
        raise ValueError(f"value_norms are of one map; this makes {len(names)}: {', '.join(names)}")
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
    if request.image is not None and not any(attention.picture for attention in maps.values()):
        if request.grid is not None:
            refusals = [*refusals, f"{NO_PATCHES}, as their names say: {', '.join(maps)}"]
        raise ValueError((refusals[0] if refusals else UNKNOWN_GRID) + written)
    if request.grid is not None and refusals and len(refusals) == len(maps):
        raise ValueError(refusals[0] + written)
