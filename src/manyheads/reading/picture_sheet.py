"""The pictures of a text as one: side by side, the tiles of a picture where they lie in it, and frames in a row."""

import math
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from PIL import Image

from manyheads.maps.picture import Picture
from manyheads.reading.patches import data_url, image_of, likeness, part_seen, plain_array

SHEET = 896  # pixels to the longer side of pictures that are drawn as one, at most
CELL = 56  # pixels to the side of a patch there, at most
IN_A_ROW = 4  # pictures; of more, rows follow each other as lines of a text do
SURE = 0.9  # the least correlation of tiles, put together, with their picture
APART = 0.01  # by which it's larger than that of any other way to put them together
UNLIKE = "the text has {pictures}, and image= has {given}: image=[...] takes one for each"
SIDE_BY_SIDE = "{pictures} stand side by side, in the order of the text."
TILES = "The model reads a picture in tiles, {rows} x {columns}{whole}: they lie where they belong in it."
AND_WHOLE = ", and once more as a whole, which stands beside them"
PIECES = (
    "Where these {count} pieces lie in a picture isn't known: each is drawn as the model was given it, in their order."
)


@dataclass(frozen=True)
class Block:
    """An image, and for each of its cells, [row, column], which place of the text its patch has."""

    image: Image.Image
    cells: np.ndarray


def images_in(image):
    """The images among what was given as `image`: one, or those of a list.

    >>> len(images_in(["a.png", "b.png"])), len(images_in([[0, 255]])), images_in(None)
    (2, 1, [])
    """
    if image is None:
        return []
    listed = isinstance(image, (list, tuple)) and len(image) and not isinstance(image[0], (list, tuple, int, float))
    batch = getattr(image, "ndim", 0) == 4 and len(image) > 1
    return list(image) if listed or batch else [image]


def lay_out(pieces, grids, images):  # -> blocks, a name for each piece, notes
    """Pieces of a text, with their grids of patches, as blocks to draw, what each piece is called, and notes.

    Without images there are no blocks. Raises `ValueError` where it isn't known which image a piece is of.
    """
    if len(pieces) == 1:
        if len(images) > 1:
            raise ValueError(UNLIKE.format(pictures="1 picture", given=len(images)))
        return [], [""], ()
    groups, notes = _groups(pieces, images), ()
    if groups is None:
        groups, kind = [(None, [at]) for at in range(len(pieces))], "piece"
        notes = (PIECES.format(count=len(pieces)),)
    else:
        kind = "frame" if len(groups) == len(pieces) and all(piece.frames for piece in pieces) else "picture"
        notes = (SIDE_BY_SIDE.format(pictures=f"{len(groups)} {kind}s"),) * (len(groups) > 1)
    blocks, names = [], []
    for number, (image, members) in enumerate(groups, start=1):
        one = [(pieces[at], grids[at]) for at in members]
        made, within, more = _blocks_of(image, one) if images else ([], _counted(one), ())
        before = (f"{kind} {number}",) * (len(groups) > 1)
        names += [", ".join((*before, *name)) for name in within]
        blocks, notes = blocks + made, notes + more
    return blocks, names, tuple(dict.fromkeys(notes)) if images else ()


def _groups(pieces, images):  # -> [(image or None, numbers of pieces)], or None where they aren't known
    numbers = [
        [*group] for _, group in groupby(range(len(pieces)), key=lambda at: (pieces[at].frames > 0, pieces[at].number))
    ]
    if not images:
        return [(None, group) for group in numbers] if pieces[0].grid else None
    if len(images) == len(pieces):
        return [(image, [at]) for at, image in enumerate(images)]
    if len(images) == len(numbers) and not pieces[0].frames:
        return [*zip(images, numbers)]
    frames = len(images) // len(pieces)  # that are read as one
    if all(piece.frames for piece in pieces) and len(images) == frames * len(pieces):
        return [(image, [at]) for at, image in enumerate(images[::frames])]
    if any(piece.pixels is None for piece in pieces):
        wanted = f"{len(pieces)} frames" if pieces[0].frames else f"{len(numbers)} pictures"
        raise ValueError(UNLIKE.format(pictures=wanted, given=len(images)))
    return _groups_by_looks(pieces, images)


def _groups_by_looks(pieces, images):
    """The pieces of each image, by what they look like: as many as make it up, one image after the other."""
    groups, start = [], 0
    for number, image in enumerate(images, start=1):
        most = len(pieces) - start - (len(images) - number)
        counts = (count for count in range(most, 0, -1) if arrange(image, pieces[start : start + count]) is not None)
        if (count := next(counts, None)) is None:
            return None
        groups.append((image, [*range(start, start + count)]))
        start += count
    return groups if start == len(pieces) else None


