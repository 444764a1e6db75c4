"""Whatever fails, hangs or is garbage: within half a minute one sentence of ours, and another try that works."""

import functools
import re

import pytest
from figures import IN_CHAPTER
from live_maps import eventually, stands_still
from loading import DAMAGED, HALF_A_MINUTE, NETWORK, READY, ask_again, failed, try_again
from playwright.sync_api import expect

pytestmark = pytest.mark.usefixtures("faulty")
GARBAGE = "<html>Log in to the hotel's network at http://hotel.example/</html>"
MISSING = "is missing on this site. Reload the page, since the book may be newer; if that does not help, try again"
OLD = "this browser is too old to unpack it. Use a newer one."
MEMORY = "this device has too little memory for it, or this browser is too old. Use another one."
ENGINE = "this browser lacks WebAssembly, which it needs, or does not allow it. Use another one."
BACKGROUND = "this browser does not let the page work in the background. Use another one, or open this page by itself."

# A figure: its chapter, its selector, what wakes it.
MAP = ("coffee-or-tea", "head-map", None)
FORMULA = ("formula", "attention-flow", None)
ENCODER = ("real-heads", 'head-map[model="encoder"]', "Load the encoder")
SENSE = ("intuition", "#scale", "Load the encoder")
TRANSLATOR = ("decoder", "#translator", None)
DECODER = ("decoder", "next-word", "Load the language model")

ANSWERS = {
    "abort": lambda route: route.abort(),
    "missing": lambda route: route.fulfill(status=404),
    "garbage": lambda route: route.fulfill(body=GARBAGE, content_type="text/javascript"),
    "hang": lambda route: None,
}
SAID = {"abort": NETWORK, "missing": MISSING, "garbage": DAMAGED, "hang": NETWORK}
SCRIPTS = {"models", "formula-model", "translator", "bugs", "model-worker"}  # no browser says why one did not come
FAULTS = [
    (MAP, "models", tuple(ANSWERS)),
    (MAP, "tokenizer*json", tuple(ANSWERS)),
    (MAP, "focus-taught", tuple(ANSWERS)),
    (FORMULA, "formula-model", tuple(ANSWERS)),
    (TRANSLATOR, "translator-taught", tuple(ANSWERS)),
    (ENCODER, "model-worker", ("garbage", "hang")),
    (ENCODER, "encoder*safetensors", tuple(ANSWERS)),
    (SENSE, "senses", tuple(ANSWERS)),
    (DECODER, "decoder-layer-7", tuple(ANSWERS)),
    (DECODER, "decoder-header", ("garbage", "hang")),
]


def wake(page, site, figure):
    """Opens a chapter and asks for a figure's model; gives the figure."""
    chapter, selector, offer = figure
    page.goto(f"{site}/book/{chapter}.html")
    shown = page.locator(selector).first
    shown.scroll_into_view_if_needed()
    if offer:
        shown.get_by_role("button", name=offer).click()
    shown.hover()
    return shown


def fail(page, figure, file, ask, answers=ANSWERS):
    """Asks for a file that does not come, in one way after the other; each is told."""
    page.clock.install()
    again = figure.get_by_role("button", name="Try again")
    for fault in answers:
        page.route(f"**/{file}*", ANSWERS[fault])
        with page.expect_request(f"**/{file}*"):
            ask()
        if fault == "hang":  # by the page's clock; again while files that do come push the end off
            eventually(lambda: page.clock.run_for(HALF_A_MINUTE) or again.is_visible(), bool)
        failed(figure, NETWORK if file in SCRIPTS else SAID[fault])
        expect(figure.locator("td, li, .af-scene rect").nth(5)).to_be_attached()  # what was there stays
        page.unroute_all(behavior="ignoreErrors")
        ask = functools.partial(ask_again, figure)


@pytest.mark.parametrize(("figure", "file", "answers"), FAULTS, ids=[file for _, file, _ in FAULTS])
def test_a_file_that_does_not_come_is_told_each_time_until_it_comes(page, site, figure, file, answers):
    shown = page.locator(figure[1]).first
    fail(page, shown, file, lambda: wake(page, site, figure), answers)
    try_again(shown)


def first(route, script):
    """Sends a script of the site with something before it."""
    response = route.fetch()
    route.fulfill(response=response, body=f"{script};{response.text()}")


@pytest.mark.parametrize(
    ("figure", "lacks", "said"),
    [
        (MAP, "DecompressionStream", OLD),
        (ENCODER, "WebAssembly", ENGINE),
        (ENCODER, "Worker", BACKGROUND),
        (DECODER, "WebAssembly", ENGINE),
    ],
)
def test_a_browser_that_lacks_something_is_told(page, site, figure, lacks, said):
    page.add_init_script(f"globalThis.kept = {lacks}; delete globalThis.{lacks}")
    shown = wake(page, site, figure)
    failed(shown, said)
    page.evaluate(f"() => {{ globalThis.{lacks} = kept }}")
    try_again(shown)


