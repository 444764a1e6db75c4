"""A map is operated by its words: pointed at, touched or reached by keys, they ask, and say what is looked at."""

import re

import numpy as np
import pytest
import tints
from conftest import VIEWPORT, new_context
from live_maps import COFFEE, open_map, ready

from manyheads.maps.names import FULL, NOTES
from manyheads.models.focus import load_focus_model
from manyheads.widgets import HeadMap

PAINTED = """(el) => [...el.querySelectorAll(".hm-paint tr")].map((row) =>
    [...row.querySelectorAll("td")].map((cell) => Number(cell.dataset.weight)))"""
ARCS = """(el) => [...el.querySelectorAll(".hm-arcs path:not([d=''])")].map((path) =>
    [path.getAttribute("stroke"), Number(path.getAttribute("stroke-width"))])"""


def word(map, text, head=1):
    """A word in the row of a head."""
    return map.locator("tbody").nth(head).get_by_role("cell").filter(has_text=re.compile(f"^{re.escape(text)}$"))


def asked_by(map):
    return map.get_by_label("Asked by").evaluate("(el) => el.selectedOptions[0].text")


def assert_asks(map, token):
    attention = load_focus_model()(COFFEE)
    assert asked_by(map) == token
    place = attention.query_tokens.index(token)
    np.testing.assert_allclose(map.evaluate(PAINTED), attention.weights[0, :, place], atol=1e-4)


def test_a_word_that_is_pointed_at_asks_until_the_pointer_leaves(page, site):
    map = open_map(page, site)
    before = map.bounding_box()
    assert map.evaluate(ARCS) == []
    word(map, "coffee").hover()
    assert_asks(map, "coffee")
    computed = load_focus_model()(COFFEE)
    row = computed.weights[0, 1]
    tip = map.get_by_role("tooltip")
    assert tip.inner_text().splitlines()[0] == f"object: [CLS] gives coffee {100 * row[0, 7]:.0f} %"
    assert tip.inner_text().splitlines()[1].startswith(f"coffee looks most at {computed.key_tokens[row[7].argmax()]}, ")
    arcs = map.evaluate(ARCS)
    colours = load_focus_model().num_heads
    assert len({stroke for stroke, _ in arcs}) == colours, "each head in its colour"
    own = [width for stroke, width in arcs if stroke == "#FF8C00"]
    assert own == sorted(own, reverse=True)
    assert own[0] > own[-1], "the more is looked at, the thicker"
    assert map.locator(".hm-arcs").get_attribute("aria-hidden") == "true"
    assert map.bounding_box() == before, "nothing moves"
    page.mouse.move(5, 5)
    assert_asks(map, "[CLS]")
    assert map.evaluate(ARCS) == []
    assert not tip.is_visible()


def test_a_click_pins_a_word_and_escape_unpins_it(page, site):
    map = open_map(page, site)
    word(map, "tea").click()
    page.mouse.move(5, 5)
    assert_asks(map, "tea")
    assert len(map.evaluate(ARCS)) > 4
    word(map, "you").hover()
    assert_asks(map, "tea")
    assert map.get_by_role("tooltip").inner_text().startswith("object: tea gives you ")
    page.keyboard.press("Escape")
    page.mouse.move(5, 5)
    assert_asks(map, "[CLS]")
    word(map, "tea").click()
    word(map, "tea").click()
    page.mouse.move(5, 5)
    assert_asks(map, "[CLS]")


