"""The parts of a model that look at a picture: the names of its patches, and the picture beneath the weights."""

import math
from dataclasses import replace

from manyheads.reading.parts import Part
from manyheads.reading.patches import (
    PatchGrid,
    grid_among,
    image_token_of,
    in_blocks,
    pair_of,
    patch_grid,
    picture_from,
    sees_patches,
    side_of_merged,
)
from manyheads.reading.picture_runs import Run, are_counted, grid_of_names, run_by_grid, run_by_model, runs_of, tiles_of
from manyheads.reading.places import Text, count_places, is_causal, note_counted
from manyheads.reading.request import Request
from manyheads.reading.token_names import array_of_ids, ids_in, row_of
from manyheads.reading.weights import Weighed

OF_TEXTS = ("", "text", "decoder")  # the parts that may read a text with a picture in it
RESAMPLERS = ("qformer_config", "perceiver_config")  # of models whose text gets what queries make of the patches
KEEPS_CLS = "vision_feature_select_strategy"  # "full" where the text gets a `[CLS]` before the patches
NO_PATCHES = "no part of this map looks at patches of the image"
UNKNOWN_GRID = f"{NO_PATCHES}: grid=(rows, columns) says how many there are"
RESAMPLED = "the text gets what queries make of the patches, so none of its places is one of them"
UNFILLED = "grid={grid} is {patches} patches, but the picture has {count} places in the text, and a grid fills them all"
UNNAMED = (
    "grid={grid} is {patches} patches, and which of the {count} places of this text they are isn't known: tokens=, or "
    "ids and their tokenizer=, tell, by the token that stands for a patch"
)
UNLIKE = "the model looks at {places} places for a text of {count} ids: which of them are the picture's isn't known"
BLOCKS = "The model reads patches in blocks of {side} x {side}: here they stand row after row."


def find_patches(request, weighed, text):  # -> Text
    """The text of a part, or its patches, by what its model reads.

    Patches may be the keys alone, where a `[CLS]` asks, or what pools. In windows, none are told. What's causal reads a
    text.
    """
    part, full, named, which = weighed.part, weighed.full, request.named, weighed.part.role
    run = run_in_text(request, weighed, text)
    if run is not None:
        return _patches_in_text(request, weighed, text, run)
    config, pixels = part.config, pixels_of(named, request.batch)
    if weighed.in_windows or not looks_at_patches(which, config, named, request.grid):
        return text
    windowed = hasattr(getattr(config, "vision_config", None), "window_size")  # in an order of its own
    flat = grid_among(named, request.batch) if pixels is None and not windowed else None
    found, refusal = _grid_of(config, full[1], request.grid, pixels, flat)
    if found is None and request.grid is not None and not are_counted(text.tokens):
        found = _grid_by_names(text.tokens, request.grid)
    if found is None:
        return replace(text, refusal=refusal)
    names, order, notes = found.names, None, ()
    side = side_of_merged(config)
    if flat == (found.rows, found.columns) and side > 1:
        order, notes = in_blocks(*flat, side), (BLOCKS.format(side=side),)
        names = [name for _, name in sorted(zip(order, names))]  # as the model has them
    asks_itself = full[0] == full[1] and which != "cross"
    if text.tokens is None:
        text, more = name_patches(text, names, None if asks_itself else full[0])
        notes += more
    text = replace(text, notes=notes, order=order)
    if request.image is None:
        return text
    start = len(found.special)
    asks = start if asks_itself else None
    picture, more = picture_from(request.image, found.rows, found.columns, start, asks, pixels=pixels)
    return replace(text, picture=picture, notes=(*notes, *more))


