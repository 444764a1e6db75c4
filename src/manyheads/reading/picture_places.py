"""The parts of a model that look at a picture: the names of its patches, and the picture beneath the weights."""

import math
from dataclasses import replace

from manyheads.maps.picture import unless_in_order
from manyheads.reading.parts import Part
from manyheads.reading.patches import (
    PatchGrid,
    grid_among,
    in_blocks,
    pair_of,
    patch_grid,
    picture_from,
    sees_patches,
    side_of_merged,
)
from manyheads.reading.picture_runs import (
    Found,
    are_counted,
    config_of_reader,
    find_by_grid,
    find_by_model,
    grid_of_names,
)
from manyheads.reading.picture_sheet import draw, images_in, lay_out
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
ONE_ALONE = "this looks at one picture, and image= has {count}: give one of them, as in image=pixels[0]"
UNLIKE = "the model looks at {places} places for a text of {count} ids: which of them are the picture's isn't known"
BLOCKS = "The model reads patches in blocks of {side} x {side}: here they stand row after row."


def find_patches(request, weighed, text):  # -> Text
    """The text of a part, or its patches, by what its model reads.

    Patches may be the keys alone, where a `[CLS]` asks, or what pools. In windows, none are told. What's causal reads a
    text.
    """
    part, full, named, which = weighed.part, weighed.full, request.named, weighed.part.role
    in_text = find_in_text(request, weighed, text)
    if in_text is not None:
        return _patches_in_text(request, weighed, text, in_text)
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
    start, images = len(found.special), images_in(request.image)
    asks = start if asks_itself else None
    if len(images) > 1:
        return replace(text, refusal=ONE_ALONE.format(count=len(images)))
    picture, more = picture_from(images[0], found.rows, found.columns, start, asks, pixels=pixels)
    return replace(text, picture=picture, notes=(*notes, *more))


def find_in_text(request, weighed, text):
    """Where a part has the pictures of its text, as `Found`; None where it isn't seen to read a text with a picture.

    The model's configuration tells by the ids that it reads, or the processor by those that were written; without
    either, a `grid` does, by ids or by names.
    """
    part, full, named, which = weighed.part, weighed.full, request.named, weighed.part.role
    if which not in OF_TEXTS:
        return None
    texts, config = ids_of_texts(named, request), config_of(request, part)
    ids, seen = None if texts is None else row_of(texts, request.batch), sees_patches(config)
    resampled = any(getattr(config, name, None) is not None for name in RESAMPLERS)
    if ids is not None and seen and not resampled:
        return find_by_model(ids, config, named, request.batch, len(texts) if texts.ndim > 1 else 1)
    if request.grid is None or (ids is None and (seen or named)):
        return None
    if resampled:
        return Found(refusal=RESAMPLED)
    _, tokens = text.sides(which)
    known = next((values for values in (ids, tokens) if not are_counted(values)), None)
    if known is not None:
        return find_by_grid(known, request.grid, len(images_in(request.image)))
    if full[1] == math.prod(pair_of("grid", request.grid)) or not reads_text(weighed):
        return None
    rows, columns = request.grid
    return Found(refusal=UNNAMED.format(grid=(rows, columns), patches=rows * columns, count=full[1]))


def config_of(request, part):
    """What tells of the pictures in a part's text: its model's configuration; or of what was written, a processor."""
    texts = getattr(request.source, "sequences", None)
    if part.config is not None or texts is None:
        return part.config
    return config_of_reader(request.processor, request.named, row_of(array_of_ids(texts), request.batch))


def reads_text(weighed):
    """Whether a part is seen to read a text, from the first word to the last."""
    part, array = weighed.part, weighed.array
    return array is not None and (part.decodes or part.steps or is_causal(array))


def ids_of_texts(named, request):
    """The ids that `generate` wrote, or those of the inputs, of all texts; None for none."""
    ids = getattr(request.source, "sequences", None)
    ids = ids_in(named) if ids is None else ids
    return None if ids is None else array_of_ids(ids)


def _patches_in_text(request, weighed, text, found):
    """A text that has pictures in it, as `Found` says."""
    part, full, images = weighed.part, weighed.full, images_in(request.image)
    grids, names, blocks, refusal = [], [], [], found.refusal
    queries, keys = full[0], full[1] - len(part.keys_after)
    before = part.keys_before(queries, keys)
    try:
        grids = [_grid_in(piece, config_of(request, part), request.grid) for piece in found.pieces]
        if grids and found.count not in (queries, keys, keys + 1):  # one more, where it wasn't read any more
            refusal = UNLIKE.format(places=keys, count=found.count)
        blocks, names, notes = lay_out(found.pieces, grids, images) if grids else ([], [], ())
    except ValueError as error:
        refusal = str(error)
    if refusal is not None:
        note = f"{refusal[0].upper()}{refusal[1:]}."
        return replace(text, notes=(note,) * (request.image is None), refusal=refusal)
    after = before if found.count == queries else 0  # how far the keys are after the places of the text
    places = [piece.places[len(grid.special) :] for piece, grid in zip(found.pieces, grids)]
    if text.tokens is not None:
        tokens, shift = text.tokens, after if len(text.tokens) == keys else 0
        for run, grid, name in zip(places, grids, names):
            tokens = name_run(tokens, [place + shift for place in run], grid, name)
        text = replace(text, tokens=tokens)
    if not images:
        return text
    first, last = min(map(min, places)), max(map(max, places))
    start = first + after
    asks = start - before if before <= start and last + after - before < queries else None
    if blocks:
        return replace(text, picture=draw(blocks, first, start, asks), notes=notes)
    ((piece,), (grid,)) = found.pieces, grids
    pixels = pixels_of(request.named, request.batch) if piece.pixels is None else piece.pixels
    picture, notes = picture_from(images[0], grid.rows, grid.columns, start, asks, pixels=pixels)
    cells = unless_in_order(tuple(place - first for place in places[0]))
    return replace(text, picture=replace(picture, places=cells), notes=notes)


def name_run(tokens, places, grid, piece=""):
    """The tokens of a text with the names of patches where one token stands for all of them.

    >>> name_run(["<s>", "<image>", "<image>", "tea"], range(1, 3), PatchGrid(1, 2), piece="picture 2")
    ['<s>', ' picture 2, patch 1,1', ' picture 2, patch 1,2', 'tea']
    >>> name_run(["<s>", "left", "right"], range(1, 3), PatchGrid(1, 2))
    ['<s>', 'left', 'right']

    Each begins with a space, so that merging word pieces leaves them alone.
    """
    if len({tokens[place] for place in places}) > 1:
        return tokens
    named, before = list(tokens), f" {piece}, " if piece else " "
    for place, name in zip(places, replace(grid, special=()).names):
        named[place] = before + name
    return named


def _grid_in(piece, config, grid):  # -> PatchGrid
    """The grid of patches that fills a piece; with a `[CLS]` before them where the model keeps that."""
    count, size = len(piece.places), None if piece.pixels is None else tuple(piece.pixels.shape[-2:])
    found = patch_grid(config, count, grid, size, piece.grid)
    if found.special and getattr(config, KEEPS_CLS, None) != "full":
        rows, columns = found.rows, found.columns
        raise ValueError(UNFILLED.format(grid=(rows, columns), patches=rows * columns, count=count))
    return found


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
    pieces = find_by_grid(names, grid).pieces
    if not pieces or pieces[0].places[-1] < len(names) - 1:
        return None
    return PatchGrid(*grid, tuple(names[: pieces[0].places[0]]))


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
