"""The chapter in which a head is born: what its reader types, slides, turns off and predicts, against what Python computes."""

import numpy as np
import pytest
from conftest import new_context
from live_maps import seen, settled
from playwright.sync_api import expect

from manyheads import load_induction
from manyheads.maps.names import FULL
from manyheads.models.induction import CHECKPOINTS
from manyheads.models.induction.measures import birth

EXAMPLE = "a7kq3xwma7kq3xwm"
OWN = "mnopqrstu mnopqrstu"
LAST = len(CHECKPOINTS)
# The tint of each character's cell in a triangle, from the middle of its square.
TINTS = """(canvas) => {
  const { width, height } = canvas;
  const count = canvas.closest("figure").querySelector("ol").childElementCount;
  const { data } = canvas.getContext("2d").getImageData(0, 0, width, height);
  const middle = (at) => Math.floor(((at + 0.5) * width) / count);
  return Array.from({ length: count }, (_, row) =>
    Array.from({ length: count }, (_, column) => data[4 * (middle(row) * width + middle(column)) + 3] / 255));
}"""


@pytest.fixture
def birth_figure(page, site):
    page.goto(f"{site}/book/induction.html")
    settled(page)
    figure = page.locator("head-birth")
    figure.evaluate("(el) => el.ready")
    return figure


def slide(figure, place):
    figure.get_by_label("Training step").fill(str(place))


def guesses(figure):
    """What stands below each character but the first."""
    return figure.get_by_role("listitem").locator("span").all_inner_texts()[1:]


def off(model):
    mask = np.ones((model.num_layers, model.num_heads), bool)
    mask[model.previous_head] = False
    return mask


def assert_shows(figure, model, text, mask=None):
    expected = model.guesses(text, mask)
    shown = [{None: "·", " ": "␣"}.get(each, each) for each in expected.characters[:-1]]
    assert guesses(figure) == shown
    map = model(text, mask)
    for name, place in (("previous-token", model.previous_head), ("induction", model.induction_head)):
        tints = figure.get_by_role("figure").filter(has_text=f"{name} head").locator("canvas").evaluate(TINTS)
        np.testing.assert_allclose(tints, np.minimum(map.weights[place] / FULL, 1), atol=0.01)


