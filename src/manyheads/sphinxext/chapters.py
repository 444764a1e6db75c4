"""A page's list of chapters, each with its emblem, its title, and a line about it.

    ```{chapters}
    intuition: Each word is rewritten by its context.
    ```

The emblem of the chapter `intuition` is `images/chapters/intuition.svg` beside it, drawn in `currentColor`; a chapter
that has none is listed without.
"""

import posixpath
from html import escape
from pathlib import Path

from docutils import nodes
from sphinx.util.docutils import SphinxDirective

EMBLEMS = "images/chapters"


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
            chapter = Path(self.env.doc2path(page))
            for path in (
                chapter,
                chapter.parent / EMBLEMS / f"{chapter.stem}.svg",
            ):  # its title and its emblem stand here
                self.env.note_dependency(str(path))
            listed.append((page, about))
        return [chapter_list("", listed=listed)]


def fill_lists(app, doctree, docname):
    for found in list(doctree.findall(chapter_list)):
        items = "".join(item_html(app, docname, *chapter) for chapter in found["listed"])
        found.replace_self(nodes.raw("", f'<ul class="chapters">{items}</ul>', format="html"))


def item_html(app, docname, page, about):
    """One chapter of the list on the page `docname`."""
    number = app.env.toc_secnumbers.get(page, {}).get("", ())
    title = " · ".join([*map(str, number), app.env.titles[page].astext()])
    address = app.builder.get_relative_uri(docname, page)
    drawn = emblem(Path(app.env.doc2path(page)))
    return f'<li>{drawn}<a href="{address}">{escape(title)}</a><p>{escape(about)}</p></li>'


def emblem_path(chapter):
    return chapter.parent / EMBLEMS / f"{chapter.stem}.svg"


def emblem(chapter):
    """The emblem of a chapter as HTML, for the eye alone; "" where it has none."""
    path = emblem_path(chapter)
    return path.read_text(encoding="utf-8").replace("<svg", '<svg aria-hidden="true"', 1) if path.is_file() else ""


def setup(app):
    app.add_node(chapter_list)
    app.add_directive("chapters", ChapterList)
    app.connect("doctree-resolved", fill_lists)