def test_too_little_memory_is_told_and_nothing_typed_is_lost(page, site):
    small = "WebAssembly.Memory = class { constructor() { throw new RangeError('no memory') } }"
    page.route("**/*-worker*.js*", lambda route: first(route, small))
    shown = wake(page, site, DECODER)
    failed(shown, MEMORY)
    page.unroute_all()
    box = shown.get_by_role("textbox", name="Text so far")
    box.fill("The opposite of hot is")  # which tries again as well
    expect(shown.get_by_text(READY).first).to_be_visible()
    expect(box).to_have_value("The opposite of hot is")
    expect(shown.get_by_role("listitem").first).to_contain_text("cold")


@pytest.mark.parametrize("figure", [ENCODER, DECODER])
def test_a_part_that_was_altered_is_told_and_fetched_again(page, site, figure):
    """Of the same length, so that only its hash tells."""

    def altered(route):
        body = bytearray(route.fetch().body())
        body[len(body) // 2] ^= 1
        route.fulfill(body=bytes(body))

    page.route("**/encoder*safetensors*", altered)
    page.route("**/decoder-layer-7*", altered)
    shown = wake(page, site, figure)
    failed(shown, DAMAGED)
    page.unroute_all()
    try_again(shown)


def denied(call):
    return f"Object.defineProperty(globalThis, 'caches', {{ get() {{ {call} }} }})"


QUOTA = "Promise.reject(new DOMException('no room', 'QuotaExceededError'))"
STORES = {
    "absent": "delete globalThis.caches; delete Object.getPrototypeOf(globalThis).caches",
    "forbidden": denied("throw new DOMException('denied', 'SecurityError')"),
    "does not open": f"CacheStorage.prototype.open = () => {QUOTA}",
    "reads nothing": f"Cache.prototype.match = Cache.prototype.keys = () => {QUOTA}",
    "full": f"Cache.prototype.put = () => {QUOTA}",
}


@pytest.mark.parametrize("store", STORES.values(), ids=STORES.keys())
def test_the_encoder_needs_no_store(page, site, store):
    page.add_init_script(f"globalThis.document && ({{ do() {{ {store} }} }}).do()")
    page.route("**/model-worker*.js*", lambda route: first(route, store))
    expect(wake(page, site, ENCODER).get_by_text(READY).first).to_be_visible()


@pytest.mark.parametrize(("chapter", "names"), IN_CHAPTER.items(), ids=IN_CHAPTER)
def test_a_figure_whose_own_script_does_not_come_says_so(page, site, chapter, names):
    for answer in ANSWERS.values():
        for name in names:
            page.route(re.compile(rf"/{name}[.\w-]*\.js"), answer)
        page.goto(f"{site}/book/{chapter}.html", wait_until="commit")
        for name in names:
            eventually(lambda: stands_still(page, name), bool)  # noqa: B023
        page.unroute_all(behavior="ignoreErrors")
    page.goto(f"{site}/book/{chapter}.html")
    for name in names:
        page.wait_for_function("(name) => customElements.get(name)", arg=name)
        eventually(lambda: stands_still(page, name), lambda still: not still)  # noqa: B023


@pytest.mark.parametrize("script", ["bootstrap", "pydata-sphinx-theme", "sphinx-book-theme"])
def test_a_script_of_the_theme_that_never_comes_stops_no_figure(page, site, script):
    page.route(f"**/{script}.js*", ANSWERS["hang"])
    page.goto(f"{site}/book/index.html", wait_until="commit")
    head_map = page.locator("head-map").first
    expect(head_map.locator(".hm-live")).to_be_attached()
    head_map.get_by_role("textbox", name="Sentence").fill("Is it alive?")
    expect(head_map.locator("td", has_text="alive").first).to_be_attached()
    expect(page.get_by_text("alive", exact=True).filter(visible=True)).to_have_count(1)


@pytest.mark.parametrize("file", ["bugs", "focus-words"])
def test_a_bug_that_does_not_come_is_not_called_on(page, site, file):
    piece = page.locator("museum-piece").first
    head_map = piece.locator("head-map")

    def ask():
        page.goto(f"{site}/book/museum.html")
        head_map.hover()
        piece.get_by_role("switch").check()

    fail(page, head_map, file, ask)
    expect(piece.locator(".mp-state")).to_have_text("not yet")
    expect(piece.locator(".mp-changes")).to_be_hidden()
    ask_again(piece)
    expect(piece.locator(".mp-state")).to_have_text("on")
    expect(piece.locator(".mp-changes tbody tr")).not_to_have_count(0)
