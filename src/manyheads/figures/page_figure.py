"""The figures of the pages in a notebook: each is the page's own element, which computes in the browser."""

import hashlib
import re
from functools import cache
from typing import Any

import numpy as np
import traitlets

from manyheads.drawing.element import is_building
from manyheads.figures import FIGURES, PAGE_FIGURES
from manyheads.figures.elements import make, maker
from manyheads.figures.files import SHARED, script_files, site_file
from manyheads.widgets.figure import Figure, nobody_answers
from manyheads.widgets.web_files import built

DATA = re.compile(r'<script type="application/json">.*?</script>', re.DOTALL)
TAGS = re.compile(rf"</?({'|'.join(FIGURES)})\b[^>]*>")


class PageFigure(Figure):
    """A figure of the book's pages, by the name of its element, with the words and the options of its directive.

    >>> PageFigure("drawing-board", "open ring", guess="gap")
    <PageFigure>

    Most have a class of their own, so that this is `DrawingBoard("open ring", guess="gap")`: `MuseumPiece`,
    `SoftmaxScale`, `WordSense` and so on. This one is for all.

    It computes in the browser, as on its page, also while Python is busy. Its scripts come along with the first figure
    that needs them; the models that it needs come from Python once it is shown. All come once for all figures of a
    notebook.

    `value` is what its reader has made of it, a dict, as the page's element has it: a drawing's `strokes` and
    `answer`, a map's `sentence` and `attention`, with NumPy arrays for weights; it's empty until the figure computes.
    It's a trait, so observe it; it is only read. `id` is what phrases of the text around it call it.

    Raises `ValueError` or `TypeError` for a figure, words or options that it doesn't take.
    """

    _esm = built("widgets/notebook.js")
    _css = ""
    html: str = traitlets.Unicode(read_only=True).tag(sync=True)
    value: dict[str, Any] = traitlets.Dict(read_only=True)
    _value = traitlets.Dict().tag(sync=True)
    _elements = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _brought = traitlets.Dict().tag(sync=True)
    _version = traitlets.Unicode().tag(sync=True)

    def __init__(self, element: str, words: Any = "", **options: Any) -> None:
        if element not in FIGURES:
            raise ValueError(f"no figure is called {element!r}; there are {', '.join(FIGURES)}")
        self._begin(element, make(element, words, options))
        self.id = options.get("id") or ""

    @classmethod
    def of(cls, html: str) -> "PageFigure":
        """The figure of an element that is there as HTML.

        >>> PageFigure.of("<softmax-scale></softmax-scale>")
        <PageFigure>
        """
        figure = cls.__new__(cls)
        figure._begin(re.match(r"<([\w-]+)", html)[1], html)
        return figure

    def _begin(self, element, html):
        inside = [name for name in FIGURES if re.search(rf"<{name}[\s>]", html)]
        inside.sort(key=lambda name: name == element)  # an element around others looks for them as it wakes
        super().__init__(_elements=inside, _version=version(), _brought=_brought_for(inside), _status="")
        self.set_trait("html", html)
        self.on_msg(self._give)

    def _give(self, _, wanted, buffers):
        """Sends a file that the page asks for."""
        place = wanted["file"]
        try:
            contents = site_file(place)
        except FileNotFoundError as error:
            self.send({"file": place, "missing": str(error)})
            return
        self.send({"file": place}, [contents])

    @traitlets.observe("_value")
    def _take(self, change):
        self.set_trait("value", _with_arrays(change.new))

    def _element(self):
        return self.html

    def _plain(self):
        return plain_of(self.html)


def _with_arrays(value):
    """What a page sent, its arrays as NumPy's: each comes as {"shape": [...], "bytes": ..., "dtype": ...}."""
    if isinstance(value, list):
        return [_with_arrays(each) for each in value]
    if not isinstance(value, dict):
        return value
    if value.keys() == {"shape", "bytes", "dtype"}:
        return np.frombuffer(value["bytes"], value["dtype"]).reshape(value["shape"])
    return {name: _with_arrays(each) for name, each in value.items()}


def plain_of(html):
    """The plain picture that stands in an element, and in those inside it.

    >>> plain_of('<first-look><head-map><svg></svg><script type="application/json">{}</script></head-map></first-look>')
    '<svg></svg>'
    """
    return TAGS.sub("", DATA.sub("", html))


_BROUGHT: set[str] = set()  # scripts and stylesheets that a figure of this kernel has brought along


def _brought_for(elements):
    """The scripts and stylesheets that none has brought yet, {place: text}. Asked for, they wait for a busy kernel."""
    if is_building() or nobody_answers():
        return {}
    places = {"head-map.css", SHARED, *(f"{name}.{ending}" for name in elements for ending in ("css", "js"))}
    new = sorted(places & script_files().keys() - _BROUGHT)
    _BROUGHT.update(new)
    return {place: site_file(place).decode() for place in new}


@cache
def version():
    """A hash of the scripts, so that a page never mixes those of two kernels."""
    scripts = sorted(script_files().items())
    return hashlib.sha256(b"".join(path.read_bytes() for _, path in scripts)).hexdigest()[:12]


def _named(name):
    """The class of a figure, such as `DrawingBoard`: its words and options are those of the function that makes it."""
    element = PAGE_FIGURES[name]

    def __init__(self, words="", **options):
        PageFigure.__init__(self, element, words, **options)

    about = maker(element).__doc__
    return type(name, (PageFigure,), {"__init__": __init__, "__doc__": about, "__module__": __name__})


globals().update({name: _named(name) for name in PAGE_FIGURES})
