"""The theme with less to fetch: icons from a font of those in use, and scripts that wait for the page.

The theme brings all 2,000 icons of Font Awesome twice, as fonts and as a script of 1.5 MB that draws them. The template
`webpack-macros.html` leaves the script out of the pages.
"""

import os
import re
from importlib.resources import files
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font

TEMPLATES = Path(__file__).parent / "templates"
THEME = "sphinx_book_theme"
BASE = files("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static"
FONT = Path("vendor", "fontawesome", "webfonts", "fa-solid-900.woff2")
STYLES = ("styles/pydata-sphinx-theme.css", "styles/sphinx-book-theme.css")
DRAWING = "scripts/fontawesome.js*"  # with its map
READ_AT_ONCE = "documentation_options.js"  # a script that stands in the page reads it
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"


def icons_by_name(css):
    """The character of each icon that a stylesheet names.

    >>> icons_by_name(r'.fa-a:before,.fa-font:before{content:"\\41"}')
    {'fa-a': 'A', 'fa-font': 'A'}
    """
    rules = re.findall(r'([^{}]*):before\{content:"\\([0-9a-f]+)"\}', css)
    return {name: chr(int(code, 16)) for names, code in rules for name in re.findall(r"fa-[\w-]+", names)}


def used_icons(site):
    """The characters of the icons that a built site's pages and scripts name, and of those its stylesheets draw."""
    static = site / "_static"
    css = "".join((static / name).read_text(encoding="utf-8") for name in STYLES)
    sources = [*site.rglob("*.html"), *static.glob("scripts/*.js")]
    names = {name for path in sources for name in re.findall(r"\bfa-[\w-]+", path.read_text(encoding="utf-8"))}
    characters = {character for name, character in icons_by_name(css).items() if name in names}
    return characters | set(re.findall('"([\ue000-\uf8ff])"', css))


def lighten_files(app):
    """Leaves out of the built site's copy of the theme the script that draws icons, and the icons that are not used."""
    if app.config.html_theme != THEME:
        return
    site = Path(app.outdir)
    for file in (site / "_static").glob(DRAWING):
        file.unlink()
    options = Options(flavor="woff2")
    font = load_font((BASE / FONT).with_suffix(".ttf"), options)  # the other takes seconds to read
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(used_icons(site)))
    subsetter.subset(font)
    save_font(font, site / "_static" / FONT, options)


def lighten_page(app, pagename, templatename, context, doctree):
    """Lets a page's scripts wait for the page; no page needs the state of its notebook's widgets."""
    scripts = [script for script in context["script_files"] if script.attributes.get("type") != WIDGET_STATE]
    context["script_files"] = [deferred(script) for script in scripts]


def deferred(script):
    """A script of Sphinx's list that waits until the page is read, if it is a file and nothing in the page needs it."""
    if not script.filename or str(script.filename).endswith(READ_AT_ONCE):
        return script
    return type(script)(script.filename, priority=script.priority, **{"defer": "defer", **script.attributes})


def add_templates(app, config):
    if config.html_theme == THEME:
        # As it is seen from the book: Sphinx writes a hash of its settings into the site.
        config.templates_path.append(os.path.relpath(TEMPLATES, app.confdir))


def setup(app):
    app.connect("config-inited", add_templates)
    app.connect("html-page-context", lighten_page, priority=901)
