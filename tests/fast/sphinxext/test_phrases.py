"""Phrases of the text that do something in a figure: how they're written, and that figure and attributes exist."""

import pytest
from drawn import drawn
from sphinx.errors import ExtensionError

from manyheads.sphinxext.phrases import read_phrase


def phrase(figure, settings):
    return f'<span class="hm-phrase" data-figure="{figure}" data-set=\'{settings}\'>so</span>'


@pytest.mark.parametrize("text", ["phrase", "phrase <map>", "phrase <map; >", "phrase <map; query>", "<map; query: 1>"])
def test_what_says_not_where_and_what_is_refused(text):
    with pytest.raises(ValueError, match="try is written"):
        read_phrase(text)


def test_a_value_may_hold_colons_and_go_over_lines():
    _, *found = read_phrase("a\nb <head-ledger; answer: object:\n drink; off:>")
    assert found == ["head-ledger", {"answer": "object: drink", "off": ""}]


@pytest.mark.parametrize(
    ("figure", "settings", "told"),
    [
        ("map", '{"off": "0.1"}', "names the figure “map”, which isn’t on this page"),
        ("next-word", '{"of": "0.1"}', "sets “of” of <next-word>, which has light, model, text, off"),
    ],
)
def test_a_build_stops_at_a_phrase_that_can_do_nothing(figure, settings, told):
    page = '<next-word text="Tea"></next-word>' + phrase(figure, settings)
    with pytest.raises(ExtensionError, match=told):
        drawn(page)


def test_a_phrase_of_a_figure_by_its_id_or_its_kind_is_left_as_it_is():
    phrases = "".join(phrase(name, '{"off": ""}') for name in ("one", "next-word"))
    page = f'<next-word id="one" text="Tea"></next-word>{phrases}'
    assert [node.text for node in drawn(page)[0].select("span.hm-phrase")] == ["so", "so"]
