"""Links to terms of the glossary: what their cards say is read from the entries, and stays what these say."""

import re
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from docutils import nodes
from sphinx import addnodes

from manyheads.sphinxext.notebook_prose import prose
from manyheads.sphinxext.term_cards import SENTENCE, bake_cards, read_terms, with_cards

LINK = '<a class="reference internal" href="glossary.html#{}"><span class="xref std std-{}">keys</span></a>'


def glossary(**entries):
    """A page with a glossary; each entry has two paragraphs, and a formula in the second."""
    page, items = nodes.container(), addnodes.glossary("", nodes.definition_list())
    for name, text in entries.items():
        term = nodes.term("", name, ids=[f"term-{name}"])
        more = nodes.paragraph("", "", nodes.math("", "W^O"))
        items[0] += nodes.definition_list_item("", term, nodes.definition("", nodes.paragraph("", text), more))
    page += items
    return page


def book(**entries):
    """A book of two pages, the first of which is a glossary."""
    objects = {("term", name): ("words", f"term-{name}") for name in entries}
    env = SimpleNamespace(
        domains={"std": SimpleNamespace(objects=objects)},
        found_docs={"words", "chapter"},
        get_doctree={"words": glossary(**entries)}.get,
    )
    return SimpleNamespace(env=env)


def test_a_link_to_a_term_carries_the_first_sentence_of_its_entry():
    app = book(key='What a token "offers", 1 < 2.\nAnd so on.', value="No sentence")
    read_terms(app, app.env)
    context = {
        "body": LINK.format("term-key", "term") + LINK.format("term-value", "term") + LINK.format("term-key", "ref")
    }
    bake_cards(app, "chapter", "page.html", context, None)
    links = BeautifulSoup(context["body"], "html.parser").find_all("a")
    carried = [{name: text for name, text in link.attrs.items() if name.startswith("data-")} for link in links]
    assert carried == [{"data-term": "key", "data-says": 'What a token "offers", 1 < 2.'}, {}, {}]


def test_all_pages_are_written_again_where_an_entry_changed_and_only_then():
    first, same, changed = book(key="One."), book(key="One."), book(key="Two.")
    assert read_terms(first, first.env) == ["chapter", "words"]
    same.env.manyheads_terms = changed.env.manyheads_terms = first.env.manyheads_terms
    assert [read_terms(app, app.env) for app in (same, changed)] == [[], ["chapter", "words"]]


def test_in_a_notebook_it_is_a_link_like_others():
    html = with_cards(LINK.format("term-key", "term"), {"term-key": ("key", "What it offers.")})
    assert prose(BeautifulSoup(html, "html.parser").contents) == "[keys](glossary.html#term-key)"


ENTRIES = re.findall(
    r"^(\w.*)\n  (.*(?:\n  .*)*)", (ROOT / "book" / "glossary.md").read_text().partition("```{glossary}")[2], re.M
)


@pytest.mark.parametrize(("term", "entry"), ENTRIES, ids=[term for term, _ in ENTRIES])
def test_an_entry_of_the_book_begins_with_a_sentence_that_a_card_can_show(term, entry):
    sentence = SENTENCE.match(entry)[0]
    assert 20 < len(sentence) < 260
    assert "$" not in sentence  # a formula, of which there would be its TeX
