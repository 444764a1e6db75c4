"""The claims chapter in a real browser: verdicts as the rules give them, and heads pruned from the encoder, live."""

import re

import numpy as np
import pytest
from live_maps import seen, settled

from manyheads.experiments import CLAIMS, across, pruning, runs_of, statements_of, verdict_of
from manyheads.models.encoder import load_encoder

RIVER = "The bank by the river gave the fisherman a loan."


@pytest.fixture
def chapter(page, site):
    page.goto(f"{site}/book/claims.html")
    return page


def part(chapter, claim):
    """The section of a claim."""
    return chapter.locator(f"section:has(> span#claim-{claim}), section#claim-{claim}").first


@pytest.mark.parametrize("claim", CLAIMS)
def test_each_claim_leads_with_its_verdict_and_folds_what_it_rests_on(chapter, claim):
    section = part(chapter, claim)
    first = section.locator("p").first.inner_text()
    assert first.startswith(f"Verdict: {verdict_of(claim)}.")
    assert section.locator(".themed:visible").count() == 0
    for fold in section.locator("details").all():
        fold.evaluate("(fold) => { fold.open = true }")
    folds = section.locator("summary").all_inner_texts()
    for title in ("The experiment", "The evidence", "What others found"):
        assert any(title in fold for fold in folds), title
    for written, true in statements_of(claim).items():
        row = section.get_by_role("row").filter(has_text=written.replace("'", "’"))  # as smartquotes has it
        assert row.get_by_role("cell").last.inner_text() == {1: "yes", 0: "no", -1: "no, the contrary"}[int(true)]
    assert section.locator("result-slider, head-pruning, head-map[compare]").count() == 1, "one live control"
    assert section.locator("a.reference.internal").count(), "the literature is cited"
    assert section.locator("head-map").count() or any("Vary it" in fold for fold in folds)


def test_pictures_hold_their_places_before_they_come_into_view(chapter):
    chapter.locator("details").evaluate_all("(all) => all.forEach((fold) => { fold.open = true })")
    shapes = "(all) => all.map((one) => one.getBoundingClientRect()).map(({ height, width }) => height / width)"
    assert min(chapter.locator(".themed svg").evaluate_all(shapes)) > 0.5


def test_the_table_on_top_has_the_same_verdicts(chapter):
    table = chapter.locator("table", has_text="verdict").first
    for claim in CLAIMS:
        row = table.get_by_role("row").filter(has=chapter.locator(f'a[href="#claim-{claim}"]'))
        assert row.get_by_role("cell").last.inner_text() == verdict_of(claim)


def test_the_losses_are_the_measured_ones(chapter):
    chapter.locator("details").evaluate_all("(all) => all.forEach((fold) => { fold.open = true })")
    text = chapter.locator("article").inner_text()
    trainings = runs_of("short_trainings")
    for heads in trainings[0]:
        losses = across(trainings, heads, "validation loss")
        assert len(losses) >= 5
        assert re.search(rf"^{heads}\s+{np.mean(losses):.2f} ± {np.std(losses, ddof=1):.2f}", text, re.MULTILINE), heads


def test_a_slider_prunes_the_heads_of_the_encoder(chapter):
    figure, map = chapter.locator("head-pruning"), chapter.locator("head-map#pruned")
    slider = figure.get_by_role("slider", name="Heads pruned")
    figure.scroll_into_view_if_needed()
    figure.get_by_text("Load the encoder below").wait_for()
    map.get_by_role("button", name="Load the encoder").click()
    seen(figure, "Cosine of the sentence's vector to that with all heads: 1.00").wait_for()
    order, encoder = pruning.order(), load_encoder()
    whole, others = encoder.sentence_vector(RIVER), encoder.sentence_vectors(pruning.OTHERS)
    slider.focus()
    slider.press("End")
    seen(figure, "72 of 72 heads pruned").wait_for()
    for count in (71, 70):
        slider.press("ArrowLeft")
        seen(figure, f"{count} of 72 heads pruned").wait_for()
    for count in (24, 70):
        slider.fill(str(count))
        chapter.wait_for_function(
            "([figure, count]) => figure.querySelector('.hp-pruned').textContent.startsWith(`${count} of`) && figure.pruned === count",
            arg=[figure.element_handle(), count],
        )
        left = encoder.sentence_vector(RIVER, pruning.mask_without(order[:count]))
        assert abs(figure.evaluate("(figure) => figure.similarity") - left @ whole) < 0.03
        nearest = pruning.OTHERS.index(figure.evaluate("(figure) => figure.nearest.text"))
        assert (others @ left)[nearest] > (others @ left).max() - 0.03
        assert f"nearest to “{pruning.OTHERS[nearest]}”" in figure.inner_text()
        off = map.get_attribute("off").split()
        assert off == [f"{layer}.{head}" for layer, head in order[:count]]
    map.get_by_role("textbox", name="Sentence").fill("Tea.")
    chapter.wait_for_function("([figure]) => figure.sentence === 'Tea.'", arg=[figure.element_handle()])
    left = encoder.sentence_vector("Tea.", pruning.mask_without(order[:70])) @ encoder.sentence_vector("Tea.")
    assert abs(figure.evaluate("(figure) => figure.similarity") - left) < 0.03


def test_a_slider_with_the_focus_has_one_frame(chapter):
    slider = chapter.get_by_role("slider", name="Model").first
    slider.focus()
    chapter.keyboard.press("ArrowRight")
    framed = """(el) => { let count = 0;
      for (let at = el; at; at = at.parentElement) if (getComputedStyle(at).outlineStyle !== "none") count++;
      return count }"""
    assert slider.evaluate(framed) == 1


@pytest.mark.parametrize("width", [360, 768])
def test_nothing_is_wider_than_the_page(chapter, width):
    chapter.set_viewport_size({"width": width, "height": 800})
    settled(chapter)
    assert chapter.evaluate("document.documentElement.scrollWidth") <= width


def test_a_slider_shows_each_seed_and_their_mean(chapter):
    found = part(chapter, "diversity").locator("result-slider")
    slider = found.get_by_role("slider", name="Heads")
    trainings = runs_of("short_trainings")
    for place, heads in enumerate(heads for heads in trainings[0] if heads != "1"):
        slider.fill(str(place))
        assert slider.get_attribute("aria-valuetext") == heads
        for when, name in {"before": "look apart at the start", "after": "look apart"}.items():
            row = seen(found, f"look apart, {when} training").locator("xpath=..")
            mean = np.mean(across(trainings, heads, name))
            assert row.inner_text().split("\n")[-1] == f"{100 * mean:.0f} %"
            assert row.locator("i").count() == len(trainings) + 1  # the mean
