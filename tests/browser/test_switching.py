"""Somebody switches: heads, views, words that ask, models, the bugs of the museum."""

import re

import live_maps
import numpy as np
import pytest
from figures import unfold
from live_maps import COFFEE, attend, attention_of, eventually, has_weights, open_map, ready, shows, type_sentence
from playwright.sync_api import expect

from manyheads.models.encoder import load_encoder
from manyheads.models.focus import load_focus_model


def word(head_map, text, head=1):
    """A word in the row of a head."""
    return head_map.locator("tbody").nth(head).get_by_role("cell").filter(has_text=re.compile(f"^{re.escape(text)}$"))


def asks(head_map, token):
    """Waits until a token of the notes' sentence asks, and its weights are there."""
    attention = load_focus_model()(COFFEE)
    place = attention.query_tokens.index(token)
    expect(head_map.locator(".hm-asker").first).to_have_text(token)
    shows(head_map, attention.weights[-1, :, place])


def test_a_head_that_is_off_changes_what_is_concluded_as_in_python_and_comes_back(page, site):
    head_map = open_map(page, site)
    before = type_sentence(head_map, f"{COFFEE} ")["predictions"]
    without = load_focus_model()(COFFEE, head_mask=[True, True, True, False]).predictions["sentiment"]
    toggle = head_map.get_by_role("button", name="sentiment", exact=True)
    toggle.click()
    expect(toggle).to_have_attribute("aria-pressed", "false")
    expect(head_map.locator("[data-prediction=sentiment]")).to_contain_text("all heads on:")
    expected = pytest.approx(without, abs=1e-5)
    eventually(lambda: attention_of(head_map)["predictions"]["sentiment"], lambda found: found == expected)
    toggle.click()
    eventually(lambda: attention_of(head_map)["predictions"], lambda found: found == before)


def test_every_view_shows_the_weights(page, site):
    head_map = open_map(page, site)
    weights = type_sentence(head_map, "The old dog slept.")["weights"][1]
    shows(head_map, weights[:, 0])
    head_map.get_by_role("radio", name="Matrix").check()
    shows(head_map, weights)
    head_map.get_by_role("button", name="Enlarge relation").click()
    expect(head_map.locator(".hm-large")).to_have_count(1)
    head_map.get_by_role("button", name="Shrink relation").click()
    head_map.get_by_role("radio", name="Grid").check()
    expect(head_map.get_by_role("table", name="All heads of all layers").get_by_role("button")).to_have_count(8)
    head_map.get_by_role("radio", name="Lines").check()
    head_map.get_by_role("combobox", name="Head", exact=True).select_option("all")
    expect(head_map.locator(".hm-lines path")).to_have_count(int((weights[:, 0] >= 0.01).sum()))


def test_a_word_that_is_pointed_at_asks_and_a_click_pins_it(page, site):
    head_map = open_map(page, site)
    word(head_map, "coffee").hover()
    asks(head_map, "coffee")
    expect(head_map.get_by_role("tooltip")).to_contain_text("object: [CLS] gives coffee")
    expect(head_map.locator(".hm-arcs path:not([d=''])").first).to_be_attached()
    page.mouse.move(5, 5)
    asks(head_map, "[CLS]")
    expect(head_map.get_by_role("tooltip")).to_be_hidden()
    word(head_map, "tea").click()
    page.mouse.move(5, 5)
    asks(head_map, "tea")
    head_map.get_by_role("radio", name="Matrix").check()
    expect(head_map.locator("tr.hm-asks th")).to_have_text(["tea"] * 4)
    head_map.get_by_role("radio", name="Paint").check()
    word(head_map, "tea").click()
    page.mouse.move(5, 5)
    asks(head_map, "[CLS]")


def test_a_word_asks_by_keys_and_keeps_the_focus(page, site):
    head_map = open_map(page, site)
    word(head_map, "[CLS]", 0).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    asks(head_map, "do")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    asks(head_map, "do")
    expect(page.locator("*:focus")).to_have_attribute("aria-label", re.compile("^do to you: "))
    page.keyboard.press("Escape")
    asks(head_map, "[CLS]")
    expect(page.locator("*:focus")).to_have_text("you")
    expect(head_map.locator("td[tabindex='0']")).to_have_count(1)  # one stop of the Tab key for all words


