"""Nothing moves below a map while somebody types, nothing moves while a page loads, and a phone shows what matters at once."""

import pytest
from conftest import new_context
from live_maps import SHIFT, open_map, ready
from playwright.sync_api import expect

LONG = "Would the old librarian rather read a long novel by the fire, or walk her two happy dogs through the rain and the mud?"
# A figure learns how high it is once it was laid out.
LAID_OUT = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
BELOW = "(el) => el.getBoundingClientRect().bottom + scrollY"
LINE = 26  # pixels
# How high the letters of the words are, and how far each word stands from the next one above or below: [pixels, pixels].
WRITTEN = """(el) => {
  const words = [...el.querySelectorAll(".hm-paint td:not(.hm-special)")];
  const lines = [...new Set(words.map((word) => Math.round(word.getBoundingClientRect().top)))].sort((a, b) => a - b);
  const { top, bottom } = el.querySelector(".hm-stage").getBoundingClientRect();
  const gaps = [...lines, bottom].map((line, at) => line - (lines[at - 1] ?? top));
  return [Number.parseFloat(getComputedStyle(words[0]).fontSize), Math.max(...gaps)] }"""


@pytest.mark.parametrize("width", [360, 768, 1400])
@pytest.mark.parametrize("chapter", ["index", "code", "museum", "claims", "ambiguity", "induction", "exercises"])
def test_nothing_moves_while_a_page_loads(page, site, chapter, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}/book/{chapter}.html")
    page.wait_for_function("() => document.querySelector('head-map .hm-live, exercise-list [role=status]')")
    page.evaluate("() => document.fonts.ready")
    assert page.evaluate(SHIFT) <= 0.02


