"""A figure as HTML: for pages of the book the custom element with its data, for everybody else a plain picture."""

import json
import os
import re
from html import escape

BUILDING = "MANYHEADS_SITE_SCRIPTS"  # set while a book is built, whose pages have the scripts


def element_html(name, attributes, data, plain=""):
    """A custom element with its data, from which its script draws it, at the book's build and in the page.

    >>> element_html("head-map", {"sentence": "<tea>", "compare": None, "causal": ""}, {"shape": [1, 1, 1, 1]})
    '<head-map sentence="&lt;tea&gt;" causal=""><script type="application/json">{"shape":[1,1,1,1]}</script></head-map>'

    `plain` is what shows in it where no script runs.
    """
    text = json.dumps(data, separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return f'<{name}{attributes_html(attributes)}>{plain}<script type="application/json">{text}</script></{name}>'


def attributes_html(attributes):
    """Attributes as they stand in a tag; those that are None are left out.

    >>> attributes_html({"label": "<tea>", "compare": None})
    ' label="&lt;tea&gt;"'
    """
    return "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if value is not None)


def table_html(caption, rows, columns=()):
    """A table with a caption, for places without scripts: rows are [(name, cell, ...), ...], columns their titles.

    >>> table_html("How much <milk>", [("tea", "0.5")])
    '<figure><figcaption>How much &lt;milk&gt;</figcaption><table><tr><th>tea</th><td>0.5</td></tr></table></figure>'
    """
    titles = "".join(f"<th>{escape(title)}</th>" for title in columns)
    head = f"<tr><td></td>{titles}</tr>" if titles else ""
    body = "".join(
        f"<tr><th>{escape(name)}</th>{''.join(f'<td>{escape(cell)}</td>' for cell in cells)}</tr>"
        for name, *cells in rows
    )
    return f"<figure><figcaption>{escape(caption)}</figcaption><table>{head}{body}</table></figure>"


def write_heads(heads):
    """Heads as attributes and links name them.

    >>> write_heads([(23, 4), (16, 0)])
    '23.4 16.0'
    """
    return " ".join(f"{layer}.{head}" for layer, head in heads)


def read_heads(text):
    """The heads that `write_heads` wrote.

    >>> read_heads("23.4 16.0")
    [(23, 4), (16, 0)]

    Raises `ValueError` for what isn't written so.
    """
    if wrong := [place for place in text.split() if not re.fullmatch(r"\d+\.\d+", place)]:
        raise ValueError(f"heads are written like 23.4, layer and head from 0, got {wrong[0]!r}")
    return [tuple(map(int, place.split("."))) for place in text.split()]


def is_building():
    """Whether a book is being built around the cell that runs, so that its page has the figures' scripts."""
    return bool(os.environ.get(BUILDING))
