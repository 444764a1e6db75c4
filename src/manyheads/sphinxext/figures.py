"""The live figures of pages: their directives, and which of them a page holds."""

from manyheads.figures import FIGURES
from manyheads.models.registry import function
from manyheads.sphinxext.directives import drop_calls, figure_directive


def add_directives(app):
    """The directive of every figure."""
    for element, row in FIGURES.items():
        app.add_directive(element, function(row["directive"]) if "directive" in row else figure_directive(element))
    app.add_directive("guess", figure_directive("figure-guess"))
    app.connect("html-page-context", drop_calls, priority=500)  # the notebook is written at 499


def figures_in(html):
    """The figures that a page holds, in the table's order.

    >>> figures_in('<museum-piece bug="scale"><head-map></head-map></museum-piece>')
    ['head-map', 'museum-piece']
    """
    return [element for element in FIGURES if f"<{element}" in html]
