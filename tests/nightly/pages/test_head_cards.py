"""The chapter of the real heads in the built book: the table of cards, its links into the live map; BertViz's views on the page about your own models."""

import io
import itertools
import re

import numpy as np
import pytest
from built import scripts
from conftest import HTML, new_context, serve
from live_maps import CONTRAST
from matplotlib.image import imread
from playwright.sync_api import expect

from manyheads.maps import AttentionMap
from manyheads.maps.names import BEHAVIOURS
from manyheads.models.head_cards import SCORES, behaviour, head_cards
from manyheads.sphinxext.bertviz_frames import SCRIPTS, VIEWS, bertviz_view

CHAPTER = "book/real-heads.html"
MANUAL = "book/your-own-models.html"


@pytest.fixture
def table(page, site):
    page.goto(f"{site}/{CHAPTER}")
    table = page.get_by_role("table", name="Head cards")
    table.get_by_role("button", name="previous").wait_for()
    return table


@pytest.fixture(scope="module")
def cards():
    return head_cards()


def order(table):
    """The heads as they stand in the table: [(layer, head), ...]."""
    return [
        tuple(place)
        for place in table.locator("tbody a").evaluate_all(
            "(links) => links.map(({ dataset }) => [Number(dataset.layer), Number(dataset.head)])"
        )
    ]


def test_the_grid_is_sorted_and_coloured_by_what_heads_do(page, site, cards):
    """The head that looks back stands first, in its kind's colour; a press puts all where their layers are."""
    page.goto(f"{site}/{CHAPTER}")
    map = page.locator("head-map").first
    grid = map.get_by_role("table", name="All heads of all layers")
    kinds = [behaviour(card) for card in cards]
    legend = map.get_by_role("list", name="What heads mostly do").get_by_role("listitem")
    assert legend.all_inner_texts() == [
        f"{BEHAVIOURS[kind][0]} {kinds.count(kind)}" for kind in BEHAVIOURS if kind in kinds
    ]

    def places():
        return grid.get_by_role("button").evaluate_all(
            "(all) => all.map(({ dataset }) => 12 * Number(dataset.layer) + Number(dataset.head))"
        )

    def hue(at):
        """The hue of a head's strongest pixel."""
        box = grid.get_by_role("button").nth(at).bounding_box()
        picture = imread(io.BytesIO(page.screenshot(clip=box)))[3:-3, 3:-3, :3].reshape(-1, 3)
        return int(picture[np.ptp(picture, axis=1).argmax()].argmax())  # red, green or blue

    rank = [list(BEHAVIOURS).index(kind) for kind in kinds]
    assert places() == sorted(range(72), key=lambda head: (rank[head], head))
    assert kinds[places()[0]] == "previous"
    assert [hue(0), hue(2)] == [2, 0]  # blue, orange
    boxes = [grid.get_by_role("button").nth(at).bounding_box() for at in (0, 71)]
    map.get_by_role("button", name="Sort by layer").click()
    assert places() == list(range(72))
    assert [grid.get_by_role("button").nth(at).bounding_box() for at in (0, 71)] == boxes, "nothing moves"
    assert grid.get_by_role("rowheader", name="Layer 6").is_visible()
    map.get_by_role("button", name="Sort by what they do").click()
    assert places()[0] == 2


