"""A drawing as text, which links and attributes carry: strokes as points in tenths of dots, or ink dot by dot.

`16_8-17.5_9~4_4` are two strokes, of two points and of one, in dots from 0 to 32; `ink:` and 1,366 characters of
base64url are 32 x 32 bytes, row by row, 255 is ink. The empty text is empty paper. `web/math/strokes.ts` reads and
writes the same.
"""

import base64
import math
import re

import numpy as np
from PIL import Image

from manyheads.models.drawing.strokes import CUT, MOST, SIDE, inked

INK = "ink:"
NUMBER = r"\d{1,2}(?:\.\d+)?"
POINT = f"{NUMBER}_{NUMBER}"
STROKE = f"{POINT}(?:-{POINT})*"
STROKES = re.compile(f"{STROKE}(?:~{STROKE})*", re.ASCII)
BYTES = re.compile(f"[A-Za-z0-9_-]{{{math.ceil(SIDE * SIDE * 4 / 3)}}}", re.ASCII)
KINDS = (
    f"a drawing is an array [{SIDE}, {SIDE}] of numbers from 0 to 1, where 1 is ink, "
    "a Pillow image, where dark is ink, "
    "strokes [[[x, y], ...], ...] from 0 to 1, or its text"
)


def write_strokes(strokes):
    """Strokes, `[[[x, y], ...], ...]` from 0 to 1, as text; points are rounded to tenths of dots.

    >>> write_strokes([[[0.5, 0.25], [0.547, 0.28125]], [[0.125, 0.125]]])
    '16_8-17.5_9~4_4'

    Raises `ValueError` for points beyond the paper, and for what isn't made of points.
    """
    return "~".join("-".join(map(_write_point, stroke)) for stroke in strokes if len(stroke))


def _write_point(point):
    if np.shape(point) != (2,):
        raise ValueError(f"a point of a stroke is [x, y], got {point!r}; strokes are [[[x, y], ...], ...]")
    x, y = (float(number) for number in point)
    if not (0 <= x <= 1 and 0 <= y <= 1):
        raise ValueError(f"points of strokes are from 0 to 1, got [{x:g}, {y:g}]")
    return "_".join(f"{math.floor(10 * SIDE * number + 0.5) / 10:g}" for number in (x, y))


def read_strokes(text):
    """The strokes of a drawing's text, `[[[x, y], ...], ...]` from 0 to 1; of many points, the first 4,000.

    >>> read_strokes("16_8-17.6_9~4_4")
    [[[0.5, 0.25], [0.55, 0.28125]], [[0.125, 0.125]]]

    Raises `ValueError` for a text that isn't one of strokes.
    """
    if text.startswith(INK):
        raise ValueError("this drawing is ink, dot by dot, and has no strokes")
    if text and not STROKES.fullmatch(text):
        raise ValueError(f"a drawing of strokes is written like 16_8-17.5_9~4_4, got {_short(text)!r}")
    strokes, left = [], MOST
    for stroke in text.split("~") if text else []:
        points = [[float(number) for number in point.split("_")] for point in stroke.split("-")[:left]]
        left -= len(points)
        strokes += [points] if points else []
    if max((number for points in strokes for point in points for number in point), default=0) > SIDE:
        raise ValueError(f"the points of a drawing are from 0 to {SIDE} dots, got {_short(text)!r}")
    return [[[x / SIDE, y / SIDE] for x, y in points] for points in strokes]


def write_ink(ink):
    """Ink, [32, 32] from 0 to 1, as text; in steps of 1/255.

    >>> import numpy as np
    >>> write_ink(np.ones((32, 32)))[:12]
    'ink:________'

    Raises `ValueError` for an array of another shape or with other numbers.
    """
    ink = np.asarray(ink)
    hint = f"make an image of it, where dark is ink, by PIL.Image.fromarray; {KINDS}"
    if ink.shape != (SIDE, SIDE):
        raise ValueError(f"an array of a drawing is [{SIDE}, {SIDE}], got {list(ink.shape)}: {hint}")
    if ink.dtype.kind not in "buif" or not (ink >= 0).all() or not (ink <= 1).all():
        raise ValueError(f"an array of a drawing has numbers from 0 to 1, where 1 is ink, got others: {hint}")
    steps = np.floor(255 * ink.astype(float) + 0.5).astype(np.uint8)
    return INK + base64.urlsafe_b64encode(steps.tobytes()).decode().rstrip("=")


