"""Texts that mean harm, in every place of a map that a text can come from: none of them is ever more than a text."""

from xml.etree import ElementTree

from bs4 import BeautifulSoup
from hostile import hostile_maps

from manyheads.drawing.plain import plain_html


def harm_in(html):
    """What a parser finds that could run or fetch."""
    page = BeautifulSoup(html, "html.parser")
    running = [script for script in page.find_all("script") if script.get("type") != "application/json"]
    fetching = page.select("iframe, object, embed, link, img:not([src^='data:image/png'])")
    handlers = [node for node in page.find_all(True) for name in node.attrs if name.startswith("on")]
    links = [node for node in page.select("[href], [src]") if "javascript:" in (node.get("href") or node.get("src"))]
    return running + fetching + handlers + links


def test_no_picture_that_python_draws_holds_more_than_texts():
    for attention, _ in hostile_maps():
        assert not harm_in(plain_html(attention))
        svg = attention.to_svg(layer=0, head=0)
        assert not harm_in(svg)
        tags = {node.tag.rpartition("}")[2] for node in ElementTree.fromstring(svg).iter()}
        assert tags <= {"svg", "title", "desc", "g", "rect", "text", "path"}
