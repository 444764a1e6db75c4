"""The cards of terms, on the page with most of them: seen in both themes and widths, inside the window, and nothing moves."""

import pytest
from axe import THEMES
from live_maps import eventually, settled
from playwright.sync_api import expect
from seen import faint

INSIDE = """(card) => {
  const { left, right, top, bottom } = card.getBoundingClientRect();
  const { clientWidth, clientHeight } = document.documentElement;
  return left >= 0 && right <= clientWidth && top >= 0 && bottom <= clientHeight;
}"""

# Whether the page is as large, and all links where they are, with the card and without it.
TAKES_NO_ROOM = """(card) => {
  const laidOut = () => JSON.stringify([...document.querySelectorAll("html, article a")].map((node) => [node.scrollWidth, node.scrollHeight, node.getBoundingClientRect()]));
  const open = laidOut();
  card.style.display = "none";
  const closed = laidOut();
  card.style.display = "";
  return open === closed;
}"""


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("width", [360, 1400])
def test_each_card_is_read_where_the_keyboard_reaches_its_link_and_nothing_moves(page, site, theme, width):
    page.set_viewport_size({"width": width, "height": 740})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(f"{site}/book/intuition.html")
    settled(page)
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    card = page.locator(".term-card")
    links = page.locator("article a[data-says]").locator("visible=true").all()
    assert len(links) > 8
    for link in links:
        link.evaluate("(el) => el.scrollIntoView({ block: 'center' })")
        page.keyboard.press("Shift")  # a keyboard is used: its focus is seen
        link.focus()
        expect(card).to_be_visible()
        expect(card).to_contain_text(link.get_attribute("data-says"))
        expect(link).to_have_accessible_description(card.inner_text().replace("\n", " "))
        eventually(lambda: card.evaluate(INSIDE), bool)
        eventually(lambda: card.evaluate(TAKES_NO_ROOM), bool)
        eventually(lambda: faint(card), lambda found: found == [])
        page.keyboard.press("Escape")
        expect(card).to_be_hidden()
        expect(link).to_be_focused()
    assert asked == []


def test_a_mouse_may_go_onto_a_card_and_a_press_of_the_link_leads_to_the_entry(page, site):
    page.goto(f"{site}/book/intuition.html")
    settled(page)
    link, card = page.locator("article a[data-says]").first, page.locator(".term-card")
    link.hover()
    expect(card).to_be_visible()
    card.hover()
    expect(card.get_by_role("link")).to_have_count(0)
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()
    address = link.get_attribute("href")
    link.click()
    page.wait_for_url(f"**/{address}")
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Why several heads")
    expect(card).to_be_hidden()
