"""What heads write into an answer: Python's numbers, and what stands where no script runs."""

import json

import numpy as np
import pytest
import torch
from bs4 import BeautifulSoup
from close import assert_close

from manyheads import HeadLedger, attribution, score_parts
from manyheads.drawing.element import BUILDING
from manyheads.models.focus import load_focus_model
from manyheads.models.focus.data import FACTS
from manyheads.models.registry import all_but, load_model
from manyheads.widgets.head_ledger import head_ledger
from manyheads_recipes.focus.sentences import held_out_sentences

SENTENCE = "Do you hate tea?"


@pytest.mark.parametrize("variant", ["taught", "heads-8"])
def test_parts_add_up_and_each_is_made_of_its_words(variant):
    model = load_focus_model(variant)
    for sentence in held_out_sentences()[:10]:
        ledger = head_ledger(model, sentence.text)
        parts = ledger["parts"]
        assert_close(parts[:, :-1].sum(1), parts[:, -1], summed=parts)
        by_word = ledger["weights"][..., None] * ledger["says"]  # [h, k, label]
        assert_close(by_word.sum(1).T, parts[:, :-2])


def test_a_logit_without_a_head_is_that_of_the_model_without_it():
    model = load_focus_model()
    for sentence in held_out_sentences()[60:63]:
        ledger = head_ledger(model, sentence.text)
        for head in range(4):
            attention = model(sentence.text, head_mask=[place != head for place in range(4)])
            for fact, labels in FACTS.items():
                own = [ledger["labels"].index([fact, label]) for label in labels]
                found = torch.tensor(ledger["without"][own, head]).softmax(0)
                assert_close(found, [attention.predictions[fact][label] for label in labels])


@pytest.mark.parametrize(
    ("name", "text", "off"), [("focus", SENTENCE, [(1, 1), (1, 3)]), ("induction", "a7kq3a7k", [(0, 1)])]
)
def test_a_head_that_is_off_writes_nothing_and_the_rest_sums_to_what_the_model_then_answers(name, text, off):
    model = load_model(name)
    ledger = head_ledger(model, text, off=off)
    places = [(layer - ledger["firstLayer"]) * model.num_heads + head for layer, head in off]
    parts = ledger["parts"]
    assert not parts[:, places].any()
    assert not ledger["says"][places].any()
    assert_close(parts[:, :-1].sum(1), parts[:, -1], summed=parts)
    assert_close(ledger["without"][:, places], np.repeat(parts[:, -1:], len(places), 1))
    for fact, shares in model(text, head_mask=all_but(model, off)).predictions.items():
        own = [place for place, (named, label) in enumerate(ledger["labels"]) if named == fact and label in shares]
        logs, logits = np.log([shares[ledger["labels"][place][1]] for place in own]), parts[own, -1]
        assert_close(logs - logs[0], logits - logits[0], summed=logits, terms=1000)  # all but a constant
    with pytest.raises(ValueError, match=r"no head 9 in layer 0"):
        head_ledger(model, text, off=[(0, 9)])


def test_in_a_book_it_is_the_element_with_its_numbers(monkeypatch):
    monkeypatch.setenv(BUILDING, "_static")
    html = HeadLedger(SENTENCE, answer="object", head=1, off=[(1, 1)])._repr_mimebundle_()[0]["text/html"]
    element = BeautifulSoup(html, "html.parser").find("head-ledger")
    assert element.attrs == {"answer": "object", "head": "1", "off": "1.1", "model": "focus", "sentence": SENTENCE}
    data = json.loads(element.script.string)
    assert data["says"]["shape"] == [4, 7, 19]
    assert data["tokens"][4:6] == ["tea", "?"]


@pytest.mark.parametrize("sentence", [SENTENCE, "", "<img src=x>"])
def test_without_scripts_it_is_a_table(sentence):
    page = BeautifulSoup(HeadLedger(sentence)._plain(), "html.parser")
    assert [row.th.text for row in page.table.find_all("tr")][-2:] == ["biases", "logit"]
    assert not page.find("img")


@pytest.mark.parametrize(
    ("ask", "lacks"),
    [
        (
            lambda model: HeadLedger(SENTENCE, model),
            "has no head_ledger: its answers aren't read from what its heads add",
        ),
        (lambda model: attribution(model, SENTENCE), "has no logit_parts: its answers aren't read from what its heads"),
        (lambda model: score_parts(model, SENTENCE, 0, 0, 0, 0), "has no read_in_parts: who wrote what its heads read"),
    ],
)
def test_who_asks_a_model_of_another_kind_reads_which_models_tell(ask, lacks):
    with pytest.raises(TypeError, match=lacks) as refused:
        ask(torch.nn.Linear(2, 2))
    assert "Models of load_focus_model(), load_induction() and load_decoder() have it" in str(refused.value)
    for model in (load_focus_model(), load_model("induction")):
        ask(model)
