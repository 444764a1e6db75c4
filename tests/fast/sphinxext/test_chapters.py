"""A list of chapters shows titles as they are now, and pictures of the theme."""

from types import SimpleNamespace

from docutils import nodes

from manyheads.sphinxext.chapters import item_html


def test_a_chapter_is_listed_with_its_number_its_title_and_a_picture_for_each_theme():
    builder = SimpleNamespace(get_relative_uri=lambda _, page: f"{page.partition('/')[2]}.html")
    env = SimpleNamespace(toc_secnumbers={"book/code": {"": (5,)}}, titles={"book/code": nodes.title("", "Q & A")})
    html = item_html(SimpleNamespace(builder=builder, env=env), "book/index", "book/code", "From <b>.")
    assert '<a href="code.html">5 · Q &amp; A</a><p>From &lt;b&gt;.</p>' in html
    for theme in ("light", "dark"):
        assert f'class="only-{theme}' in html
        assert f'src="../_static/chapters/book/code-{theme}.svg" alt=""' in html
