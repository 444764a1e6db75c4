"""The theme without what no reader of the book waits for.

Pages get the few icons that they use, not 2,000, which the theme brings three times: as a font, as the rules of a
stylesheet and as a script that draws them; `templates/` leaves out the script. They get no file that nothing on them
needs, and no script that measures all of them again and again.
"""

import re
from importlib.resources import files
from pathlib import Path

from fontTools.subset import Options, Subsetter, load_font, save_font
from sphinx.errors import ExtensionError

TEMPLATES = Path(__file__).parent / "templates"
THEME = "sphinx_book_theme"
BASE = files("pydata_sphinx_theme") / "theme" / "pydata_sphinx_theme" / "static"  # a built site has fewer icons
FONT = Path("vendor", "fontawesome", "webfonts", "fa-solid-900.woff2")
CSS = Path("styles", "pydata-sphinx-theme.css")
SCRIPTS = Path("scripts")
SCRIPT = SCRIPTS / "pydata-sphinx-theme.js"
MEASURING = ',"complete"===document.readyState?I():window.addEventListener("load",I)'
READ_AT_ONCE = "documentation_options.js"  # by a script that stands in the page
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
# What extensions bring to every page, and what a page has that needs it.
NEEDED_BY = {"toggle": re.compile(r'class="(?:[^"]* )?(?:toggle|dropdown)[ "]'), "design-tabs": re.compile("sd-tab-")}
RULE = re.compile(r'([^{}]*:before)\{content:"\\([0-9a-f]+)"\}')


def icons_by_name(css):
    """The characters of the icons in the theme's stylesheet, by the names of their classes.

    >>> icons_by_name('.fa-bars:before,.fa-navicon:before{content:"\\\\f0c9"}')
    {'fa-bars': '\\uf0c9', 'fa-navicon': '\\uf0c9'}
    """
    found = RULE.findall(css)
    return {name: chr(int(code, 16)) for names, code in found for name in re.findall(r"\.(fa-[\w-]+):before", names)}


def without_icons(css, used):
    """A stylesheet without the rules of icons that are not among those `used`.

    >>> without_icons('.fa-bars:before{content:"\\\\f0c9"}.fa-x:before{content:"\\\\58"}p{margin:0}', {"X"})
    '.fa-x:before{content:"\\\\58"}p{margin:0}'
    """
    return RULE.sub(lambda rule: rule[0] if chr(int(rule[2], 16)) in used or ".fa-" not in rule[1] else "", css)


def used_icons(site, css):
    """The characters of the icons that a site shows: named by its pages and scripts, or drawn by the stylesheet."""
    drawn = re.findall(r'--pst-icon-[\w-]+:"(.)"', css)
    known = icons_by_name(css)
    texts = [
        path.read_text(encoding="utf-8")
        for path in (*site.rglob("*.html"), *(site / "_static" / SCRIPTS).glob("*theme.js"))
    ]
    named = {name for text in texts for name in re.findall(r"\bfa-[\w-]+", text)}
    return {*drawn, *(known[name] for name in named & known.keys())}


def lighten_files(app):
    """Takes out of the theme's own files, in the built site, what costs readers time."""
    if app.config.html_theme == THEME:
        write_icons(Path(app.outdir))
        stop_measuring(Path(app.outdir))


def write_icons(site):
    """Leaves of the theme's icons, in font and stylesheet, those that the built site shows."""
    options = Options(flavor="woff2")
    font = load_font(BASE / FONT, options)
    subsetter = Subsetter(options)
    css = (BASE / CSS).read_text(encoding="utf-8")
    used = used_icons(site, css)
    subsetter.populate(text="".join(used))
    subsetter.subset(font)
    save_font(font, site / "_static" / FONT, options)
    (site / "_static" / CSS).write_text(without_icons(css, used), encoding="utf-8")


def stop_measuring(site):
    """Takes a call out of the theme's script: it looks at the load, and again after each change, which blocks scroll.

    That costs a phone a quarter of a second where code is folded, which is laid out for it; `doors/theme.js` does it.
    """
    script = (BASE / SCRIPT).read_text(encoding="utf-8")
    if MEASURING not in script:
        raise ExtensionError(f"{SCRIPT} does not call what measures blocks as it did: look at MEASURING in {__file__}")
    (site / "_static" / SCRIPT).write_text(script.replace(MEASURING, ""), encoding="utf-8")


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
