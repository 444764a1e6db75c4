"""Somebody prints a chapter for a class."""

import re

from live_maps import COFFEE, open_map, settled
from playwright.sync_api import expect
from sheets import sheets_of


def test_a_chapter_on_paper_is_light_and_has_its_map(page, site):
    page.emulate_media(color_scheme="dark")
    map = open_map(page, site, "book/coffee-or-tea")
    settled(page)
    page.evaluate(
        "addEventListener('beforeprint', () => (globalThis.printed = document.documentElement.dataset.theme))"
    )
    text = re.sub(r"\s", "", "".join(sheet.text for sheet in sheets_of(page.pdf(format="A4"))))
    for said in (page.get_by_role("heading", level=1).inner_text().strip("# "), COFFEE, "sentence type", "Asked by"):
        assert re.sub(r"\s", "", said) in text, said
    assert "Showthecode" not in text
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.wait_for_function("globalThis.printed === 'light'")
    page.emulate_media(media="print")
    expect(map.locator("td", has_text="tea").first).to_have_css("print-color-adjust", "exact")
