"""One wide projection, many narrow ones and the bug between them, in a real browser, against attention.py's numbers."""

from itertools import pairwise

import numpy as np
import pytest
from page_numbers import array, number
from playwright.sync_api import expect

from manyheads.models.focus import load_focus_model
from manyheads.models.focus.held_out import held_out_sentences
from manyheads.widgets.formula_steps import attention_input

SENTENCES = ["Which do you like better, coffee or tea?", "I hate this awful tea.", "Tee?", ""]
WAYS = {"wide": "One wide matrix", "narrow": "Narrow ones", "sliced": "Cut the input: a bug"}
FOUND = """(el) => Object.fromEntries(Object.entries(el.projections).filter(([, value]) => value?.shape && value.values)
  .map(([name, { shape, values }]) => [name, { shape, values: [...values].map(String) }]))"""
# The parts of each head's block that a reader sees: left and right edges, and how much of its height no veil covers.
BLOCKS = """(stage) => [...stage.children].map((block) => {
  const [x, w] = [...block.querySelectorAll("canvas")].map((canvas) => canvas.getBoundingClientRect());
  const veiled = [...block.querySelectorAll(".sp-product > i")].map((veil) =>
    Number(getComputedStyle(veil).opacity) * veil.getBoundingClientRect().height);
  return { x: x.width, left: w.left, right: w.right, top: w.top, height: w.height, veiled };
})"""


def open_figure(page, site):
    page.emulate_media(reduced_motion="reduce")  # still pictures, without a morph to wait for
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("slice-or-project")
    figure.evaluate("async (el) => { await el.ready }")
    return figure


def queries(model, sentence, word):
    """The queries that attention.py makes of a word, [h, d_k]: of the whole input, and of the input with all but each head's slice left out."""
    X, _ = attention_input(model, sentence)
    attention, x = model.attention, X[word]
    right = attention.project(X, X, X)[0][:, word]
    slices = len(x) // attention.num_heads
    wrong = []
    for head in range(attention.num_heads):
        alone = x * 0
        alone[head * slices : (head + 1) * slices] = x[head * slices : (head + 1) * slices]
        wrong.append(attention.project(alone[None], alone[None], alone[None])[0][head, 0])
    return right.detach().numpy(), np.stack([query.detach().numpy() for query in wrong])


def test_wide_and_narrow_are_one_and_pythons_and_a_cut_input_is_neither(page, site):
    figure, model = open_figure(page, site), load_focus_model()
    for sentence in [*SENTENCES, *(one.text for one in held_out_sentences()[::10])]:
        figure.get_by_role("textbox", name="Sentence").fill(sentence)
        for word in (0, 1):
            figure.get_by_role("combobox", name="Word").select_option(str(word))
            found = {name: array(matrix) for name, matrix in figure.evaluate(FOUND).items()}
            right, wrong = queries(model, sentence, word)
            np.testing.assert_allclose(found["wide"], found["narrow"], atol=1e-6, rtol=0)
            np.testing.assert_allclose(found["wide"], right, atol=2e-5)
            np.testing.assert_allclose(found["sliced"], wrong, atol=2e-5)
            assert np.abs(found["sliced"] - right).max() > 0.1


@pytest.mark.parametrize("width", [360, 1400])
def test_a_reader_sees_the_matrix_pulled_apart_and_the_same_numbers(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    figure, model = open_figure(page, site), load_focus_model()
    stage, table, height = figure.get_by_role("img"), figure.get_by_role("table"), figure.bounding_box()["height"]
    figure.get_by_role("combobox", name="Word").select_option("tea")
    right, wrong = queries(model, SENTENCES[0], 9)
    seen = {}
    for way, label in WAYS.items():
        figure.locator("label", has_text=label).click()
        blocks = seen[way] = stage.evaluate(BLOCKS)
        inner = figure.bounding_box()
        assert inner["x"] <= blocks[0]["left"]
        assert blocks[-1]["right"] <= inner["x"] + inner["width"]
        assert inner["height"] == height, "nothing below moves"
        gaps = [after["left"] - before["right"] for before, after in pairwise(blocks)]
        if way == "wide":
            assert max(map(abs, gaps)) < 0.5
            assert [block["x"] > 5 for block in blocks] == [True, False, False, False]
        else:
            assert min(gaps) > 10
            assert all(block["x"] > 5 for block in blocks)
        for block in blocks:  # of a cut input, a quarter of each block is lit
            lit = 1 - sum(block["veiled"]) / block["height"]
            assert lit == (pytest.approx(0.355, abs=0.02) if way == "sliced" else 1)
    widths = [block["right"] - block["left"] for blocks in seen.values() for block in blocks]
    assert max(widths) - min(widths) < 0.5, "the matrix is pulled apart, not drawn anew"
    rows = table.locator("tbody tr")
    for head in range(model.num_heads):
        cells = [[number(text) for text in cell.split()[:2]] for cell in rows.nth(head).locator("td").all_inner_texts()]
        np.testing.assert_allclose(cells, [right[head, :2], right[head, :2], wrong[head, :2]], atol=0.0051)
    same, other = table.locator("tfoot td").all_inner_texts()
    assert " ".join(same.split()) == "under 0.000001"
    assert number(other) == pytest.approx(np.abs(right - wrong).max(), abs=0.0051)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_keys_turn_it_and_it_is_heard_once(page, site):
    figure = open_figure(page, site)
    figure.get_by_role("radio", name=WAYS["wide"]).focus()
    page.keyboard.press("ArrowRight")
    expect(figure.get_by_role("radio", name=WAYS["narrow"])).to_be_checked()
    expect(figure.locator("[aria-live]")).to_contain_text("reads all 160 numbers of the word")
    expect(figure.locator("[aria-live]")).to_contain_text("Narrow ones: under 0.000001 from one wide matrix")


def test_without_scripts_the_numbers_are_there(still, site):
    still.goto(f"{site}/book/formula.html")
    figure = still.locator("slice-or-project")
    assert figure.locator("img:not(.sp-x)").first.is_visible()
    expect(figure.get_by_role("table")).to_contain_text("largest difference of all")
    expect(figure.locator("tfoot")).to_contain_text("under 0.000001")
