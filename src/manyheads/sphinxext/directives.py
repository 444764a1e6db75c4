"""The directives of live figures: the words and options of each are those of its function in `figures/elements.py`."""

import inspect
import json
import keyword
import re
from html import escape
from pathlib import Path
from typing import ClassVar, get_args

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from manyheads.figures.elements import make, maker
from manyheads.sphinxext.exercises import OPEN, is_checked
from manyheads.sphinxext.phrases import phrases_of

CALL = "data-call"  # what an element was made with, for the cell of its notebook
ADDED = "others"  # what phrases of a page set in the figure, so that it can be stored
READERS = {int: directives.nonnegative_int, float: float, str: directives.unchanged_required}


class AnyOption(dict):
    """Options of which some have a reader."""

    def __missing__(self, name):
        return directives.unchanged

    def __bool__(self):  # else there would be none to read
        return True


class FigureDirective(SphinxDirective):
    """`{name-of-a-figure} words`: the figure's element, with the options of its function."""

    optional_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = AnyOption()
    element: str

    def run(self):
        try:
            words, options = " ".join(self.arguments), self.read()
            html = make(self.element, words, options)
        except (TypeError, ValueError) as error:
            raise self.error(f"{self.name}: {error}") from error
        return [nodes.raw("", with_call(html, words, options), format="html")]

    def read(self):
        """The options as Python names them, with what the page around the figure adds."""
        options = {python_name(name): value for name, value in self.options.items()}
        known = inspect.signature(maker(self.element)).parameters
        if ADDED in known:
            named = {self.element, options.get("id")}
            options[ADDED] = phrases_of(Path(self.env.doc2path(self.env.docname)), named)
        if "goal" in known and OPEN in self.env.temp_data:
            options.setdefault("exercise", self.env.temp_data[OPEN])
            if "goal" in options:
                is_checked(self.env)
        return options


class TextDirective(FigureDirective):
    """A figure that needs a text."""

    required_arguments = 1
    optional_arguments = 0


def figure_directive(element):
    """The directive of a figure."""
    words, *options = inspect.signature(maker(element)).parameters.values()
    spec = AnyOption({option.name.rstrip("_").replace("_", "-"): reader(option.annotation) for option in options})
    kind = TextDirective if words.default is words.empty else FigureDirective
    return type(element, (kind,), {"element": element, "option_spec": spec})


def reader(annotation):
    """What reads an option of a kind; `None` may stand beside it."""
    return next(
        (READERS[kind] for kind in READERS if kind in (annotation, *get_args(annotation))), directives.unchanged
    )


def python_name(option):
    """What Python calls an option.

    >>> python_name("for"), python_name("head-mask")
    ('for_', 'head_mask')
    """
    name = option.replace("-", "_")
    return f"{name}_" if keyword.iskeyword(name) else name


def drop_calls(app, pagename, templatename, context, doctree):
    """Takes what elements were made with off the page, once its notebook is written."""
    context["body"] = re.sub(rf' {CALL}="[^"]*"', "", context.get("body") or "")


def with_call(html, words, options):
    """An element with what it was made with."""
    call = json.dumps([words, {name: value for name, value in options.items() if name != ADDED}], ensure_ascii=False)
    return re.sub(r"^<[\w-]+", lambda tag: f'{tag[0]} {CALL}="{escape(call)}"', html)
