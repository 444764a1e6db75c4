"""What a page waits for before it's drawn: one stylesheet with those rules of the theme that some page can use.

Sphinx, the theme and its extensions bring 560 kB of rules, most of them for what this book doesn't have. A rule stays
if the names in its selector stand in a page or in a script, which may put them into a page later. The theme's own
files are left as they are.
"""

import hashlib
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import tinycss2
from sphinx.errors import ExtensionError
from tinycss2.ast import URLToken, WhitespaceToken

from manyheads.sphinxext.fonts import keep_characters
from manyheads.sphinxext.policy import inline_scripts

FOLDER = "_static/in-use"
NAME = "styles.css"
OF_ALL_PAGES = "theme.css"  # the one among the figures' stylesheets that is on every page
STYLESHEET = re.compile(r'<link\b(?=[^>]*\brel="stylesheet")[^>]*\bhref="([^"]*)"[^>]*>\s*')
SCRIPT = re.compile(r'<script\b[^>]*\bsrc="([^"]*)"')
ICONS = re.compile(r'url\("([^"]*/fontawesome/[^"]*\.woff2)"\)')  # fonts that hold nothing but icons
NESTED = ("media", "supports", "container", "layer")  # their rules are looked at one by one
CHOICES = ("is", "where", "has")  # pseudo-classes that need one of their selectors
WORD = re.compile(r"[A-Za-z_][\w-]*")
START = re.compile(r"[A-Za-z][\w-]*-(?=[\"'`]|\$\{)")  # of a name that a script puts together


class Names(HTMLParser):
    """The names of elements, classes and ids that pages have, or scripts may give."""

    def __init__(self):
        super().__init__()
        self.names, self.starts = set(), ()

    def __contains__(self, name):
        return name in self.names or name.startswith(self.starts)

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        for attribute, value in attributes:
            if attribute in ("class", "id"):
                self.names.update((value or "").split())

    def add_page(self, html):
        self.feed(html)
        for script in inline_scripts(html):
            self.add_script(script)

    def add_script(self, text):
        self.names.update(WORD.findall(text))
        self.starts = tuple({*self.starts, *START.findall(text)})


def cut(css, names, address=str):
    """A stylesheet without the rules that can match nothing; `address` gives what each of its addresses becomes.

    >>> cut(".here, .nowhere > p { color: red } @media print { .nowhere { color: red } }", {"here", "p"})
    '.here{color: red}'

    Raises ExtensionError where a stylesheet imports another, which would have to come first.
    """
    return _cut(tinycss2.parse_stylesheet(css, skip_comments=True, skip_whitespace=True), names, address)


def _cut(rules, names, address):
    return "".join(_cut_rule(rule, names, address) for rule in rules)


def _cut_rule(rule, names, address):
    if rule.type == "error":
        raise ExtensionError(f"A stylesheet has a fault in line {rule.source_line}: {rule.message}")
    if rule.type == "qualified-rule":
        kept = [selector for selector in _split(rule.prelude) if _may_match(selector, names)]
        content = _text(rule.content, address)
        return f"{','.join(_text(selector, address) for selector in kept)}{{{content}}}" if kept else ""
    if rule.lower_at_keyword == "import":
        raise ExtensionError(f"A stylesheet imports {_text(rule.prelude, address)}: as a part of another it can't")
    if rule.lower_at_keyword == "charset":  # every file is read as UTF-8, and the one is written so
        return ""
    before = f"@{rule.at_keyword} {_text(rule.prelude, address)}".rstrip()
    if rule.content is None:
        return f"{before};"
    if rule.lower_at_keyword not in NESTED:
        return f"{before}{{{_text(rule.content, address)}}}"
    inner = _cut(tinycss2.parse_rule_list(rule.content, skip_comments=True, skip_whitespace=True), names, address)
    return f"{before}{{{inner}}}" if inner else ""


def _split(tokens):
    """What stands between commas."""
    parts = [[]]
    for token in tokens:
        if token == ",":
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _may_match(selector, names):
    """Whether every element, class and id of a selector has a name that is known. Attributes and states may change."""
    before = None
    for token in selector:
        if token.type == "hash" or (token.type == "ident" and before == "."):
            known = token.value in names
        elif token.type == "ident" and before != ":":
            known = token.lower_value in names
        elif token.type == "function" and token.lower_name in CHOICES:
            known = any(_may_match(choice, names) for choice in _split(token.arguments))
        else:
            known = True
        if not known:
            return False
        before = token
    return True


