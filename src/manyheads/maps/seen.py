"""The parts of a model that look at a picture: the names of its patches, and the picture beneath the weights."""

from dataclasses import dataclass, replace

import numpy as np

from manyheads.maps.patches import (
    image_places,
    moved_picture,
    patch_grid,
    picture_from,
    sees_patches,
    with_patches,
)


@dataclass(frozen=True)
class Seen:
    """What is known of the places of a part with the names of patches, and the picture they are of, if it's given."""

    reading: object
    whole: object = None  # the picture, by the places that the part has with its padding
    kept: tuple = ()  # which places of the keys aren't padding
    notes: tuple = ()

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
        return moved_picture(self.whole, asking, looked_at)


def seen_by(which, shape, reading, config, named, image=None, grid=None, batch=0):
    """What is known of a part of this role and shape, [layer, head, query, key], whose model reads `named` inputs."""
    queries, keys = shape[2:]
    pixels = next((value for value in named.values() if _are_pixels(value)), None)
    pixels = None if pixels is None else pixels[min(batch, len(pixels) - 1)]
    places, notes = text_with_patches(which, reading, config, named, batch)
    if places is not None:
        return of_text(places, notes, queries, keys, reading, config, pixels, image, grid)
    looks = which in ("", "image", "encoder") and (sees_patches(config) or grid is not None) and queries == keys
    if not looks or reading.tokens is not None:
        return Seen(reading, notes=notes)
    try:
        size = None if pixels is None else tuple(pixels.shape[-2:])
        found = patch_grid(config, keys, grid, size)
    except ValueError:
        if image is not None or grid is not None:
            raise
        return Seen(reading, notes=notes)
    reading = replace(reading, tokens=found.names, query_tokens=None, mask=None)
    if image is None:
        return Seen(reading, notes=notes)
    start = len(found.special)
    whole, more = picture_from(image, found.rows, found.columns, start, start, pixels=pixels)
    return Seen(reading, whole, tuple(range(keys)), (*notes, *more))


def text_with_patches(which, reading, config, named, batch):
    """Where a text has the patches of its picture; None where it has none."""
    ids = named.get("input_ids")
    if which not in ("", "text", "decoder") or ids is None or not sees_patches(config):
        return None, ()
    return image_places(ids[batch] if getattr(ids, "ndim", 1) == 2 else ids, config)


def of_text(places, notes, queries, keys, reading, config, pixels, image, grid):
    """What is known of a text that has a picture in it."""
    size = None if pixels is None else tuple(pixels.shape[-2:])
    try:
        found = patch_grid(config, len(places), grid, size)
    except ValueError:
        if image is not None:
            raise
        return Seen(reading, notes=notes)
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
