"""A page's list of chapters, each with its title, a line about it, and its own first figure as a small picture.

    ```{chapters}
    intuition: Each word is rewritten by its context.
    ```

The pictures are drawn at the end of a build, from the chapters' built pages.
"""

import posixpath
import re
from html import escape

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.util.docutils import SphinxDirective

from manyheads.sphinxext.chapter_pictures import pictures_of

PICTURES = "_static/chapters"
LISTED = re.compile(rf'{PICTURES}/([^"]+)-light\.svg')
THEMES = {"light": "only-light", "dark": "only-dark pst-js-only"}  # the theme's names for what only one of them shows


class chapter_list(nodes.General, nodes.Element):
    """Stands for the list until the titles of all pages are known."""


class ChapterList(SphinxDirective):
    """`{chapters}`: a line for each, `name: what it shows`."""

    has_content = True

    def run(self):
        listed = []
        for line in filter(None, self.content):
            name, _, about = line.partition(": ")
            page = posixpath.join(posixpath.dirname(self.env.docname), name)
            if page not in self.env.found_docs:
                raise self.error(f"{name!r} is no chapter")
            self.env.note_dependency(self.env.doc2path(page))  # its title stands here
            listed.append((page, about))
        return [chapter_list("", listed=listed)]


def fill_lists(app, doctree, docname):
    for found in list(doctree.findall(chapter_list)):
        items = "".join(item_html(app, docname, *chapter) for chapter in found["listed"])
        found.replace_self(nodes.raw("", f'<ul class="chapters">{items}</ul>', format="html"))


def item_html(app, docname, page, about):
    """One chapter of the list on the page `docname`."""
    top = "../" * docname.count("/")
    number = app.env.toc_secnumbers.get(page, {}).get("", ())
    title = " · ".join([*map(str, number), app.env.titles[page].astext()])
    pictures = "".join(
        f'<img class="{shown}" src="{top}{PICTURES}/{page}-{theme}.svg" alt="" width="640" height="360" loading="lazy">'
        for theme, shown in THEMES.items()
    )
    address = app.builder.get_relative_uri(docname, page)
    return f'<li>{pictures}<a href="{address}">{escape(title)}</a><p>{escape(about)}</p></li>'


def draw_pictures(site, pages):
    """Draws the pictures that the site shows: of `pages`, which were written anew, and of those that lack one.

    Raises `ExtensionError` for a page that has nothing to draw a picture of.
    """
    listed = {name for page in site.rglob("*.html") for name in LISTED.findall(page.read_text(encoding="utf-8"))}
    for name in sorted(listed):
        page = site / f"{name}.html"
        paths = {theme: site / PICTURES / f"{name}-{theme}.svg" for theme in THEMES}
        if page not in pages and all(path.is_file() for path in paths.values()):
            continue
        pictures = pictures_of(page.read_text(encoding="utf-8"), paths)
        if not pictures:
            raise ExtensionError(f"{name} has nothing to draw a picture of")
        for theme, path in paths.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(pictures[theme], encoding="utf-8")


def setup(app):
    app.add_node(chapter_list)
    app.add_directive("chapters", ChapterList)
    app.connect("doctree-resolved", fill_lists)
