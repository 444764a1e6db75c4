"""No chapter scrolls sideways or moves while it loads: on a phone, a tablet, a desk, and at four times the size."""

import pytest
from axe import WIDTHS
from built import CHAPTERS
from live_maps import SHIFT, eventually, settled
from playwright.sync_api import expect

# What is pressed in a figure and too low for a thumb. Words, squares and dots of a picture are as high as they are, the card of a
# head as its row; a head's name above its words reaches beyond itself, which tests/browser/test_phone.py measures.
LOW = """() => [...document.querySelectorAll(".head-map :is(button, select, summary, textarea, input)")]
  .filter((node) => node.checkVisibility() && !node.matches(".hm-grid *, .hm-lines *, .hm-translation *, .hm-askers *, .nw-heads *, .ha-plot *, .hc-open, .hm-paint .hm-head"))
  .map((node) => node.closest("label:has(> [type=checkbox], > [type=radio])") ?? node)
  .filter((node) => node.getBoundingClientRect().height < 43.5)
  .map((node) => [node.parentElement.className, node.textContent])"""
QUIET = """() => performance.now() - Math.max(...performance.getEntriesByType("resource").map(({ responseEnd }) => responseEnd)) > 500"""
WIDER = "document.documentElement.scrollWidth - innerWidth"
# What leaves its figure, but for examples, which a narrow one lets go by, and percentages that lie on the name of their prediction.
LEAVES = """() => [...document.querySelectorAll(".bd-article .head-map")].flatMap((figure) => {
  const edge = figure.getBoundingClientRect().right + 1;
  const goesBy = (node) => node.matches(".hm-start > *") && getComputedStyle(node.parentElement).overflowX === "auto";
  const out = [...figure.querySelectorAll("*")].filter((node) => node.checkVisibility() && node.getBoundingClientRect().right > edge && !node.closest(".hm-scroll, svg, .hm-unseen") && !goesBy(node));
  const lies = [...figure.querySelectorAll(".hm-predictions dt + dd:last-child > span")].filter((share) => {
    const name = document.createRange();
    name.selectNodeContents(share.closest("div").querySelector("dt"));
    const { left, top } = share.getBoundingClientRect();
    return [...name.getClientRects()].some((line) => line.right > left && line.bottom > top + 2 && line.top < share.getBoundingClientRect().bottom - 2);
  });
  return [...out, ...lies].map((node) => `${figure.localName}: ${node.localName} ${node.className} ${node.textContent.slice(0, 30)}`);
})"""
OFFERS = {"real-heads": "head-map[model=encoder]", "intuition": "#scale", "decoder": "next-word"}


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_moves_while_a_chapter_loads_and_nothing_is_wider(page, site, chapter):
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{site}/{chapter}.html")
        settled(page)
        page.wait_for_function(QUIET)
        eventually(lambda: page.evaluate(SHIFT), lambda shift: shift <= 0.02, seconds=0)  # it only grows
        eventually(lambda: page.evaluate(WIDER), lambda wider: wider <= 0)
    page.set_viewport_size({"width": 320, "height": 256})  # 1280 x 1024 at 400 %, and the smallest phone's width
    eventually(lambda: page.evaluate(WIDER), lambda wider: wider <= 0)


@pytest.mark.parametrize("chapter", ["coffee-or-tea", "order-and-cost", "what-a-head-writes", "induction"])
def test_nothing_leaves_a_figure_where_text_is_twice_as_large(page, site, chapter):
    page.set_viewport_size({"width": 1400, "height": 900})
    page.goto(f"{site}/book/{chapter}.html")
    page.add_style_tag(content="html { font-size: 200% !important }")
    settled(page)
    eventually(lambda: page.evaluate(LEAVES), lambda found: found == [])


@pytest.mark.browser_context_args(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_thumb_hits_whatever_is_pressed(page, site, chapter):
    page.goto(f"{site}/{chapter}.html")
    settled(page)
    page.evaluate("() => document.querySelectorAll('.hm-tooler').forEach((button) => button.click())")
    eventually(lambda: page.evaluate(LOW), lambda low: low == [])


@pytest.mark.parametrize("chapter", OFFERS)
def test_an_offer_moves_nothing(page, site, chapter):
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.route("**/models*.js*", lambda route: None)
        page.goto(f"{site}/book/{chapter}.html")
        figure = page.locator(OFFERS[chapter]).first
        figure.scroll_into_view_if_needed()
        expect(figure.get_by_role("status")).to_have_text("This is a computed example.")
        page.unroute_all()  # what was held goes on
        expect(figure.get_by_role("button", name="Load the")).to_be_visible()
        eventually(lambda: page.evaluate(SHIFT), lambda shift: shift <= 0.02, seconds=0)