def _counted(members):
    """Names of the pieces of one picture, where they're several."""
    kind = "frame" if members[0][0].frames else "tile"
    return [(f"{kind} {number}",) * (len(members) > 1) for number in range(1, len(members) + 1)]


def _blocks_of(image, members):  # -> blocks, names, notes
    """The pieces of one image as blocks: whole, put together of tiles, or each by itself."""
    pieces = [piece for piece, _ in members]
    cells = [np.reshape(piece.places[len(grid.special) :], (grid.rows, grid.columns)) for piece, grid in members]
    drawn = [None if piece.pixels is None else image_of(piece.pixels)[0] for piece in pieces]
    if len(members) == 1:
        image = drawn[0] if image is None else image_of(image)[0]
        image, notes = (image, ()) if drawn[0] is None else part_seen(image, drawn[0])
        return [Block(image, cells[0])], [()], notes
    if (found := arrange(image, pieces)) is None:
        return [Block(*one) for one in zip(drawn, cells)], _counted(members), (PIECES.format(count=len(members)),)
    rows, columns, whole = found
    image, tiles = image_of(image)[0], [at for at in range(len(members)) if at != whole]
    blocks, names = (
        [Block(image, np.block(_in_rows([cells[at] for at in tiles], columns)))],
        [("whole",)] * len(members),
    )
    for number, at in enumerate(tiles):
        names[at] = (f"tile {number // columns + 1},{number % columns + 1}",)
    if whole is not None:
        blocks.insert(whole > 0, Block(image, cells[whole]))
    return blocks, names, (TILES.format(rows=rows, columns=columns, whole=AND_WHOLE * (whole is not None)),)


def arrange(image, pieces):  # -> rows and columns of tiles, which piece is the whole or None; None where it isn't seen
    """How pieces make up an image, by what they look like: as the whole, or in rows and columns, with the whole or not.

    >>> from manyheads.reading.picture_runs import Piece
    >>> image = np.random.default_rng(0).random((3, 8, 16))
    >>> arrange(image, [Piece((), pixels=half) for half in (image[..., :8], image[..., 8:])])
    (1, 2, None)
    """
    pixels = [plain_array(piece.pixels) for piece in pieces]
    image, found = image_of(image)[0], {}
    for whole in {None, 0, len(pieces) - 1}:
        tiles = [one for at, one in enumerate(pixels) if at != whole]
        least = 1 if whole is None else likeness(image, image_of(pixels[whole])[0])
        for rows in range(1, len(tiles) + 1):
            columns, left = divmod(len(tiles), rows)
            if not left:
                mosaic = image_of(np.block(_in_rows(tiles, columns)))[0]
                found[rows, columns, whole] = min(least, likeness(image, mosaic))
    best, *others = sorted(found, key=found.get, reverse=True) or [None]
    seen = best is not None and found[best] >= SURE and all(found[other] < found[best] - APART for other in others)
    return best if seen else None


def draw(blocks, after, start, query_start):  # -> Picture
    """Blocks side by side as one picture; `start` is the key of the first place, and `after` the place it has."""
    count = len(blocks) if len(blocks) <= IN_A_ROW else max(IN_A_ROW, math.ceil(math.sqrt(2 * len(blocks))))
    rows_of_blocks = _in_rows(blocks, count)
    width = max(sum(block.cells.shape[1] for block in row) + len(row) - 1 for row in rows_of_blocks)
    height = sum(max(block.cells.shape[0] for block in row) for row in rows_of_blocks) + len(rows_of_blocks) - 1
    side = max(min(SHEET // max(width, height), CELL), 1)
    drawn, places = Image.new("RGBA", (width * side, height * side)), np.full((height, width), -1)
    top = 0
    for row in rows_of_blocks:
        left = 0
        for block in row:
            high, wide = block.cells.shape
            drawn.paste(block.image.resize((wide * side, high * side)), (left * side, top * side))
            places[top : top + high, left : left + wide] = block.cells - after
            left += wide + 1
        top += max(block.cells.shape[0] for block in row) + 1
    filled = tuple(None if place < 0 else place for place in places.ravel().tolist())
    drawn = drawn.convert("RGB") if None not in filled else drawn
    return Picture(data_url(drawn), height, width, *drawn.size, start, query_start, filled)


def _in_rows(listed, count):
    """What is listed in rows of so many."""
    return [listed[start : start + count] for start in range(0, len(listed), count)]