@pytest.mark.parametrize("width", [320, 360, 768, 1400])
@pytest.mark.parametrize(
    ("chapter", "figure"),
    [("real-heads", "head-map[model=encoder]"), ("ambiguity", "word-sense"), ("decoder", "next-word")],
)
def test_an_offer_moves_nothing(page, site, chapter, figure, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.route("**/models.js*", lambda route: None)
    page.goto(f"{site}/book/{chapter}.html")
    shown = page.locator(figure).first
    status = shown.get_by_role("status")
    shown.scroll_into_view_if_needed()
    expect(status).to_have_text("This is a computed example.")
    page.wait_for_function("() => document.fonts.ready")
    before = status.bounding_box()["height"]
    page.unroute_all()  # what was held goes on
    shown.get_by_role("button", name="Load the").wait_for()
    assert status.bounding_box()["height"] == before


def open_half(page, site, html, chapter, end):
    """Opens a chapter of which only what stands before `end` has come."""
    text = (html / "book" / f"{chapter}.html").read_text(encoding="utf-8")
    half = text[: text.index(end)]
    page.route(f"**/{chapter}.html", lambda route: route.fulfill(body=half, content_type="text/html"))
    page.goto(f"{site}/book/{chapter}.html")


@pytest.mark.parametrize("width", [360, 1400])
def test_what_the_answer_would_move_is_not_seen_before_all_of_it_has_come(still, site, html, width):
    still.set_viewport_size({"width": width, "height": 900})
    open_half(still, site, html, "index", "<dt>relation</dt>")
    assert still.locator(".hm-predictions dt").all_inner_texts() == ["", ""]  # of what is hidden there is no text
    assert still.locator(".hm-paint").is_visible() == (width > 600)
    still.unroute_all()
    still.goto(f"{site}/book/index.html")
    assert still.locator(".hm-predictions dt").all_inner_texts()[2] == "relation"
    assert still.locator(".hm-paint").is_visible()


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_heads_that_share_the_room_are_not_seen_before_all_have_come(still, site, html, width):
    still.set_viewport_size({"width": width, "height": 900})
    open_half(still, site, html, "claims", 'data-head="4"')
    assert not still.locator(".hm-paint").is_visible()
    still.unroute_all()
    still.goto(f"{site}/book/claims.html")
    assert still.locator(".hm-paint").first.is_visible()


THUMB = """(el) => [...el.querySelectorAll("button, summary, select, .hm-views label")]
  .filter((node) => node.checkVisibility() && !node.closest("details:not([open]) > :not(summary)"))
  .map((node) => {
    node.scrollIntoView({ block: "center" });
    const { left, right, top, bottom } = node.getBoundingClientRect();
    const hits = (y) => node.contains(document.elementFromPoint((left + right) / 2, y));
    const middle = (top + bottom) / 2;
    let high = 0;
    for (let y = middle - 30; y <= middle + 30; y++) high += hits(y);
    return [node.className || node.textContent, high];
  })"""  # what can be pressed, and how many pixels high it is for a finger


@pytest.mark.parametrize("width", [360, 768])
def test_a_thumb_hits_what_it_aims_at(browser, site, width):
    context = new_context(browser, viewport={"width": width, "height": 900}, has_touch=True, is_mobile=True)
    page = context.new_page()
    map = open_map(page, site)
    found = map.evaluate(THUMB)
    assert len(found) > 12
    # On a phone a head's name stands between words that are pressed, too, and two heads have to fit above a keyboard.
    least = {name: 28 if name.startswith("hm-head") and width == 360 else 44 for name, _ in found}
    assert [(name, high) for name, high in found if high < least[name]] == []
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width
    context.close()


@pytest.mark.parametrize("width", [360, 768, 1400])
@pytest.mark.parametrize("view", ["Paint", "Matrix", "Lines"])
def test_typing_moves_the_page_below_by_a_line_at_most(page, site, view, width):
    page.set_viewport_size({"width": width, "height": 900})
    map = open_map(page, site)
    map.get_by_role("radio", name=view).check()
    page.evaluate(LAID_OUT)
    box = map.get_by_role("textbox", name="Sentence")
    before = map.evaluate(BELOW)
    for text in (LONG[:60], LONG, "Tea?", "", LONG):
        box.fill(text)
        assert abs(map.evaluate(BELOW) - before) <= LINE, text
        assert map.evaluate("(el) => el.attention.queryTokens.length") >= 2
    assert map.locator(".hm-stage").bounding_box()["height"] >= 64
    map.get_by_text("More", exact=False).first.click()
    page.wait_for_function(f"([el, before]) => ({BELOW})(el) - before > {LINE}", arg=[map.element_handle(), before])


@pytest.mark.parametrize("width", [768, 1400])
@pytest.mark.parametrize("view", ["Paint", "Lines"])
def test_a_second_sentence_gets_the_room_that_it_needs(page, site, view, width):
    page.set_viewport_size({"width": width, "height": 900})
    map = open_map(page, site)
    map.get_by_role("radio", name=view).check()
    page.evaluate(LAID_OUT)
    map.get_by_role("textbox", name="Sentence").fill("Is it hot in here?")
    map.get_by_role("button", name="Compare", exact=True).click()
    page.evaluate(LAID_OUT)
    stage = map.locator(".hm-stage")
    assert stage.evaluate("(el) => el.scrollHeight <= el.clientHeight + 1"), "all of both sentences is in view"
    high = map.evaluate(BELOW)
    map.get_by_role("textbox", name="Compare with").fill("Is it hot in there?")
    assert abs(map.evaluate(BELOW) - high) <= LINE, "typing still moves nothing"
    map.get_by_role("button", name="Stop comparing").click()
    page.evaluate(LAID_OUT)
    assert stage.evaluate("(el) => el.scrollHeight <= el.clientHeight + 1")
    assert map.evaluate(BELOW) < high, "the room goes with the sentence"


# How much of the room for a view its words, cells and squares fill, from top to bottom; the rest is blank.
FILLED = """(el) => {
  const room = el.querySelector(".hm-room").getBoundingClientRect();
  const drawn = [...el.querySelectorAll(".hm-room :is(td, th, li, canvas, button, select, .hm-hint)")]
    .filter((node) => node.checkVisibility()).map((node) => node.getBoundingClientRect().bottom);
  return (Math.min(Math.max(...drawn), room.bottom) - room.top) / room.height }"""


@pytest.mark.parametrize("width", [360, 768, 1400])
@pytest.mark.parametrize("chapter", ["index", "code", "claims", "translation"])
def test_views_have_one_height(page, site, chapter, width):
    page.set_viewport_size({"width": width, "height": 900})
    map = open_map(page, site, f"book/{chapter}")
    page.evaluate(LAID_OUT)
    before = map.evaluate(BELOW)
    stage = map.locator(".hm-stage")
    for view in ("Matrix", "Lines", "Grid", "Paint", "Lines", "Matrix"):
        map.get_by_role("radio", name=view).check()
        page.evaluate(LAID_OUT)
        assert abs(map.evaluate(BELOW) - before) <= 1, view
        assert map.evaluate(FILLED) > 0.7, f"{view} leaves no blank"
        assert stage.evaluate("(el) => el.scrollHeight <= 1.5 * el.clientHeight"), view
    map.get_by_role("button", name="Enlarge ").first.click()
    page.evaluate(LAID_OUT)
    assert stage.evaluate("(el) => el.scrollHeight <= el.clientHeight + 1"), "a large head is seen whole"
    map.get_by_role("button", name="Shrink ").click()
    page.evaluate(LAID_OUT)
    assert abs(map.evaluate(BELOW) - before) <= 1


@pytest.mark.parametrize(("width", "whole"), [(360, 1), (1400, 3)])
def test_matrices_stand_side_by_side_and_the_next_one_begins_in_view(page, site, width, whole):
    page.set_viewport_size({"width": width, "height": 900})
    map = open_map(page, site)
    map.get_by_role("radio", name="Matrix").check()
    page.evaluate(LAID_OUT)
    room = map.locator(".hm-room").bounding_box()
    tables = [table.bounding_box() for table in map.locator(".hm-stage table").all()]
    right = room["x"] + room["width"]
    assert [at["x"] + at["width"] <= right for at in tables].count(True) == whole
    assert tables[whole]["x"] < right - 8, "there are more"
    assert {at["y"] for at in tables} == {tables[0]["y"]}
    assert max(at["y"] + at["height"] for at in tables) <= room["y"] + room["height"]
    map.get_by_role("table", name="sentiment").locator("td").last.scroll_into_view_if_needed()
    at = map.get_by_role("table", name="sentiment").bounding_box()
    assert at["x"] + at["width"] <= right + 1, "they are scrolled to"
    assert page.evaluate("() => document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [360, 768, 1400])
@pytest.mark.parametrize("view", ["Paint", "Matrix", "Grid"])
def test_models_of_fewer_heads_fill_the_room_of_those_with_most(page, site, view, width):
    written = {}
    page.set_viewport_size({"width": width, "height": 900})
    map = open_map(page, site, "book/claims")
    map.get_by_role("radio", name=view).check()
    page.evaluate(LAID_OUT)
    slider = map.get_by_role("slider", name="Model")
    before = map.evaluate(BELOW)
    for model, heads in ((3, 1), (2, 2), (1, 4), (0, 8)):
        slider.fill(str(model))
        page.wait_for_function("([el, heads]) => el.attention.shape[1] === heads", arg=[map.element_handle(), heads])
        assert map.get_by_role("button", name="head ", pressed=True).count() == heads
        assert abs(map.evaluate(BELOW) - before) <= LINE, heads
        assert "room for" not in map.inner_text()
        if view == "Paint":
            written[heads], gap = map.evaluate(WRITTEN)
            assert gap <= 220, "no blank paper"
    assert [*written.values()] == sorted(written.values(), reverse=True), "the fewer heads, the larger they are written"
    assert len({*written.values()}) == len(written)


@pytest.mark.parametrize("touch", [True, False])
def test_a_phone_shows_the_sentence_two_heads_and_what_is_concluded(browser, site, touch):
    context = new_context(browser, viewport={"width": 360, "height": 400}, has_touch=touch, is_mobile=touch)
    page = context.new_page()
    map = open_map(page, site)
    map.evaluate("(el) => el.scrollIntoView({ block: 'start' })")
    bar = page.locator(".bd-header-article").bounding_box()
    box = map.get_by_role("textbox", name="Sentence")
    assert box.evaluate("(el) => el.scrollHeight <= el.clientHeight + 1 && el.scrollWidth <= el.clientWidth + 1"), (
        "whole"
    )
    labels = map.locator("[data-prediction] dd b")
    assert labels.all_inner_texts()[2] == "choice or comparison", "the longest"
    assert len({label.bounding_box()["height"] for label in labels.all()}) == 1, "on one line each"
    seen = [box, *labels.all(), *map.locator("[data-prediction] dd > span").all(), *map.locator("tbody").all()[:2]]
    for each in seen:
        at = each.bounding_box()
        assert at["y"] >= bar["y"] + bar["height"] - 1
        assert at["y"] + at["height"] <= 400, each
        assert at["x"] + at["width"] <= 360
    assert not map.get_by_role("button", name="Compare").is_visible()
    context.close()


def test_more_stays_open_in_this_browser_and_out_of_links(page, site):
    map = open_map(page, site)
    more = map.locator("details.hm-more")
    more.locator("> summary").click()
    page.wait_for_function("() => Object.keys(localStorage).some((key) => key.includes('more'))")
    assert "more" not in page.url
    page.reload()
    ready(map)
    assert more.get_attribute("open") is not None
    more.locator("> summary").click()
    page.wait_for_function("() => !Object.keys(localStorage).some((key) => key.includes('more'))")


def test_a_browser_that_keeps_nothing_shows_a_map(browser, site):
    context = new_context(browser)
    context.add_init_script(
        "Object.defineProperty(window, 'localStorage', { get() { throw new DOMException('no', 'SecurityError') } })"
    )
    page = context.new_page()
    faults = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    map = open_map(page, site)
    map.locator("details.hm-more > summary").click()
    assert map.get_by_role("combobox", name="Scale").is_visible()
    assert not [fault for fault in faults if "head-map" in fault]
    context.close()


def test_a_pasted_line_break_is_a_space_and_enter_adds_none(page, site):
    map = open_map(page, site)
    box = map.get_by_role("textbox", name="Sentence")
    box.fill("hot\n tea")
    assert box.input_value() == "hot tea"
    box.press("Enter")
    assert box.input_value() == "hot tea"
    assert map.evaluate("(el) => el.sentence") == "hot tea"
