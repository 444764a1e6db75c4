"""The parts of a model that look at a picture: the names of its patches, and the picture beneath the weights."""

from dataclasses import dataclass, replace

import numpy as np

from manyheads.maps.picture import moved_picture
from manyheads.reading.patches import (
    grid_among,
    image_places,
    in_blocks,
    patch_grid,
    picture_from,
    pictures_in,
    sees_patches,
    side_of_merged,
    with_patches,
)
from manyheads.reading.places import counted, not_given
from manyheads.reading.tokens_from import ids_in

RESAMPLERS = ("qformer_config", "perceiver_config")  # of models whose text gets what queries make of the patches
BLOCKS = "The model reads patches in blocks of {side} x {side}: here they stand row after row."


@dataclass(frozen=True)
class Seen:
    """What is known of the places of a part with the names of patches, and the picture they are of, if it's given."""

    reading: object
    whole: object = None  # the picture, by the places that the part has with its padding
    kept: tuple = ()  # which places of the keys aren't padding
    notes: tuple = ()
    order: tuple | None = None  # the places row after row, where the model has its patches otherwise
    refusal: str | None = None  # why there's no picture

    def in_rows(self, weights, queries, keys):  # [layer, head, query, key]
        """Weights, and what asks and is looked at, with patches row after row."""
        if self.order is None:
            return weights, queries, keys
        queries, keys = ([names[place] for place in self.order] for names in (queries, keys))
        return weights[:, :, self.order][..., self.order], queries, keys

    def picture(self, queries, keys):
        """The picture for so many queries and keys, those that are left."""
        if self.whole is None:
            return None
        asking = self.kept if self.whole.query_start is not None else range(queries)
        return moved_picture(self.whole, asking, self.kept)

    def picture_by(self, queries, keys):
        """The picture for groups of queries and keys, of which those of one token may be patches."""
        if self.whole is None:
            return None
        asking, looked_at = (self.kept if groups is None else groups.singles() for groups in (queries, keys))
        if self.order is not None:
            rows = {place: number for number, place in enumerate(self.order)}
            asking, looked_at = ([rows.get(place, -1) for place in places] for places in (asking, looked_at))
        return moved_picture(self.whole, asking, looked_at)


def seen_by(which, shape, reading, config, named, image=None, grid=None, batch=0, windows=False):
    """What is known of a part of this role and shape, [layer, head, query, key], whose model reads `named` inputs.

    Its patches may be the keys alone, where a `[CLS]` asks, or what pools. In `windows`, none are told.
    """
    queries, keys = shape[2:]
    pixels = next((value for value in named.values() if _are_pixels(value)), None)
    pixels = None if pixels is None else pixels[min(batch, len(pixels) - 1)]
    places, notes = text_with_patches(which, reading, config, named, batch)
    if places is not None:
        return of_text(places, notes, queries, keys, reading, config, pixels, image, grid, named, batch)
    if windows or not looks_at_patches(which, config, named, grid):
        return Seen(reading, notes=notes)
    windowed = hasattr(getattr(config, "vision_config", None), "window_size")  # in an order of its own
    flat = grid_among(named, batch) if pixels is None and not windowed else None
    try:
        size = None if pixels is None else tuple(pixels.shape[-2:])
        found = patch_grid(config, keys, grid, size, flat)
    except ValueError as error:
        return Seen(reading, notes=notes, refusal=str(error))
    names, order = found.names, None
    side = side_of_merged(config)
    if flat == (found.rows, found.columns) and side > 1:
        order, notes = in_blocks(*flat, side), (*notes, BLOCKS.format(side=side))
        names = [name for _, name in sorted(zip(order, names))]  # as the model has them
    asks_itself = queries == keys and which != "cross"
    if reading.tokens is None:
        reading, more = named_patches(reading, names, None if asks_itself else queries)
        notes += more
    if image is None:
        return Seen(reading, notes=notes, order=order)
    start = len(found.special)
    whole, more = picture_from(image, found.rows, found.columns, start, start if asks_itself else None, pixels=pixels)
    return Seen(reading, whole, tuple(range(keys)), (*notes, *more), order)


def named_patches(reading, names, queries=None):
    """What is known of tokens where these are the names of the keys, and a note; `queries` is how many others ask."""
    reading = replace(reading, tokens=names, mask=None)
    if queries is None or reading.query_tokens is not None:
        return reading, ()
    if queries == 1 and "[CLS]" in names:
        return replace(reading, query_tokens=["[CLS]"]), ()
    return replace(reading, query_tokens=counted(queries)), (not_given("query_tokens"),)


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


def text_with_patches(which, reading, config, named, batch):
    """Where a text has the patches of its picture; None where it has none."""
    ids = named.get("input_ids")
    resampled = any(getattr(config, name, None) is not None for name in RESAMPLERS)
    if which not in ("", "text", "decoder") or ids is None or not sees_patches(config) or resampled:
        return None, ()
    return image_places(ids[batch] if getattr(ids, "ndim", 1) == 2 else ids, config)


def of_text(places, notes, queries, keys, reading, config, pixels, image, grid, named, batch):
    """What is known of a text that has a picture in it."""
    size = None if pixels is None else tuple(pixels.shape[-2:])
    before = sum(pictures_in(ids, config) for ids in named["input_ids"][:batch])
    try:
        found = patch_grid(config, len(places), grid, size, grid_among(named, before))
    except ValueError as error:
        return Seen(reading, notes=notes, refusal=str(error))
    if found.special:
        found = replace(found, special=())
    if reading.tokens is not None and len(reading.tokens) == keys:
        reading = replace(reading, tokens=with_patches(reading.tokens, places, found))
    if image is None:
        return Seen(reading, notes=notes)
    asks = places.start if queries == keys else None
    whole, more = picture_from(image, found.rows, found.columns, places.start, asks, pixels=pixels)
    kept = range(keys) if reading.mask is None or len(reading.mask) != keys else np.flatnonzero(reading.mask).tolist()
    return Seen(reading, whole, tuple(kept), (*notes, *more))


def _are_pixels(value):
    return (
        getattr(value, "ndim", 0) == 4 and "float" in str(getattr(value, "dtype", "")) and value.shape[1] in (1, 3, 4)
    )
