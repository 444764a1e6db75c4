"""Where a text, or a map that was given, has the patches of its pictures: in pieces, each a picture, a tile or a frame.

A processor writes one token as often as the pictures have patches. The model's configuration knows which token that is,
and its inputs how many of them are of each piece; what a processor tells does instead, for what `generate` wrote.
Without either, a grid of patches tells, by the one run that it fills. It has to fill it: where a picture is read in
tiles, or with ends of lines, a smaller grid would fit as well, and lie beside the patches.
"""

import math
from dataclasses import dataclass
from itertools import groupby
from types import SimpleNamespace
from typing import Any

from manyheads.reading.answers import text_of_answer
from manyheads.reading.patches import TOO_MANY, PatchGrid, image_token_of, pair_of
from manyheads.reading.places import count_places
from manyheads.reading.sentences import BEFORE_PATCHES, PATCH
from manyheads.reading.token_names import array_of_ids, ids_in
from manyheads.shared.tokens import is_special

SEVERAL = "the text has {count} pictures of this grid: image=[...] takes one for each"
CALLED = "grid={grid} is given, but the places are called patches of another, or of no whole picture"
NO_RUN = "grid={grid} is {patches} patches, but no token stands {patches} times in a row: the longest run is of {most}"
UNEVEN = "the inputs have {patches} {what}, and the text {places} places for them: which are which isn't known"
PACKED = "this model packs the tiles of a picture anew (image_grid_pinpoints): where each lies isn't known"
# Processors of models that read each tile as a grid of square parts, row after row: then its number tells its sides.
ROW_AFTER_ROW = {f"{name}Processor" for name in ("Llava", "PaliGemma", "InternVL", "Gemma3", "Idefics3", "SmolVLM")}


@dataclass(frozen=True)
class Piece:
    """A picture of a text, a tile of one, or a frame of a video: the places of its patches, row after row."""

    places: tuple | range
    grid: tuple | None = None  # rows and columns before any are merged, where the inputs say so
    pixels: Any = None  # what the model was given of it, [channel, height, width]
    number: int = 0  # of the picture or video by the inputs, or of the run, from 0
    frames: int = 0  # of a video, how many of its pictures are read as one


@dataclass(frozen=True)
class Found:
    """The pieces of the pictures in a text of `count` tokens; or, without any, why they can't be shown."""

    pieces: tuple = ()
    count: int = 0
    refusal: str | None = None


def runs_of(values, wanted=None):
    """Where one value stands in a row: the `wanted` one, or any that does so at least twice.

    >>> runs_of([1, 9, 9, 9, 5, 9], wanted=9)
    [range(1, 4), range(5, 6)]
    >>> runs_of(["user", "<image>", "<image>", "tea"])
    [range(1, 3)]
    """
    runs, start = [], 0
    for value, group in groupby(values):
        end = start + sum(1 for _ in group)
        if end - start > 1 if wanted is None else value == wanted:
            runs.append(range(start, end))
        start = end
    return runs


def find_by_model(ids, config, named, row=0, rows=1):
    """The pieces of the pictures in a text, by what stands for a patch there; None where it has none of it.

    >>> from types import SimpleNamespace
    >>> config = SimpleNamespace(image_token_id=9)
    >>> [piece.places for piece in find_by_model([1, 9, 9, 5, 9], config, {}).pieces], find_by_model([1, 5], config, {})
    ([(1, 2), (4,)], None)
    >>> import numpy as np
    >>> pieces = find_by_model([9, 9, 9, 9, 5], config, {"pixel_values": np.ones((2, 3, 8, 8))}).pieces
    >>> [piece.places for piece in pieces]
    [(0, 1), (2, 3)]

    `ids` are those of one text, `row` of so many `rows`, and `named` the inputs of all. Pixels of many pictures come
    in their order: those of earlier texts first.
    """
    texts = ids_in(named)
    texts = [list(ids)] if texts is None or row >= rows else array_of_ids(texts).reshape(-1, texts.shape[-1]).tolist()
    text = min(text_of_answer(row, rows, len(texts)), len(texts) - 1)
    if texts[text] != list(ids[: len(texts[text])]):  # inputs of something else
        texts, text = [list(ids)], 0
    read = len(texts[text])  # of what was written, no token is a patch
    tokens = {"image": image_token_of(config), "video": getattr(config, "video_token_id", None)}
    pieces = []
    for kind, token in tokens.items():
        places = [place for place, one in enumerate(ids[:read]) if one == token]
        if token is None or not places:
            continue
        if getattr(config, "image_grid_pinpoints", None) is not None:
            return Found(refusal=PACKED)
        counts = [one.count(token) for one in texts]
        grids = _grids_among(named, config, kind)
        try:
            if grids is not None:
                pieces += _by_grids(places, grids, counts, text, kind)
            else:
                pieces += _by_tiles(places, runs_of(ids[:read], token), named.get("pixel_values"), counts, text)
        except ValueError as error:
            return Found(refusal=str(error))
    return Found(tuple(sorted(pieces, key=lambda piece: piece.places[0])), len(ids)) if pieces else None


