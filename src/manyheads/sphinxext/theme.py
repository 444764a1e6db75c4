"""The theme with less to fetch, and what it doesn't say: where the book's source lies, a chapter's own description.

All 2,000 icons of Font Awesome come as a font and as a script of 1.5 MB that draws them; our template
`webpack-macros.html` leaves the script out of the pages.
"""

import os
import re
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

NAME = "sphinx_book_theme"
TEMPLATES = Path(__file__).parent / "templates"
HOSTS = ("github.com", "gitlab.com")  # whose pages the theme has buttons for
BRANCH = "main"  # what publishing builds
READ_AT_ONCE = "documentation_options.js"  # a script that stands in the page reads it
WIDGET_STATE = "application/vnd.jupyter.widget-state+json"
NEEDED_FOR = {  # what is in a script's name or text: what has to be on a page for it to do anything
    "clipboard": '<div class="highlight',
    "copybutton": '<div class="highlight',
    "toggle": r'class="(?:[^"]*\s)?(?:toggle|admonition [^"]*\bdropdown)[\s"]',
    "design-tabs": "sd-tab-set",
}


def set_options(app, config):
    """Gives the theme our templates and, where it's known, the repository, for its own buttons."""
    if config.html_theme != NAME:
        return
    # As it is seen from the book: Sphinx writes a hash of its settings into the site.
    config.templates_path.append(os.path.relpath(TEMPLATES, app.confdir))
    if urlsplit(config.manyheads_repository).netloc in HOSTS:
        repository = {"repository_url": config.manyheads_repository, "repository_branch": BRANCH}
        config.html_theme_options.update(repository, use_repository_button=True, use_edit_page_button=True)


def describe(app, pagename, templatename, context, doctree):
    """A page's own `description`, in its front matter, goes before what would be taken of its text."""
    meta = context.get("meta") or {}
    if "description" in meta:
        meta["og:description"] = meta["description"]
        context["metatags"] = (
            f'{context.get("metatags", "")}<meta name="description" content="{escape(meta["description"])}">\n'
        )


def name_home(app, pagename, templatename, context, doctree):
    """What leads to the first page bears the book's name: that page's own title may ask something."""
    context["root_title"] = app.config.project
    back = context.get("prev")
    if back and back["link"] == app.builder.get_relative_uri(pagename, app.config.root_doc):
        back["title"] = app.config.project


def drop_print_button(app, pagename, templatename, context, doctree):
    """Takes the theme's button for printing out of its menu: the pages' policy lets no attribute run a script."""
    for menu in context.get("header_buttons", []):
        if "buttons" in menu:
            menu["buttons"] = [button for button in menu["buttons"] if button["type"] != "javascript"]


def lighten_page(app, pagename, templatename, context, doctree):
    """Leaves out scripts that have nothing to do on a page, and its widgets' state; the others wait for the page."""
    scripts = [script for script in context["script_files"] if is_needed(script, context.get("body") or "")]
    context["script_files"] = [defer(script) for script in scripts]


def is_needed(script, body):
    """Whether a script of Sphinx's list has something to do on a page with this body."""
    if script.attributes.get("type") == WIDGET_STATE:
        return False
    text = f"{script.filename} {script.attributes}"
    return all(re.search(needs, body) for name, needs in NEEDED_FOR.items() if name in text)


def defer(script):
    """A script of Sphinx's list that waits until the page is read, if it is a file and nothing in the page needs it."""
    if not script.filename or str(script.filename).endswith(READ_AT_ONCE):
        return script
    return type(script)(script.filename, priority=script.priority, **{"defer": "defer", **script.attributes})


def setup(app):
    app.connect("config-inited", set_options, priority=501)  # when the repository is known
    app.connect("html-page-context", describe, priority=100)  # before the tags of previews are made
    app.connect("html-page-context", name_home, priority=502)  # the theme takes that page's title at 500
    app.connect("html-page-context", drop_print_button, priority=502)  # the theme makes its menus at 500 and 501
    app.connect("html-page-context", lighten_page, priority=901)
