"""The controls for large and real maps, in a real browser: behind "More", each by its name."""

import csv
from dataclasses import replace

import numpy as np
import pytest
import tints
from bs4 import BeautifulSoup
from drawn import drawn
from live_maps import CONTRAST

from manyheads.maps import AttentionMap
from manyheads.maps.names import NOTES
from manyheads.maps.written import percent
from manyheads.widgets import HeadMap

TOKENS = ["The", " un", "help", "ful", " tea", ",", " hot", " tea", "</s>"]
PLACES = """(table) => [...table.querySelectorAll("tbody tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => Number(cell.dataset.weight)))"""


def given(kind="shares"):
    """2 layers x 3 heads; the first token draws most of the attention."""
    weights = np.random.default_rng(0).dirichlet(np.full(9, 0.5), (2, 3, 9))
    weights[..., 0] += 1.5
    weights /= 2.5
    return AttentionMap(TOKENS, TOKENS, weights if kind == "shares" else weights - 0.1, kind=kind)


@pytest.fixture
def more(opened):
    """A saved map of which `More` is unfolded: (the map that was given, the figure)."""

    def open_more(map, **traits):
        figure = opened(HeadMap.of(map, **traits)).locator("head-map")
        figure.get_by_text("More", exact=False).first.click()
        return figure

    return open_more


def painted(figure):
    """The weights on screen, [head, key]."""
    return np.array(figure.locator("table.hm-paint").evaluate(PLACES), float)


def said(figure):
    return figure.get_by_role("status").inner_text()


def test_word_pieces_become_words(more):
    map = given()
    figure = more(map, query=2)
    figure.get_by_role("combobox", name="Word pieces").select_option("merge")
    shown = map.merge_pieces()
    words = ["The", "unhelpful", "tea", ",", "hot", "tea", "</s>"]
    assert [token.strip() for token in shown.key_tokens] == words
    assert [text.strip() for text in figure.locator(".hm-paint tbody").first.locator("td").all_inner_texts()] == words
    np.testing.assert_allclose(painted(figure), shown.weights[0, :, 1], atol=1e-4)
    assert figure.get_by_label("Asked by").evaluate("(el) => el.selectedOptions[0].text").strip() == "unhelpful"
    assert NOTES["merged"] in said(figure)


def test_a_sink_is_hidden_and_said(more):
    map = given()
    figure = more(map)
    figure.get_by_role("combobox", name="Sinks").select_option("hide")
    np.testing.assert_allclose(painted(figure), map.without_sinks().weights[0, :, 0], atol=1e-4)
    assert map.without_sinks().notes[0] in said(figure)
    assert "“The”" in said(figure)
    assert figure.get_by_text("More (1 set)").is_visible(), "it is told when the rest is folded, too"


def test_a_sink_that_writes_nothing_fades_and_comes_back(more):
    norms = np.random.default_rng(1).uniform(1, 3, (2, 3, 9))
    norms[..., 0] = 0.01
    map = replace(given(), value_norms=norms)
    figure = more(map, query=4, layer=1)
    show = figure.get_by_role("combobox", name="Show")
    attention = painted(figure)
    np.testing.assert_allclose(attention, map.weights[1, :, 4], atol=1e-4)
    show.select_option(label="amount written")
    written = painted(figure)
    np.testing.assert_allclose(written, map.value_weighted().weights[1, :, 4], atol=1e-4)
    assert NOTES["written"] in said(figure)
    shares = [rows[:, 0] / rows.sum(1) for rows in (attention, written)]
    assert shares[0].min() > 0.55
    assert shares[1].max() < 0.05
    depths = tints.of_cells(figure.locator(".hm-paint tbody").first.locator("td"))
    assert np.argmax(depths) == np.argmax(written[0])
    for view in ("Matrix", "Lines", "Grid"):
        figure.get_by_role("radio", name=view).check(force=True)
        assert NOTES["written"] in said(figure)
    figure.get_by_role("radio", name="Paint").check(force=True)
    show.select_option(label="attention")
    assert np.array_equal(painted(figure), attention)
    assert NOTES["written"] not in said(figure)


