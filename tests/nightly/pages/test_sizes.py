"""A picture of a map is as large as what it holds: its letters can be read, nothing in it is empty or scrolls, its bars stand in line."""

import pytest
from axe import WIDTHS
from built import CHAPTERS
from live_maps import eventually, settled

LEAST = 12  # pixels of letters
EMPTY = 48  # pixels from top to bottom in which nothing is
# Of each map: letters that are too small, stretches in which nothing is, and what scrolls. The first page has its own stage, and what
# waits for a guess is covered.
WRONG = f"""() => [...document.querySelectorAll("head-map:not(.drawing-board *, .first-look *, .figure-guess:not(.gs-told) + *)")].flatMap((map) => {{
  const seen = (node) => node.checkVisibility({{ opacityProperty: true, visibilityProperty: true }}) && !node.closest(".hm-unseen");
  const nodes = [...map.querySelectorAll("*")].filter(seen);
  const texts = nodes.filter((node) => [...node.childNodes].some((child) => child.nodeType === 3 && child.data.trim()));
  const sizeOf = (node, part) => parseFloat(getComputedStyle(node, part).fontSize);
  const isSmall = (size) => size > 0 && size < {LEAST} - .05;
  const small = texts.filter((node) => isSmall(sizeOf(node)));
  const marks = nodes.filter((node) => node.matches(".hm-sorted button, .hm-large td") && isSmall(sizeOf(node, "::before")));
  const scrolls = nodes.filter((node) => node.matches(".hm-scroll, .hm-detail") && (node.scrollWidth > node.clientWidth + 1 || node.scrollHeight > node.clientHeight + 1));
  const painted = [...texts, ...nodes.filter((node) => node.matches("td, canvas, img, svg, input, textarea, button, select, meter"))];
  const box = map.getBoundingClientRect();
  const spans = painted.map((node) => node.getBoundingClientRect()).filter(({{ height }}) => height > 0).sort((a, b) => a.top - b.top);
  let end = box.top;
  const empty = [...spans, {{ top: box.bottom, bottom: box.bottom }}].flatMap(({{ top, bottom }}) => {{
    const gap = top - end;
    end = Math.max(end, bottom);
    return gap > {EMPTY} ? [`${{Math.round(gap)}} empty pixels`] : [];
  }});
  const told = (what, found) => found.map((node) => `${{what}}: ${{node.localName}} ${{node.className}} ${{node.textContent.slice(0, 20)}}`);
  return [...told("small", [...small, ...marks]), ...told("scrolls", scrolls), ...empty];
}})"""
UNFOLD = "document.querySelectorAll('.sd-dropdown, details.hide').forEach((fold) => (fold.open = true))"
# How far the bars of a row of answers stand from each other, from top to bottom.
UNEVEN = """() => [...document.querySelectorAll("head-map .hm-predictions")].flatMap((list) => {
  const rows = new Map();
  for (const item of list.children) {
    const { top } = item.getBoundingClientRect();
    rows.set(top, [...(rows.get(top) ?? []), item.querySelector("meter").getBoundingClientRect().top]);
  }
  return [...rows.values()].map((tops) => Math.max(...tops) - Math.min(...tops));
})"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_map_is_as_large_as_what_it_holds(page, site, chapter):
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.goto(f"{site}/{chapter}.html")
        settled(page)
        page.evaluate(UNFOLD)
        eventually(lambda: page.evaluate(WRONG), lambda wrong: wrong == [])


@pytest.mark.parametrize("width", WIDTHS[1:])
def test_the_bars_of_a_row_stand_in_line_whatever_is_off(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    page.goto(f"{site}/book/coffee-or-tea.html")
    head_map = page.locator("head-map").first
    for name in ("object", "sentiment", "relation"):
        head_map.get_by_role("button", name=name, exact=True).click()
    eventually(lambda: head_map.locator("dd small").all_inner_texts(), lambda texts: len(texts) == 4 and all(texts))
    eventually(lambda: page.evaluate(UNEVEN), lambda apart: max(apart) < 1)
