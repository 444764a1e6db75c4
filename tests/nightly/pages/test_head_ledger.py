"""What heads write, in a real browser: its tables as a reader sees them, against Python's numbers."""

import numpy as np
import pytest
from page_numbers import array, number
from playwright.sync_api import expect

from manyheads.maps.answers import answer_of
from manyheads.models.focus import load_focus_model
from manyheads.models.focus.held_out import held_out_sentences
from manyheads.widgets.head_ledger import head_ledger

SENTENCES = ["Which do you like better, coffee or tea?", "I hate this awful tea.", "The plumber drank coffee.", "Tee?"]
FOUND = """(el) => Object.fromEntries(Object.entries(el.matrices).filter(([, value]) => value?.shape)
  .map(([name, { shape, values }]) => [name, { shape, values: [...values].map(String) }]))"""
# Every cell: its text and the rectangle of its bar, if it has one.
CELLS = """(table) => [...table.tBodies[0].rows].map((row) => [...row.cells].map((cell) => {
  const bar = cell.matches(".hl-bar") && cell.firstElementChild.getBoundingClientRect();
  return bar ? [bar.left, bar.right] : cell.textContent;
}))"""


def open_ledger(page, site):
    page.goto(f"{site}/book/what-a-head-writes.html")
    figure = page.locator("head-ledger")
    figure.evaluate("async (el) => { await el.ready }")
    return figure


def test_every_number_is_pythons(page, site):
    model, figure = load_focus_model(), open_ledger(page, site)
    for sentence in [*SENTENCES, *(one.text for one in held_out_sentences()[::5])]:
        figure.get_by_role("textbox", name="Sentence").fill(sentence)
        ours, found = head_ledger(model, sentence), figure.evaluate(FOUND)
        for name in ("parts", "without", "weights", "says"):
            np.testing.assert_allclose(array(found[name]), ours[name], atol=2e-5, err_msg=f"{name} of {sentence}")


@pytest.mark.parametrize("width", [360, 1400])
def test_a_reader_sees_parts_that_add_up_and_bars_as_long(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    figure, model = open_ledger(page, site), load_focus_model()
    for sentence, answer, head in [
        (SENTENCES[0], "relation: choice or comparison", "object"),
        (SENTENCES[1], "object: person", "sentiment"),
    ]:
        figure.get_by_role("textbox", name="Sentence").fill(sentence)
        figure.get_by_role("combobox", name="Answer").select_option(answer)
        figure.get_by_role("button", name=head).click()
        ours = head_ledger(model, sentence)
        place, chosen = answer_of(ours, answer), ours["headNames"].index(head)
        *heads, biases, logit = figure.get_by_role("table", name="What each part adds to the logit").evaluate(CELLS)
        assert [row[0] for row in (biases, logit)] == ["biases", "logit"]
        assert sum(number(row[2]) for row in [*heads, biases]) == pytest.approx(number(logit[2]), abs=0.03)
        scale = (logit[1][1] - logit[1][0]) / abs(number(logit[2]))  # pixels for each unit of the logit
        for name, bar, part, absence_bar, absence in heads:
            at = ours["headNames"].index(name)
            assert number(part) == pytest.approx(ours["parts"][place][at], abs=0.0051)
            assert number(absence) == pytest.approx(ours["without"][place][at] - ours["parts"][place][-1], abs=0.0051)
            for (left, right), value in ((bar, number(part)), (absence_bar, number(absence))):
                assert right - left == pytest.approx(abs(value) * scale, abs=1 + 0.05 * abs(value) * scale)
        expect(figure.get_by_role("button", name=head)).to_have_attribute("aria-pressed", "true")
        words = figure.get_by_role("table", name=f"Where the head “{head}” looks").evaluate(CELLS)
        assert [row[0] for row in words] == ours["tokens"]
        for key, row in enumerate(words):
            assert number(row[5]) == pytest.approx(
                ours["weights"][chosen, key] * ours["says"][chosen, key, place], abs=0.0051
            )
        assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_nothing_typed_is_said_and_text_stays_text(page, site):
    figure = open_ledger(page, site)
    box = figure.get_by_role("textbox", name="Sentence")
    box.fill("")
    expect(figure.get_by_role("status")).to_contain_text("Type a sentence")
    expect(figure.get_by_role("table")).to_have_count(0)
    for hostile in ("<img src=x onerror=alert(1)>", "🦉" * 40, "مرحبا", "tea " * 2500):
        box.fill(hostile)
        expect(figure.get_by_role("table")).to_have_count(2)
    assert figure.locator("img").count() == 0


def test_an_answer_that_was_named_stays_and_a_fact_follows_the_sentence(page, site):
    figure = open_ledger(page, site)
    box, answer = figure.get_by_role("textbox", name="Sentence"), figure.get_by_role("combobox", name="Answer")
    figure.evaluate("(el) => el.setAttribute('answer', 'sentiment')")
    box.fill("I love this tea.")
    expect(answer).to_have_value("sentiment: positive")
    box.fill("I hate this tea.")
    expect(answer).to_have_value("sentiment: negative")
    answer.select_option("sentiment: neutral")
    box.fill("I love this tea.")
    expect(answer).to_have_value("sentiment: neutral")


@pytest.mark.parametrize(("prediction", "label"), [("object", "person"), ("sentiment", ""), ("", "")])
def test_another_script_reads_what_adds_up_to_a_logit(page, site, prediction, label):
    figure, sentence = open_ledger(page, site), "I hate this awful tea."
    figure.get_by_role("textbox", name="Sentence").fill(sentence)
    found = figure.evaluate("(el, names) => el.ledger(...names)", [prediction, label])
    ours = head_ledger(load_focus_model(), sentence)
    shown = figure.get_by_role("combobox", name="Answer").input_value()
    row = ours["parts"][answer_of(ours, f"{prediction}: {label}" if label else prediction or shown)]
    assert [(part["layer"], part["head"]) for part in found["heads"]] == [(0, 0), (0, 1), (0, 2), (0, 3)]
    np.testing.assert_allclose([part["value"] for part in found["heads"]], row[:4], atol=2e-5)
    assert found["logit"] == pytest.approx(sum(part["value"] for part in found["heads"]) + found["rest"], abs=1e-5)
    assert found["logit"] == pytest.approx(row[-1], abs=2e-5)
    assert figure.evaluate("(el) => el.ledger('object', 'teapot')") is None
