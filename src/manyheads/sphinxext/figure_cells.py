"""The cell of a notebook that shows what a page's live figure shows."""

import json
from copy import copy

import nbformat

from manyheads.maps.names import FLAGS
from manyheads.widgets.one_module import with_style

MADE = "live-figure"  # the tag of such a cell: its chapter has a directive in its place
NUMBERS = ("layer", "head", "query", "word")
LEFT_OUT = ("class", "sentence", "model", "models", "id", "examples", "guide")
UNTIL_RUN = "A computed example. Run the cell, and it answers to a sentence of your own."
DEFAULTS = {"layer": "0", "step": "X"}
ENCODER = "from manyheads.models.encoder import load_encoder"
FOCUS = "from manyheads import load_focus_model"


def figure_cell(element, link=lambda address: address):
    """The cell for a `<head-map>`, `<formula-steps>` or drawing of a page, as it stands there; None for all else.

    For a `<museum-piece>` it is the map without the bug.

    >>> from bs4 import BeautifulSoup
    >>> page = BeautifulSoup('<head-map sentence="Tea?" layer="0" view="lines" head="1"></head-map>', "html.parser")
    >>> print(figure_cell(page.find("head-map")).source)
    from manyheads import HeadMap
    <BLANKLINE>
    HeadMap("Tea?", view="lines", head=1)

    `link` is as in `prose`.
    """
    if element.name == "svg":
        for anchor in element.find_all("a", href=True):
            anchor["href"] = link(anchor["href"]) or "#"
        source = f'from IPython.display import HTML\n\nHTML("""\n{element}\n""")'
        return _cell(source, str(element), hidden=True)
    if element.name == "museum-piece":  # its bugs live in JavaScript
        element = copy(element.find("head-map"))
        element["model"] = element.attrs.pop("models").split()[0]
    if element.name not in ("head-map", "formula-steps"):
        return None
    widget = {"head-map": "HeadMap", "formula-steps": "FormulaSteps"}[element.name]
    names = (element.get("models") or element.get("model") or "focus").split()
    models = [model_code(name) for name in names]
    if None in models:
        return None
    arguments = [written(element.get("sentence", ""))]
    imports = [f"from manyheads import {widget}"]
    if names != ["focus"]:
        calls = [call for _, call in models]
        arguments.append(f"models=[{', '.join(calls)}]" if "models" in element.attrs else f"model={calls[0]}")
        imports += [line for line in dict.fromkeys(line for line, _ in models)]
    for name, value in element.attrs.items():
        if name in FLAGS:
            arguments.append(f"{name}=True")
        elif name not in LEFT_OUT and DEFAULTS.get(name) != value:
            arguments.append(f"{name}={int(value) if name in NUMBERS else written(value)}")
    imports = "\n".join(joined(imports))
    if status := element.find(class_="hm-status"):
        status.string = UNTIL_RUN
    return _cell(f"{imports}\n\n{widget}({', '.join(arguments)})", with_style(str(element)))


def model_code(name):
    """How Python calls a model of the pages: (its import, its call); None for one that only pages have.

    >>> model_code("focus/heads-8")
    ('from manyheads import load_focus_model', 'load_focus_model("heads-8")')
    """
    family, _, variant = name.partition("/")
    if name == "encoder":
        return ENCODER, "load_encoder()"
    if variant == "no-order":
        importing = "from manyheads.models.focus.bag_of_words import without_order"
        return f"{FOCUS}\n{importing}", "without_order(load_focus_model())"
    if family != "focus" or variant == "causal" or variant.startswith("bug-"):
        return None
    return FOCUS, f"load_focus_model({written(variant) if variant else ''})"


def joined(imports):
    """Import lines, each once, those of one module on one line."""
    names = {}
    for line in "\n".join(imports).splitlines():
        module, _, name = line.removeprefix("from ").partition(" import ")
        names.setdefault(module, []).append(name)
    return [f"from {module} import {', '.join(dict.fromkeys(found))}" for module, found in names.items()]


def written(text):
    """A string as Python writes it, in double quotes."""
    return json.dumps(text, ensure_ascii=False)


def _cell(source, html, hidden=False):
    output = nbformat.v4.new_output("display_data", data={"text/html": html, "text/plain": "A figure of the book."})
    metadata = {"tags": [MADE], **({"jupyter": {"source_hidden": True}} if hidden else {})}
    return nbformat.v4.new_code_cell(source, metadata=metadata, outputs=[output])
