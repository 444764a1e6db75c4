"""The live figures that a page can hold, from `shared/figures.json`, which Sphinx and the build of the scripts read.

A row is a custom element: its script is `web/figures/<element>/<element>.ts`, beside its stylesheet and other parts.
`directive` puts it into a page, `widget` shows it in a notebook, `files` lists what it fetches beside a model.
"""

import json

from manyheads.models.registry import function
from manyheads.widgets.web_files import WEB

FIGURES = json.loads((WEB.parent / "shared" / "figures.json").read_text(encoding="utf-8"))


def add_directives(app):
    """The directive of every figure that has one."""
    for element, row in FIGURES.items():
        if "directive" in row:
            app.add_directive(element, function(row["directive"]))


def figures_in(html):
    """The figures that a page holds, in the table's order.

    >>> figures_in('<museum-piece bug="scale"><head-map></head-map></museum-piece>')
    ['head-map', 'museum-piece']
    """
    return [element for element in FIGURES if f"<{element}" in html]


def figure_files():
    """What figures fetch beside a model."""
    return {path.name: path for row in FIGURES.values() if "files" in row for path in function(row["files"])()}
