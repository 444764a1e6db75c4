"""Pages wait for no style that they don't need, and the one stylesheet has all that anything on them needs."""

import pytest
from built import CHAPTERS, scripts, written
from live_maps import eventually, settled
from playwright.sync_api import expect
from served import HTML

from manyheads.figures import FIGURES
from manyheads.sphinxext.stylesheets import FOLDER, NAME

# As Sphinx, the theme and its extensions bring them, but for one that no page ever linked.
THEIRS = [
    path.relative_to(HTML).as_posix()
    for folder in ("", "styles")
    for path in (HTML / "_static" / folder).glob("*.css")
    if path.name != "exercise.css"
]
# The selectors of their rules that no stylesheet of the page has, though something on the page is, or may come to be, what they
# name: pseudo-elements and states, as of the pointer, are left out of them.
MISSED = r"""async (addresses) => {
  const split = (list) => list.match(/(?:\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)|[^,(])+/g).map((one) => one.trim());
  const selectors = (rules) => [...rules].flatMap((rule) =>
    [...(rule.selectorText ? split(rule.selectorText) : []), ...(rule.cssRules ? selectors(rule.cssRules) : [])]);
  const kept = new Set([...document.styleSheets].flatMap((sheet) => selectors(sheet.cssRules)));
  const states = /::?(?!(?:not|is|where|has|root|first|last|nth|only|empty)\b)[-\w]+(?:\([^()]*\))?/g;
  const missed = new Set();
  for (const address of addresses) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync((await (await fetch(address)).text()).replaceAll("@import", "@media not all {} @import"));
    for (const selector of selectors(sheet.cssRules)) {
      if (kept.has(selector)) continue;
      const bare = selector.replace(states, "").replace(/:(?:not|is|where|has)\(\s*\)/g, "").replace(/(^|[\s>+~])$/, "$1*").replace(/([>+~]|^) *(?=[>+~])/g, "$1*");
      if (CSS.supports(`selector(${bare})`) && document.querySelector(bare)) missed.add(selector);
    }
  }
  return [...missed];
}"""


def misses_nothing(page, site):
    addresses = [f"{site}/{path}" for path in THEIRS]
    assert len(addresses) >= 8
    eventually(lambda: page.evaluate(MISSED, addresses), lambda missed: missed == [])


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_chapter_waits_for_one_stylesheet_and_those_of_its_figures(html, chapter):
    page = written(f"{chapter}.html")
    links = [link["href"].partition("?")[0] for link in page.select("link[rel=stylesheet]")]
    figures = [name for name in FIGURES if page.find(name)]
    sheets = [f"{scripts()}/{name}.css" for name in dict.fromkeys(["head-map", *figures] if figures else [])]
    own = [f"../{sheet}" for sheet in sheets if (HTML / sheet).is_file()]
    assert links == [f"../{FOLDER}/{NAME}", *own]


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_on_a_chapter_misses_a_rule(page, site, chapter):
    page.goto(f"{site}/{chapter}.html")
    settled(page)
    misses_nothing(page, site)


def test_nothing_that_opens_misses_a_rule(page, site):
    page.goto(f"{site}/book/code.html")
    settled(page)
    page.locator(".theme-switch-button:visible").first.hover()
    expect(page.locator(".tooltip.show")).to_be_visible()
    page.get_by_label("Download this page").click()
    expect(page.locator(".dropdown-menu.show")).to_be_visible()
    misses_nothing(page, site)
    page.keyboard.press("Control+k")
    expect(page.locator("#pst-search-dialog")).to_be_visible()
    misses_nothing(page, site)
    page.keyboard.press("Escape")
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator(".primary-toggle").click()
    expect(page.locator("#pst-primary-sidebar-modal")).to_be_visible()
    misses_nothing(page, site)


def test_what_a_search_finds_misses_no_rule(page, site):
    page.goto(f"{site}/search.html?q=softmax")
    expect(page.locator("#search-results li").first).to_be_visible()
    misses_nothing(page, site)
    page.locator("#search-results a").first.click()
    expect(page.locator(".highlighted").first).to_be_visible()
    misses_nothing(page, site)
