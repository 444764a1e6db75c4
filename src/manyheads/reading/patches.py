"""Pictures that a model looks at in patches: which places of a map these are, and the picture that it shows beneath.

The patches of a picture are places like any others, one after the other, row after row. `patch_grid` names the places
of an image model, `picture_from` makes the picture. Where a text has its patches: `picture_runs`.
"""

import base64
import io
import math
import os
from dataclasses import dataclass

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError

from manyheads.maps.picture import Picture
from manyheads.reading.patch_embeddings import PatchEmbeddings, patch_embeddings_of

SIDE = 448  # pixels to the longer side of a picture in a page, at most
KINDS = "a PIL image, a path, or an array or tensor of [height, width, 3], [3, height, width] or [height, width]"
NORMALISED = "The picture is drawn from normalised pixels: the least is black, the largest white, and colours differ."
MIDDLE = "Of the image, the middle is shown: the model was given no more."
ANOTHER = "The image doesn't look like the pixels that the model was given: its patches may stand elsewhere."
TOO_MANY = "grid={grid} is {patches} patches, but the map has {count} places"
BEFORE = (
    "grid={grid} is {patches} patches, and which of these {count} places they are isn't known: tokens= says so, by "
    "names such as '[CLS]' and 'register 1' for those before the patches"
)
ASK_FOR_GRID = "say how many rows and columns of patches there are: grid=(rows, columns)"
SHARES = (1, 0.95, 0.9, 0.875)  # of an image's shorter side, to which image processors crop
ALIKE = 0.5  # the least correlation of an image with the pixels made of it
COMPARED = 32  # pixels to a side of what is compared


@dataclass(frozen=True)
class PatchGrid:
    """The places of a model that looks at a picture: `special` ones, and after them patches, row after row.

    >>> PatchGrid(1, 2, ("[CLS]",)).names
    ['[CLS]', 'patch 1,1', 'patch 1,2']
    """

    rows: int
    columns: int
    special: tuple[str, ...] = ()

    @property
    def names(self):
        """The names of all places; of patches, row and column are counted from 1."""
        patches = [f"patch {row + 1},{column + 1}" for row in range(self.rows) for column in range(self.columns)]
        return [*self.special, *patches]

    @property
    def count(self):
        """How many places there are."""
        return len(self.special) + self.rows * self.columns


# --- Which places are patches ------------------------------------------------------------------------------------