def test_the_strongest_alone_are_shown_and_the_rest_is_told(more):
    map = given()
    figure = more(map, query=4)
    figure.get_by_role("spinbutton", name="Strongest per row").fill("2")
    figure.get_by_role("spinbutton", name="Strongest per row").press("Tab")
    np.testing.assert_allclose(painted(figure), map.strongest(2).weights[0, :, 4], atol=1e-4)
    left_out = figure.locator("td", has_text="hot").first
    assert left_out.get_attribute("data-percent") == "left out"
    outside = 1 - map.strongest(2).weights[0].sum() / map.weights[0].sum()
    assert NOTES["strongest"].format(top=2, share=percent(outside)) in said(figure)


def test_a_range_of_tokens_keeps_true_weights(more):
    map = given()
    figure = more(map, layer=1, query=5)
    for name, value in (("First token", "5"), ("Last token", "7")):
        figure.get_by_role("spinbutton", name=name).fill(value)
        figure.get_by_role("spinbutton", name=name).press("Tab")
    np.testing.assert_allclose(painted(figure), map.weights[1, :, 5, 4:7], atol=1e-4)
    outside = 1 - map.weights[1, :, 4:7, 4:7].sum() / map.weights[1, :, 4:7].sum()
    assert NOTES["between"].format(first=5, last=7, count=9, share=percent(outside)) in said(figure)


def test_a_word_is_found_and_asks(more):
    figure = more(given())
    box = figure.get_by_role("searchbox", name="Find a word")
    box.fill("TEA")
    assert figure.get_by_text("2 of 9, at 5, 8.").is_visible()
    assert [
        text.strip() for text in figure.locator(".hm-paint tbody").first.locator(".hm-found").all_inner_texts()
    ] == ["tea"] * 2
    asked = figure.get_by_label("Asked by")
    for place in ("4", "7", "4"):
        box.press("Enter")
        assert asked.input_value() == place
    box.fill("coffee")
    assert figure.get_by_text("not among the tokens shown").is_visible()


def test_a_log_scale_is_said(more):
    map = given()
    figure = more(map, query=1)
    cells = figure.locator(".hm-paint tbody").nth(1).locator("td")
    figure.get_by_role("combobox", name="Scale").select_option("log")
    row = map.weights[0, 1, 1]
    np.testing.assert_allclose(tints.of_cells(cells), np.maximum(1 + np.log10(row) / 4, 0), atol=0.006)
    assert NOTES["log"] in said(figure)


def test_the_heads_most_alike_lead_to_each_other(more):
    map = given()
    figure = more(map, layer=1)
    figure.get_by_role("combobox", name="Heads most alike").select_option(label="head 2")
    nearest = map.similar_heads(1, 1)
    buttons = figure.locator(".hm-similar button")
    assert buttons.all_inner_texts() == [
        f"layer {layer + 1}, head {head + 1}: {percent(apart)} apart" for layer, head, apart in nearest
    ]
    buttons.first.click()
    layer, head, _ = nearest[0]
    assert figure.get_by_label("Layer", exact=True).input_value() == str(layer)
    assert figure.get_by_role("combobox", name="Heads most alike").input_value() == str(head)
    assert buttons.count() == 5


def test_sums_are_linked_and_true(more):
    map = given()
    figure = more(map)
    figure.get_by_text("Sums", exact=True).click()

    def sums(name):
        cells = figure.get_by_role("table", name=f"Sums: {name}").locator("td")
        return cells.evaluate_all("(all) => all.map((one) => Number(one.dataset.sum))")

    np.testing.assert_allclose(sums("Heads"), map.totals()["heads"], atol=1e-3)
    figure.get_by_role("button", name="layer 2", exact=True).click()
    figure.get_by_role("button", name="tea (5)").first.press("Enter")
    assert figure.page.evaluate("() => document.activeElement.textContent.trim()") == "tea (5)", "the focus stays"
    expected = map.totals(layers=[1], queries=[4])
    for name, axis in (
        ("Layers", "layers"),
        ("Heads", "heads"),
        ("Words that ask", "queries"),
        ("Words looked at", "keys"),
    ):
        np.testing.assert_allclose(sums(name), expected[axis], atol=1e-3)
    assert not figure.page.evaluate(CONTRAST)
    figure.get_by_role("button", name="layer 2", exact=True).click()
    np.testing.assert_allclose(sums("Heads"), map.totals(queries=[4])["heads"], atol=1e-3)


