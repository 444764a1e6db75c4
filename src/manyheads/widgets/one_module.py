"""The scripts and styles of `web/` for a notebook: one module without imports, and figures that bring their style."""

import os
import re
from pathlib import Path

WEB = Path(__file__).parent.parent / "web"
SITE_SCRIPTS = "MANYHEADS_SITE_SCRIPTS"  # set while the book is built: where BertViz's scripts will lie, from its top

IMPORT = re.compile(r'^import \{[^}]*\} from "(\.[\w./-]+\.js)";\n', re.MULTILINE)
JSON = re.compile(r'^import (\w+) from "(\.[\w./-]+\.json)" with \{ type: "json" \};\n', re.MULTILINE)
OWN_COMMENT = re.compile(r"^ */\*\*(?:(?!\*/).)*\*/\n|^ *//[^\n]*\n", re.MULTILINE | re.DOTALL)


def one_module(name):
    """The text of an ES module of `web/` with the modules that it imports put before it: a module without imports.

    >>> [line for line in one_module("figures/head-map.js").splitlines() if line.startswith("import")]
    []

    Such a module suits a notebook, which knows no other files, and a site, on which all lie in one folder. Top-level
    names must differ between the files. What comes from npm (`.mjs`) stays imported; comments on lines of their own are
    left out.
    """
    parts = {}

    def read(path):
        if path in parts:
            return
        text = path.read_text(encoding="utf-8")
        for imported in IMPORT.findall(text):
            read((path.parent / imported).resolve())
        text = JSON.sub(lambda found: f"const {found[1]} = {(path.parent / found[2]).read_text('utf-8')}", text)
        parts[path] = OWN_COMMENT.sub("", IMPORT.sub("", text))

    path = (WEB / name).resolve()
    read(path)
    last = parts.pop(path)
    return "\n".join([*(re.sub(r"^export ", "", part, flags=re.MULTILINE) for part in parts.values()), last])


def with_style(html):
    """A baked figure that brings its own stylesheets, for where no page has them: a notebook that nbconvert shows.

    >>> with_style("<head-map></head-map>")[:28]
    '<head-map></head-map><style>'
    >>> with_style("<p>another output</p>")
    '<p>another output</p>'
    """
    sheets = STYLESHEETS.get(re.match(r"[^\s>]*", html)[0], ())
    style = "".join((WEB / name).read_text(encoding="utf-8") for name in sheets)
    return f"{html}<style>{style}</style>" if style and not html.endswith("</style>") else html


def output_html(html):
    """A figure as a cell's output shows it: with its style, but for the pages of the book, which have it."""
    return html if os.environ.get(SITE_SCRIPTS) else with_style(html)


STYLESHEETS = {
    "<head-map": ("figures/head-map.css",),
    "<formula-steps": ("figures/head-map.css", "figures/formula-steps.css"),
}
