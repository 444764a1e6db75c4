"""The summary, which prints on one sheet, and the questions, whose answers are short and lead to a live figure."""

import re

import pytest
from built import written
from conftest import ROOT
from figures import CHAPTER_OF
from live_maps import ready, typeset
from sheets import sheets_of

QUESTIONS = (ROOT / "book" / "questions.md").read_text(encoding="utf-8")
SECTIONS = re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", QUESTIONS, re.M | re.S)
LIVE = ", ".join(name for name in CHAPTER_OF if "exercise" not in name)


@pytest.mark.parametrize("size", ["A4", "Letter"])
def test_the_summary_prints_on_one_sheet(page, site, size):
    page.goto(f"{site}/book/summary.html")
    typeset(page)
    (sheet,) = sheets_of(page.pdf(format=size))
    text = re.sub(r"\s", "", sheet.text)
    for said in ("FormulaandShapes", "Foursteps", "Choices", "Pitfalls", "src_key_padding_mask", "givesszeros"):
        assert said.lower().replace("givesszeros", "giveszeros") in text.lower(), said
    assert "Sentence" not in text
    assert sheet.blank > 0.02


def test_the_summary_is_alive_on_the_screen(page, site):
    page.goto(f"{site}/book/summary.html")
    figure = page.locator("formula-steps").first
    figure.evaluate("async (el) => { await el.ready }")
    figure.get_by_role("textbox", name="Sentence").fill("Is tea hot?")
    assert "tea" in figure.evaluate("(el) => el.steps.tokens")


def test_fifteen_questions_have_three_sentences_each():
    assert len(SECTIONS) == 15
    for question, answer in SECTIONS:
        prose = re.sub(r"```.*?```", "", answer, flags=re.S)
        plain = re.sub(r"`[^`]*`|\$[^$]*\$|\]\([^)]*\)|\{cite\}", "x", prose)
        assert question.endswith("?")
        assert len(re.findall(r"[.?](?=\s|$)", plain)) == 3, question


@pytest.mark.parametrize("width", [768, 1400])
def test_all_columns_of_the_masks_are_seen_at_once(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}/book/summary.html")
    masks = page.locator(".pst-scrollable-table-container").filter(has_text="is_causal")
    assert masks.evaluate("(table) => table.scrollWidth - table.clientWidth") <= 0


@pytest.mark.parametrize(("question", "answer"), SECTIONS, ids=[question for question, _ in SECTIONS])
def test_an_answer_leads_to_a_live_figure(page, site, question, answer):
    page.goto(f"{site}/book/questions.html")
    section = page.locator("section section").filter(
        has=page.get_by_role("heading", name=question.replace("W^O", "W^O"))
    )
    addresses = section.locator("p a.reference").evaluate_all("(links) => links.map((link) => link.href)")
    inside = section.locator(LIVE).count()
    found = []
    for address in addresses:
        if not address.startswith(site) or "#id" in address or "references" in address:
            continue
        path, _, fragment = address.removeprefix(f"{site}/").partition("#")
        there = written(path)
        assert not fragment or len(there.find_all(id=fragment)) == 1, address
        found.append(bool(there.select_one(LIVE)))
    assert inside or any(found)


@pytest.mark.parametrize(
    ("bug", "names", "hidden"),
    [("padding", ("attn_mask", "key_padding_mask"), "key"), ("polarity", ("True keeps", "True drops"), "turned")],
)
def test_one_switch_changes_the_mask(page, site, bug, names, hidden):
    page.goto(f"{site}/book/questions.html")
    piece = page.locator(f'museum-piece[bug="{bug}"]')
    ready(piece.locator("head-map"))
    size = piece.locator("head-map").evaluate("(el) => el.attention.keyTokens.length")

    def weights():
        flat = piece.locator("head-map").evaluate(
            "(el) => [...el.attention.weights.slice(0, el.attention.keyTokens.length ** 2)]"
        )
        return [[round(flat[row * size + column], 6) for column in range(size)] for row in range(size)]

    before = weights()
    assert all(before[row][column] == 0 for row in range(size) for column in range(row + 1, size)), "causal"
    piece.get_by_role("switch").press("Space")
    table = piece.get_by_role("table").filter(has_text="What changes here")
    table.get_by_role("columnheader", name=names[1]).wait_for()
    assert table.get_by_role("columnheader").all_inner_texts()[1:] == [*names]
    after = weights()
    if hidden == "key":
        assert all(row[-3:] == [0, 0, 0] and abs(sum(row) - 1) < 1e-3 for row in after)
    else:
        assert all(after[row][column] == 0 for row in range(size) for column in range(row + 1))
        assert sum(after[-1]) == 0, "the last word may look at nothing"
