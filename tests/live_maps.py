"""What the browser tests do with a live map: wait for it, type, read what it shows."""

import time

import numpy as np
from close import assert_close
from served import PATIENCE

COFFEE = "Which do you like better, coffee or tea?"
# How far what is on the page has moved since it was opened.
SHIFT = """() => new Promise((done) => {
  let sum = 0;
  new PerformanceObserver((list) => { for (const entry of list.getEntries()) sum += entry.value })
    .observe({ type: "layout-shift", buffered: true });
  requestAnimationFrame(() => setTimeout(() => done(sum), 100)) })"""


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


def agrees(read, expected, part=None):
    """Waits until the numbers that are read from a page are those that are expected."""
    eventually(read, lambda found: assert_close(found, expected, part=part))


def has_weights(head_map, weights, part=None):
    """Waits until `el.attention` has these weights."""
    agrees(lambda: attention_of(head_map)["weights"], weights, part)


def stands_still(page, name):
    """Whether the page says that a figure's script did not arrive; the time for which it waits passes at once."""
    page.evaluate(
        "document.getAnimations().filter((one) => one.animationName === 'stands-still').forEach((one) => one.finish())"
    )
    seen = """(figure) => {
        const { content, visibility } = getComputedStyle(figure, "::before");
        return content !== "none" && visibility === "visible";
    }"""
    return page.locator(name).first.evaluate(seen)


def ready(head_map):
    """Waits until the map computes for itself; within a minute, else fails with what it says."""
    head_map.evaluate("""(el) => Promise.race([el.ready, new Promise((_, fail) =>
        setTimeout(() => fail(new Error(`not ready: ${el.innerText}`)), 60_000))])""")


def seen(figure, text):
    """Where a figure says this to those who see: a second later it says so to those who listen, too."""
    return figure.get_by_text(text).and_(figure.page.locator(":not([aria-live])"))


def open_map(page, site, chapter="book/coffee-or-tea"):
    """Opens a chapter and gives its first map, computing for itself."""
    page.goto(f"{site}/{chapter}.html")
    head_map = page.locator("head-map").first
    ready(head_map)
    return head_map


def tools(head_map):
    """Opens a map's tools, unless they are open."""
    if not head_map.locator(".hm-panel").evaluate("(panel) => panel.matches(':popover-open')"):
        head_map.locator(".hm-tooler").click()


def choose(head_map, label, option):
    """Chooses from one of a map's lists, among its tools or beside them; `option` is a value or what is read."""
    found = head_map.get_by_role("combobox", name=label, exact=True)
    if not found.is_visible():
        tools(head_map)
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


def type_sentence(head_map, text):
    """Types into the map's textbox and gives `el.attention` as the event brings it; weights [l, h, q, k]."""
    # From the key on: before it, the map may draw once more what it showed.
    head_map.evaluate("""(el) => { el.seen = new Promise((done) => el.addEventListener("input", () =>
        el.addEventListener("attention", ({ detail }) => done({ ...detail, hidden: null, weights: [...detail.weights] }), { once: true }),
        { once: true, capture: true })) }""")
    head_map.get_by_role("textbox", name="Sentence").fill(text)
    return with_weights(head_map.evaluate("(el) => el.seen"))


def attend(head_map, text):
    """Sets `el.sentence` and gives `el.attention` once it comes."""
    return with_weights(
        head_map.evaluate(
            """async (el, text) => {
            const seen = new Promise((done) => el.addEventListener("attention", done, { once: true }));
            el.sentence = text;
            await seen;
            return { ...el.attention, hidden: null, weights: [...el.attention.weights] } }""",
            text,
        )
    )


def attention_of(head_map):
    """`el.attention` as it is."""
    return with_weights(
        head_map.evaluate("(el) => ({ ...el.attention, hidden: null, weights: [...el.attention.weights] })")
    )


def with_weights(found):
    return found | {"weights": np.array(found["weights"], np.float32).reshape(found["shape"])}


def shown(head_map, cells="td[data-weight]:visible"):
    """The weights of a map's cells, in the page's order."""
    return np.array(head_map.locator(cells).evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))"))


def shows(head_map, weights, cells="td[data-weight]:visible"):
    """Waits until a map's cells have these weights, rounded."""
    eventually(
        lambda: shown(head_map, cells), lambda found: np.testing.assert_allclose(found, np.ravel(weights), atol=5.1e-4)
    )


def open_menu(head_map):
    tools(head_map)
    head_map.locator("details.hm-menu > summary").click()


def saved(page, head_map, kind):
    """The contents of what the menu saves, and its name."""
    button = head_map.get_by_role("button", name=f"Save as {kind}", exact=True)
    if not button.is_visible():
        open_menu(head_map)
    with page.expect_download() as download:
        button.click()
    return download.value.path().read_bytes(), download.value.suggested_filename
