"""The parts of a model that look at a picture: the names of its patches, and the picture beneath the weights."""

from dataclasses import dataclass, replace

import numpy as np

from manyheads.maps.picture import move_picture
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
from manyheads.reading.places import count_places, note_counted
from manyheads.reading.token_names import ids_in

RESAMPLERS = ("qformer_config", "perceiver_config")  # of models whose text gets what queries make of the patches
BLOCKS = "The model reads patches in blocks of {side} x {side}: here they stand row after row."


@dataclass(frozen=True)
class PicturePlaces:
    """What is known of the places of a part with the names of patches, and the picture they are of, if it's given."""

    text: object  # `Text`
    whole: object = None  # the picture, by the places that the part has with its padding
    kept: tuple = ()  # which places of the keys aren't padding
    notes: tuple = ()
    order: tuple | None = None  # the places row after row, where the model has its patches otherwise
    refusal: str | None = None  # why there's no picture

    def in_rows(self, placed):  # Placed -> Placed
        """Weights, and what asks and is looked at, with patches row after row."""
        if self.order is None:
            return placed
        queries, keys = ([names[place] for place in self.order] for names in (placed.queries, placed.keys))
        return replace(placed, weights=placed.weights[:, :, self.order][..., self.order], queries=queries, keys=keys)

    def picture(self, queries):
        """The picture for so many queries that are left, and the keys that are."""
        if self.whole is None:
            return None
        asking = self.kept if self.whole.query_start is not None else range(queries)
        return move_picture(self.whole, asking, self.kept)

    def picture_of_groups(self, queries, keys):
        """The picture for groups of queries and keys, of which those of one token may be patches."""
        if self.whole is None:
            return None
        asking, looked_at = (self.kept if groups is None else groups.singles() for groups in (queries, keys))
        if self.order is not None:
            rows = {place: number for number, place in enumerate(self.order)}
            asking, looked_at = ([rows.get(place, -1) for place in places] for places in (asking, looked_at))
        return move_picture(self.whole, asking, looked_at)


def find_patches(which, full, text, config, named, request, windows=False):
    """What is known of a part of this role, with so many queries and keys, whose model reads `named` inputs.

    Its patches may be the keys alone, where a `[CLS]` asks, or what pools. In `windows`, none are told.
    """
    pixels = next((value for value in named.values() if _are_pixels(value)), None)
    pixels = None if pixels is None else pixels[min(request.batch, len(pixels) - 1)]
    places, notes = text_with_patches(which, config, named, request.batch)
    if places is not None:
        before = sum(pictures_in(ids, config) for ids in named["input_ids"][: request.batch])
        return _patches_in_text(places, full, text, config, pixels, grid_among(named, before), request)
    if windows or not looks_at_patches(which, config, named, request.grid):
        return PicturePlaces(text, notes=notes)
    windowed = hasattr(getattr(config, "vision_config", None), "window_size")  # in an order of its own
    flat = grid_among(named, request.batch) if pixels is None and not windowed else None
    found, refusal = _grid_of(config, full[1], request.grid, pixels, flat)
    if found is None:
        return PicturePlaces(text, notes=notes, refusal=refusal)
    names, order = found.names, None
    side = side_of_merged(config)
    if flat == (found.rows, found.columns) and side > 1:
        order, notes = in_blocks(*flat, side), (*notes, BLOCKS.format(side=side))
        names = [name for _, name in sorted(zip(order, names))]  # as the model has them
    asks_itself = full[0] == full[1] and which != "cross"
    if text.tokens is None:
        text, more = name_patches(text, names, None if asks_itself else full[0])
        notes += more
    if request.image is None:
        return PicturePlaces(text, notes=notes, order=order)
    start = len(found.special)
    asks = start if asks_itself else None
    picture, more = picture_from(request.image, found.rows, found.columns, start, asks, pixels=pixels)
    return PicturePlaces(text, picture, tuple(range(full[1])), (*notes, *more), order)


def _patches_in_text(places, full, text, config, pixels, given, request):
    """What is known of a text that has a picture in it, at these places."""
    found, refusal = _grid_of(config, len(places), request.grid, pixels, given)
    if found is None:
        return PicturePlaces(text, refusal=refusal)
    found = replace(found, special=())
    queries, keys = full
    if text.tokens is not None and len(text.tokens) == keys:
        text = replace(text, tokens=with_patches(text.tokens, places, found))
    if request.image is None:
        return PicturePlaces(text)
    asks = places.start if queries == keys else None
    picture, notes = picture_from(request.image, found.rows, found.columns, places.start, asks, pixels=pixels)
    kept = range(keys) if text.mask is None or len(text.mask) != keys else np.flatnonzero(text.mask).tolist()
    return PicturePlaces(text, picture, tuple(kept), notes)


def lay_over(attention, image, grid=None):
    """A map that was made before, laid over the picture whose patches its keys are; the tokens keep their names.

    >>> from manyheads.maps.attention_map import AttentionMap
    >>> attention = AttentionMap(list("abcd"), list("abcd"), np.full((1, 1, 4, 4), 1 / 4))
    >>> picture = lay_over(attention, np.zeros((8, 12), np.uint8), grid=(1, 3)).picture
    >>> picture.columns, picture.key_start
    (3, 1)
    """
    found = patch_grid(None, len(attention.key_tokens), grid)
    start = len(found.special)
    asks = start if attention.query_tokens == attention.key_tokens else None
    picture, notes = picture_from(image, found.rows, found.columns, start, asks)
    return replace(attention, picture=picture, notes=(*attention.notes, *notes))


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


def text_with_patches(which, config, named, batch):
    """Where a text has the patches of its picture; None where it has none."""
    ids = named.get("input_ids")
    resampled = any(getattr(config, name, None) is not None for name in RESAMPLERS)
    if which not in ("", "text", "decoder") or ids is None or not sees_patches(config) or resampled:
        return None, ()
    return image_places(ids[batch] if getattr(ids, "ndim", 1) == 2 else ids, config)


def _are_pixels(value):
    return (
        getattr(value, "ndim", 0) == 4 and "float" in str(getattr(value, "dtype", "")) and value.shape[1] in (1, 3, 4)
    )
