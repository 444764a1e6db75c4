"""What heads write into an answer: Python's numbers, and what stands where no script runs."""

import json

import numpy as np
import pytest
import torch
from bs4 import BeautifulSoup

from manyheads.attention import contributions
from manyheads.maps.answers import answer_of
from manyheads.maps.element import BUILDING
from manyheads.models.focus import load_focus_model
from manyheads.models.focus.held_out import held_out_sentences
from manyheads.models.focus.sentences import FACTS
from manyheads.widgets import HeadLedger
from manyheads.widgets.formula_steps import attention_input
from manyheads.widgets.head_ledger import head_ledger

SENTENCE = "Do you hate tea?"


@pytest.mark.parametrize("variant", ["taught", "heads-8"])
def test_parts_add_up_and_each_is_made_of_its_words(variant):
    model = load_focus_model(variant)
    for sentence in held_out_sentences()[:10]:
        ledger = head_ledger(model, sentence.text)
        parts = ledger["parts"]
        np.testing.assert_allclose(parts[:, :-1].sum(1), parts[:, -1], atol=1e-5)
        by_word = ledger["weights"][..., None] * ledger["says"]  # [h, k, label]
        np.testing.assert_allclose(by_word.sum(1).T, parts[:, :-2], atol=1e-5)


def test_a_logit_without_a_head_is_that_of_the_model_without_it():
    model = load_focus_model()
    for sentence in held_out_sentences()[60:63]:
        ledger = head_ledger(model, sentence.text)
        for head in range(4):
            map = model(sentence.text, head_mask=[place != head for place in range(4)])
            for fact, labels in FACTS.items():
                own = [ledger["labels"].index([fact, label]) for label in labels]
                found = torch.tensor(ledger["without"][own, head]).softmax(0)
                np.testing.assert_allclose(found, [map.predictions[fact][label] for label in labels], atol=1e-5)


@torch.no_grad()
def test_what_a_word_says_is_its_contribution_through_the_norm_and_the_readout():
    """Computed from the vectors that each head adds to the output, which know nothing of `reading`."""
    model = load_focus_model()
    X, _ = attention_input(model, SENTENCE)
    written = contributions(model.attention, X, by_key=True)[:, 0].double()  # [h, k, d]
    output = model.attention(X)[0][0].double()
    spread = (output.var(unbiased=False) + model.after.eps).sqrt()
    through = (written - written.mean(-1, keepdim=True)) / spread * model.after.weight.double()
    expected = torch.cat([through @ readout.weight.double().T for readout in model.readouts.values()], dim=-1)
    ledger = head_ledger(model, SENTENCE)
    np.testing.assert_allclose(ledger["weights"][..., None] * ledger["says"], expected, atol=1e-5)


def test_it_computes_again_when_its_sentence_changes():
    widget = HeadLedger(SENTENCE, answer="sentiment", head=3)
    assert widget.ledger["labels"][answer_of(widget.ledger, widget.answer)] == ["sentiment", "negative"]
    sent = widget._ledger["parts"]
    widget.sentence = "The soup was good."
    assert widget._ledger["parts"] != sent
    assert widget.ledger["labels"][answer_of(widget.ledger, widget.answer)] == ["sentiment", "positive"]


def test_in_a_book_it_is_the_element_with_its_numbers(monkeypatch):
    monkeypatch.setenv(BUILDING, "_static")
    html = HeadLedger(SENTENCE, answer="object", head=1)._repr_mimebundle_()[0]["text/html"]
    element = BeautifulSoup(html, "html.parser").find("head-ledger")
    assert element.attrs == {"answer": "object", "head": "1", "model": "focus", "sentence": SENTENCE}
    data = json.loads(element.script.string)
    assert data["says"]["shape"] == [4, 7, 19]
    assert data["tokens"][4:6] == ["tea", "?"]


@pytest.mark.parametrize("sentence", [SENTENCE, "", "<img src=x>"])
def test_without_scripts_it_is_a_table(sentence):
    page = BeautifulSoup(HeadLedger(sentence)._plain(), "html.parser")
    assert [row.th.text for row in page.tbody.find_all("tr")][-2:] == ["biases", "logit"]
    assert not page.find("img")


@pytest.mark.parametrize(
    ("error", "arguments"), [(TypeError, {"sentence": 3}), (ValueError, {"head": -1}), (TypeError, {"heads": 2})]
)
def test_bad_arguments_are_refused(error, arguments):
    with pytest.raises(error):
        HeadLedger(**{"sentence": SENTENCE, **arguments})
