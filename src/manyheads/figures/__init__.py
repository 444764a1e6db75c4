"""The live figures that a page can hold, from `shared/figures.json`, which Sphinx and the build of scripts read.

A row is a custom element: its script is `web/figures/<element>/<element>.ts`, beside its stylesheet and other parts.
`element` names the function that makes its HTML of the words and options of its directive (`elements.py` explains
them); a row without one takes any. `directive` is a class of its own, for what is read of a page beside that. `widget`
is the class that shows it in a notebook where Python computes; all others are `PageFigure`s. `files` lists what it
fetches beside a model.
"""

import json
from pathlib import Path

FIGURES = json.loads((Path(__file__).parent.parent / "shared" / "figures.json").read_text(encoding="utf-8"))


def class_name(element):
    """What a figure is called in Python.

    >>> class_name("drawing-board")
    'DrawingBoard'
    """
    return "".join(part.capitalize() for part in element.split("-"))


# The figures that only the browser computes, by their names in Python.
PAGE_FIGURES = {
    class_name(element): element for element, row in FIGURES.items() if row.keys().isdisjoint(("widget", "directive"))
}
