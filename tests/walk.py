"""A walk through a page with the Tab key alone, from its top through its footer, until it leaves the page."""

from axe import axe_script
from figures import CHAPTER_OF
from live_maps import settled

MANY = 600  # stops of a chapter
LEFT, STAYED = "left the page", "stayed"
WALK = """([figures, LEFT, STAYED]) => {
  const SLIDES = 60; // frames in which a stop may come into view, as the link that skips to the text does
  const shown = (node) => node.closest("label, .sd-card") ?? node; // what stands for a stop
  const drawn = (node) => JSON.stringify([node, shown(node)].map((at) => {
    const { outlineStyle, outlineWidth, outlineColor, boxShadow } = getComputedStyle(at);
    return outlineStyle === "none" ? boxShadow : [outlineWidth, outlineColor, boxShadow];
  }));
  // On top of all else, at the middle of what the window shows of it.
  const seen = (node) => [...shown(node).getClientRects()].some((box) => {
    const [left, right] = [Math.max(0, box.left), Math.min(innerWidth, box.right)];
    const [top, bottom] = [Math.max(0, box.top), Math.min(innerHeight, box.bottom)];
    const on = left < right && top < bottom && document.elementFromPoint((left + right) / 2, (top + bottom) / 2);
    return on && (shown(node).contains(on) || on.contains(node.ownerSVGElement));
  });
  const numbered = [...document.querySelectorAll(figures)].filter((figure) => !figure.parentElement.closest(figures));
  globalThis.stops = [];
  globalThis.step = async () => {
    const [node, last] = [document.activeElement, stops.at(-1)];
    if (node === last?.node) return node.localName === "iframe" ? "" : STAYED; // a frame's own stops come one by one
    if (last) last.marked = last.drawn !== drawn(last.node);
    if (node === document.body) return LEFT;
    for (let frame = 0; frame < SLIDES && !seen(node); frame++) await new Promise(requestAnimationFrame);
    stops.push({ node, drawn: drawn(node), seen: seen(node), figure: numbered.findIndex((figure) => figure.contains(node)) });
    return "";
  };
}"""
FOUND = """() => {
  // A matrix made room for another since, or the contents of a section were folded once it was read.
  const named = (node) => (node.checkVisibility() ? axe.commons.text.accessibleText(node) : node.textContent);
  axe.setup(document);
  const found = stops.map(({ node, marked, seen, figure }) => ({ marked: marked || node.localName === "iframe", seen, figure,
    name: named(node).trim(), inFooter: Boolean(node.closest("footer")), html: node.outerHTML.slice(0, 200) }));
  axe.teardown();
  return found }"""


def walk(page, address):
    """Walks through a page; gives how the walk ended, and the stops."""
    page.context.tracing.stop()  # it would draw the whole page twice at each key: minutes, where a page has many cells
    page.context.tracing.start()
    page.emulate_media(reduced_motion="reduce")
    page.goto(address)
    settled(page)
    page.evaluate(WALK, [", ".join(name for name in CHAPTER_OF if name != "exercise-list"), LEFT, STAYED])
    for _ in range(MANY):
        page.keyboard.press("Tab")
        if end := page.evaluate("step()"):
            break
    page.evaluate(axe_script())
    return end, page.evaluate(FOUND)


def reaches_everything(page, address):
    """Walks through a page whose every stop is seen, marked and named, its footer included; gives the stops."""
    end, stops = walk(page, address)
    assert end == LEFT, stops[-1]
    assert any(stop["inFooter"] for stop in stops), stops[-1]
    for what in ("seen", "marked", "name"):
        assert lacking(stops, what) == [], what
    return stops


def lacking(stops, what):
    return [stop["html"] for stop in stops if not stop[what]]
