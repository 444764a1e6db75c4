"""The chapter on order, in a real browser; and figures that come before their code."""

import re

import numpy as np
import pytest
from live_maps import attend, ready, type_sentence
from playwright.sync_api import expect

from manyheads.models.focus import load_focus_model
from manyheads.models.focus.bag_of_words import without_order

CANS = "Can you open the can?"


def open_shuffle(page, site):
    page.goto(f"{site}/book/order-and-cost.html")
    map = page.locator("head-map#order")
    ready(map)
    return map, page.locator("word-shuffle")


def words(text):
    return sorted(re.findall(r"\w+|\S", text.lower()))


def test_without_the_order_the_page_computes_what_python_does(page, site):
    map, _ = open_shuffle(page, site)
    bag = without_order(load_focus_model())
    for text in (CANS, "", "tea", "The soup was not awful but good.", "naïve 👍🏽 שלום"):
        assert np.abs(attend(map, text)["weights"] - bag(text).weights).max() <= 1e-5


def test_shuffling_changes_nothing_for_the_model_without_order(page, site):
    map, shuffle = open_shuffle(page, site)
    box = map.get_by_role("textbox", name="Sentence")
    assert shuffle.get_by_role("button", name="Back in order").is_disabled()
    assert shuffle.get_by_role("table").is_hidden()
    type_sentence(map, "The soup was not awful but good.")
    for _ in range(3):
        shuffle.get_by_role("button", name="Shuffle the words").click()
        expect(shuffle.locator("[role=status]")).to_have_text("")  # it says so while the models come
        bag, taught = (row.locator("th, td").all_inner_texts() for row in shuffle.locator("tbody tr").all())
        assert [bag[0], bag[2]] == ["no order", "none"]
        assert re.fullmatch(r"0(\.0)? %", bag[1])
        assert taught[0] == "taught"
        assert not re.fullmatch(r"0(\.0)? %", taught[1])
        assert box.input_value() != "The soup was not awful but good."
        assert words(box.input_value()) == words("The soup was not awful but good.")
    shuffle.get_by_role("button", name="Back in order").click()
    assert box.input_value() == "The soup was not awful but good."
    assert shuffle.get_by_role("table").is_hidden()


@pytest.mark.parametrize("text", ["", "tea", "tea tea tea", "?! " * 400, "<img src=x onerror=document.title='hacked'>"])
def test_whatever_is_typed_can_be_shuffled(page, site, text):
    map, shuffle = open_shuffle(page, site)
    type_sentence(map, text)
    shuffle.get_by_role("button", name="Shuffle the words").click()
    shuffle.get_by_role("table").wait_for()
    assert shuffle.locator("tbody tr").count() == 2
    assert "hacked" not in page.title()


@pytest.mark.parametrize("chapter", ["formula", "museum", "real-heads", "intuition"])
def test_figures_come_before_their_code(page, site, chapter):
    page.goto(f"{site}/book/{chapter}.html")
    order = page.locator(".cell.tag_hide-input").evaluate_all(
        """(cells) => cells.map((cell) => [...cell.children].map((part) => [part.getBoundingClientRect().top, part.tagName]))"""
    )
    assert any(len(parts) == 2 for parts in order)
    for parts in order:
        assert [name == "DETAILS" for _, name in sorted(parts)] == [False] * (len(parts) - 1) + [True]
