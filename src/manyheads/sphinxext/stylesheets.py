"""What a page waits for before it's drawn: one stylesheet with those rules of the theme that some page can use.

Sphinx, the theme and its extensions bring 560 kB of rules, most of them for what this book doesn't have. A rule stays
if the names in its selector stand in a page or in a script, which may put them into a page later: PurgeCSS looks for
them. The theme's own files are left as they are.
"""

import hashlib
import json
import os
import re
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from sphinx.errors import ExtensionError

from manyheads.sphinxext.fonts import keep_characters
from manyheads.sphinxext.node import node
from manyheads.widgets.web_files import WEB

FOLDER = "_static/in-use"
NAME = "styles.css"
OF_ALL_PAGES = "theme.css"  # the one among the figures' stylesheets that is on every page
STYLESHEET = re.compile(r'<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="([^"]*)"[^>]*>\s*')
SCRIPT = re.compile(r'<script\b[^>]*\bsrc="([^"]*)"')
ICONS = re.compile(r"(?<=url\()[^()]*/fa-[\w-]+\.woff2")  # fonts that hold nothing but icons
WORD = re.compile(r"[A-Za-z_][\w-]*")
START = re.compile(r"[A-Za-z][\w-]*-(?=[\"'`]|\$\{)")  # of a name that a script puts together


def with_styles(site, figures, pages):
    """The pages of a built site, {path: html}, with one stylesheet, written here, for all but those of the figures.

    `figures` is the folder below `_static` with this build's scripts. Pages of an earlier build have the one
    stylesheet; they get its present version.
    """
    sheets = _linked(pages, STYLESHEET, _is_source)
    if not sheets:
        return pages
    scripts = {*(site / "_static" / figures).glob("*.js"), *_linked(pages, SCRIPT)}
    written = [script.read_text(encoding="utf-8") for script in scripts]
    css = cut(sheets, [*pages.values(), *written], written, site / FOLDER)
    link = f"{NAME}?v={hashlib.sha256(css.encode()).hexdigest()[:8]}"
    return {path: with_link(html, f"{_from(path, site / FOLDER)}/{link}") for path, html in pages.items()}


def _linked(pages, tag, wanted=lambda link: True):
    """The files that pages name in some tag, in their order; some pages of earlier builds name what is gone."""
    links = ((path, link) for path, html in pages.items() for link in tag.findall(html) if wanted(link))
    files = dict.fromkeys(Path(os.path.normpath(path.parent / urlsplit(link).path)) for path, link in links)
    return [*filter(Path.is_file, files)]


def _from(path, folder):
    return Path(os.path.relpath(folder, path.parent)).as_posix()


def _is_source(link):
    """Whether a page's stylesheet becomes part of the one: all but the figures' own and the one itself."""
    path = urlsplit(link).path
    return f"{FOLDER}/" not in path and ("/manyheads/" not in path or path.endswith(f"/{OF_ALL_PAGES}"))


def cut(sheets, texts, scripts, folder):
    """Writes one stylesheet of several into a folder, and fonts with the icons that it puts on pages; gives it.

    It has the rules whose names stand in some text, or begin as those do that scripts put together.
    """
    words = {word for text in texts for word in WORD.findall(text)}
    starts = {start for script in scripts for start in START.findall(script)}
    request = json.dumps({"sheets": [*map(str, sheets)], "words": sorted(words), "starts": sorted(starts)})
    file = folder / NAME
    command = [node(), WEB / "cut-styles.mjs", file]
    done = subprocess.run(command, input=request, capture_output=True, encoding="utf-8", check=False)
    if done.returncode:
        raise ExtensionError(f"The stylesheets could not be made one:\n{done.stderr}")
    css = _with_icons(file.read_text(encoding="utf-8"), folder)
    file.write_text(css, encoding="utf-8")
    return css


def _with_icons(css, folder):
    """Puts fonts of icons into the folder that have those of a stylesheet; gives it with their addresses."""
    icons = {sign for content in re.findall(r'content:"([^"]*)"', css) for sign in content}
    version = hashlib.sha256("".join(sorted(icons)).encode()).hexdigest()[:8]

    def put(found):
        font = folder / Path(found[0]).name
        keep_characters(folder / found[0], font, icons)
        return f"{font.name}?v={version}"

    return ICONS.sub(put, css)


def with_link(html, address):
    """A page with the link to the one stylesheet where its first part was linked, or an earlier version of it.

    >>> with_link('<link rel="stylesheet" href="a.css"><link rel="stylesheet" href="b.css"><script>', "all.css")
    '<link rel="stylesheet" href="all.css">\\n<script>'
    """
    links = iter([f'<link rel="stylesheet" href="{address}">\n'])

    def put(found):
        return next(links, "") if _is_source(found[1]) or f"{FOLDER}/" in found[1] else found[0]

    return STYLESHEET.sub(put, html)
