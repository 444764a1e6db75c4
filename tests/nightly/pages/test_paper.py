"""Each chapter as a browser prints it."""

import pytest
from built import CHAPTERS
from live_maps import eventually, settled

PAPER = {"width": 680, "height": 1000}  # A4 within its margins, in CSS pixels
TOO_WIDE = """() => {
  const edge = document.querySelector(".bd-article").getBoundingClientRect().right + 1;
  const seen = (element) => element.checkVisibility() && !element.closest("svg, iframe"); // these are cut
  return [...document.querySelectorAll(".bd-article *")]
    .filter((element) => seen(element) && element.getBoundingClientRect().right > edge)
    .map((element) => `${element.tagName} ${element.className} ${element.textContent.slice(0, 60)}`);
}"""
FOLDED = """() => [...document.querySelectorAll("details.hide:not([open])")].filter((fold) => fold.checkVisibility()).length"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_wider_than_the_sheet_and_no_code_is_folded_on_it(page, site, chapter):
    page.set_viewport_size(PAPER)
    page.goto(f"{site}/{chapter}.html")
    settled(page)
    page.emulate_media(media="print")
    eventually(lambda: page.evaluate(TOO_WIDE), lambda found: found == [])
    eventually(lambda: page.evaluate(FOLDED), lambda found: found == 0)