def patch_grid(config, count, grid=None, size=None, given=None):
    """The grid of patches among `count` places of a model, by its Hugging Face configuration, or what a module says.

    >>> from types import SimpleNamespace
    >>> config = SimpleNamespace(image_size=28, patch_size=14, num_register_tokens=4)
    >>> patch_grid(config, 9)
    PatchGrid(rows=2, columns=2, special=('[CLS]', 'register 1', 'register 2', 'register 3', 'register 4'))
    >>> patch_grid(config, 11, size=(28, 42)).columns
    3

    `size` is the (height, width) in pixels of what the model was given, where it may differ from its configuration's;
    `given` is the grid that its inputs say, before patches are merged. `grid`, (rows, columns), says it outright; what
    else there is comes first, as far as it's known: at most a `[CLS]`, without a configuration (None).

    Raises `ValueError` where nothing fits.
    """
    vision = getattr(config, "vision_config", None) or config
    known = _special_places(vision)
    if grid is not None:
        rows, columns = pair_of("grid", grid)
        told = {"grid": (rows, columns), "patches": rows * columns, "count": count}
        leading = count - rows * columns
        if leading not in known:
            raise ValueError((TOO_MANY if leading < 0 else BEFORE).format(**told))
        return PatchGrid(rows, columns, known[leading])
    sizes = _grids(vision, size) if given is None else [given]
    for leading in sorted(known, reverse=True):
        for rows, columns in sizes:
            if rows * columns == count - leading:
                return PatchGrid(rows, columns, known[leading])
    for rows, columns in sizes if image_token_of(config) is not None else ():
        for side in range(2, rows + 1):  # patches that are merged before the text gets them, side by side
            if rows % side == columns % side == 0 and rows * columns == count * side**2:
                return PatchGrid(rows // side, columns // side)
    known_size = size is not None or given is not None or hasattr(vision, "window_size")
    if not known_size and sizes and not isinstance(vision, PatchEmbeddings):  # interpolated
        for leading in sorted(known, reverse=True):
            side = math.isqrt(max(count - leading, 0))
            if side and side**2 == count - leading:
                return PatchGrid(side, side, known[leading])
    expected = f", where the model lets expect {' or '.join(f'{r} x {c}' for r, c in sizes)}" if sizes else ""
    raise ValueError(f"{count} places are no grid of patches{expected}: {ASK_FOR_GRID}")


def _special_places(vision):
    """What may stand before the patches, by how many places it takes."""
    if isinstance(vision, PatchEmbeddings):
        return {0: (), len(vision.special): vision.special}
    registers = getattr(vision, "num_register_tokens", None) or 0
    known = {0: (), 1: ("[CLS]",)}
    if getattr(vision, "model_type", "") == "deit":
        known[2] = ("[CLS]", "[DISTILL]")
    return known | {1 + registers: _cls_and_registers(1 + registers)}


def _cls_and_registers(count):
    return ("[CLS]", *(f"register {place}" for place in range(1, count)))[:count]


def _grids(vision, size):
    """The (rows, columns) that pixels of this size make, or those of the configuration; [] where that isn't known."""
    if isinstance(vision, PatchEmbeddings):
        return vision.grids(size)
    patch = getattr(vision, "patch_size", None)
    size = size or getattr(vision, "image_size", None)
    if not patch or not size:
        return []
    (high, wide), (patch_high, patch_wide) = pair_of("image_size", size), pair_of("patch_size", patch)
    return [(high // patch_high, wide // patch_wide)]


def pair_of(name, value):
    """One number for both sides, or two; `ValueError` for what is neither.

    >>> pair_of("grid", (2, 3)), pair_of("patch_size", 14)
    ((2, 3), (14, 14))
    """
    if hasattr(value, "height"):  # as image processors have it
        value = value.height, value.width
    pair = tuple(value) if np.ndim(value) else (value, value)
    if len(pair) != 2 or not all(isinstance(side, (int, np.integer)) and side > 0 for side in pair):
        raise ValueError(f"{name} must be two whole numbers from 1 on, rows and columns, got {value!r}")
    return int(pair[0]), int(pair[1])


def sees_patches(config):
    """Whether a configuration is that of a model that looks at images in patches, or has one in it.

    >>> from types import SimpleNamespace
    >>> sees_patches(SimpleNamespace(patch_size=14)), sees_patches(SimpleNamespace(vocab_size=9)), sees_patches(None)
    (True, False, False)
    """
    return isinstance(config, PatchEmbeddings) or hasattr(
        getattr(config, "vision_config", None) or config, "patch_size"
    )


def tells_of_patches(config, module):
    """What tells of the patches of a model: its configuration, or else its module; the configuration if neither does.

    >>> from types import SimpleNamespace
    >>> tells_of_patches(None, SimpleNamespace(modules=list)) is None
    True
    """
    if sees_patches(config) or image_token_of(config) is not None:
        return config
    return patch_embeddings_of(module) or config


def image_token_of(config):
    """The id of the token that stands for a patch in the text of a vision-language model; None for other models."""
    names = ("image_token_id", "image_token_index")
    return next((token for name in names if (token := getattr(config, name, None)) is not None), None)


def grid_among(named, picture=0):
    """The (rows, columns) of patches that inputs say one of their pictures has, before any are merged; or None.

    >>> grid_among({"image_grid_thw": np.array([[1, 4, 6]])}), grid_among({"patch_coord": [[[0, 0], [0, 1]]]})
    ((4, 6), (1, 2))

    They say so where pictures keep their shape: pixels come as [patch, pixel], to Qwen's models and to timm's NaFlex. A
    video has more than one grid, and one beside padding isn't told.
    """
    if (places := named.get("patch_coord")) is not None:
        whole = named.get("patch_valid") is None or bool(named["patch_valid"][picture].all())
        return tuple((np.asarray(plain_array(places))[picture].max(0) + 1).tolist()) if whole else None
    grids = named.get("image_grid_thw")
    if grids is None or picture >= len(grids):
        return None
    frames, rows, columns = (int(side) for side in grids[picture])
    return (rows, columns) if frames == 1 else None


def side_of_merged(config):
    """How many patches, side by side, a vision-language model merges into one place of its text.

    >>> side_of_merged(None)
    1
    """
    return getattr(getattr(config, "vision_config", None), "spatial_merge_size", None) or 1


def in_blocks(rows, columns, side):
    """The places of patches that stand block after block, in the order of rows: blocks are those that are merged.

    >>> in_blocks(2, 4, side=2)
    (0, 1, 4, 5, 2, 3, 6, 7)
    """
    blocks = np.arange(rows * columns).reshape(rows // side, columns // side, side, side)
    return tuple(blocks.transpose(0, 2, 1, 3).ravel().tolist())


# --- What is shown -----------------------------------------------------------------------------------------------


def picture_from(image, rows, columns, key_start=0, query_start=None, pixels=None):
    """The picture of a map, made of whatever an image is kept in, and notes on what was done to it.

    >>> picture, notes = picture_from(np.zeros((30, 60, 3), np.uint8), rows=2, columns=4, key_start=1)
    >>> picture.source[:22], (picture.width, picture.height), notes
    ('data:image/png;base64,', (60, 30), ())

    `image` is a PIL image, a path, or an array or tensor of [height, width, 3], [3, height, width] or [height, width],
    with a batch axis of 1 or without. Whole numbers run from 0 to 255, others from 0 to 1 or to 255; those below 0 are
    normalised, and scaled back by the least and the largest. With `pixels`, those that the model was given, the image
    is cropped as they were, since image processors often take the middle of an image only.

    The longer side gets 448 pixels at most. Raises `TypeError` or `ValueError` for what is no image.
    """
    drawn, notes = image_of(image)
    if pixels is not None and pixels is not image:
        drawn, more = part_seen(drawn, image_of(pixels)[0])
        notes += more
    drawn.thumbnail((SIDE, SIDE), Image.Resampling.LANCZOS)
    return Picture(data_url(drawn), rows, columns, *drawn.size, key_start, query_start), notes


def image_of(image):  # -> a new PIL image in RGB, notes
    """An image as Pillow has it, and notes; see `picture_from`."""
    if isinstance(image, (str, os.PathLike)):
        try:
            return ImageOps.exif_transpose(Image.open(image)).convert("RGB"), ()  # upright, as transformers reads it
        except UnidentifiedImageError:
            raise ValueError(f"{os.fspath(image)!r} is no image that Pillow can read") from None
    if isinstance(image, Image.Image):
        return image.convert("RGB").copy(), ()
    values = plain_array(image)
    if not isinstance(values, np.ndarray) or values.dtype.kind not in "buif":
        raise TypeError(f"an image is {KINDS}; got {type(image).__name__}")
    values, notes = _bytes_of(_channels_last(values))
    return Image.fromarray(values).convert("RGB"), notes


def plain_array(values):
    """A tensor of any device and precision as an array; lists of numbers too; all else as it is."""
    if hasattr(values, "detach"):
        values = (values.float() if values.dtype.is_floating_point else values).detach().cpu().numpy()
    return np.asarray(values) if hasattr(values, "__array__") or isinstance(values, (list, tuple)) else values


def _channels_last(values):  # -> [h, w] or [h, w, 3]
    shape = list(values.shape)
    if values.ndim == 4 and shape[0] != 1:
        raise ValueError(f"there is a batch of {shape[0]} images: give one of them, as in image=pixels[0]")
    values = values[0] if values.ndim == 4 else values
    if values.ndim == 3 and values.shape[-1] not in (1, 3, 4) and values.shape[0] in (1, 3):
        values = values.transpose(1, 2, 0)
    if values.ndim == 3 and values.shape[-1] in (1, 3, 4):
        values = values[..., 0] if values.shape[-1] == 1 else values[..., :3]
    if values.ndim not in (2, 3) or (values.ndim == 3 and values.shape[-1] != 3) or 0 in values.shape:
        raise ValueError(f"an image is {KINDS}; got an array of {shape}")
    return values


def _bytes_of(values):  # -> uint8, notes
    if values.dtype == np.uint8:
        return np.ascontiguousarray(values), ()
    values = values.astype(np.float64) * (255 if values.dtype == bool else 1)
    least, most = values.min(), values.max()
    if not (np.isfinite(least) and np.isfinite(most)):
        raise ValueError("the pixels of an image must be finite numbers")
    notes = ()
    if least < 0 or most > 255:
        values, notes = (values - least) * 255 / (most - least or 1), (NORMALISED,)
    elif most <= 1:
        values = values * 255
    return np.rint(values).astype(np.uint8), notes


def part_seen(image, pixels):
    """The part of an image that a model was given as pixels, both PIL images: the whole, or its middle; and notes."""
    parts = [image, *(middle_of(image, pixels.width / pixels.height, share) for share in SHARES)]
    likenesses = [likeness(part, pixels) for part in parts]
    best = likenesses.index(max(likenesses))
    if likenesses[best] < ALIKE:
        return image, (ANOTHER,)
    return parts[best], () if parts[best].size == image.size else (MIDDLE,)


def middle_of(image, shape, share=1):
    """The middle of an image in this shape, width over height, as large as there is room, or a share of that.

    >>> middle_of(Image.new("RGB", (120, 60)), 1).size, middle_of(Image.new("RGB", (120, 60)), 1, 0.5).size
    ((60, 60), (30, 30))
    """
    wide, high = image.size
    width, height = share * min(wide, high * shape), share * min(high, wide / shape)
    left, top = (wide - width) / 2, (high - height) / 2
    return image.crop((round(left), round(top), max(round(left + width), 1), max(round(top + height), 1)))


def likeness(one, other):
    """The correlation of two images in grey, -1 to 1; 0 where one has a single colour."""
    greys = [np.asarray(image.convert("L").resize((COMPARED, COMPARED)), float).ravel() for image in (one, other)]
    apart = [grey - grey.mean() for grey in greys]
    return float(apart[0] @ apart[1] / (np.linalg.norm(apart[0]) * np.linalg.norm(apart[1]) or 1))


def data_url(image):
    """An image as PNG or JPEG, whichever is shorter; as WebP where parts of it are empty."""
    lossy, written = {"quality": 85, "optimize": True}, {}
    kinds = {"png": {"optimize": True}, "jpeg": lossy} if image.mode == "RGB" else {"webp": lossy | {"method": 2}}
    for kind, options in kinds.items():
        contents = io.BytesIO()
        image.save(contents, kind, **options)
        written[kind] = contents.getvalue()
    kind = min(written, key=lambda kind: len(written[kind]))
    return f"data:image/{kind};base64,{base64.b64encode(written[kind]).decode()}"