@pytest.mark.parametrize("width", [360, 1400])
def test_a_dot_of_the_atlas_stands_where_its_scores_are_and_opens_its_card(page, site, cards, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}/{CHAPTER}")
    figure = page.locator("head-cards")
    atlas = figure.get_by_role("group", name="All heads")
    figure.get_by_role("combobox", name="Across").select_option("previous")
    figure.get_by_role("combobox", name="Up").select_option("cls")
    frame = atlas.bounding_box()
    for card in cards[::17]:
        box = atlas.get_by_role("button", name=f"layer {card.layer + 1}, head {card.head + 1}:").bounding_box()
        most = [max(each.scores[name] for each in cards) for name in ("previous", "cls")]
        across, up = card.scores["previous"] / most[0], card.scores["cls"] / most[1]
        assert box["x"] + box["width"] / 2 == pytest.approx(frame["x"] + across * frame["width"], abs=2)
        assert box["y"] + box["height"] / 2 == pytest.approx(frame["y"] + (1 - up) * frame["height"], abs=2)
    dot = atlas.get_by_role("button", name="layer 1, head 3: previous 100 %, cls 11 %")
    dot.click()
    assert figure.get_by_role("heading").inner_text() == "Layer 1, head 3"
    dot.press("ArrowLeft")
    said = page.evaluate("document.activeElement.ariaLabel")
    assert said != dot.get_attribute("aria-label")
    assert "previous" in said
    figure.get_by_role("heading").get_by_role("link").click()
    map = page.locator("head-map").first
    assert map.evaluate("(el) => [el.getAttribute('layer'), el.getAttribute('head')]") == ["0", "2"]


def test_a_map_is_greyed_while_it_is_not_that_of_the_text_in_its_box(page, site):
    page.goto(f"{site}/{CHAPTER}")
    map = page.locator("head-map").first
    box = map.get_by_role("textbox", name="Sentence")
    example = box.input_value()
    grid = map.get_by_role("table", name="All heads of all layers").locator(
        "xpath=ancestor::*[contains(@class, 'hm-stage')]"
    )
    for text, filter in ((f"{example} Now.", "grayscale(1)"), (example, "none")):
        box.fill(text)
        page.wait_for_function(
            "([el, filter]) => getComputedStyle(el).filter === filter", arg=[grid.element_handle(), filter]
        )


def test_each_score_sorts_both_ways(table, cards):
    for name in SCORES:
        value = {(card.layer, card.head): card.scores[name] for card in cards}
        column = table.get_by_role("columnheader", name=name)
        for state, sign in (("descending", -1), ("ascending", 1)):
            column.get_by_role("button").click()
            assert column.get_attribute("aria-sort") == state
            assert table.locator("[aria-sort]").count() == 1
            sorted_values = [sign * value[place] for place in order(table)]
            assert len(sorted_values) == 72
            assert all(a <= b + 1e-5 for a, b in itertools.pairwise(sorted_values)), (name, state)


def test_names_sort_back_into_the_order_of_the_layers(table):
    table.get_by_role("button", name="entropy").click()
    assert order(table) != sorted(order(table))
    table.get_by_role("button", name="head", exact=True).click()
    assert order(table) == sorted(order(table))


def test_a_heads_name_turns_the_live_map_to_it_by_keyboard(table):
    page, map = table.page, table.page.locator("#map")
    link = table.get_by_role("link", name="layer 3, head 10", exact=True)
    link.focus()
    page.keyboard.press("Enter")
    assert (map.get_attribute("layer"), map.get_attribute("head")) == ("2", "9")
    assert page.url.endswith("#map")
    page.wait_for_function("() => map.getBoundingClientRect().top >= 0 && map.getBoundingClientRect().top < 300")
    large = map.locator(".hm-large")
    assert large.count() == 1
    shown = large.locator("td[data-weight]").evaluate_all(
        "(cells) => cells.map(({ dataset }) => Number(dataset.weight))"
    )
    attention = map.evaluate("({ attention: { shape, weights } }) => ({ shape, weights: [...weights] })")
    weights = np.reshape(attention["weights"], attention["shape"])
    np.testing.assert_allclose(shown, weights[2, 9].ravel(), atol=5.1e-5)


def test_links_in_the_text_lead_there_too(table):
    page = table.page
    page.locator("article p > a[data-layer='1'][data-head='8']").click()
    assert page.locator("#map").get_attribute("layer") == "1"
    assert page.locator("#map").get_attribute("head") == "8"


