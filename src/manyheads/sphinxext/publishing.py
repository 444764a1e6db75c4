"""What the book needs to be out in the world: pages without the theme at its root, a site map, tags for previews.

The site's address comes from the environment, as `MANYHEADS_URL`; what cannot do without it is then left out.
"""

import os
from html import escape
from pathlib import Path
from urllib.parse import urlsplit

import numpy as np

from manyheads.drawing.plain import head_pixels, png
from manyheads.models.registry import load_model
from manyheads.shared.names import EXAMPLE, HEAD_COLOURS

ADDRESS = "MANYHEADS_URL"
EMBLEM = "emblem.png"
NO_PAGES = ["search.html", "genindex.html", "py-modindex.html"]  # nothing that a search engine should find

PAGE = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="{root}_static/favicon.svg">
<link rel="stylesheet" href="{root}_static/{scripts}/head-map.css">
<link rel="stylesheet" href="{root}_static/{scripts}/plain.css">
</head>
<body>
{body}
</body>
</html>
"""

EMBED = """<link rel="modulepreload" href="_static/{scripts}/shared.js">
<script type="module" src="_static/{scripts}/head-map.js"></script>
<script type="module" src="_static/{scripts}/embed.js"></script>
<p class="hm-status">The map is on its way: a script draws it. If it doesn't come, reload the page.</p>"""

LOST_PAGE = """<main>
<h1>There is no such page</h1>
<p>Perhaps it moved. Look for a word of it, or choose a chapter below.</p>
<form action="{root}search.html" role="search">
<input type="search" name="q" aria-label="Search the book" required> <button>Search the book</button>
</form>
<nav aria-label="Chapters"><ul>{listed}</ul></nav>
</main>"""


def address():
    """Where the site will be, ending with a slash; None where nobody said.

    >>> os.environ[ADDRESS] = "https://example.org/many-heads"
    >>> address()
    'https://example.org/many-heads/'
    >>> del os.environ[ADDRESS]

    Raises `ValueError` for what is no address.
    """
    url = os.environ.get(ADDRESS, "").strip()
    if not url:
        return None
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc or parts.query or parts.fragment:
        raise ValueError(f"{ADDRESS} must be an address such as https://example.org/book/, got {url!r}")
    return url.rstrip("/") + "/"


def chapters(env):
    """The title of each page, by its name, in the order of the contents; the first bears the book's name."""
    root = env.config.root_doc
    others = env.toctree_includes.get(root, [])
    return {root: env.config.project, **{name: env.titles[name].astext() for name in others}}


def write_pages(folder, titles, scripts):
    """Write `embed.html`, one live map and nothing else, and `404.html` into the site's folder.

    A host shows `404.html` for a missing page at any depth, so its links start from the address's own path, "/" where
    none is known. `titles` are those of the pages, by name; `scripts` is the folder below `_static` with this build's.
    """
    root = urlsplit(address() or "/").path
    listed = "".join(f'<li><a href="{root}{name}.html">{escape(title)}</a></li>' for name, title in titles.items())
    lost = LOST_PAGE.format(root=root, listed=listed)
    pages = {
        "embed.html": {"title": "Many Heads", "root": "", "body": EMBED.format(scripts=scripts)},
        "404.html": {"title": "No such page · Many Heads", "root": root, "body": lost},
    }
    for name, parts in pages.items():
        (Path(folder) / name).write_text(PAGE.format(scripts=scripts, **parts), encoding="utf-8")


def draw_emblem(app, attention):
    """The picture on the pages' previews: what four heads make of a sentence, two by two."""
    heads = np.pad(head_pixels(attention)[attention.opened()], ((0, 0), (0, 1), (0, 1), (0, 0)))  # [h, y, x, 4]
    square = np.vstack([np.hstack(heads[:2]), np.hstack(heads[2:4])])
    path = Path(app.doctreedir) / EMBLEM
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(png(square))


def setup(app):
    """Lets well-known extensions make the site map and the previews, title, text and picture, for a known address."""
    site = address()
    if not site:
        return
    emblem = str(Path(app.doctreedir) / EMBLEM)
    settings = {
        "html_baseurl": site,
        "sitemap_url_scheme": "{link}",
        "sitemap_excludes": NO_PAGES,
        "ogp_site_url": site,
        "ogp_description_length": 160,
        "ogp_social_cards": {"line_color": HEAD_COLOURS["sentence type"], "image": emblem, "image_mini": emblem},
    }
    app.setup_extension("sphinx_sitemap")
    app.setup_extension("sphinxext.opengraph")
    app.connect("config-inited", lambda app, config: [setattr(config, *setting) for setting in settings.items()])
    app.connect("builder-inited", lambda app: draw_emblem(app, load_model("focus")(EXAMPLE)))
