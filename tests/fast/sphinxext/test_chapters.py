"""A list of chapters shows titles as they are now, and pictures of the theme."""

from types import SimpleNamespace
from xml.etree import ElementTree

import pytest
from docutils import nodes
from sphinx.errors import ExtensionError

from manyheads.sphinxext.chapters import THEMES, draw_pictures, item_html


def test_a_chapter_is_listed_with_its_number_its_title_and_a_picture_for_each_theme():
    builder = SimpleNamespace(get_relative_uri=lambda _, page: f"{page.partition('/')[2]}.html")
    env = SimpleNamespace(toc_secnumbers={"book/code": {"": (5,)}}, titles={"book/code": nodes.title("", "Q & A")})
    html = item_html(SimpleNamespace(builder=builder, env=env), "book/index", "book/code", "From <b>.")
    assert '<a href="code.html">5 · Q &amp; A</a><p>From &lt;b&gt;.</p>' in html
    for theme in ("light", "dark"):
        assert f'class="only-{theme}' in html
        assert f'src="../_static/chapters/book/code-{theme}.svg" alt=""' in html


FIGURE = """<head-map sentence="&lt;b&gt; &amp; tea"><p class="hm-status">Ready<br></p><p class="hm-paint">tea</p>
<svg viewbox="0 0 1 1"><path d="M0 0"></path></svg><script type="application/json">{}</script></head-map>"""


def test_a_chapters_picture_is_its_first_figure_with_the_rules_for_it(tmp_path):
    page, listing = tmp_path / "book" / "tea.html", tmp_path / "index.html"
    page.parent.mkdir()
    page.write_text(f"<svg></svg><article><pre>1</pre>{FIGURE}<head-map></head-map></article>", encoding="utf-8")
    listing.write_text('<img src="_static/chapters/book/tea-light.svg">', encoding="utf-8")
    draw_pictures(tmp_path, [])
    for theme in THEMES:
        picture = tmp_path / "_static" / "chapters" / "book" / f"tea-{theme}.svg"
        text = picture.read_text(encoding="utf-8")
        svg = ElementTree.fromstring(text)
        [shown] = svg.iter("{http://www.w3.org/1999/xhtml}head-map")
        assert shown.get("sentence") == "<b> & tea"
        assert shown.find("{http://www.w3.org/2000/svg}svg").get("viewBox") == "0 0 1 1"
        assert not list(svg.iter("{http://www.w3.org/1999/xhtml}script"))
        assert f'data-theme="{theme}"' in text
        style = svg.find("{http://www.w3.org/2000/svg}style").text
        assert ".hm-paint" in style
        assert "hm-arcs" not in style, "nothing in the figure is called so"
        assert "@keyframes" not in style
    page.write_text("<article>A chapter without code.</article>", encoding="utf-8")
    draw_pictures(tmp_path, [])  # not written anew: its picture stays
    with pytest.raises(ExtensionError, match="book/tea has nothing to draw a picture of"):
        draw_pictures(tmp_path, [page])
