"""The chapter on ambiguity in a real browser: a scale that moves with the sentence, and heads that are ranked."""

import numpy as np
import pytest
from live_maps import CONTRAST, assert_unmoved, boxes

from manyheads.models.senses import load_senses

PAGE = "book/ambiguity.html"
FISH = "I went to the bank to catch some fish."


def open_scale(page, site):
    page.goto(f"{site}/{PAGE}")
    return page.locator("word-sense#scale")


def ready(scale):
    scale.evaluate("async (el) => { await el.ready }")
    return scale


def wait_for(scale, condition):
    scale.page.wait_for_function(
        f"(el) => {{ const sense = el.sense; return {condition}; }}", arg=scale.element_handle()
    )
    return scale.evaluate("(el) => el.sense")


def status(scale):
    return scale.get_by_role("status").inner_text()


def test_the_scale_moves_as_the_reader_types(page, site):
    scale = open_scale(page, site)
    load = scale.get_by_role("button", name="Load the encoder")
    load.wait_for()
    table = scale.get_by_role("table", name="The sense after each layer")
    assert scale.get_by_role("meter", name="layer 6").get_attribute("aria-valuetext").endswith("river")
    box = scale.get_by_role("textbox", name="Sentence")
    box.fill("She took her money to the bank.")
    scale.get_by_text("answered once the encoder has loaded").wait_for()
    load.press("Enter")
    found = wait_for(scale, "sense.shares.at(-1) < 0.2")
    assert scale.evaluate("(el) => el.contains(document.activeElement)"), "the button goes, the focus stays"
    assert status(scale).startswith("Ready")
    assert table.get_by_role("row").count() == 7
    np.testing.assert_allclose(
        found["shares"], load_senses().by_layer("She took her money to the bank.", "bank"), atol=0.1
    )
    box.fill("She took her boat to the bank of the stream.")
    wait_for(scale, "sense.shares.at(-1) > 0.8")
    assert scale.get_by_role("meter", name="layer 6").get_attribute("aria-valuetext").endswith("% river")


@pytest.fixture
def live(page, site):
    return ready(open_scale(page, site))


def test_another_word_can_be_chosen_and_an_unknown_one_is_told_how_to_come_in(live):
    box = live.get_by_role("textbox", name="Sentence")
    box.fill("The bats left the bank of the lake.")
    wait_for(live, "sense.word === 'bank'")
    live.get_by_role("combobox", name="Word").select_option("bat")
    found = wait_for(live, "sense.word === 'bat'")
    assert found["senses"] == ["animal", "sport"]
    assert found["shares"][-1] < 0.5
    for text in ("The pitch was wet.", "", "<img src=x onerror=document.title='hacked'>"):
        box.fill(text)
        live.get_by_text("No word here has two senses that this book knows. Try one of these: bank, bat,").wait_for()
        assert "says how to add a word" in status(live)
        assert live.evaluate("(el) => el.sense.word") == "bat", "what was shown stays"
    assert "hacked" not in live.page.title()
    box.fill("mouse " * 600)
    wait_for(live, "sense.word === 'mouse'")
    assert "reads at most 512 tokens" in status(live)


def test_heads_are_ranked_and_can_be_turned_off(live):
    rank = live.get_by_role("button", name="Rank the heads")
    whole = wait_for(live, "sense.shares.length === 7")["shares"]
    rank.click()
    table = live.get_by_role("table", name="Heads by what their absence does")
    table.wait_for()
    senses = load_senses()
    moves = senses.without_each_head(FISH, "bank")
    first = table.get_by_role("button").first
    name = first.inner_text()
    layer, head = np.unravel_index(np.abs(moves).argmax(), moves.shape)
    assert name == f"layer {layer + 1}, head {head + 1}"
    first.click()
    wait_for(live, f"Math.abs(sense.shares.at(-1) - {whole[-1]}) > 0.01")
    off = senses.by_layer(FISH, "bank", senses.mask_without((layer, head)))
    np.testing.assert_allclose(live.evaluate("(el) => el.sense.shares"), off, atol=0.1)
    assert first.get_attribute("aria-pressed") == "false"
    first.click()
    wait_for(live, f"Math.abs(sense.shares.at(-1) - {whole[-1]}) < 1e-6")
    live.get_by_role("combobox", name="Heads off").select_option(label="all of layer 1")
    layer_off = senses.by_layer(FISH, "bank", senses.mask_without(*((0, head) for head in range(12))))
    wait_for(live, f"Math.abs(sense.shares.at(-1) - {layer_off[-1]}) < 0.1")
    live.get_by_role("combobox", name="Heads off").select_option(label="the 4 that matter most here")
    live.page.wait_for_function(
        "(table) => table.querySelectorAll('button[aria-pressed=\"false\"]').length === 4", arg=table.element_handle()
    )


def test_an_encoder_that_stops_can_be_started_again(live, faults):
    page = live.page
    page.workers[0].evaluate("() => { setTimeout(() => { throw new Error('no memory') }) }")
    live.get_by_role("textbox", name="Sentence").fill("Does the bank still flow?")
    again = live.get_by_role("button", name="Try again")
    again.wait_for()
    assert "The sense could not be computed: the model stopped" in status(live)
    assert live.evaluate("(el) => el.sense.word") == "bank", "what was shown stays"
    again.click()
    live.get_by_text("Ready: computed in this page as you type.").wait_for()
    assert live.get_by_role("textbox", name="Sentence").input_value() == "Does the bank still flow?"
    faults.clear()


def test_the_scale_is_there_without_scripts_and_stays_in_place(still, page, site):
    scale = open_scale(still, site)
    rows = scale.get_by_role("table", name="The sense after each layer").get_by_role("row")
    assert rows.count() == 7
    assert rows.last.inner_text().startswith("layer 6")
    assert scale.locator(".ws-ends").inner_text().split() == ["money", "river"]
    assert scale.get_by_role("textbox", name="Sentence").input_value() == FISH
    before = boxes(scale.locator(".ws-scale"))
    scale = open_scale(page, site)
    scale.get_by_role("button", name="Load the encoder").wait_for()
    assert_unmoved(before, boxes(scale.locator(".ws-scale")))


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1400])
def test_it_fits_and_is_readable(page, site, theme, width):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.set_viewport_size({"width": width, "height": 800})
    scale = open_scale(page, site)
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
    scale.get_by_role("button", name="Load the encoder").wait_for()
    assert page.evaluate(CONTRAST.replace("head-map :is(", ":is(head-map, word-sense) :is(")) == []
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


# The controls of a figure that the ring round the focused one lies on.
UNDER_RING = """(el) => {
  const own = document.activeElement, { outlineWidth, outlineOffset } = getComputedStyle(own);
  const ring = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset);
  const at = own.getBoundingClientRect();
  return [...el.querySelectorAll("textarea, select, button")].filter((other) => other !== own).filter((other) => {
    const it = other.getBoundingClientRect();
    return it.left < at.right + ring && it.right > at.left - ring && it.top < at.bottom + ring && it.bottom > at.top - ring })
    .map((other) => other.ariaLabel ?? other.textContent) }"""


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_ring_round_a_control_lies_on_no_other(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    scale = open_scale(page, site)
    scale.get_by_role("button", name="Load the encoder").wait_for()
    for control in scale.locator("textarea, select, button:enabled").all():
        control.focus()
        assert scale.evaluate(UNDER_RING) == []