def test_an_example_shows_its_sentence_and_who_asks_in_the_live_map(table, cards):
    page, map = table.page, table.page.locator("#map")
    map.evaluate("async (el) => { await el.ready }")
    table.get_by_role("row", name="layer 2, head 9").get_by_role("button", name="card").click()
    card = page.locator(".hc-card")
    assert card.get_by_role("heading").inner_text() == "Layer 2, head 9"
    expected = next(card for card in cards if (card.layer, card.head) == (1, 8)).strongest["next"][0]
    example = card.locator("details", has=page.locator("b", has_text=re.compile("^next$"))).locator("a").first
    if not example.is_visible():
        example.locator("xpath=ancestor::details/summary").click()
    assert example.locator("mark").inner_text() == expected.tokens[expected.query].removeprefix("##")
    example.click()
    page.wait_for_function("(tokens) => String(map.attention.queryTokens) === tokens", arg=",".join(expected.tokens))
    assert map.get_by_role("textbox", name="Sentence").input_value() == expected.sentence
    chooser = map.get_by_role("combobox", name="Asked by")
    page.wait_for_function("([el, query]) => el.value === query", arg=[chooser.element_handle(), str(expected.query)])
    row = map.locator(".hm-large .hm-asks td[data-weight]")
    shown = row.evaluate_all("(cells) => cells.map(({ dataset }) => Number(dataset.weight))")
    assert shown[expected.query + 1] == pytest.approx(expected.value, abs=0.03)


