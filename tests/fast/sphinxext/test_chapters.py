"""A list of chapters shows titles as they are now, each with its emblem."""

from types import SimpleNamespace

import pytest
from docutils import nodes

from manyheads.sphinxext.chapters import EMBLEMS, item_html


@pytest.mark.parametrize("has_emblem", [True, False])
def test_a_chapter_is_listed_with_its_number_its_title_and_its_emblem(tmp_path, has_emblem):
    if has_emblem:
        (tmp_path / "book" / EMBLEMS).mkdir(parents=True)
        (tmp_path / "book" / EMBLEMS / "code.svg").write_text("<svg><path/></svg>")
    builder = SimpleNamespace(get_relative_uri=lambda _, page: f"{page.partition('/')[2]}.html")
    env = SimpleNamespace(
        toc_secnumbers={"book/code": {"": (5,)}},
        titles={"book/code": nodes.title("", "Q & A")},
        doc2path=lambda page: str(tmp_path / f"{page}.md"),
    )
    html = item_html(SimpleNamespace(builder=builder, env=env), "book/index", "book/code", "From <b>.")
    assert '<a href="code.html">5 · Q &amp; A</a><p>From &lt;b&gt;.</p>' in html
    assert ('<svg aria-hidden="true"><path/></svg>' in html) == has_emblem
