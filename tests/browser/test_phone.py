"""Somebody reads on a phone, 360 pixels wide, with their thumb."""

import math
import re

import pytest
from figures import open_figure
from live_maps import eventually, open_map, ready, settled, tools, type_sentence
from playwright.sync_api import expect

pytestmark = pytest.mark.browser_context_args(viewport={"width": 360, "height": 740}, has_touch=True, is_mobile=True)
WIDER = "document.documentElement.scrollWidth - innerWidth"
# Words in pictures that go beyond them, and formulas of figures that are wider than these.
CUT = """() => {
  const text = [...document.querySelectorAll(".themed text")].filter((text) => {
    const [inner, outer] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
    return inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
  });
  const formulas = [...document.querySelectorAll(".fs-equation")].filter((box) => box.scrollWidth > box.clientWidth + 1);
  return [...text, ...formulas].map((node) => node.textContent);
}"""
# What can be pressed, and how many pixels of it a finger hits.
HEIGHTS = """(el) => [...el.querySelectorAll("button, summary, select, .hm-views label")]
  .filter((node) => node.checkVisibility() && !node.closest("details:not([open]) > :not(summary)"))
  .map((node) => {
    node.scrollIntoView({ block: "center" });
    const { left, right, top, bottom } = node.getBoundingClientRect();
    let high = 0;
    for (let y = (top + bottom) / 2 - 30; y <= (top + bottom) / 2 + 30; y++)
      high += node.contains(document.elementFromPoint((left + right) / 2, y));
    return [node.className || node.textContent, high];
  })"""


def test_no_chapter_scrolls_sideways_and_a_term_that_is_tapped_says_what_it_is(page, site):
    for chapter in ("book/formula", "book/real-heads", "book/index"):  # all others each night
        page.goto(f"{site}/{chapter}.html")
        settled(page)
        eventually(lambda: [page.evaluate(WIDER), page.evaluate(CUT)], lambda found: found[0] <= 0 and found[1] == [])
    page.get_by_role("link", name="transformer", exact=True).tap()
    card = page.locator(".term-card")
    expect(card).to_contain_text("A network made of layers of multi-head attention and feed-forward layers.")
    expect(card).to_be_in_viewport(ratio=1)
    eventually(lambda: page.evaluate(WIDER), lambda wider: wider <= 0)
    card.get_by_role("link", name="More").tap()
    page.wait_for_url("**/book/glossary.html#term-transformer")


def test_a_word_that_is_tapped_asks_and_a_thumb_hits_what_it_aims_at(page, site):
    head_map = open_map(page, site)
    box = head_map.get_by_role("textbox", name="Sentence")
    box.tap()
    type_sentence(head_map, "I like tea.")  # all rows become shorter, and the box stays
    eventually(lambda: box.bounding_box()["y"], lambda top: 0 <= top < 20)
    tools(head_map)
    eventually(
        lambda: head_map.evaluate(HEIGHTS), lambda found: len(found) > 12 and all(high >= 42 for _, high in found)
    )
    tea = head_map.locator("tbody").nth(1).locator("td").filter(has_text=re.compile("^tea$"))
    tea.tap()
    expect(head_map.get_by_role("tooltip")).to_be_visible()
    expect(head_map.locator(".hm-asker").first).to_have_text("tea")
    tea.tap()
    expect(head_map.get_by_role("tooltip")).to_be_hidden()