def test_every_score_of_a_card_has_three_examples_and_a_counter_example(table, cards):
    page = table.page
    table.get_by_role("row", name="layer 6, head 4").get_by_role("button", name="card").click()
    blocks = page.locator(".hc-card details")
    assert blocks.count() == len(SCORES)
    for block, name in zip(blocks.all(), SCORES):
        assert block.locator("b").inner_text() == name
        assert block.locator("ol a").count() == 3
        assert block.locator("p a").count() == 1
    assert page.locator(".hc-card details[open]").count() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_cards_are_readable_in_both_themes(page, site, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(f"{site}/{CHAPTER}")
    page.locator(".hc-card mark").first.wait_for()
    contrast = CONTRAST.replace("head-map :is(", "head-cards :is(a, th, mark, summary, small, h3, ")
    assert contrast != CONTRAST
    assert page.evaluate(contrast) == []


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_table_fits_or_scrolls_by_itself(table, width):
    page = table.page
    page.set_viewport_size({"width": width, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    region = page.get_by_role("region", name="Scores of all heads")
    hidden = region.evaluate("(el) => el.scrollWidth - el.clientWidth")
    assert (hidden <= 0) == (width >= 768)
    region.focus()
    assert region.evaluate("(el) => document.activeElement === el"), "the keyboard can scroll it"


def test_the_table_is_there_without_any_script(still, site):
    still.goto(f"{site}/{CHAPTER}")
    table = still.get_by_role("table", name="Head cards")
    assert table.locator("tbody tr").count() == 72
    assert table.locator("tbody td").count() == 72 * len(SCORES)


@pytest.mark.parametrize("view", VIEWS)
def test_bertviz_draws_in_the_page_with_nothing_but_the_site(context, site, view):
    """That no request leaves the site and no error is logged is seen to by `context`."""
    page, fetched = context.new_page(), []
    page.on("request", lambda request: fetched.append(request.url.removeprefix(site)))
    page.goto(f"{site}/{MANUAL}")
    assert not any("bertviz" in address for address in fetched), "nobody has come to its frames yet"
    frame = page.locator(f"iframe[title='{view.replace('_', ' ')} of BertViz']")
    frame.scroll_into_view_if_needed()
    lines = frame.content_frame.locator("svg line")
    lines.first.wait_for(state="attached")
    attention = page.evaluate("map.attention.shape")
    heads, tokens = attention[1], attention[2]
    assert lines.count() == (1 if view == "head_view" else attention[0]) * heads * tokens**2
    drawn = frame.content_frame.locator("svg").bounding_box()
    assert drawn["width"] > 200
    assert drawn["height"] > 200
    for name in SCRIPTS:
        assert f"/{scripts()}/bertviz/{name}" in fetched


def test_bertviz_draws_below_any_folder(browser):
    with serve(HTML.parent) as address:
        page = browser.new_page()
        page.goto(f"{address}/{HTML.name}/{MANUAL}")
        for frame in page.locator("iframe.bertviz").all():
            frame.scroll_into_view_if_needed()
            frame.content_frame.locator("svg line").first.wait_for(state="attached")
        page.close()


def test_bertviz_answers_to_the_reader(page, site):
    page.goto(f"{site}/{MANUAL}")
    head_view, model_view = (page.locator(f"iframe[title='{view} view of BertViz']") for view in ("head", "model"))
    head_view.scroll_into_view_if_needed()
    frame = head_view.content_frame
    expect(frame.locator("select#layer")).to_have_value("1")
    opaque = "(lines) => lines.filter((line) => Number(line.getAttribute('stroke-opacity')) > 0.3).length"
    frame.locator("svg line").first.wait_for(state="attached")
    before = frame.locator("svg line").evaluate_all(opaque)
    frame.locator("select#layer").select_option("0")
    assert frame.locator("svg line").evaluate_all(opaque) != before
    model_view.scroll_into_view_if_needed()
    frame = model_view.content_frame
    frame.locator("svg line").first.wait_for(state="attached")
    assert frame.get_by_text("Layer 0, Head 2").count() == 0
    thumbnail = frame.locator("g:has(> #attn_background_0_2) > rect").last
    thumbnail.scroll_into_view_if_needed()
    thumbnail.click()
    assert frame.get_by_text("Layer 0, Head 2").count() == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_bertviz_is_readable_in_both_themes(page, site, theme):
    """By the pixels: nearly black on white in one, nearly white on dark in the other."""
    page.emulate_media(color_scheme=theme)
    page.goto(f"{site}/{MANUAL}")
    frame = page.locator("iframe[title='head view of BertViz']")
    frame.scroll_into_view_if_needed()
    frame.content_frame.locator("svg line").first.wait_for(state="attached")
    pixels = imread(io.BytesIO(frame.screenshot()))  # [row, column, rgba], 0 to 1
    grey = pixels[..., :3].mean(-1)
    paper = np.median(grey)
    assert paper > 0.95 if theme == "light" else paper < 0.15
    assert grey.max() - grey.min() > 0.7


def test_a_frame_brings_its_scripts_along_in_a_notebook(browser, site, monkeypatch):
    monkeypatch.delenv("MANYHEADS_SITE_SCRIPTS", raising=False)
    tokens = ["[CLS]", "</script><b id=evil>", "tea"]
    map = AttentionMap(tokens, tokens, np.full((2, 3, 3, 3), 1 / 3))
    context = new_context(browser)
    page = context.new_page()
    asked, errors = [], []
    page.on("request", lambda request: asked.append(request.url))
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.set_content("".join(bertviz_view(view, map).data for view in VIEWS))
    for frame in page.locator("iframe").all():
        frame.content_frame.locator("svg line").first.wait_for(state="attached")
        assert frame.content_frame.locator("#evil").count() == 0
    assert [url for url in asked if not url.startswith(("about:", "data:"))] == []
    assert errors == []
    context.close()


def test_bertviz_finds_its_own_scripts_where_npm_brought_none(monkeypatch, tmp_path):
    monkeypatch.delenv("MANYHEADS_SITE_SCRIPTS", raising=False)
    monkeypatch.setitem(SCRIPTS, "d3.js", tmp_path / "d3.js")
    map = AttentionMap(["a"], ["a"], np.ones((1, 1, 1, 1)))
    for view in VIEWS:
        assert "cdnjs" in bertviz_view(view, map).data


def test_another_view_is_refused():
    map = AttentionMap(["a"], ["a"], np.ones((1, 1, 1, 1)))
    with pytest.raises(ValueError, match="view must be one of"):
        bertviz_view("neuron_view", map)


def test_no_script_of_the_site_names_another_host_for_bertviz():
    text = (HTML / MANUAL).read_text(encoding="utf-8")
    assert "cdnjs" not in text