def test_a_word_asks_by_keys_and_keeps_the_focus(page, site):
    map = open_map(page, site)
    word(map, "[CLS]", 0).focus()
    for key in ("ArrowRight", "ArrowRight", "ArrowDown"):
        page.keyboard.press(key)
    assert_asks(map, "do")
    described = page.evaluate(
        "() => document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    )
    assert described.startswith("object: [CLS] gives do ")
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowRight")
    assert_asks(map, "do")
    label = page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    assert label.startswith("do to you: ")
    page.keyboard.press("Escape")
    assert_asks(map, "[CLS]")
    assert page.evaluate("() => document.activeElement.textContent") == "you", "the focus stays"
    assert map.locator("td[tabindex='0']").count() == 1, "one stop of the Tab key for all words"


def test_a_word_that_is_touched_asks(browser, site):
    context = new_context(browser, viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
    page = context.new_page()
    map = open_map(page, site)
    word(map, "coffee").tap()
    assert_asks(map, "coffee")
    assert map.get_by_role("tooltip").is_visible()
    word(map, "coffee").tap()
    assert_asks(map, "[CLS]")
    context.close()


def test_a_prediction_lights_the_row_of_its_head(page, site):
    map = open_map(page, site)
    map.locator("[data-prediction=relation]").hover()
    assert map.locator(".hm-lit").inner_text().startswith("relation")
    page.mouse.move(5, 5)
    assert map.locator(".hm-lit").count() == 0


def test_matrix_and_grid_follow_who_asks(page, site):
    map = open_map(page, site)
    word(map, "like").click()
    map.get_by_role("radio", name="Matrix").check()
    assert map.locator("tr.hm-asks th").all_inner_texts() == ["like"] * 4
    map.get_by_role("table", name="object").get_by_role("rowheader", name="tea").locator("~ td").first.hover()
    assert map.locator("tr.hm-asks th").all_inner_texts() == ["like"] * 4, "it is pinned"
    map.get_by_role("radio", name="Grid").check()
    asks = "(el) => Number(getComputedStyle(el).getPropertyValue('--asks'))"
    assert map.locator(".hm-grid").evaluate(asks) == pytest.approx(4 / 12)
    assert map.locator("td.hm-asker").inner_text() == "like"


def test_lines_open_on_one_word_and_heads_that_are_off_have_none(page, site):
    map = open_map(page, site)
    map.get_by_role("radio", name="Lines").check()
    row = load_focus_model()(COFFEE).weights[0, :, 0]
    head = map.get_by_role("combobox", name="Head", exact=True)
    assert head.evaluate("(el) => el.selectedOptions[0].text") == "sentence type", "one head at first"
    assert map.locator(".hm-lines path").count() == (row[0] >= 0.01).sum()
    head.select_option("all")
    assert map.locator(".hm-lines path").count() == (row >= 0.01).sum()
    map.get_by_role("button", name="sentiment", exact=True).click()
    assert map.locator(".hm-lines path").count() == (row[:3] >= 0.01).sum()
    map.get_by_role("list", name="Words that ask").get_by_role("button", name="tea").hover()
    assert asked_by(map) == "tea"


def test_pointing_repaints_within_a_frame_of_many_heads(opened):
    """72 heads of 64 tokens, all at once; the time is printed, the work is what is held: words whose tint changes, on screen."""
    weights = np.random.default_rng(0).dirichlet(np.full(64, 0.2), (1, 72, 64))
    page = opened(HeadMap.of(weights, [f"w{place}" for place in range(64)]))
    map = page.locator("head-map")
    ready(map)
    page.set_viewport_size(VIEWPORT)
    time, most, asked = map.evaluate("""async (el) => {
        const cells = [...el.querySelectorAll("tbody:first-of-type td")];
        const tinted = new MutationObserver(() => {});
        tinted.observe(el, { attributeFilter: ["style"], subtree: true });
        const [times, changes] = [[], []];
        for (const cell of cells.slice(1)) {
          const start = performance.now();
          cell.dispatchEvent(new PointerEvent("pointerover", { bubbles: true, pointerType: "mouse" }));
          el.offsetHeight;
          times.push(performance.now() - start);
          const words = tinted.takeRecords().map(({ target }) => target).filter(({ localName }) => localName === "td");
          changes.push(new Set(words).size);
        }
        return [times.sort((a, b) => a - b)[59], Math.max(...changes), el.querySelector(".hm-asker").textContent] }""")
    print(f"pointing at a word, 72 heads of 64 tokens: p95 {time:.1f} ms")
    on_screen = map.evaluate(
        "(el) => [...el.querySelectorAll('.hm-paint td')].filter((cell) => cell.getBoundingClientRect().top < innerHeight).length"
    )
    assert 0 < most < 0.9 * on_screen
    font = "(el) => [...el.querySelectorAll('tr, td:not(.hm-special)')].map((node) => getComputedStyle(node).fontSize)"
    assert len(set(map.evaluate(font))) == 1, "of the row"
    assert asked == "w63"


STRONG = """(el) => {
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const light = (colour, under) => {
    for (const fill of [under, colour]) { canvas.fillStyle = fill; canvas.fillRect(0, 0, 1, 1) }
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  const paper = getComputedStyle(el).backgroundColor;
  return [...el.querySelectorAll("td[data-weight]")].map((cell) => {
    const { backgroundColor, color } = getComputedStyle(cell);
    const ground = light(backgroundColor, paper);
    return [Number(cell.dataset.weight), ratio(ground, light(paper, paper)), ratio(ground, light(color, paper))] });
}"""


@pytest.mark.parametrize("view", ["Paint", "Matrix"])
def test_strong_cells_are_as_vivid_in_both_themes_and_weak_ones_as_weak(opened, view):
    weights = np.full((1, 12, 3, 3), 0.05)
    weights[..., 0] = 0.9
    page = opened(HeadMap.of(weights, ["hot", "black", "tea"]))
    map = page.locator("head-map")
    page.emulate_media(reduced_motion="reduce")
    map.get_by_role("radio", name=view).check()
    found = {}
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        found[theme] = np.array(map.evaluate(STRONG))
        strong = found[theme][:, 0] > 0.4
        assert found[theme][strong, 1].min() >= 3, "against the paper"
        assert found[theme][~strong, 1].max() < 1.5
        assert found[theme][:, 2].min() >= 4.5, "letters on it"
    assert found["light"][:, 1].max() / found["dark"][:, 1].max() < 1.25


def test_the_colour_of_a_weight_is_the_same_on_every_map_and_the_legend_says_so(page, site):
    map = open_map(page, site, "book/coffee-or-tea")
    weight = "(cells) => cells.map((cell) => Number(cell.dataset.weight))"
    for each in page.locator("head-map:has(.hm-paint)").all():
        ready(each)
        cells = each.locator(".hm-paint td")
        weights = np.array(cells.evaluate_all(weight))
        np.testing.assert_allclose(tints.of_cells(cells), np.minimum(weights / FULL, 1), atol=0.006)
    legend = map.locator(".hm-legend")
    assert "40 % of a head" in legend.inner_text()
    map.get_by_text("More", exact=False).first.click()
    map.get_by_role("combobox", name="Scale").select_option("relative")
    assert "the largest weight of its row" in legend.inner_text()
    assert NOTES["relative"] in map.get_by_role("status").inner_text()
    cells = map.locator(".hm-paint td")
    weights = np.array(cells.evaluate_all(weight)).reshape(4, -1)
    relative = weights / weights.max(1, keepdims=True)
    np.testing.assert_allclose(tints.of_cells(cells), relative.ravel(), atol=0.006)


@pytest.fixture
def comparing(page, site):
    """A map of two sentences: (it, both maps of Python)."""
    map = open_map(page, site)
    map.evaluate("(el) => { el.sentence = 'The soup was good.'; el.setAttribute('compare', 'The soup was not good.') }")
    model = load_focus_model()
    return map, model("The soup was good."), model("The soup was not good.")


@pytest.mark.parametrize("view", ["Paint", "Matrix", "Grid", "Lines"])
def test_both_sentences_and_their_predictions_are_in_every_view(comparing, view):
    map, first, second = comparing
    map.get_by_role("radio", name=view).check()
    for name in first.predictions:
        told = map.locator(f"[data-prediction='{name}'] dd b").all_inner_texts()
        assert told == [max(each.predictions[name], key=each.predictions[name].get) for each in (first, second)]
    assert map.get_by_role("textbox", name="Compare with").input_value() == "The soup was not good."


def differences(first, second):
    """[head, query, key] of the words that both sentences have; all but "not", the second's sixth token."""
    kept = [place for place, token in enumerate(second.key_tokens) if token != "not"]
    assert [second.key_tokens[place] for place in kept] == first.key_tokens
    return second.weights[0][:, kept][..., kept] - first.weights[0]


def test_matrices_show_the_signed_difference_the_most_moved_head_first(comparing):
    map, first, second = comparing
    map.get_by_role("radio", name="Matrix").check()
    expected = differences(first, second)
    cells = map.evaluate("""(el) => [...el.querySelectorAll("figure")].map((figure) =>
        [...figure.querySelectorAll("td")].map((cell) => Number(cell.dataset.weight)))""")
    np.testing.assert_allclose(cells, expected.reshape(4, -1), atol=1e-4)
    minus = map.locator("td[data-weight].hm-minus")
    assert minus.count() == (expected.round(4) < 0).sum()
    moved = map.evaluate("""(el) => [...el.querySelectorAll("figure")]
        .sort((a, b) => a.getBoundingClientRect().top - b.getBoundingClientRect().top || a.getBoundingClientRect().left - b.getBoundingClientRect().left)
        .map((figure) => Number(figure.querySelector(".hm-moved").textContent.split(" ")[1]))""")
    assert moved == sorted(moved, reverse=True)
    assert moved[0] > moved[-1]
    assert "second sentence" in map.locator(".hm-legend").inner_text()


def test_a_cell_of_few_shared_words_is_told_in_one_line(comparing):
    map, _, _ = comparing
    map.evaluate("(el) => el.setAttribute('compare', 'Tea.')")
    map.get_by_role("radio", name="Matrix").check()
    cell = map.locator("td[data-weight]").last
    cell.click()
    assert re.fullmatch(r"[^:]+: \[SEP\] gives \[SEP\] \S+", map.get_by_role("tooltip").inner_text())


def test_the_grid_names_the_heads_that_moved_most_and_paints_both_sentences(comparing):
    map, _, _ = comparing
    map.get_by_role("radio", name="Grid").check()
    hint = map.locator(".hm-stage > .hm-hint").inner_text()
    assert hint.startswith("Moved most: ")
    shares = [float(share) for share in re.findall(r"\((\d+(?:\.\d)?) %\)", hint)]
    assert shares == sorted(shares, reverse=True)
    assert map.locator(".hm-paint tr").count() == 2
    assert map.locator(".hm-paint td.hm-only").inner_text() == "not"
    colour = "(cell) => [cell, cell.closest('tbody')].map((node) => getComputedStyle(node).getPropertyValue('--head'))"
    own, of_head = map.locator(".hm-paint td").first.evaluate(colour)
    assert own == of_head, "these are weights, not differences"
    legends = [text for text in map.locator(".hm-legend").all_inner_texts() if text]
    assert ["a head’s attention" in text for text in legends] == [True, False], (
        "of these weights, and of the differences"
    )
    assert "second sentence" in legends[1]
    map.get_by_role("button", name="Enlarge sentiment").click()
    assert map.locator(".hm-legend:visible").count() == 1


def test_lines_show_both_sentences(comparing):
    map, _, second = comparing
    map.get_by_role("radio", name="Lines").check()
    map.get_by_role("combobox", name="Head", exact=True).select_option("all")
    map.get_by_role("list", name="Words that ask", exact=True).get_by_role("button", name="good").hover()
    lists = map.get_by_role("list", name="Words that ask in the second sentence")
    assert lists.locator(".hm-lit").inner_text() == "good"
    stage = map.locator(".hm-stage")
    assert stage.evaluate("(el) => el.scrollHeight <= el.clientHeight + 1"), "side by side, both are in view"
    place = second.query_tokens.index("good")
    assert map.locator(".hm-lines").nth(1).locator("path").count() == (second.weights[0, :, place] >= 0.01).sum()
