"""The picture beneath the weights of a map whose places are patches of it."""

from dataclasses import dataclass, replace


@dataclass(frozen=True)
class Picture:
    """What a map shows beneath its weights, for places that are patches of a picture.

    >>> picture = Picture("data:image/png;base64,", rows=2, columns=3, width=30, height=20, key_start=1, query_start=1)
    >>> picture.rows * picture.columns
    6

    `source` is the picture as a data URL, PNG or JPEG, `width` and `height` are its pixels. Its patches are the keys
    from `key_start` on, row after row; where patches ask as well, they are the queries from `query_start` on, which is
    None where others ask, such as words.
    """

    source: str
    rows: int
    columns: int
    width: int
    height: int
    key_start: int = 0
    query_start: int | None = None


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
    for name, start, count in (("key", picture.key_start, keys), ("query", picture.query_start, queries)):
        if start is not None and not 0 <= start <= count - picture.rows * picture.columns:
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
    """
    if picture is None:
        return None
    count = picture.rows * picture.columns
    starts = []
    for start, places in ((picture.key_start, list(keys)), (picture.query_start, list(queries))):
        at = places.index(start) if start in places else None
        whole = at is not None and places[at : at + count] == list(range(start, start + count))
        starts.append(at if whole else None)
    key_start, query_start = starts
    return None if key_start is None else replace(picture, key_start=key_start, query_start=query_start)
