"""What axe finds on a page of the built book, everything on it open.

Its rules are those of WCAG 2.2, levels A and AA, and its own best practices.
"""

from functools import cache

from live_maps import typeset

from manyheads.widgets.web_files import WEB

AXE = WEB / "node_modules" / "axe-core" / "axe.min.js"
THEMES = ("light", "dark")
WIDTHS = (360, 768, 1400)
OPENED = """() => {
  document.querySelectorAll("details").forEach((details) => (details.open = true));
  document.querySelectorAll(".toggle-button").forEach((button) => button.click()) }"""
# The theme measures what scrolls a moment after a change.
MEASURED = """() => [...document.querySelectorAll("pre, .pst-scrollable-table-container")].every((box) =>
  !box.checkVisibility() || box.scrollWidth <= box.clientWidth || box.tabIndex === 0)"""
TAGS = "wcag2a wcag2aa wcag21a wcag21aa wcag22aa best-practice".split()  # named, for size of targets isn't a default
RUN = """async (tags) => {
  const { violations } = await axe.run(document, { resultTypes: ["violations"], iframes: false, runOnly: tags });
  return violations.flatMap(({ id, impact, nodes }) => nodes.map(({ target, html }) => [id, impact, String(target), html.slice(0, 200)])) }"""


@cache
def axe_script():
    assert AXE.is_file(), f"{AXE} is missing: run `npm ci` in {WEB}, as `make book` does"
    return AXE.read_text(encoding="utf-8")


def violations(page, theme="light", width=1400, opened=True):
    """What axe finds on an open page: [(rule, impact, selector, html), ...]."""
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
    if opened:
        page.evaluate(OPENED)
    typeset(page)
    page.wait_for_function(MEASURED)
    if not page.evaluate("'axe' in globalThis"):
        page.evaluate(axe_script())
    return [tuple(found) for found in page.evaluate(RUN, TAGS)]