def test_a_touched_box_goes_up_with_its_answer_and_above_the_keyboard_stands_the_whole_stage(page, site):
    head_map = open_map(page, site, "book/index")
    look, box = page.locator("first-look"), head_map.get_by_role("textbox", name="Sentence")
    switch, verdict = look.get_by_role("button", name="Turn this head off"), look.locator(".fl-verdict")
    expect(switch).to_be_in_viewport(ratio=1)  # before anything is touched
    box.tap(position={"x": 12, "y": 22})
    eventually(lambda: verdict.evaluate("(text) => text.getBoundingClientRect().top"), lambda top: 0 <= top < 20)
    expect(box).to_have_js_property("selectionStart", 0)  # the tap hit what it aimed at
    page.set_viewport_size({"width": 360, "height": 390})  # as a keyboard leaves it
    page.keyboard.type("!")
    for part in (verdict, box, switch):
        expect(part).to_be_in_viewport(ratio=0.9)
    switch.tap()
    expect(verdict).to_contain_text("positive")
    page.set_viewport_size({"width": 360, "height": 740})
    header = page.locator(".bd-header-article").bounding_box()["height"]
    eventually(lambda: verdict.bounding_box()["y"], lambda top: header <= top < header + 20)


def test_the_menu_fits_an_example_is_seen_with_its_answer_and_a_row_worth_trying_leads_to_the_map_and_back(page, site):
    page.goto(f"{site}/book/coffee-or-tea.html")
    head_map = page.locator("head-map").first
    ready(head_map)
    example = head_map.get_by_role("button", name="Do you hate tea?")
    example.tap()
    expect(head_map.locator("[data-prediction=sentiment]")).to_contain_text("negative")
    for part in (example, head_map.get_by_role("textbox", name="Sentence"), head_map.locator(".hm-body")):
        expect(part).to_be_in_viewport(ratio=1)
    row = page.get_by_role("table").get_by_role("button", name="I like coffee.", exact=True)
    row.tap()
    expect(head_map.get_by_role("textbox", name="Sentence")).to_be_in_viewport()
    expect(head_map.locator("[data-prediction=sentiment]")).to_be_in_viewport()
    page.go_back()
    expect(row).to_be_in_viewport()
    tools(head_map)
    sheet = head_map.get_by_role("dialog", name="Tools")
    eventually(sheet.bounding_box, lambda box: box["y"] >= 740 / 2 - 1)  # the map is seen above it
    head_map.locator("details.hm-menu > summary").click()
    expect(head_map.get_by_role("button", name="Copy link")).to_be_visible()
    eventually(lambda: page.evaluate(WIDER), lambda wider: wider <= 0)


def test_a_finger_closes_a_ring_above_its_heads_and_nothing_scrolls(page, site):
    board = open_figure(page, site, "drawing-board")
    ready(board)
    paper, says = board.get_by_role("application", name="Paper"), board.locator(".db-says")
    board.get_by_role("button", name="Clear drawing").tap()
    paper.evaluate("(paper) => scrollBy(0, paper.getBoundingClientRect().top - 60)")  # below the book's header
    place, top = page.evaluate("scrollY"), paper.bounding_box()["y"]
    box = paper.bounding_box()
    ring = [
        {
            "x": box["x"] + box["width"] * (0.5 + 0.35 * math.cos(turn / 8)),
            "y": top + box["height"] * (0.5 + 0.35 * math.sin(turn / 8)),
        }
        for turn in range(52)
    ]
    finger = page.context.new_cdp_session(page)

    def touch(kind, *points):
        finger.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    touch("touchStart", ring[0])
    for point in ring[1:36]:
        touch("touchMove", point)
    expect(says).to_have_text("Nothing is shut in.")
    for point in ring[36:]:
        touch("touchMove", point)
    expect(says).to_have_text("One place is shut in.")
    touch("touchEnd")
    expect(board.locator(".hm-sight").nth(7)).to_be_in_viewport(ratio=1)  # all of layer 2
    # One stroke, and nothing has moved.
    reads = {
        "() => document.querySelector('drawing-board').strokes.length": 1,
        "() => scrollY": place,
        "() => document.querySelector('.db-paper').getBoundingClientRect().top": top,
    }
    eventually(lambda: [page.evaluate(read) for read in reads], lambda found: found == [*reads.values()])
    eventually(lambda: page.evaluate(WIDER), lambda wider: wider <= 0)