def read_drawing(text):
    """The ink of a drawing's text: float32 [32, 32], from 0 to 1, 1 is ink.

    >>> read_drawing("16_8-16_24")[16, 13:19].tolist()
    [0.0, 0.0, 1.0, 1.0, 0.0, 0.0]
    >>> bool(read_drawing("").any())
    False

    Raises `ValueError` for a text that no drawing has.
    """
    if not text.startswith(INK):
        return inked(read_strokes(text))
    written = text.removeprefix(INK)
    if not BYTES.fullmatch(written):
        raise ValueError(f"after {INK!r} a drawing has {SIDE * SIDE} bytes in base64url, got {_short(written)!r}")
    steps = base64.urlsafe_b64decode(written + "=" * (-len(written) % 4))
    return np.frombuffer(steps, np.uint8).reshape(SIDE, SIDE).astype(np.float32) / 255


def notes_on(text):
    """What is said of a drawing that isn't read as a whole.

    >>> notes_on("16_8-17.5_9"), notes_on("-".join(["16_8"] * 4001))
    ((), ('Only the first 4,000 points of the drawing are read.',))
    """
    return (CUT,) if not text.startswith(INK) and text.count("_") > MOST else ()


def written(drawing):
    """A drawing as text, whatever it's kept in: an array, a Pillow image, strokes, or its text, which stays.

    >>> from PIL import Image
    >>> written([[[0.5, 0.25], [0.5, 0.75]]])
    '16_8-16_24'
    >>> written(Image.new("L", (320, 320), "black")) == written(np.ones((32, 32)))
    True

    An array is [32, 32], from 0 to 1 or boolean, and 1 is ink. An image may have any size: it's averaged down to
    32 x 32 dots; dark is ink, and what is transparent is paper. Its lines should be a sixteenth of its width, since
    those of the page's pen are two dots wide.

    Raises `TypeError` or `ValueError` for what is no drawing.
    """
    if isinstance(drawing, str):
        read_drawing(drawing)
        return drawing
    if isinstance(drawing, Image.Image):
        return write_ink(_ink_of(drawing))
    if hasattr(drawing, "detach"):  # a tensor, of any device
        drawing = drawing.detach().cpu().numpy()
    shape = _shape_of_first(drawing)
    if shape is None:
        raise TypeError(f"{KINDS}; got {type(drawing).__name__}")
    if len(shape) == 3 or len(drawing) == 0:
        return write_strokes(drawing)
    if len(shape) == 2 and shape[1] == 2:
        raise ValueError("strokes are [[[x, y], ...], ...]: put one stroke into brackets, [stroke]")
    return write_ink(drawing)


def _ink_of(image):
    """The ink of a Pillow image, which is dark: [32, 32]."""
    image = image.convert("RGBA")
    paper = Image.new("RGBA", image.size, "white")
    grey = Image.alpha_composite(paper, image).convert("L").resize((SIDE, SIDE), Image.Resampling.BOX)
    return 1 - np.asarray(grey, float) / 255


def _shape_of_first(values):
    """How many there are, of them in the first, and so on; None for what isn't made of numbers."""
    shape = []
    while hasattr(values, "__len__") and not isinstance(values, (str, bytes, dict, set)):
        shape.append(len(values))
        if not len(values):
            return shape
        values = values[0]
    return shape if shape and isinstance(values, (bool, int, float, np.number, np.bool_)) else None


def _short(text, most=40):
    return text if len(text) <= most else text[:most] + "…"
