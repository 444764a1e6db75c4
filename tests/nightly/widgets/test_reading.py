"""The controls for large and real maps, in a file that Python saved: behind "More", each by its name."""

import numpy as np
import pytest
from live_maps import eventually, shows
from playwright.sync_api import expect

from manyheads.maps import AttentionMap
from manyheads.maps.names import NOTES
from manyheads.widgets import HeadMap

TOKENS = ["The", " un", "help", "ful", " tea", ",", " hot", " tea", "</s>"]
PAINTED = ".hm-paint td[data-weight]"


def given():
    """2 layers x 3 heads; the first token draws most of the attention."""
    weights = np.random.default_rng(0).dirichlet(np.full(9, 0.5), (2, 3, 9))
    weights[..., 0] += 1.5
    return AttentionMap(TOKENS, TOKENS, weights / 2.5)


@pytest.fixture
def more(opened):
    """The map in a saved file, its `More` unfolded; the fifth token asks."""
    figure = opened(HeadMap.of(given(), query=4)).locator("head-map")
    figure.get_by_text("More", exact=False).first.click()
    return figure


def test_word_pieces_become_words_and_a_sink_is_hidden(more):
    map, status = given(), more.get_by_role("status")
    more.get_by_role("combobox", name="Sinks").select_option("hide")
    shows(more, map.without_sinks().weights[0, :, 4], PAINTED)
    expect(status).to_contain_text(map.without_sinks().notes[0])
    more.get_by_role("combobox", name="Sinks").select_option("show")
    more.get_by_role("combobox", name="Word pieces").select_option("merge")
    shows(more, map.merge_pieces().weights[0, :, 2], PAINTED)
    expect(more.locator(".hm-paint tbody").first.locator("td").nth(1)).to_contain_text("unhelpful")
    expect(status).to_contain_text(NOTES["merged"])


def test_the_strongest_alone_are_shown_or_a_range(more):
    map = given()
    strongest = more.get_by_role("spinbutton", name="Strongest per row")
    strongest.fill("2")
    strongest.press("Tab")
    shows(more, map.strongest(2).weights[0, :, 4], PAINTED)
    expect(more.locator("td", has_text="hot").first).to_have_attribute("data-percent", "left out")
    strongest.fill("")
    strongest.press("Tab")
    for name, value in (("First token", "5"), ("Last token", "7")):
        more.get_by_role("spinbutton", name=name).fill(value)
        more.get_by_role("spinbutton", name=name).press("Tab")
    shows(more, map.weights[0, :, 4, 4:7], PAINTED)


def test_a_word_is_found_and_asks(more):
    box, asked = more.get_by_role("searchbox", name="Find a word"), more.get_by_label("Asked by")
    box.fill("TEA")
    expect(more.get_by_text("2 of 9, at 5, 8.")).to_be_visible()
    for place in ("4", "7", "4"):
        box.press("Enter")
        expect(asked).to_have_value(place)
    box.fill("coffee")
    expect(more.get_by_text("not among the tokens shown")).to_be_visible()


def test_sums_are_linked_and_true(more):
    map = given()
    more.get_by_text("Sums", exact=True).click()
    cells = more.get_by_role("table", name="Sums: Heads").locator("td")
    for press, sums in (("layer 2", map.totals(layers=[1])), ("layer 2", map.totals())):
        more.get_by_role("button", name=press, exact=True).click()
        eventually(
            lambda: cells.evaluate_all("(all) => all.map((one) => Number(one.dataset.sum))"),
            lambda found, sums=sums: np.testing.assert_allclose(found, sums["heads"], atol=1e-3),
        )


def test_signed_weights_have_two_hues_and_a_second_sign(opened):
    map = AttentionMap(TOKENS, TOKENS, given().weights - 0.1, kind="signed")
    figure = opened(HeadMap.of(map)).locator("head-map")
    for view, weights in (("Paint", map.weights[0, :, 0]), ("Matrix", map.weights[0])):
        figure.get_by_role("radio", name=view).check(force=True)
        shows(figure, weights)
        expect(figure.locator("td.hm-minus:visible")).to_have_count(int((weights < 0).sum()))