def _grids_among(named, config, kind):  # -> [(frames, rows, columns)] or None
    """The grids of patches that inputs have, of each picture or video, before any are merged."""
    if (grids := named.get(f"{kind}_grid_thw")) is not None:
        return [tuple(int(side) for side in grid) for grid in grids]
    vision = getattr(config, "vision_config", None)
    sizes = named.get("image_sizes") if getattr(vision, "model_type", "") == "pixtral" and kind == "image" else None
    return None if sizes is None else [(1, *(int(side) // vision.patch_size for side in size)) for size in sizes]


def _by_grids(places, grids, counts, text, kind):
    patches = [math.prod(grid) for grid in grids]
    merged, left = divmod(sum(patches), sum(counts))
    if left or any(count % merged for count in patches):
        raise ValueError(UNEVEN.format(patches=sum(patches), what=f"patches of {kind}s", places=sum(counts)))
    start, pieces = -sum(counts[:text]), []
    for number, (frames, rows, columns) in enumerate(grids):
        for _ in range(frames):
            end = start + rows * columns // merged
            if start >= 0 and end <= len(places):
                piece = tuple(places[start:end])
                pieces.append(Piece(piece, (rows, columns), None, number, frames if kind == "video" else 0))
            start = end
    if sum(len(piece.places) for piece in pieces) != len(places):
        raise ValueError(UNEVEN.format(patches=sum(patches), what=f"patches of {kind}s", places=sum(counts)))
    return pieces


def _by_tiles(places, runs, pixels, counts, text):
    tiles = None
    if getattr(pixels, "ndim", 0) == 5:  # [text, tile, channel, height, width]; of fewer tiles, the others are 0
        tiles = [tile for tile in pixels[min(text, len(pixels) - 1)] if bool((tile != 0).any())]
    elif getattr(pixels, "ndim", 0) == 4:
        each = sum(counts) / len(pixels)
        start = sum(counts[:text]) / each
        tiles = pixels[round(start) : round(start + len(places) / each)]
    if tiles is None or not len(tiles):
        return [Piece(tuple(run), number=number) for number, run in enumerate(runs)]
    each, left = divmod(len(places), len(tiles))
    if left:
        raise ValueError(UNEVEN.format(patches=len(tiles), what="tiles of pictures", places=len(places)))
    pieces = [tuple(places[at * each : (at + 1) * each]) for at in range(len(tiles))]
    of_runs = [next(number for number, run in enumerate(runs) if piece[0] in run) for piece in pieces]
    return [Piece(piece, None, tile, number) for piece, tile, number in zip(pieces, tiles, of_runs)]


def config_of_reader(reader, named, ids):
    """What a processor and inputs tell of the patches in its model's texts, as a configuration; None for nothing.

    >>> from types import SimpleNamespace
    >>> reader = SimpleNamespace(tokenizer=SimpleNamespace(image_token_id=9))
    >>> config_of_reader(reader, {}, [1, 9, 9]).image_token_id, config_of_reader(reader, {}, [1, 5])
    (9, None)
    """
    tokenizer = getattr(reader, "tokenizer", None)
    if tokenizer is None:
        return None
    tokens = {"image": None, "video": None}
    for kind in tokens:
        known = [getattr(one, f"{kind}_token_id", None) for one in (tokenizer, reader)]
        name = getattr(reader, f"{kind}_token", None)
        known += [tokenizer.convert_tokens_to_ids(name)] if name is not None else []
        tokens[kind] = max((token for token in known if token in ids), key=ids.count, default=None)
    if not any(tokens.values()):
        return None
    vision, pixels = SimpleNamespace(patch_size=getattr(reader, "patch_size", None)), named.get("pixel_values")
    is_known = any(one.__name__ in ROW_AFTER_ROW for one in type(reader).__mro__)
    texts = ids_in(named)
    if is_known and vision.patch_size is None and getattr(pixels, "ndim", 0) in (4, 5) and texts is not None:
        tiles = len(pixels) if pixels.ndim == 4 else int((pixels != 0).flatten(2).any(2).sum())
        high, wide = pixels.shape[-2:]
        each = int((texts == tokens["image"]).sum()) / max(tiles, 1)
        rows = math.isqrt(round(each * high / wide))
        vision.patch_size = high // rows if rows and rows * rows * wide == each * high else None
    strategy = getattr(reader, "vision_feature_select_strategy", None)
    ids_of_kinds = {f"{kind}_token_id": token for kind, token in tokens.items()}
    return SimpleNamespace(vision_config=vision, vision_feature_select_strategy=strategy, **ids_of_kinds)


def find_by_grid(values, grid, pictures=1):
    """The pieces that a grid of patches, (rows, columns), fills among places with these names, or ids.

    >>> find_by_grid(["user", "<image>", "<image>", "tea"], (1, 2)).pieces[0].places
    range(1, 3)
    >>> [find_by_grid(names, (1, 2)).pieces[0].places for names in (["[CLS]", "a", "b"], ["a", "b"])]
    [range(1, 3), range(0, 2)]
    >>> find_by_grid(["user", "hot", "tea"], (1, 2)).refusal
    'grid=(1, 2) is 2 patches, but no token stands 2 times in a row: the longest run is of 1'

    These are the places that are called patches; or all places; or all after special ones; or those of one token, which
    may fill as many runs as there are `pictures`.
    """
    (rows, columns), count = pair_of("grid", grid), len(values)
    patches = rows * columns
    if patches > count:
        return Found(refusal=TOO_MANY.format(grid=(rows, columns), patches=patches, count=count))
    names = [value.strip() if isinstance(value, str) else "" for value in values]
    called = [place for place, name in enumerate(names) if PATCH.match(name)]
    if called:
        run = range(called[0], called[-1] + 1)
        whole = names[run.start : run.stop] == PatchGrid(rows, columns).names
        return Found((Piece(run),), count) if whole else Found(refusal=CALLED.format(grid=(rows, columns)))
    before = next((place for place, name in enumerate(names) if not stands_before_patches(name)), count)
    if count == patches or count == before + patches:
        return Found((Piece(range(count - patches, count)),), count)
    runs = runs_of(values)
    filled = [run for run in runs if len(run) == patches]
    if filled and len(filled) == pictures:
        return Found(tuple(Piece(run, number=number) for number, run in enumerate(filled)), count)
    most = max(map(len, runs), default=1)
    refusal = (
        SEVERAL.format(count=len(filled)) if filled else NO_RUN.format(grid=(rows, columns), patches=patches, most=most)
    )
    return Found(refusal=refusal)


def stands_before_patches(name):
    """Whether a name is one of a place that image models put before their patches.

    >>> [stands_before_patches(name) for name in ("[CLS]", "register 2", "tea")]
    [True, True, False]
    """
    return is_special(name) or BEFORE_PATCHES.fullmatch(name) is not None


def grid_of_names(names):
    """The (rows, columns) of the patches that places are called; None where none is.

    >>> grid_of_names(["[CLS]", "patch 1,1", "patch 1,2"]), grid_of_names(["tea"])
    ((1, 2), None)

    Names of several pictures tell of no grid.
    """
    called = [found for found in map(PATCH.match, names) if found and found[0].lstrip().startswith("patch")]
    return tuple(max(int(found[side]) for found in called) for side in (1, 2)) if called else None


def are_counted(names):
    """Whether places have no names, or are counted.

    >>> are_counted(None), are_counted(["1", "2"]), are_counted(["1", "tea"])
    (True, True, False)
    """
    return names is None or list(names) == count_places(len(names))