def _text(tokens, address):
    """Tokens as they are written, without comments and with little space."""
    return tinycss2.serialize(_short(tokens, address)).strip()


def _short(tokens, address):
    short = []
    for token in tokens:
        at = token.source_line, token.source_column
        if token.type == "function" and token.lower_name == "url":
            [quoted] = (part for part in token.arguments if part.type == "string")
            token = URLToken(*at, quoted.value, "")
        if token.type == "whitespace":
            token = WhitespaceToken(*at, " ")
        elif token.type == "url":
            token = URLToken(*at, token.value, f'url("{address(token.value)}")')
        elif token.type == "function":
            token.arguments = _short(token.arguments, address)
        if token.type != "comment":
            short.append(token)
    return short


def signs(css):
    """The characters that a stylesheet puts into a page, of which icons are drawn.

    >>> signs('.a::before { content: "\\\\f002" "b" }') == {"\\uf002", "b"}
    True
    """
    tokens = tinycss2.parse_component_value_list(re.sub(r"[{}]", " ", css))
    return {sign for token in tokens if token.type == "string" for sign in token.value}


def finish_styles(site, figures):
    """Puts one stylesheet on the pages of a built site, for all but those of the figures.

    `figures` is the folder below `_static` with this build's scripts. Pages of an earlier build have the one
    stylesheet; they get its present version.
    """
    paths = (path for path in sorted(site.rglob("*.html")) if "_static" not in path.relative_to(site).parts)
    pages = {path: path.read_text(encoding="utf-8") for path in paths}
    sources = {}
    for path, html in pages.items():
        files = [_file(link, path) for link in STYLESHEET.findall(html) if _is_source(link)]
        sources |= dict.fromkeys(filter(Path.is_file, files))  # some pages of earlier builds link what is gone
    if not sources:
        return
    names = names_of(site, pages, figures)
    folder = site / FOLDER
    folder.mkdir(exist_ok=True)
    css = _with_icons("".join(_cut_file(source, names, folder) for source in sources), folder)
    (folder / NAME).write_text(css, encoding="utf-8")
    version = hashlib.sha256(css.encode()).hexdigest()[:8]
    for path, html in pages.items():
        place = Path(os.path.relpath(folder / NAME, path.parent)).as_posix()
        linked = with_link(html, f'<link rel="stylesheet" href="{place}?v={version}">\n')
        if linked != html:
            path.write_text(linked, encoding="utf-8")


def _is_source(link):
    """Whether a page's stylesheet becomes part of the one: all but the figures' own and the one itself."""
    path = urlsplit(link).path
    return f"{FOLDER}/" not in path and ("/manyheads/" not in path or path.endswith(f"/{OF_ALL_PAGES}"))


def _file(link, page):
    """The file that a page's link leads to."""
    return Path(os.path.normpath(page.parent / urlsplit(link).path))


def names_of(site, pages, figures):
    """What may be on pages, given as {path: html}: now, or once their scripts and those of the figures have run."""
    names = Names()
    scripts = set((site / "_static" / figures).glob("*.js"))
    for path, html in pages.items():
        names.add_page(html)
        scripts |= {_file(link, path) for link in SCRIPT.findall(html)}
    for script in filter(Path.is_file, scripts):
        names.add_script(script.read_text(encoding="utf-8"))
    return names


def _cut_file(source, names, folder):
    """What is needed of a file of styles, as it is written in the folder."""

    def address(url):
        if urlsplit(url).scheme or url.startswith("#"):
            return url
        return Path(os.path.relpath(source.parent / url, folder)).as_posix()

    return cut(source.read_text(encoding="utf-8"), names, address)


def _with_icons(css, folder):
    """Puts fonts of icons into the folder that have those of a stylesheet; gives it with their addresses."""
    characters = signs(css)
    version = hashlib.sha256("".join(sorted(characters)).encode()).hexdigest()[:8]

    def put(found):
        font = folder / Path(found[1]).name
        keep_characters(folder / found[1], font, characters)
        return f'url("{font.name}?v={version}")'

    return ICONS.sub(put, css)


def with_link(html, link):
    """A page with the link to the one stylesheet where its first part was linked, or an earlier version of it.

    >>> with_link('<link rel="stylesheet" href="a.css"><link rel="stylesheet" href="b.css"><script>', "(all)")
    '(all)<script>'
    """
    links = iter([link])

    def put(found):
        if _is_source(found[1]) or f"{FOLDER}/" in found[1]:
            return next(links, "")
        return found[0]

    return STYLESHEET.sub(put, html)
