"""A question above a figure: how it's written, that it's drawn, and that what it sets exists."""

import json

import pytest
from bs4 import BeautifulSoup
from drawn import drawn
from sphinx.errors import ExtensionError

from manyheads.drawing.guess import guess_html
from manyheads.figures.elements import make
from manyheads.sphinxext.phrases import phrases_of

WRITTEN = {"answers": "it stays | *tea*", "right": "*tea*", "for_": "it", "sets": "text: Tea: hot; off:", "covers": ""}


def test_what_is_written_is_baked_in_and_stands_there_without_a_script():
    figure = BeautifulSoup(make("figure-guess", "Which?", WRITTEN), "html.parser").contents[0]
    assert figure.attrs == {"for": "it", "covers": ""}
    assert json.loads(figure.script.string) == {
        "question": "Which?",
        "answers": ["it stays", "*tea*"],
        "right": 1,
        "says": "",
        "sets": {"text": "Tea: hot", "off": ""},
    }
    assert [str(words) for words in figure.details.contents[1:]] == ["<em>tea</em>", "."]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"right": None}, "it needs right"),
        ({"right": "milk"}, "right must be one of it stays, "),
        ({"sets": "text"}, "settings are written as name: value"),
    ],
)
def test_what_leaves_the_answer_open_is_refused(options, told):
    written = {name: text for name, text in (WRITTEN | options).items() if text is not None}
    with pytest.raises(ValueError, match=told):
        make("figure-guess", "Which?", written)


@pytest.mark.parametrize(
    ("figure", "sets", "told"),
    [
        ("map", {"off": ""}, "the guess names the figure “map”, which isn’t on this page"),
        ("next-word", {"of": ""}, "the guess sets “of” of <next-word>"),
    ],
)
def test_a_build_stops_at_a_guess_that_no_figure_answers(figure, sets, told):
    page = guess_html("Which?", ["a", "b"], "b", figure=figure, sets=sets) + '<next-word text="Tea"></next-word>'
    with pytest.raises(ExtensionError, match=told):
        drawn(page)


def test_the_build_draws_it_with_its_answer_in_the_place_of_the_verdict():
    page = drawn(guess_html("Which?", ["a", "b"], "b", says="So."))[0]
    assert [button["aria-label"] for button in page.select(".gs-answers button")] == ["a", "b"]
    assert page.select_one(".gs-room.gs-known").text == "Answer: b. So."
    assert page.select_one(".gs-verdict").text == ""


def test_a_figure_stores_what_a_guess_sets(tmp_path):
    path = tmp_path / "page.md"
    path.write_text("```{guess} Which?\n:answers: a | b\n:right: b\n:for: it\n:sets: text: Tea; off: 0.1\n```\n")
    assert phrases_of(path, {"next-word", "it"}) == [{"text": "Tea", "off": "0.1"}]
    assert phrases_of(path, {"next-word", None}) == []