def test_special_tokens_go_and_heads_are_averaged(page, site):
    head_map = open_map(page, site)
    attend(head_map, "The soup was good.")
    whole = load_focus_model()("The soup was good.")
    live_maps.choose(head_map, "Special tokens", "remove")
    shows(head_map, whole.without_special().weights[-1, :, 0])
    live_maps.choose(head_map, "Show", "mean of the heads")
    shows(head_map, whole.average().without_special().weights[-1, :, 0])


def test_a_slider_runs_over_models(page, site):
    open_map(page, site, "book/coffee-or-tea")
    head_map = unfold(page.locator('head-map[models="focus focus/untaught"]'))
    ready(head_map)
    sentence = head_map.evaluate("(el) => el.sentence")
    for place, variant in enumerate(("taught", "untaught")):
        head_map.get_by_role("slider", name="Model").fill(str(place))
        ours = load_focus_model(variant)(sentence).weights
        has_weights(head_map, ours)


def test_a_bug_is_switched_on_by_keyboard_and_says_what_it_changes(page, site):
    page.goto(f"{site}/book/museum.html")
    guessed = page.locator("museum-piece[bug=scale]")
    ready(guessed.locator("head-map"))
    page.locator("figure-guess").get_by_role("button", name="just show me").click()
    expect(guessed.get_by_role("switch")).to_be_checked()
    weights = load_focus_model()(sentence := "My neighbour adores old trains.").weights
    guessed.get_by_role("textbox", name="Sentence").fill(sentence)
    expect(guessed.get_by_role("switch")).not_to_be_checked()
    has_weights(guessed.locator("head-map"), weights)
    piece = page.locator("museum-piece[bug=axis]")
    page.locator("details", has=piece).locator("> summary").click()
    head_map, changes = piece.locator("head-map"), piece.locator(".mp-changes")
    ready(head_map)
    before = type_sentence(head_map, sentence)["weights"]
    expect(changes).to_be_hidden()
    switch = piece.get_by_role("switch", name="The bug: softmax over the queries, not the keys")
    switch.focus()
    page.keyboard.press("Space")
    expect(switch).to_be_checked()
    sums = np.ones(attention_of(head_map)["weights"][1].shape[::2])
    live_maps.agrees(lambda: attention_of(head_map)["weights"][1].sum(-2), sums)
    expect(changes.locator("tbody tr", has_text="The weights of a row sum to")).to_be_visible()
    page.keyboard.press("Space")
    eventually(lambda: attention_of(head_map)["weights"], lambda found: np.testing.assert_array_equal(found, before))
    expect(changes).to_be_hidden()


def test_a_head_of_the_encoder_is_opened_from_the_grid_and_turned_off(page, site):
    sentence = "The bank of the river was muddy."
    page.goto(f"{site}/book/real-heads.html")
    head_map = page.locator('head-map[model="encoder"]').first
    ready(head_map)
    attend(head_map, sentence)
    encoder = load_encoder()
    square = head_map.get_by_role("button", name="Enlarge layer 3, head 5", exact=True)
    square.scroll_into_view_if_needed()
    place = page.evaluate("scrollY")
    square.click()
    expect(head_map.get_by_role("button", name="Shrink layer 3, head 5")).to_be_in_viewport()  # beside what was pressed
    expect(square).to_be_in_viewport()
    eventually(lambda: page.evaluate("scrollY"), lambda now: now == place)  # nothing scrolled by itself
    cells = head_map.get_by_role("table", name="layer 3, head 5: rows ask").locator("td")
    expect(cells).to_have_count(100)
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    expect(page.locator("*:focus")).to_have_attribute("aria-expanded", "true")
    head_map.get_by_role("button", name="Enlarge layer 2, head 4", exact=True).click()
    head_map.get_by_role("button", name="head 4", exact=True).click()
    mask = np.ones((6, 12), bool)
    mask[1, 3] = False
    ours = encoder(sentence, mask).weights
    has_weights(head_map, ours, part=0.03)
    expect(head_map.get_by_role("button", name="head 4", exact=True)).to_have_attribute("aria-pressed", "false")
