"""Somebody compares two sentences."""

import numpy as np
import pytest
from live_maps import eventually, open_map, shown, shows, tools, type_sentence
from playwright.sync_api import expect

from manyheads.models.focus import load_focus_model

FIRST, SECOND = "The soup was good.", "The soup was not good."


@pytest.fixture
def comparing(page, site):
    """A map of two sentences."""
    head_map = open_map(page, site)
    tools(head_map)
    type_sentence(head_map, FIRST)
    head_map.get_by_role("button", name="Compare").click()
    head_map.get_by_role("textbox", name="Compare with").fill(SECOND)
    expect(head_map.locator("td.hm-only").first).to_be_visible()
    return head_map


def test_rows_stay_the_head_that_moved_most_stands_out_and_so_does_the_word_that_only_one_has(comparing):
    names = comparing.locator("tr:first-child th").all_inner_texts()
    comparing.get_by_role("textbox", name="Compare with").fill("The soup was awful.")
    expect(comparing.locator("td.hm-only", has_text="awful")).to_have_count(4)
    expect(comparing.locator("tbody:has(.hm-most)")).to_contain_text(["sentiment"])
    expect(comparing.locator("tr:first-child th")).to_have_text(names)
    expect(comparing.get_by_role("textbox", name="Sentence")).to_have_value(FIRST)
    comparing.get_by_role("button", name="Stop comparing").click()
    comparing.page.mouse.move(5, 5)  # a word below the pointer asks
    expect(comparing.locator("td.hm-only")).to_have_count(0)
    shows(comparing, load_focus_model()(FIRST).weights[-1, :, 0])


def test_both_conclusions_stand_in_every_view(comparing):
    model = load_focus_model()
    for view in ("Matrix", "Grid", "Lines", "Paint"):
        comparing.get_by_role("radio", name=view).check()
        for name in model(FIRST).predictions:
            both = [model(text).predictions[name] for text in (FIRST, SECOND)]
            likeliest = [max(found, key=found.get) for found in both]
            expect(comparing.locator(f"[data-prediction='{name}'] dd b")).to_have_text(likeliest)


def test_matrices_show_the_signed_difference(comparing):
    first, second = (load_focus_model()(text) for text in (FIRST, SECOND))
    kept = [place for place, token in enumerate(second.key_tokens) if token != "not"]
    differences = second.weights[-1][:, kept][..., kept] - first.weights[-1]
    comparing.get_by_role("radio", name="Matrix").check()
    eventually(
        lambda: shown(comparing, "figure td[data-weight]"),
        lambda found: np.testing.assert_allclose(found, differences.ravel(), atol=5.1e-4),
    )
    expect(comparing.locator("td[data-weight].hm-minus")).to_have_count(int((differences.round(4) < 0).sum()))
    expect(comparing.locator(".hm-legend:visible")).to_contain_text("more in the second")
