"""One file to send: a saved map in a browser that has no network."""

import numpy as np
import pytest
from live_maps import choose

from manyheads.models.focus import load_focus_model
from manyheads.widgets import HeadMap

TOKENS = ["[CLS]", "hot", "tea", "<or>", "[SEP]"]


def given():
    weights = np.random.default_rng(0).random((2, 3, 5, 5))
    return HeadMap.of(weights / weights.sum(-1, keepdims=True), TOKENS, head_names=["left", "mid", "right"])


def test_a_saved_map_is_there_in_full(opened):
    map = given()
    map.layer, map.query = 1, 2
    page = opened(map)
    found = page.locator("head-map").evaluate("(el) => ({ ...el.attention, weights: [...el.attention.weights] })")
    assert found["queryTokens"] == found["keyTokens"] == TOKENS
    assert found["headNames"] == ["left", "mid", "right"]
    np.testing.assert_allclose(found["weights"], map.attention.weights.ravel(), atol=1e-5)
    assert page.get_by_label("Layer", exact=True).input_value() == "1"
    assert page.get_by_label("Asked by").input_value() == "2"
    shown = page.locator("table.hm-paint td").evaluate_all(
        "(cells) => cells.map((cell) => Number(cell.dataset.weight))"
    )
    np.testing.assert_allclose(shown, map.attention.weights[1, :, 2].ravel(), atol=1e-4)
    assert page.locator("[role=status]").inner_text().startswith("Python computed this map.")


@pytest.mark.parametrize("view", ["Matrix", "Grid", "Lines", "Paint"])
def test_its_reader_chooses_view_layer_and_tokens(opened, view):
    page = opened(given())
    page.get_by_role("radio", name=view).check(force=True)
    assert page.locator("head-map .hm-stage").inner_text().strip()
    page.get_by_label("Layer", exact=True).select_option(label="2")
    choose(page, "Special tokens", "remove")
    assert "[CLS]" not in page.locator("head-map .hm-stage").inner_text()
    assert page.locator("head-map .hm-stage").inner_text().strip()
    assert page.get_by_role("textbox").count() == 0, "there is no model"


def test_heads_are_switched_off_and_on(opened):
    map = given()
    map.head_mask = [[True] * 3, [True, False, True]]
    map.layer = 1
    page = opened(map)
    pressed = "(all) => all.map((one) => one.ariaPressed)"
    toggles = page.locator("head-map button.hm-head")
    assert toggles.evaluate_all(pressed) == ["true", "false", "true"]
    assert page.locator("head-map .hm-off").count() == 1
    page.get_by_role("button", name="mid").click()
    page.get_by_role("button", name="right").click()
    assert toggles.evaluate_all(pressed) == ["true", "true", "false"]
    assert page.locator("head-map .hm-off").inner_text().split()[0] == "right"


def test_a_picture_is_saved_of_it(opened):
    page = opened(given())
    page.get_by_text("Share or save").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="PNG").click()
    assert download.value.path().read_bytes().startswith(b"\x89PNG")


def test_several_maps_stand_one_below_the_other(opened):
    models = [load_focus_model("heads-2"), load_focus_model("heads-8")]
    page = opened(HeadMap("Tea?", models=models, compare="Coffee!", layer=0, head=1))
    assert page.locator("h2").all_inner_texts() == [
        "focus/heads-2: Tea?",
        "focus/heads-2: Coffee!",
        "focus/heads-8: Tea?",
        "focus/heads-8: Coffee!",
    ]
    shapes = page.locator("head-map").evaluate_all("(all) => all.map((one) => one.attention.shape)")
    assert shapes == [[1, 2, 4, 4]] * 2 + [[1, 8, 4, 4]] * 2
    assert "Coffee!" not in page.title()


def test_what_was_typed_cannot_break_out(opened):
    page = opened(HeadMap("</title><script>alert(1)</script>", model=load_focus_model()))
    assert page.title() == "</title><script>alert(1)</script>"
    assert page.locator("script:not([type])").count() == 0
