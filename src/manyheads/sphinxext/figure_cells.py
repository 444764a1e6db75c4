"""The cell of a notebook that shows what a page's live figure shows."""

import json
import re

import nbformat
import traitlets

import manyheads
from manyheads.models.registry import is_in_python
from manyheads.sphinxext.figures import FIGURES

MADE = "live-figure"  # the tag of such a cell: its chapter has a directive in its place
SHOWN = ("sentence", "text")  # what a widget takes first
WIDGETS = {element: row["widget"] for element, row in FIGURES.items() if "widget" in row}


def figure_cell(element, link=lambda address: address):
    """The cell for a figure or a drawing of a page; None for all else, and for a figure that no widget shows.

    >>> from bs4 import BeautifulSoup
    >>> page = BeautifulSoup('<head-map sentence="Tea?" view="lines" model="focus/heads-8"></head-map>', "html.parser")
    >>> print(figure_cell(page.find("head-map")).source)
    from manyheads import HeadMap
    <BLANKLINE>
    HeadMap("Tea?", model="focus/heads-8", view="lines")

    Of a figure around another, such as a `<museum-piece>`, it is the cell of the one inside, with the models that
    Python has. What is for pages alone, and no trait of the widget, is left out. `link` is as in `prose`.
    """
    if element.name == "svg":
        for anchor in element.find_all("a", href=True):
            anchor["href"] = link(anchor["href"]) or "#"
        source = f'from IPython.display import HTML\n\nHTML("""\n{element}\n""")'
        return _cell(source, str(element), hidden=True)
    shown = element if element.name in WIDGETS else element.find([*WIDGETS]) if element.name in FIGURES else None
    if shown is None:
        return None
    named = (shown.get("models") or shown.get("model") or "focus").split()
    models = [name for name in named if is_in_python(name)]
    if not models:
        return None
    arguments = [python_text(next((shown[name] for name in SHOWN if name in shown.attrs), ""))]
    if len(models) > 1:
        arguments.append(f"models=[{', '.join(map(python_text, models))}]")
    elif models != ["focus"]:
        arguments.append(f"model={python_text(models[0])}")
    widget = WIDGETS[shown.name]
    traits = getattr(manyheads, widget).class_traits()
    others = [name for name in shown.attrs if name in traits and name not in SHOWN]
    arguments += [f"{name}={_argument(traits[name], shown[name])}" for name in others]
    source = f"from manyheads import {widget}\n\n{widget}({', '.join(arguments)})"
    return _cell(source, plain_of(shown))


def plain_of(element):
    """The plain picture that stands in a figure's element."""
    return "".join(str(part) for part in element.children if part.name != "script")


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
    return python_text(text)


def _cell(source, html, hidden=False):
    output = nbformat.v4.new_output("display_data", data={"text/html": html, "text/plain": "A figure of the book."})
    metadata = {"tags": [MADE], **({"jupyter": {"source_hidden": True}} if hidden else {})}
    return nbformat.v4.new_code_cell(source, metadata=metadata, outputs=[output])
