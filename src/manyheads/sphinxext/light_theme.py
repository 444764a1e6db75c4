"""The theme without what no reader of the book waits for.

Its stylesheets keep the rules for what the pages hold, a third of them. Of 2,000 icons, which the theme brings three
times, as a font, as rules of a stylesheet and as a script that draws them, the font keeps the few that are used. Pages
get no file that nothing on them needs, and no script that measures all of them again and again.
"""

import re
from importlib.resources import files
from itertools import groupby, pairwise
from pathlib import Path

import tinycss2
from fontTools.subset import Options, Subsetter, load_font, save_font
from sphinx.errors import ExtensionError

TEMPLATES = Path(__file__).parent / "templates"
THEME = "sphinx_book_theme"
BASE = files("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static"
FONT = Path("vendor", "fontawesome", "webfonts", "fa-solid-900.woff2")
CSS = Path("styles", "pydata-sphinx-theme.css")
# Those that Sphinx brings anew at each build.
SHEETS = (CSS, "styles/sphinx-book-theme.css", "basic.css", "sphinx-design.min.css")
SCRIPT = Path("scripts", "pydata-sphinx-theme.js")
DRAWING = "scripts/fontawesome.js*"  # with its map
MEASURING = ',"complete"===document.readyState?I():window.addEventListener("load",I)'
READ_AT_ONCE = "documentation_options.js"  # by a script that stands in the page
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
# What extensions bring to every page, and what a page has that needs it.
NEEDED_BY = {
    "toggle": re.compile(r'class="(?:[^"]* )?(?:toggle|dropdown)[ "]'),
    "sphinx-design": re.compile('class="(?:[^"]* )?sd-'),
    "design-tabs": re.compile("sd-tab-"),
    "mystnb": re.compile('class="(?:cell |pasted-)'),
}


def used_words(site):
    """Every word of a site's pages and scripts: the classes that something on a page may have are among them."""
    texts = (*site.rglob("*.html"), *(site / "_static").rglob("*.js"))
    return {word for path in texts for word in re.findall(r"[\w-]+", path.read_text(encoding="utf-8"))}


def without_unused(css, words):
    """A stylesheet without the rules for classes that are not among `words`.

    >>> without_unused(".fa-x:before, .btn, p:not(.big) {margin: 0} @media print {.fa-x {top: 0}}", {"btn"})
    '.btn,p:not(.big){margin: 0}'
    """
    rules = tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True)
    return "".join(kept_rule(rule, words) for rule in rules)


def kept_rule(rule, words):
    """What stays of a rule: all of it, some of its selectors, or nothing."""
    if rule.type == "at-rule" and rule.at_keyword == "media":
        inner = without_unused(tinycss2.serialize(rule.content), words)
        return f"@media{tinycss2.serialize(rule.prelude)}{{{inner}}}" if inner else ""
    if rule.type != "qualified-rule":
        return rule.serialize()
    kept = [tinycss2.serialize(selector).strip() for selector in selectors(rule) if classes(selector) <= words]
    return f"{','.join(kept)}{{{tinycss2.serialize(rule.content)}}}" if kept else ""


def selectors(rule):
    """The selectors of a rule, each a list of tokens."""
    parts = groupby(rule.prelude, lambda token: token == ",")
    return [list(tokens) for is_comma, tokens in parts if not is_comma]


def classes(selector):
    """The classes that an element must have for a selector; what stands in brackets may name others."""
    return {name.value for dot, name in pairwise(selector) if dot == "." and name.type == "ident"}


def lighten_files(app):
    """Takes out of the theme's own files, in the built site, what costs readers time."""
    if app.config.html_theme == THEME:
        static = Path(app.outdir) / "_static"
        for file in static.glob(DRAWING):
            file.unlink()
        leave_rules(static)
        leave_icons(static)
        stop_measuring(static)


def leave_rules(static):
    """Leaves of the stylesheets the rules that something in the built site may need."""
    words = used_words(static.parent)
    for sheet in filter(Path.exists, map(static.joinpath, SHEETS)):
        sheet.write_text(without_unused(sheet.read_text(encoding="utf-8"), words), encoding="utf-8")


def leave_icons(static):
    """Leaves of the theme's font the characters that stand alone between quotes in its stylesheet, as icons do."""
    options = Options(flavor="woff2")
    font = load_font(BASE / FONT, options)
    subsetter = Subsetter(options)
    subsetter.populate(text="".join(re.findall('"(.)"', (static / CSS).read_text(encoding="utf-8"))))
    subsetter.subset(font)
    save_font(font, static / FONT, options)


def stop_measuring(static):
    """Takes a call out of the theme's script: it looks at the load, and again after each change, which blocks scroll.

    That costs a phone a quarter of a second where code is folded, which is laid out for it; `doors/theme.js` does it.
    """
    script = (BASE / SCRIPT).read_text(encoding="utf-8")
    if MEASURING not in script:
        raise ExtensionError(f"{SCRIPT} does not call what measures blocks as it did: look at MEASURING in {__file__}")
    (static / SCRIPT).write_text(script.replace(MEASURING, ""), encoding="utf-8")


def lighten(app, pagename, templatename, context, doctree):
    """Leaves a page the scripts and stylesheets that something on it needs; its scripts wait for the page."""
    body = context.get("body") or ""
    for kind in ("script_files", "css_files"):
        context[kind] = [file for file in context[kind] if is_needed(file, body)]
    context["script_files"] = [deferred(script) for script in context["script_files"]]


def is_needed(file, body):
    """Whether a page with this body needs a file of Sphinx's lists; the state of widgets none does.

    >>> from types import SimpleNamespace
    >>> toggles = SimpleNamespace(filename="togglebutton.js", attributes={})
    >>> is_needed(toggles, '<p class="tip">'), is_needed(toggles, '<div class="admonition dropdown">')
    (False, True)
    """
    if file.attributes.get("type") == WIDGET_STATE:
        return False
    named = f"{file.filename} {file.attributes.get('body')}"
    return all(needed.search(body) for name, needed in NEEDED_BY.items() if name in named)


def deferred(script):
    """A script of Sphinx's list that waits until the page is read, if it is a file and nothing in the page needs it."""
    if not script.filename or str(script.filename).endswith(READ_AT_ONCE):
        return script
    return type(script)(script.filename, priority=script.priority, **{"defer": "defer", **script.attributes})


def add_templates(app, config):
    if config.html_theme == THEME:
        config.templates_path.append(str(TEMPLATES))


def setup(app):
    app.connect("config-inited", add_templates)
    app.connect("html-page-context", lighten, priority=901)
