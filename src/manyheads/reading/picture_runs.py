"""Where a text, or a map that was given, has the patches of its picture: in one run of places.

A processor writes one token as often as the picture has patches. The model's configuration knows which token that is;
without a model, a grid of patches tells, by the one run that it fills. It has to fill it: where a picture is read in
tiles, or with ends of lines, a smaller grid would fit as well, and lie beside the patches.
"""

from dataclasses import dataclass
from itertools import groupby

from manyheads.reading.patches import TOO_MANY, PatchGrid, image_token_of, pair_of
from manyheads.reading.places import count_places
from manyheads.reading.sentences import BEFORE_PATCHES, PATCH
from manyheads.shared.tokens import is_special

SEVERAL = "the text has {count} pictures, or one in as many pieces, and only one in one piece can be shown"
TILES = "the model reads its picture in {tiles} tiles ({count} places), and only one in one piece can be shown"
CALLED = "grid={grid} is given, but the places are called patches of another, or of no whole picture"
NO_RUN = "grid={grid} is {patches} patches, but no token stands {patches} times in a row: the longest run is of {most}"


@dataclass(frozen=True)
class Run:
    """Where a text of `count` tokens has its picture, as a range of places; or, without one, why it can't be shown."""

    places: range | None = None
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


def run_by_model(ids, config, tiles=None):
    """The run of the token that stands for a patch in the texts of a model; None where a text has none of it.

    >>> from types import SimpleNamespace
    >>> config = SimpleNamespace(image_token_id=9)
    >>> run_by_model([1, 9, 9, 5], config).places, run_by_model([1, 5], config)
    (range(1, 3), None)
    >>> run_by_model([9, 1, 9], config).refusal
    'the text has 2 pictures, or one in as many pieces, and only one in one piece can be shown'

    `ids` are those of one text, and `tiles` is how many images the model reads for it, where that's known.
    """
    token = image_token_of(config)
    runs = [] if token is None else runs_of(ids, token)
    if not runs:
        return None
    if len(runs) > 1:
        return Run(refusal=SEVERAL.format(count=len(runs)))
    if tiles is not None and tiles > 1:
        return Run(refusal=TILES.format(tiles=tiles, count=len(runs[0])))
    return Run(runs[0], len(ids))


def run_by_grid(values, grid):
    """The run that a grid of patches, (rows, columns), fills among places with these names, or ids.

    >>> run_by_grid(["user", "<image>", "<image>", "tea"], (1, 2)).places
    range(1, 3)
    >>> run_by_grid(["[CLS]", "a", "b"], (1, 2)).places, run_by_grid(["a", "b"], (1, 2)).places
    (range(1, 3), range(0, 2))
    >>> run_by_grid(["user", "hot", "tea"], (1, 2)).refusal
    'grid=(1, 2) is 2 patches, but no token stands 2 times in a row: the longest run is of 1'

    These are the places that are called patches; or all places; or all after special ones; or those of one token.
    """
    (rows, columns), count = pair_of("grid", grid), len(values)
    patches = rows * columns
    if patches > count:
        return Run(refusal=TOO_MANY.format(grid=(rows, columns), patches=patches, count=count))
    names = [value.strip() if isinstance(value, str) else "" for value in values]
    called = [place for place, name in enumerate(names) if PATCH.match(name)]
    if called:
        run = range(called[0], called[-1] + 1)
        whole = names[run.start : run.stop] == PatchGrid(rows, columns).names
        return Run(run, count) if whole else Run(refusal=CALLED.format(grid=(rows, columns)))
    before = next((place for place, name in enumerate(names) if not stands_before_patches(name)), count)
    if count == patches or count == before + patches:
        return Run(range(count - patches, count), count)
    runs = runs_of(values)
    filled = [run for run in runs if len(run) == patches]
    if len(filled) == 1:
        return Run(filled[0], count)
    most = max(map(len, runs), default=1)
    refusal = (
        SEVERAL.format(count=len(filled)) if filled else NO_RUN.format(grid=(rows, columns), patches=patches, most=most)
    )
    return Run(refusal=refusal)


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
    """
    called = [found for found in map(PATCH.match, names) if found]
    return tuple(max(int(found[side]) for found in called) for side in (1, 2)) if called else None


def are_counted(names):
    """Whether places have no names, or are counted.

    >>> are_counted(None), are_counted(["1", "2"]), are_counted(["1", "tea"])
    (True, True, False)
    """
    return names is None or list(names) == count_places(len(names))


def tiles_of(named, batch, texts):
    """How many images, or tiles of one, the pixels among inputs hold for one of so many texts; None if it's not told.

    >>> import numpy as np
    >>> tiles_of({"pixel_values": np.ones((1, 5, 3, 8, 8))}, 0, 1), tiles_of({"pixel_values": np.ones((9, 588))}, 0, 1)
    (5, None)

    What texts with fewer tiles than others have instead is 0 everywhere.
    """
    pixels = named.get("pixel_values")
    if getattr(pixels, "ndim", 0) == 5:  # [text, tile, channel, height, width]
        return sum(bool((tile != 0).any()) for tile in pixels[min(batch, len(pixels) - 1)])
    return len(pixels) if getattr(pixels, "ndim", 0) == 4 and texts == 1 else None