def run_in_text(request, weighed, text):
    """Where a part has the picture of its text, as a `Run`; None where it isn't seen to read a text with a picture.

    The model's configuration tells by the ids that it reads; without it, a `grid` does, by ids or by names.
    """
    part, full, named, which = weighed.part, weighed.full, request.named, weighed.part.role
    if which not in OF_TEXTS:
        return None
    texts, seen = ids_of_texts(named, request), sees_patches(part.config)
    ids = None if texts is None else row_of(texts, request.batch)
    resampled = any(getattr(part.config, name, None) is not None for name in RESAMPLERS)
    if ids is not None and seen and not resampled:
        return run_by_model(ids, part.config, tiles_of(named, request.batch, len(texts) if texts.ndim > 1 else 1))
    if request.grid is None or (ids is None and (seen or named)):
        return None
    if resampled:
        return Run(refusal=RESAMPLED)
    _, tokens = text.sides(which)
    known = next((values for values in (ids, tokens) if not are_counted(values)), None)
    if known is not None:
        return run_by_grid(known, request.grid)
    if full[1] == math.prod(pair_of("grid", request.grid)) or not reads_text(weighed):
        return None
    rows, columns = request.grid
    return Run(refusal=UNNAMED.format(grid=(rows, columns), patches=rows * columns, count=full[1]))


def reads_text(weighed):
    """Whether a part is seen to read a text, from the first word to the last."""
    part, array = weighed.part, weighed.array
    return array is not None and (part.decodes or part.steps or is_causal(array))


def ids_of_texts(named, request):
    """The ids that `generate` wrote, or those of the inputs, of all texts; None for none."""
    ids = getattr(request.source, "sequences", None)
    ids = ids_in(named) if ids is None else ids
    return None if ids is None else array_of_ids(ids)


def _patches_in_text(request, weighed, text, run):
    """A text that has a picture in it, as a `Run` says."""
    part, full, named = weighed.part, weighed.full, request.named
    found, refusal = (None, run.refusal) if run.places is None else _grid_in_run(run, part, named, request)
    places = None if found is None else run.places[len(found.special) :]
    queries, keys = full[0], full[1] - len(part.keys_after)
    before = part.keys_before(queries, keys)
    if found is not None and run.count not in (queries, keys, keys + 1):  # one more, where it wasn't read any more
        refusal = UNLIKE.format(places=keys, count=run.count)
    if refusal is not None:
        note = f"{refusal[0].upper()}{refusal[1:]}."
        return replace(text, notes=(note,) * (request.image is None), refusal=refusal)
    start = places.start + (before if run.count == queries else 0)
    if text.tokens is not None:
        at = start if len(text.tokens) == keys else places.start
        text = replace(text, tokens=name_run(text.tokens, range(at, at + len(places)), found))
    if request.image is None:
        return text
    asks = start - before if before <= start and start - before + len(places) <= queries else None
    pixels = pixels_of(named, request.batch)
    picture, notes = picture_from(request.image, found.rows, found.columns, start, asks, pixels=pixels)
    return replace(text, picture=picture, notes=notes)


def name_run(tokens, places, grid):
    """The tokens of a text with the names of patches where one token stands for all of them.

    >>> name_run(["<s>", "<image>", "<image>", "tea"], range(1, 3), PatchGrid(1, 2))
    ['<s>', ' patch 1,1', ' patch 1,2', 'tea']
    >>> name_run(["<s>", "left", "right"], range(1, 3), PatchGrid(1, 2))
    ['<s>', 'left', 'right']

    Each begins with a space, so that merging word pieces leaves them alone.
    """
    if len(set(tokens[places.start : places.stop])) > 1:
        return tokens
    names = [f" {name}" for name in replace(grid, special=()).names]
    return [*tokens[: places.start], *names, *tokens[places.stop :]]


