"""What the browser tests do with a live map: wait for it, type, read what it shows."""

import time

import numpy as np
from served import PATIENCE

COFFEE = "Which do you like better, coffee or tea?"
# Moves a slider, also to between two of its steps.
MOVE = "(slider, at) => { slider.value = at; slider.dispatchEvent(new Event('input')) }"
# How far what is on the page has moved since it was opened.
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => done(sum), 100)) })"""
# The texts of a page's maps that stand out from what is behind them by less than 4.5 : 1.
CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
  const solid = (colour, under) => { canvas.fillStyle = under; canvas.fillRect(0, 0, 1, 1); canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1); const [r, g, b] = canvas.getImageData(0, 0, 1, 1).data; return `rgb(${r},${g},${b})` };
  const light = (text) => { const [r, g, b] = rgb(text).map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b };
  return [...document.querySelectorAll("head-map :is(td, button, dt, b, dd > span, p, label, output)")].filter((n) => n.offsetParent && n.textContent.trim()).map((node) => {
    let chain = [], at = node; while (at) { chain.unshift(at); at = at.parentElement }
    const ground = chain.reduce((under, n) => solid(getComputedStyle(n).backgroundColor, under), "rgb(255,255,255)");
    const [a, b] = [light(solid(getComputedStyle(node).color, ground)), light(ground)].sort((x, y) => y - x);
    return [node.className || node.tagName, node.textContent.slice(0, 30), (a + 0.05) / (b + 0.05)];
  }).filter(([, , ratio]) => ratio < 4.5) }"""


def eventually(read, check, seconds=PATIENCE / 1000):
    """Reads from a page until a check of what was read holds, and gives that; if none does in time, fails with the last.

    A check gives True or False, or asserts.
    """
    end = time.monotonic() + seconds
    while True:
        found = read()
        try:
            assert check(found) is not False, f"the page still has {found!r}"
            return found
        except AssertionError:
            if time.monotonic() > end:
                raise
        time.sleep(0.05)


def stands_still(page, name):
    """Whether the page says that a figure's script did not arrive; the time for which it waits passes at once."""
    page.evaluate(
        "document.getAnimations().filter((each) => each.animationName === 'stands-still').forEach((each) => each.finish())"
    )
    seen = """(figure) => {
        const { content, visibility } = getComputedStyle(figure, "::before");
        return content !== "none" && visibility === "visible";
    }"""
    return page.locator(name).first.evaluate(seen)


def ready(map):
    """Waits until the map computes for itself; within a minute, else fails with what it says."""
    map.evaluate("""(el) => Promise.race([el.ready, new Promise((_, fail) =>
        setTimeout(() => fail(new Error(`not ready: ${el.innerText}`)), 60_000))])""")


def seen(figure, text):
    """Where a figure says this to those who see: a second later it says so to those who listen, too."""
    return figure.get_by_text(text).and_(figure.page.locator(":not([aria-live])"))


def open_map(page, site, chapter="book/index"):
    """Opens a chapter and gives its first map, computing for itself."""
    page.goto(f"{site}/{chapter}.html")
    map = page.locator("head-map").first
    ready(map)
    return map


def choose(map, label, option):
    """Chooses from one of a map's lists, and unfolds `More` where it stands there; `option` is a value or what is read."""
    found = map.get_by_role("combobox", name=label, exact=True)
    if not found.is_visible():
        map.locator("details.hm-more > summary").click()
    found.select_option(option)


def renew(page, selector):
    """Puts a figure back into an open page as the server sends it, and gives it; the models stay loaded."""
    page.evaluate(
        """async (selector) => {
        const sent = new DOMParser().parseFromString(await (await fetch(location.href)).text(), "text/html");
        document.querySelector(selector).replaceWith(document.importNode(sent.querySelector(selector), true)) }""",
        selector,
    )
    return page.locator(selector).first


def typeset(page):
    """Waits until an open page has its fonts."""
    page.evaluate("async () => { await document.fonts.ready }")


def settled(page):
    """Waits until an open page has its fonts and loads no model any more."""
    typeset(page)
    page.wait_for_function(
        """() => ![...document.querySelectorAll("[role=status]")].some((line) => line.innerText.startsWith("Loading"))"""
    )


def type_sentence(map, text):
    """Types into the map's textbox and gives `el.attention` as the event brings it; weights [l, h, q, k]."""
    # From the key on: before it, the map may draw once more what it showed.
    map.evaluate("""(el) => { el.seen = new Promise((done) => el.addEventListener("input", () =>
        el.addEventListener("attention", ({ detail }) => done({ ...detail, hidden: null, weights: [...detail.weights] }), { once: true }),
        { once: true, capture: true })) }""")
    map.get_by_role("textbox", name="Sentence").fill(text)
    return with_weights(map.evaluate("(el) => el.seen"))


def attend(map, text):
    """Sets `el.sentence` and gives `el.attention` once it comes."""
    return with_weights(
        map.evaluate(
            """async (el, text) => {
            const seen = new Promise((done) => el.addEventListener("attention", done, { once: true }));
            el.sentence = text;
            await seen;
            return { ...el.attention, hidden: null, weights: [...el.attention.weights] } }""",
            text,
        )
    )


def attention_of(map):
    """`el.attention` as it is."""
    return with_weights(map.evaluate("(el) => ({ ...el.attention, hidden: null, weights: [...el.attention.weights] })"))


def with_weights(found):
    return found | {"weights": np.array(found["weights"], np.float32).reshape(found["shape"])}


def shown(map, cells="td[data-weight]:visible"):
    """The weights of a map's cells, in the page's order."""
    return np.array(map.locator(cells).evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))"))


def shows(map, weights, cells="td[data-weight]:visible"):
    """Waits until a map's cells have these weights."""
    eventually(
        lambda: shown(map, cells), lambda found: np.testing.assert_allclose(found, np.ravel(weights), atol=5.1e-4)
    )


def boxes(cells, count=5):
    """Where the first cells are on their page."""
    return [cells.nth(place).bounding_box() for place in range(count)]


def assert_unmoved(before, after):
    """Nothing is 3 pixels or more from where it was."""
    for side in ("x", "y"):
        np.testing.assert_allclose([box[side] for box in after], [box[side] for box in before], rtol=0, atol=3)


def open_menu(map):
    summary = map.locator("details.hm-menu > summary")
    if not summary.is_visible():
        map.locator("details.hm-more > summary").click()
    summary.click()


def saved(page, map, kind):
    """The contents of what the menu saves, and its name."""
    button = map.get_by_role("button", name=f"Save as {kind}", exact=True)
    if not button.is_visible():
        open_menu(map)
    with page.expect_download() as download:
        button.click()
    return download.value.path().read_bytes(), download.value.suggested_filename
