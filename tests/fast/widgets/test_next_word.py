"""What comes next, in a notebook: Python's numbers, what is sent to the view, and what stands where no script runs."""

import base64
import json

import numpy as np
import pytest
from bs4 import BeautifulSoup
from close import assert_close

from manyheads import NextWord, load_decoder
from manyheads.drawing.element import BUILDING
from manyheads.models.decoder.stories import stored_story
from manyheads.widgets.next_word import stored_answer

pytestmark = pytest.mark.xdist_group("decoder")
ITALY = "The capital of Italy is"


def sent(widget, name):
    """Logits that went to the page."""
    return np.frombuffer(base64.b64decode(widget._answer["logits"][name]["values"]), np.float32)


def test_it_is_what_the_model_says_and_follows_its_text_and_its_heads():
    widget, decoder = NextWord(ITALY), load_decoder()
    expected = decoder.next_words(ITALY)
    assert [one["word"] for one in widget.next] == list(expected)
    assert_close([one["probability"] for one in widget.next], list(expected.values()), terms=1000)
    assert_close(widget.attention.weights, decoder(ITALY).weights, terms=1000)
    logits = sent(widget, "now")
    assert widget.next[0]["logit"] == pytest.approx(logits.max())
    assert widget._words[int(logits.argmax())] == " Rome"
    widget.off = [[23, 4]]
    assert widget.next[0]["word"] == " the"
    assert_close(sent(widget, "whole"), logits, terms=1000)
    widget.text, widget.off = ITALY + " Rome", []
    assert widget.attention.key_tokens[-1] == " Rome"
    assert set(widget._answer["logits"]) == {"now"}
    widget.masks_first = True
    masked = decoder.run(decoder.read(ITALY + " Rome")[0], hidden=[0])[0][-1].numpy()
    assert_close(sent(widget, "now"), masked, terms=1000)
    assert not widget.attention.weights[:, :, 1:, 0].any()


def test_bytes_of_a_character_that_is_not_whole_are_read_after_the_text():
    widget, cup = NextWord("🍵🍵🍵🍵"), load_decoder().read("🍵")[0]
    widget._tail = cup[:1]
    assert widget.attention.key_tokens[-1] == "<F0 9F>"
    assert widget.next[0]["word"] == "<8D>"


def test_in_a_book_it_is_the_element_with_its_words(monkeypatch):
    monkeypatch.setenv(BUILDING, "_static")
    html = NextWord(ITALY, off=[(23, 4)])._repr_mimebundle_()[0]["text/html"]
    element = BeautifulSoup(html, "html.parser").find("next-word")
    assert element.attrs == {"text": ITALY, "off": "23.4"}
    data = json.loads(element.script.string)
    assert (data["numLayers"], data["numHeads"], data["stored"][0]["words"][3][0]) == (30, 9, " Rome")
    assert data["stored"][0]["words"][0][0] == " the"
    assert "17.3" in data["lists"]["the seven induction heads"]


def test_a_stored_story_is_the_one_that_the_model_writes_and_a_stored_answer_says_what_changed():
    decoder = load_decoder()
    start = "Once upon a time, a little robot lived in a"
    story = stored_story(decoder, start, 6, 0.7)
    written = decoder.write(start, words=6, temperature=0.7, seed=1)
    assert [one["text"] for one in story[:2]] == [start, start + story[0]["words"][story[0]["drawn"]][0]]
    assert (start + written).startswith(story[-1]["text"])
    assert "drawn" not in story[-1]
    rome = stored_answer(decoder, ITALY, "23.4")["words"][3]
    assert rome[0] == " Rome"
    assert rome[2] == pytest.approx(decoder.next_words(ITALY)[" Rome"], abs=1e-3)
    assert stored_answer(decoder, ITALY, "the seven induction heads")["off"].startswith("17.3")


@pytest.mark.parametrize("text", [ITALY, "", "<img src=x>"])
def test_without_scripts_it_is_a_table(text):
    page = BeautifulSoup(NextWord(text)._plain(), "html.parser")
    assert len(page.table.find_all("tr")) == 10
    assert text in page.figcaption.text
    assert not page.find("img")