@pytest.mark.parametrize("view", ["Paint", "Matrix", "Grid", "Lines"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_signed_weights_have_two_hues_and_a_second_sign(more, view, scheme):
    map = given("signed")
    figure = more(map)
    figure.page.emulate_media(color_scheme=scheme)
    figure.get_by_role("radio", name=view).check(force=True)
    if view == "Lines":
        figure.get_by_role("combobox", name="Head", exact=True).select_option("all")
    assert not figure.page.evaluate(CONTRAST)
    if view in ("Paint", "Matrix"):
        cells = figure.locator("td[data-weight]").evaluate_all(
            "(all) => all.map((one) => [Number(one.dataset.weight), one.dataset.percent[0], "
            "one.classList.contains('hm-minus'), getComputedStyle(one).getPropertyValue('--head').trim(), "
            "getComputedStyle(one).backgroundImage.includes('repeating-linear-gradient')])"
        )
        assert {tuple(rest) for weight, *rest in cells if weight < 0} == {("\N{MINUS SIGN}", True, "#2979D9", True)}
        assert {tuple(rest) for weight, *rest in cells if weight > 0} == {("+", False, "#D9482B", False)}
    if view == "Lines":
        dashed = figure.locator("svg path").evaluate_all(
            "(all) => all.map((one) => one.getAttribute('stroke-dasharray') !== 'none')"
        )
        assert sum(dashed) == (map.weights[0, :, 0] < -0.01 * np.abs(map.weights[0]).max()).sum()


def test_signed_files_are_true(more, tmp_path):
    map = given("signed")
    figure = more(map, view="matrix", layer=1)
    figure.get_by_text("Share or save").click()
    found = {}
    for kind in ("CSV", "SVG"):
        with figure.page.expect_download() as download:
            figure.get_by_role("button", name=f"Save as {kind}").click()
        found[kind] = download.value.path().read_text(encoding="utf-8")
    rows = list(csv.DictReader(found["CSV"].splitlines()))
    np.testing.assert_allclose([float(row["weight"]) for row in rows], map.weights[1].ravel(), atol=1e-6)
    assert 'fill="#2979D9"' in found["SVG"]
    assert 'stroke-width="0.08"' in found["SVG"], "minus signs"


@pytest.mark.parametrize("other", [{"sinks": "hide"}, {"weigh": "written"}])
def test_what_is_chosen_in_python_is_drawn_before_scripts_and_by_them(opened, still, tmp_path, other):
    known = replace(given(), value_norms=np.random.default_rng(1).uniform(1, 3, (2, 3, 9)))
    chosen = other | {"pieces": "merge", "top": 2, "scale": "log", "find": "tea", "first": 1, "last": 6}
    map = HeadMap.of(known, query=4, layer=1, **chosen)
    read = """() => [...document.querySelectorAll("td[data-weight]")].map((cell) => [cell.textContent.trim(), Number(cell.dataset.weight).toFixed(3),
        cell.dataset.percent, cell.style.backgroundColor, cell.style.backgroundSize, cell.classList.contains("hm-found")])"""
    alive = opened(map)
    live, live_said = alive.evaluate(read), said(alive)
    saved = (tmp_path / "map.html").read_text(encoding="utf-8")
    (page,) = drawn(str(BeautifulSoup(saved, "html.parser").select_one("head-map")))
    still.set_content(str(page))
    assert still.evaluate(read) == live
    assert still.locator(".hm-status").inner_text() == live_said
    assert {name: getattr(map, name) for name in chosen} == chosen


def test_the_rest_is_folded_and_works_by_keys_on_a_phone(opened):
    page = opened(HeadMap.of(given()))
    page.set_viewport_size({"width": 360, "height": 800})
    assert not page.get_by_label("Word pieces").is_visible()
    summary = page.locator("details.hm-more > summary")
    summary.focus()
    page.keyboard.press("Enter")
    names = []
    for _ in range(10):
        page.keyboard.press("Tab")
        names.append(page.evaluate("() => document.activeElement.getAttribute('aria-label')"))
    assert names == [
        "Special tokens",
        "Heads",
        "Layers",
        "Word pieces",
        "Sinks",
        "Scale",
        "Strongest per row",
        "First token",
        "Last token",
        "Find a word",
    ]
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 360
    page.keyboard.press("Escape")
    assert not page.get_by_label("Word pieces").is_visible()
    assert summary.evaluate("(el) => el === document.activeElement")
