"""The cell of a notebook that shows what a page's live figure shows."""

import json
import re

import nbformat
import traitlets

import manyheads
from manyheads.figures import FIGURES, PAGE_FIGURES, class_name
from manyheads.figures.page_figure import plain_of
from manyheads.maps.choosing import read_query
from manyheads.models.registry import is_in_python
from manyheads.sphinxext.directives import CALL

MADE = "live-figure"  # the tag of such a cell: its chapter has a directive in its place
SHOWN = ("sentence", "text")  # what a widget takes first
QUIET = ("figure-guess", "field-exercise", "exercise-list")  # whose code is long, or holds the answer
REACHING = ("figure-guess", "head-cards")  # all figures, those that Python computes as well
WIDGETS = {element: row["widget"] for element, row in FIGURES.items() if "widget" in row}


def figure_cell(element, name=None):
    """The cell for a figure or a drawing of a page; None for all else.

    >>> from bs4 import BeautifulSoup
    >>> page = BeautifulSoup('<head-map sentence="Tea?" view="lines" model="focus/heads-8"></head-map>', "html.parser")
    >>> print(figure_cell(page.find("head-map")).source)
    from manyheads import HeadMap
    <BLANKLINE>
    HeadMap("Tea?", model="focus/heads-8", view="lines")

    What Python can compute, a widget of its own shows, with the models that Python has; what is for pages alone, and no
    trait of the widget, is left out. All other figures are the pages' own, in the browser; `name` is what a cell above
    has called one that it made.
    """
    if element.name == "svg":
        for anchor in element.find_all("a", href=True):  # JupyterLab fails at links in an SVG
            anchor.name = "g"
            del anchor["href"]
        source = f'from IPython.display import HTML\n\nHTML("""\n{element}\n""")'
        return _cell(source, str(element), hidden=True)
    if element.name not in FIGURES:
        return None
    if name:
        return _cell(name, plain_of(str(element)))
    if element.name in WIDGETS and not is_pages(element):
        return _cell(_widget_code(element), plain_of(str(element)))
    return _cell(_page_code(element), plain_of(str(element)), hidden=element.name in QUIET)


def is_pages(element):
    """Whether a figure that Python could compute is the page's own in its notebook as well.

    So it is where it says what heads do, which the page knows, and where another of the page drives or follows it, or
    it follows one: they find each other in the browser. Phrases, guesses and cards of heads reach all figures.
    """
    models = (element.get("models") or element.get("model") or "focus").split()
    if "for" in element.attrs or "behaviours" in element.attrs or not any(map(is_in_python, models)):
        return True
    page = list(element.parents)[-1]
    named = {element.get("id"), element.name}
    leaning = page.find_all([name for name in FIGURES if name not in REACHING], attrs={"for": True})
    return any(named & {*leans["for"].split()} for leans in leaning)


def _widget_code(element):
    """The code of a figure that Python computes."""
    named = (element.get("models") or element.get("model") or "focus").split()
    models = [name for name in named if is_in_python(name)]
    arguments = [python_text(next((element[name] for name in SHOWN if name in element.attrs), ""))]
    if len(models) > 1:
        arguments.append(f"models=[{', '.join(map(python_text, models))}]")
    elif models != ["focus"]:
        arguments.append(f"model={python_text(models[0])}")
    widget = WIDGETS[element.name]
    traits = getattr(manyheads, widget).class_traits()
    others = [name for name in element.attrs if name in traits and name not in SHOWN]
    arguments += [f"{name}={_argument(traits[name], element[name])}" for name in others]
    return f"from manyheads import {widget}\n\n{widget}({', '.join(arguments)})"


def _page_code(element):
    """The code of a figure of the page: what its directive was called with, else its HTML."""
    name = class_name(element.name)
    if CALL not in element.attrs:
        return f"from manyheads import PageFigure\n\nPageFigure.of({str(element)!r})"
    words, options = json.loads(element[CALL])
    arguments = [python_text(words)] if words else []
    arguments += [f"{option}={_value(value)}" for option, value in options.items()]
    if name not in PAGE_FIGURES:
        name, arguments = "PageFigure", [python_text(element.name), *arguments]
    return f"from manyheads import {name}\n\n{name}({', '.join(arguments)})"


def _value(value):
    """An option of a directive as Python writes it; one without a text is on."""
    if value == "":
        return "True"
    return python_text(value) if isinstance(value, str) else repr(value)


def python_text(text):
    """A string as Python writes it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def _argument(trait, text):
    """What a widget takes for an attribute."""
    if isinstance(trait, traitlets.Bool):
        return True
    if isinstance(trait, traitlets.Int):
        return int(text)
    if isinstance(trait, traitlets.List):  # of heads that are off: "0.3 5.11"
        return [(int(layer), int(head)) for layer, head in re.findall(r"(\d+)\.(\d+)", text)]
    if trait.name == "query":
        return _value(read_query(text))
    return python_text(text)


def _cell(source, html, hidden=False):
    output = nbformat.v4.new_output("display_data", data={"text/html": html, "text/plain": "A figure of the book."})
    metadata = {"tags": [MADE], **({"jupyter": {"source_hidden": True}} if hidden else {})}
    return nbformat.v4.new_code_cell(source, metadata=metadata, outputs=[output])
