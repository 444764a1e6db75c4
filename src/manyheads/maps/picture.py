"""The picture beneath the weights of a map whose places are patches of it."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Picture:
    """What a map shows beneath its weights, for places that are patches of a picture.

    >>> picture = Picture("data:image/png;base64,", rows=2, columns=3, width=30, height=20, key_start=1, query_start=1)
    >>> picture.rows * picture.columns
    6

    `source` is the picture as a data URL of an image, `width` and `height` are its pixels. Its patches are the keys
    from `key_start` on, row after row; where patches ask as well, they are the queries from `query_start` on, which is
    None where others ask, such as words. Where they stand otherwise, as those of several pictures that are drawn as
    one, `places` says for each cell, row after row, how far after the start its patch is, from 0; None for no patch:

    >>> Picture("data:image/png;base64,", rows=1, columns=3, width=30, height=10, places=(0, None, 4)).after
    (0, None, 4)
    """

    source: str
    rows: int
    columns: int
    width: int
    height: int
    key_start: int = 0
    query_start: int | None = None
    places: tuple[int | None, ...] | None = None

    @property
    def after(self) -> tuple[int | None, ...]:
        """For each cell, row after row, how far after the start its patch stands."""
        return tuple(range(self.rows * self.columns)) if self.places is None else self.places


def check_picture(picture, queries, keys):
    """The picture of a map of so many queries and keys; refused where it has other patches than the map has places.

    >>> check_picture(Picture("data:image/png;base64,", 2, 3, width=30, height=20, key_start=1), queries=7, keys=6)
    Traceback (most recent call last):
    ValueError: picture has 2 x 3 patches from key 1 on, but there are 6 keys
    """
    if picture is None:
        return None
    if not isinstance(picture, Picture):
        raise TypeError(f"picture must be a Picture, as picture_from makes it, got {type(picture).__name__}")
    if not picture.source.startswith("data:image/"):
        raise ValueError(f"the source of a picture must be a data URL of an image, got {picture.source[:40]!r}")
    if min(picture.rows, picture.columns, picture.width, picture.height) < 1:
        raise ValueError(f"a picture has rows, columns, width and height from 1 on, got {replace(picture, source='')}")
    patches = [place for place in picture.after if place is not None]
    if len(picture.after) != picture.rows * picture.columns or min(patches, default=-1) != 0:
        raise ValueError(f"the places of a picture are one for each cell, from 0 on, got {picture.places}")
    for name, start, count in (("key", picture.key_start, keys), ("query", picture.query_start, queries)):
        if start is not None and not 0 <= start < count - max(patches):
            raise ValueError(
                f"picture has {picture.rows} x {picture.columns} patches from {name} {start} on, "
                f"but there are {count} {'keys' if name == 'key' else 'queries'}"
            )
    return picture


def move_picture(picture, queries, keys):
    """The picture of a map that has these queries and keys of another, by their places; None where a patch is missing.

    >>> picture = Picture("data:image/png;base64,", 1, 2, width=20, height=10, key_start=1)
    >>> move_picture(picture, [0], [1, 2]).key_start, move_picture(picture, [0], [0, 2])
    (0, None)

    What stood between patches of several pictures may be gone:

    >>> move_picture(replace(picture, places=(0, 2)), [0], [1, 3]).after
    (0, 1)
    """
    if picture is None:
        return None
    key_start, after = _moved(picture.after, picture.key_start, keys)
    query_start, asking = _moved(picture.after, picture.query_start, queries)
    if key_start is None:
        return None
    query_start = query_start if asking == after else None
    return replace(picture, key_start=key_start, query_start=query_start, places=unless_in_order(after))


def unless_in_order(places):
    """The places of a picture; None where they're one after the other.

    >>> unless_in_order((0, 1)), unless_in_order((0, 2))
    (None, (0, 2))
    """
    return None if places == tuple(range(len(places))) else places


def _moved(after, start, places):  # -> where they start now, how far after it each is; None for what isn't there
    at = {place: number for number, place in enumerate(places)}
    now = [None if place is None or start is None else at.get(start + place) for place in after]
    if start is None or any(one is None for one, place in zip(now, after) if place is not None):
        return None, None
    first = min(one for one in now if one is not None)
    return first, tuple(None if one is None else one - first for one in now)
