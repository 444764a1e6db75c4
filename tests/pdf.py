"""The whole book on paper: `make pdf` prints the built pages as one document, the chapters in the order of the contents.

No script of ours runs: each map is the picture that is there before any does. What is folded on the page is open here,
what is wider than the paper is made smaller, and links between chapters lead to their place in the document.
"""

import functools
import posixpath
import re
import sys

import pikepdf
import yaml
from bs4 import BeautifulSoup
from live_maps import typeset
from served import HTML, ROOT, chromium, serve

from manyheads.sphinxext import publishing

PATIENCE = 180_000  # milliseconds: so long a document takes its time where others work, too
NAME = "book/whole.html"  # where the browser thinks that the document lies
STYLE = """
@page { size: A4; margin: 17mm 15mm 19mm }
html { font-size: 13.5px }
body { background: #fff }
.chapter { display: block; break-after: page }
.chapter:last-child { break-after: auto }
nav.chapter ul { list-style: none; padding: 0; line-height: 2.2 }
h1, h2, h3, h4, .admonition-title, summary { break-after: avoid }
.head-map, .admonition, figure, svg, img, tr, pre, iframe, .sd-card { break-inside: avoid }
* { print-color-adjust: exact !important }
a { color: inherit }
a.headerlink, .viewcode-link, button, .sd-summary-state-marker, details.hide > summary, softmax-scale, word-shuffle { display: none !important }
.chapter * { max-height: none !important }
.head-cards { break-inside: auto !important }
pre { white-space: pre-wrap !important; overflow-wrap: anywhere }
.formula-steps * { min-height: 0 !important }
.formula-steps div:empty, .formula-steps p:empty { display: none !important }
"""
# Makes what is wider than its place as small as it must be.
FIT = """() => {
  for (const element of document.querySelectorAll(".chapter :is(.hm-scroll, .pst-scrollable-table-container, .math, .cell_output, table, svg)")) {
    const place = element.parentElement.clientWidth;
    const needed = Math.max(element.scrollWidth, element.getBoundingClientRect().width);
    if (place > 0 && needed > place + 1) element.style.zoom = place / needed;
    element.style.overflow = "visible";
  }
}"""
NUMBERS = """<div style="width: 100%; text-align: center; font: 8px system-ui, sans-serif; color: #59636e">
<span class="pageNumber"></span></div>"""


@functools.cache
def contents():
    """The pages of the book in the order of its contents: "book/index", ..."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    return [toc["root"], *(chapter["file"] for part in toc["parts"] for chapter in part["chapters"])]


def whole_book(html):
    """One page that holds the articles of all pages, as HTML."""
    pages = {
        name: BeautifulSoup((html / f"{name}.html").read_text(encoding="utf-8"), "html.parser") for name in contents()
    }
    heads = [node for page in pages.values() for node in page.head.find_all(["link", "style"])]
    kept = dict.fromkeys(str(node) for node in heads if needed(node))
    chapters = [chapter(name, page) for name, page in pages.items()]
    titles = [page.select_one("article h1").get_text().rstrip("#") for page in pages.values()]
    chapters.insert(1, list_of(dict(zip(pages, titles))))
    head = f'<meta charset="utf-8"><title>Many Heads</title>{"".join(kept)}<style>{STYLE}</style>'
    root = '<html lang="en" data-content_root="../" data-theme="light" data-mode="light">'
    return f"<!DOCTYPE html>{root}<head>{head}</head><body>{''.join(chapters)}</body></html>"


def list_of(titles):
    """The contents, as HTML."""
    lines = "".join(f'<li><a href="#{name}:">{title}</a></li>' for name, title in titles.items())
    return f'<nav class="chapter"><h2>Contents</h2><ul>{lines}</ul></nav>'


def needed(node):
    """Whether something in a page's head is its style."""
    return node.name == "style" or "stylesheet" in node.get("rel", [])


def chapter(name, page):
    """A page's article, its ids beginning with the page's name, its links leading into the document."""
    article = page.select_one("article.bd-article")
    for node in article.find_all(id=True):
        if not node.find_parent("svg"):
            node["id"] = f"{name}:{node['id']}"
    for link in article.find_all("a", href=True):
        link["href"] = within(name, link["href"])
        if not link["href"]:
            del link["href"]
    for node in article.find_all("details"):
        node["open"] = ""
    for node in article.find_all(attrs={"loading": "lazy"}):
        del node["loading"]
    return f'<section class="chapter bd-article" id="{name}:">{article.decode_contents()}</section>'


def within(name, address):
    """Where a link of a page leads in the document; "" for what is only on the site, where its address is not known."""
    if re.match(r"\w+:", address):
        return address
    path, _, fragment = address.partition("#")
    page = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)).removesuffix(".html") if path else name
    if page in contents():
        return f"#{page}:{fragment}"
    site = publishing.address()
    return f"{site}{page}.html" if site else ""


def write_pdf(path, html=HTML):
    """Prints the built book into a file, which has a bookmark for each chapter."""
    with serve(html) as site, chromium() as browser:
        page = browser.new_page(viewport={"width": 680, "height": 1000}, color_scheme="light")  # A4 without its margins
        page.set_default_timeout(PATIENCE)
        page.route(f"**/{NAME}", lambda route: route.fulfill(body=whole_book(html), content_type="text/html"))
        page.emulate_media(media="print")
        page.goto(f"{site}/{NAME}")
        typeset(page)
        page.wait_for_function(
            "() => [...document.querySelectorAll('iframe')].every((frame) => frame.contentDocument.querySelector('svg'))"
        )
        page.evaluate(FIT)
        numbers = {"display_header_footer": True, "header_template": "<span></span>", "footer_template": NUMBERS}
        page.pdf(path=path, prefer_css_page_size=True, print_background=True, tagged=True, **numbers)
        headings = page.locator(".chapter h1").all_inner_texts()
    bookmark(path, dict(zip(contents(), headings)))


def bookmark(path, titles):
    """Gives a PDF a bookmark for each chapter; Chromium's own say a heading twice that it has moved to the next page."""
    with pikepdf.open(path, allow_overwriting_input=True) as printed:
        with printed.open_outline() as outline:
            outline.root[:] = [pikepdf.OutlineItem(title, pikepdf.Name(f"/{name}:")) for name, title in titles.items()]
        printed.save(path, object_stream_mode=pikepdf.ObjectStreamMode.generate)  # its thousands of tags, packed


if __name__ == "__main__":
    write_pdf(sys.argv[1])