def test_it_is_there_before_any_script_runs(browser, site):
    context = new_context(browser, java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{site}/book/induction.html")
    figure = page.locator("head-birth")
    assert guesses(figure) == [
        "·" if each is None else each for each in load_induction("step-0").guesses(EXAMPLE).characters[:-1]
    ]
    assert figure.locator("img").evaluate_all("(all) => all.map((each) => each.naturalWidth > 100)") == [True, True]
    assert seen(figure, "Where the text repeats, 0 of 7 guesses are right.").is_visible()
    context.close()


def test_a_text_typed_twice_is_guessed_once_the_heads_are_there(birth_figure):
    birth_figure.get_by_label("Text", exact=True).fill(OWN)
    for place, variant in ((0, "step-0"), (4, f"step-{CHECKPOINTS[4]}"), (LAST, "")):
        slide(birth_figure, place)
        assert_shows(birth_figure, load_induction(variant), OWN)
    expect(seen(birth_figure, "Where the text repeats, 8 of 8 guesses are right.")).to_be_visible()
    expect(birth_figure.locator(".hb-step")).to_have_text("step 600")


def test_without_the_previous_token_head_the_induction_head_is_blind(birth_figure):
    model = load_induction()
    slide(birth_figure, LAST)
    expect(seen(birth_figure, "7 of 7 guesses are right")).to_be_visible()
    expect(
        seen(birth_figure, "From “a”, character 9, the induction head looks most at “7”, character 2")
    ).to_be_visible()
    birth_figure.get_by_label("Turn off the previous-token head").check()
    assert_shows(birth_figure, model, EXAMPLE, off(model))
    expect(seen(birth_figure, "0 of 7 guesses are right")).to_be_visible()
    expect(seen(birth_figure, "looks most at “a”, character 1 ")).to_be_visible()
    birth_figure.get_by_label("Turn off the previous-token head").uncheck()
    assert_shows(birth_figure, model, EXAMPLE)


def test_the_reader_predicts_before_the_answer_shows(birth_figure):
    history = load_induction().history
    answer = seen(birth_figure, "half grown at step")
    curves = birth_figure.get_by_role("figure").filter(has_text="Attention where the head’s name says")
    assert not curves.is_visible()
    assert answer.count() == 0
    before = birth_figure.bounding_box()["height"]
    birth_figure.get_by_role("button", name="The previous-token head").click()
    previous, induction = birth(history, "previous", 0), birth(history, "induction", 1)
    text = f"You predicted: the previous-token head. In this training the previous-token head was half grown at step {previous}, the induction head at step {induction}."
    expect(answer).to_have_text(text)
    assert curves.is_visible()
    slide(birth_figure, LAST)
    score = history[-1]["induction"][1][load_induction().induction_head[1]]
    expect(curves).to_contain_text(f"induction {score:.0%}".replace("%", " %"))
    assert birth_figure.bounding_box()["height"] - before < 40, "room was kept for the answer"


def test_play_goes_through_all_of_the_training(birth_figure):
    page = birth_figure.page
    page.emulate_media(reduced_motion="reduce")  # a step a press
    steps = []
    for _ in range(LAST):
        birth_figure.get_by_role("button", name="Play").click()
        steps.append(birth_figure.locator(".hb-step").inner_text())
    assert steps == [f"step {step}" for step in (*CHECKPOINTS[1:], load_induction().config.steps)]
    marks = birth_figure.locator(".hb-mark").evaluate_all(
        "(all) => all.map((each) => each.offsetLeft / each.parentElement.clientWidth)"
    )
    assert marks == pytest.approx([1, 1], abs=0.01)


def test_each_guess_has_its_reason_by_pointer_and_by_keys(birth_figure):
    slide(birth_figure, LAST)
    cells = birth_figure.get_by_role("listitem")
    cells.nth(12).hover()
    expect(
        seen(birth_figure, "From “q”, character 12, the induction head looks most at “3”, character 5")
    ).to_be_visible()
    cells.nth(12).focus()
    birth_figure.page.keyboard.press("ArrowRight")
    expect(
        seen(birth_figure, "From “3”, character 13, the induction head looks most at “x”, character 6")
    ).to_be_visible()
    assert cells.nth(13).get_attribute("aria-label") == "x, guessed x: right"


def test_any_input_is_answered(birth_figure):
    box = birth_figure.get_by_label("Text", exact=True)
    status = birth_figure.get_by_role("status")
    box.fill("")
    expect(status).to_contain_text("Type a few characters, and then the same again.")
    box.fill("0123456789" * 1000)
    expect(status).to_contain_text("Only the first 64 of 10000 characters are read.")
    assert len(guesses(birth_figure)) == 63
    box.fill("🦊🐻🐼🐨🐯🦁🐮🐷🦊🐻🐼")
    slide(birth_figure, LAST)
    expect(seen(birth_figure, "2 of 2 guesses are right")).to_be_visible()
    box.fill("x")
    expect(seen(birth_figure, "Nothing repeats yet")).to_be_visible()
    assert_shows(birth_figure, load_induction(), "x")


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_triangles_are_squares_side_by_side_and_nothing_overflows(browser, site, width):
    context = new_context(browser, viewport={"width": width, "height": 900})
    page = context.new_page()
    page.goto(f"{site}/book/induction.html")
    settled(page)
    one, two = (box.bounding_box() for box in page.locator("head-birth canvas").all())
    assert one["width"] == pytest.approx(one["height"], abs=1)
    assert (one["width"], one["y"]) == pytest.approx((two["width"], two["y"]), abs=1)
    assert one["x"] + one["width"] < two["x"]
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    context.close()
