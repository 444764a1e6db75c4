"""The journey in a notebook: what Python computes, and what stands where no script runs."""

import base64
import json

import numpy as np
import pytest
from bs4 import BeautifulSoup
from close import assert_close

from manyheads import AttentionFlow
from manyheads.drawing.element import BUILDING
from manyheads.models.focus import load_focus_model

SENTENCE = "Do you hate tea?"


def test_it_computes_again_when_its_sentence_or_its_head_changes():
    widget, model = AttentionFlow(SENTENCE, head=1, query=3, station="values"), load_focus_model()
    sent = widget._flow["context"]
    widget.head = 2
    assert widget._flow["context"] != sent
    assert widget._parameters["Wq"]["shape"] == [160, 16]
    widget.sentence = "The soup was not good."
    assert_close(widget.steps["maps"], model(widget.sentence).weights[-1])
    assert_close(widget.steps["weights"], widget.steps["maps"][2])
    sent = widget._flow["maps"]
    values = np.frombuffer(base64.b64decode(sent["values"]), np.float32)
    np.testing.assert_array_equal(values.reshape(sent["shape"]), widget.steps["maps"])


def test_in_a_book_it_is_the_element_with_its_numbers(monkeypatch):
    monkeypatch.setenv(BUILDING, "_static")
    html = AttentionFlow(SENTENCE, head=1, query=3, station="values")._repr_mimebundle_()[0]["text/html"]
    element = BeautifulSoup(html, "html.parser").find("attention-flow")
    assert element.attrs == {"model": "focus", "sentence": SENTENCE, "head": "1", "query": "3", "station": "values"}
    data = json.loads(element.script.string)
    assert data["maps"]["shape"] == data["below"]["shape"] == [4, 7, 7]
    assert len(data["labels"]) == data["parts"]["shape"][0]


def test_what_changes_in_the_formula_is_an_attribute_and_computed_again(monkeypatch):
    monkeypatch.setenv(BUILDING, "_static")
    widget = AttentionFlow(SENTENCE, cell="weights 1 2", causal=True)
    assert not widget.steps["maps"][:, np.triu(np.ones((7, 7), bool), 1)].any()
    widget.causal = False
    assert_close(widget.steps["maps"], load_focus_model()(SENTENCE).weights[-1])
    widget.padding = True
    attrs = BeautifulSoup(widget._element(), "html.parser").find("attention-flow").attrs
    assert (attrs["cell"], attrs["padding"], "causal" in attrs) == ("weights 1 2", "", False)
    assert widget.steps["below"].shape == (4, 10, 10)


def test_a_journey_to_an_answer_is_baked_and_sent_with_both_layers(monkeypatch):
    monkeypatch.setenv(BUILDING, "_static")
    widget = AttentionFlow("None of them like tea.", head=3, answer="sentiment")
    element = BeautifulSoup(widget._element(), "html.parser").find("attention-flow")
    assert (element["answer"], element["head"]) == ("sentiment", "3")
    data = json.loads(element.script.string)
    assert data["above"]["maps"]["shape"] == data["maps"]["shape"] == [4, 8, 8]
    assert widget._flow["above"]["answer"]["shape"] == [19, 1]
    assert "How much of its attention like gives" in widget._plain()
    learned = {
        name: np.frombuffer(base64.b64decode(widget._parameters[name]["values"]), np.float32) for name in ("Wq", "bq")
    }
    made = widget.steps["X"] @ learned["Wq"].reshape(160, 16) + learned["bq"]
    assert_close(widget.steps["XWq"], made)
    widget.answer = ""
    assert "above" not in widget.steps


def test_what_is_learned_is_baked_where_it_is_drawn(monkeypatch):
    monkeypatch.setenv(BUILDING, "_static")
    widget = AttentionFlow("None of them like tea.", head=3, answer="sentiment", station="project")

    def baked():
        return json.loads(BeautifulSoup(widget._element(), "html.parser").find("attention-flow").script.string)

    learned = baked()["parameters"]
    assert [learned[name]["shape"] for name in ("Wq", "Wk", "Wv", "bk")] == [[160, 16]] * 3 + [[16]]
    values = np.frombuffer(base64.b64decode(learned["Wk"]["values"]), np.float32).reshape(160, 16)
    np.testing.assert_array_equal(values.T, load_focus_model().first.key.weight[48:].detach())
    widget.station = "keys"
    assert "parameters" not in baked()


@pytest.mark.parametrize("sentence", [SENTENCE, "", "<img src=x>"])
def test_without_scripts_it_is_what_the_asking_token_looks_at(sentence):
    widget = AttentionFlow(sentence, head=1, query=99)
    page = BeautifulSoup(widget._plain(), "html.parser")
    assert [row.th.text for row in page.find_all("tr")] == [
        token.removeprefix("##") for token in widget.steps["tokens"]
    ]
    shares = [float(row.td.text.removesuffix("\xa0%")) / 100 for row in page.find_all("tr")]
    np.testing.assert_allclose(shares, widget.steps["weights"][-1], atol=0.0051)
    assert all(note in page.figcaption.text for note in widget.steps["notes"])
    assert not page.find("img")