def _grid_in_run(run, part, named, request):  # -> PatchGrid or None, why there is none
    """The grid of patches that fills a run of a text; with a `[CLS]` before them where the model keeps that."""
    texts, token = ids_of_texts(named, request), image_token_of(part.config)
    earlier = texts[: request.batch].tolist() if token is not None and texts.ndim > 1 else []
    given = grid_among(named, sum(len(runs_of(ids, token)) for ids in earlier))
    count = len(run.places)
    found, refusal = _grid_of(part.config, count, request.grid, pixels_of(named, request.batch), given)
    if found is None or not found.special or getattr(part.config, KEEPS_CLS, None) == "full":
        return found, refusal
    rows, columns = found.rows, found.columns
    return None, UNFILLED.format(grid=(rows, columns), patches=rows * columns, count=count)


def lay_over(request, attention):
    """A map that was made before, laid over the picture whose patches its keys are; the tokens keep their names.

    >>> import numpy as np
    >>> from manyheads.maps.attention_map import AttentionMap
    >>> names = ["[CLS]", "patch 1,1", "patch 1,2", "patch 1,3"]
    >>> attention = AttentionMap(names, names, np.full((1, 1, 4, 4), 1 / 4))
    >>> picture = lay_over(Request(attention, image=np.zeros((8, 12), np.uint8)), attention).picture
    >>> picture.columns, picture.key_start
    (3, 1)
    """
    names, text = attention.key_tokens, Text(attention.key_tokens)
    if request.image is None:
        return attention
    grid = grid_of_names(names) if request.grid is None else request.grid
    if grid is None:
        raise ValueError(UNKNOWN_GRID)
    weighed = Weighed(Part({}), attention.weights, attention.shape[2:])
    found = find_patches(Request(attention, image=request.image, grid=grid), weighed, text)
    if found.refusal is not None:
        raise ValueError(found.refusal)
    asks_itself = attention.query_tokens == names
    picture = found.picture if asks_itself else replace(found.picture, query_start=None)
    return replace(attention, picture=picture, notes=(*attention.notes, *found.notes))


def _grid_by_names(names, grid):
    """The grid of patches after places with these names; None where they don't tell."""
    run = run_by_grid(names, grid)
    if run.places is None or run.places.stop < len(names):
        return None
    return PatchGrid(*grid, tuple(names[: run.places.start]))


def _grid_of(config, count, grid, pixels, given):  # -> PatchGrid or None, why there is none
    try:
        return patch_grid(config, count, grid, None if pixels is None else tuple(pixels.shape[-2:]), given), None
    except ValueError as error:
        return None, str(error)


def name_patches(text, names, queries=None):
    """What is known of tokens where these are the names of the keys, and a note; `queries` is how many others ask."""
    text = replace(text, tokens=names, mask=None)
    if queries is None or text.query_tokens is not None:
        return text, ()
    if queries == 1 and "[CLS]" in names:
        return replace(text, query_tokens=["[CLS]"]), ()
    return replace(text, query_tokens=count_places(queries)), (note_counted("query_tokens"),)


def looks_at_patches(which, config, named, grid=None):
    """Whether a part of this role may look at the patches of a picture, by what its model reads.

    >>> from types import SimpleNamespace
    >>> config = SimpleNamespace(patch_size=14)
    >>> looks_at_patches("blocks", config, {}), looks_at_patches("text", config, {})
    (True, False)
    """
    if not sees_patches(config) and grid is None:
        return False
    tower, *_ = which.split(", ")
    if which == "cross":  # a text that has an encoder of its own asks that, and no picture
        return ids_in(named) is None or ids_in(named, decoder=True) is None
    return tower == "image" or (ids_in(named) is None and tower not in ("text", "audio", "decoder"))


def pixels_of(named, batch):
    """The pixels among inputs that are of one of its pictures, [channel, height, width]; None where there are none."""
    pixels = next((value for value in named.values() if _are_pixels(value)), None)
    return None if pixels is None else pixels[min(batch, len(pixels) - 1)]


def _are_pixels(value):
    return (
        getattr(value, "ndim", 0) == 4 and "float" in str(getattr(value, "dtype", "")) and value.shape[1] in (1, 3, 4)
    )
