"""Somebody prints a chapter for a class."""

from live_maps import open_map, settled
from playwright.sync_api import expect


def test_a_chapter_on_paper_is_light_and_has_its_map_and_no_code(page, site):
    page.emulate_media(color_scheme="dark")
    head_map = open_map(page, site, "book/coffee-or-tea")
    settled(page)
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.evaluate("addEventListener('beforeprint', () => (window.printed = document.documentElement.dataset.theme))")
    page.pdf(format="A4")
    page.wait_for_function("globalThis.printed === 'light'")
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # on the screen again
    page.emulate_media(media="print")
    for name in ("sentence type", "object", "relation", "sentiment"):
        expect(head_map.get_by_role("button", name=name, exact=True)).to_be_visible()
    expect(head_map.locator("td", has_text="tea").first).to_have_css("print-color-adjust", "exact")
    expect(page.locator("details.hide:not([open]) >> visible=true")).to_have_count(0)
    expect(page.locator("nav >> visible=true")).to_have_count(0)
    expect(page.locator("details.sd-dropdown:not(.solution) p").first).to_be_visible()
