"""Whatever fails, hangs or is garbage: within half a minute one sentence of ours, and another try that works."""

import functools
import re

import pytest
from built import scripts
from conftest import HTML, Shared, new_context, serve
from figures import CHAPTER_OF, IN_CHAPTER
from live_maps import ready, seen, type_sentence
from playwright.sync_api import expect

from manyheads.sphinxext.figures import FIGURES

GARBAGE = "<html>Log in to the hotel's network at http://hotel.example/</html>"
HALF_A_MINUTE = 31_000
# Twenty seconds of a page pass in one.
HURRIED = "const set = setTimeout; globalThis.setTimeout = (call, wait, ...rest) => set(call, wait / 20, ...rest)"

NETWORK = "did not arrive. Check the network, then try again or reload the page."
MISSING = (
    "is missing on this site. Reload the page, since the book may be newer; if that does not help, try again later."
)
DAMAGED = "arrived damaged. Try again; if that does not help, reload the page."
OLD = "this browser is too old to unpack it. Use a newer one."
MEMORY = "this device has too little memory for it, or this browser is too old. Use another one."
ENGINE = "this browser lacks WebAssembly, which it needs, or does not allow it. Use another one."
BACKGROUND = "this browser does not let the page work in the background. Use another one, or open this page by itself."
STILL = "This part of the page stands still: its script did not arrive, or this browser is too old for it. Reload the page, or use a newer browser."
FILE = (
    "This page was opened as a file, so its figures stand still. They come to life where a web server sends the page."
)
SEARCH = "The search gives no answer: a part of it did not arrive. Reload the page, or look through the chapters and the glossary."
# What no reader should meet: words of engines, addresses, names of files.
OTHERS = re.compile(r"https?:|JSON|token '|fetch|module|undefined|Error|ERR|null|backend|\.js|\.gz|wasm\b")

# A figure: its chapter, its selector, what wakes it, what it says once it works.
MAP = ("index", "head-map", None)
FORMULA = ("formula", "formula-steps[model]", None)
ENCODER = ("real-heads", 'head-map[model="encoder"]', "Load the encoder")
SENSE = ("ambiguity", "word-sense", "Load the encoder")
TRANSLATOR = ("translation", "head-map", None)
DECODER = ("decoder", "next-word", "Load the language model")
READY = "Ready: computed in this page"

ANSWERS = {
    "abort": lambda route: route.abort(),
    "missing": lambda route: route.fulfill(status=404),
    "garbage": lambda route: route.fulfill(body=GARBAGE, content_type="text/javascript"),
    "hang": lambda route: None,
}
SAID = {"abort": NETWORK, "missing": MISSING, "garbage": DAMAGED, "hang": NETWORK}


def said_of(file, fault):
    """What a reader is told: of a script, no browser says why it did not come."""
    return NETWORK if file.endswith(("js", "mjs")) else SAID[fault]


def rows(figure, *files, answers=tuple(ANSWERS)):
    return [pytest.param(figure, file, answers, id=file) for file in files]


FOCUS_FILES = ("models.js", "tokenizers.min.mjs", "tokenizer.json.gz", "focus-words.safetensors.gz")
ENCODER_FILES = ("encoder.js", "model-worker.js", "encoder.json")
FAULTS = [
    *rows(MAP, *FOCUS_FILES, "focus-taught.safetensors.gz"),
    *rows(FORMULA, "formula-model.js"),
    *rows(TRANSLATOR, "translator.js", "translator-taught.safetensors.gz"),
    *rows(ENCODER, *ENCODER_FILES, answers=("garbage", "hang")),
    *rows(ENCODER, "encoder.safetensors.gz"),
    *rows(SENSE, "senses.safetensors.gz"),
    *rows(DECODER, "decoder-layer-7.bin"),
    *rows(DECODER, "decoder-tokenizer.json.gz", answers=("garbage", "hang")),
]


BEFORE_THE_OFFER = {"models.js", "encoder.js", "encoder.json"}  # to tell how large the encoder is


def wake(page, site, figure, file=None):
    """Opens a chapter and asks for a figure's model; gives the figure."""
    chapter, selector, offer = figure
    page.goto(f"{site}/book/{chapter}.html")
    shown = page.locator(selector).first
    shown.scroll_into_view_if_needed()
    if offer and file not in BEFORE_THE_OFFER:
        shown.get_by_role("button", name=offer).click()
    shown.hover()
    return shown


def pass_half_a_minute(page, figure):
    """By the page's clock; again while files that do come push the end off."""
    for _ in range(100):
        page.clock.run_for(HALF_A_MINUTE)
        if figure.get_by_role("button", name="Try again").is_visible():
            return


def told(figure):
    """What the figure says of its fault, once it does: nobody else's words."""
    figure.get_by_role("button", name="Try again").wait_for()
    said = figure.get_by_role("status").inner_text().removesuffix("Try again").strip()
    assert not OTHERS.search(said), said
    return said


def ask_again(figure):
    figure.get_by_role("button", name="Try again").click()


def try_again(figure):
    """Asks for the model once more, and waits until the figure works."""
    ask_again(figure)
    offer = figure.get_by_role("button", name="Load the")
    figure.get_by_text(READY).or_(offer).wait_for()
    if offer.count():
        offer.click()
    figure.get_by_text(READY).wait_for()
    assert figure.get_by_role("button", name="Try again").count() == 0


def failures(page, figure, file, ask, answers=ANSWERS):
    """Asks for a file that does not come, in one way after the other; gives each, and what is said while it lasts."""
    page.clock.install()
    for fault in answers:
        page.route(f"**/{file}*", ANSWERS[fault])
        with page.expect_request(f"**/{file}*"):
            ask()
        if fault == "hang":
            assert not figure.get_by_role("button", name="Try again").is_visible(), "it is being tried"
            pass_half_a_minute(page, figure)
        yield fault, told(figure)
        page.unroute_all(behavior="ignoreErrors")
        ask = functools.partial(ask_again, figure)


@pytest.mark.parametrize(("figure", "file", "answers"), FAULTS)
def test_a_file_that_does_not_come_is_told_each_time_until_it_comes(page, site, faults, figure, file, answers):
    _, selector, _ = figure
    shown = page.locator(selector).first
    for fault, said in failures(page, shown, file, lambda: wake(page, site, figure, file), answers):
        assert said_of(file, fault) in said
        assert shown.locator("td, li").count() > 5, "what was there stays"
    try_again(shown)
    faults.clear()


def first(route, script):
    """Sends a script of the site with something before it."""
    response = route.fetch()
    route.fulfill(response=response, body=f"{script};{response.text()}")


@pytest.mark.parametrize(
    ("figure", "lacks", "said"),
    [
        pytest.param(MAP, "DecompressionStream", OLD, id="focus model without DecompressionStream"),
        pytest.param(ENCODER, "WebAssembly", ENGINE, id="encoder without WebAssembly"),
        pytest.param(ENCODER, "Worker", BACKGROUND, id="encoder without Worker"),
        pytest.param(DECODER, "WebAssembly", ENGINE, id="language model without WebAssembly"),
    ],
)
def test_a_browser_that_lacks_something_is_told(page, site, figure, lacks, said):
    page.add_init_script(f"globalThis.kept = {lacks}; delete globalThis.{lacks}")
    shown = wake(page, site, figure)
    assert said in told(shown)
    page.evaluate(f"() => {{ globalThis.{lacks} = kept }}")
    try_again(shown)


@pytest.mark.parametrize(("lacks", "said"), [("DecompressionStream", OLD), ("WebAssembly", ENGINE)])
def test_a_worker_that_lacks_something_is_told(page, site, lacks, said):
    page.route("**/model-worker.js*", lambda route: first(route, f"delete globalThis.{lacks}"))
    shown = wake(page, site, ENCODER)
    assert said in told(shown)
    page.unroute_all()
    try_again(shown)


def test_too_little_memory_is_told_and_nothing_typed_is_lost(page, site):
    small = "WebAssembly.Memory = class { constructor() { throw new RangeError('no memory') } }"
    page.route("**/*-worker.js*", lambda route: first(route, small))
    shown = wake(page, site, DECODER)
    assert MEMORY in told(shown)
    page.unroute_all()
    box = shown.get_by_role("textbox", name="Text so far")
    box.fill("The opposite of hot is")  # which tries again as well
    shown.get_by_text(READY).wait_for()
    expect(box).to_have_value("The opposite of hot is")
    expect(shown.get_by_role("listitem").first).to_contain_text("cold")


def test_an_altered_part_is_told_and_fetched_again(page, site):
    """Of the same length, so that only its hash tells."""

    def altered(route):
        body = bytearray(route.fetch().body())
        body[len(body) // 2] ^= 1
        route.fulfill(body=bytes(body))

    page.route("**/decoder-layer-7.bin*", altered)
    shown = wake(page, site, DECODER)
    assert DAMAGED in told(shown)
    page.unroute_all()
    try_again(shown)
    expect(shown.get_by_role("listitem").first).to_contain_text("Paris")


def test_a_worker_that_may_not_start_is_told(page, site):
    page.add_init_script("""globalThis.kept = Worker;
        globalThis.Worker = class { constructor() { throw new DOMException("blocked", "SecurityError") } }""")
    shown = wake(page, site, ENCODER)
    assert BACKGROUND in told(shown)
    page.evaluate("() => { globalThis.Worker = kept }")
    try_again(shown)


def denied(call):
    return f"Object.defineProperty(globalThis, 'caches', {{ get() {{ {call} }} }})"


QUOTA = "Promise.reject(new DOMException('no room', 'QuotaExceededError'))"
STORES = {
    "absent": "delete globalThis.caches; delete Object.getPrototypeOf(globalThis).caches",
    "forbidden": denied("throw new DOMException('denied', 'SecurityError')"),
    "does not open": f"CacheStorage.prototype.open = () => {QUOTA}",
    "opens with an error": "CacheStorage.prototype.open = () => { throw new DOMException('no', 'SecurityError') }",
    "reads nothing": f"Cache.prototype.match = Cache.prototype.keys = () => {QUOTA}",
    "full": f"Cache.prototype.put = () => {QUOTA}",
}


@pytest.mark.parametrize("store", STORES.values(), ids=STORES.keys())
def test_the_encoder_needs_no_store(page, site, store):
    page.add_init_script(f"globalThis.document && ({{ do() {{ {store} }} }}).do()")
    page.route("**/model-worker.js*", lambda route: first(route, store))
    wake(page, site, ENCODER).get_by_text(READY).wait_for()
    page.unroute_all()


@pytest.fixture
def unwatched(browser):
    """A context for pages that aren't of the book's own server."""
    context = new_context(browser)
    yield context
    context.close()


def framed(unwatched, address):
    """A page of nobody's with a sandboxed frame that shows the encoder; gives what is in the frame."""
    tag = f'<iframe sandbox="allow-scripts" src="{address}/embed.html?model=encoder&sentence=Tea%3F" height="900"></iframe>'
    page = unwatched.new_page()
    page.set_content(tag)
    return page.frame_locator("iframe")


def test_the_encoder_works_in_a_sandboxed_frame(unwatched):
    with serve(HTML, Shared) as address:
        frame = framed(unwatched, address)
        frame.get_by_role("button", name="Load the encoder").click()
        frame.get_by_text(READY).wait_for()


def test_a_sandboxed_frame_that_gets_no_scripts_says_so(unwatched, site):
    expect(framed(unwatched, site).locator("body")).to_have_text(STILL)


def test_a_page_opened_as_a_file_says_so(unwatched):
    page = unwatched.new_page()
    for path, figure in {"book/index.html": "head-map", "embed.html": "body"}.items():
        page.goto((HTML / path).as_uri())
        expect(page.locator(f"{figure} .hm-status").first).to_have_text(FILE)
    assert page.locator("head-map td").count() == 0


def test_each_element_is_among_those_whose_script_may_not_come():
    assert set(CHAPTER_OF) == set(FIGURES)


@pytest.mark.parametrize(("chapter", "names"), IN_CHAPTER.items(), ids=IN_CHAPTER)
def test_a_figure_whose_own_script_does_not_come_says_so(context, site, faults, chapter, names):
    for answer in ANSWERS.values():
        page = context.new_page()
        page.add_init_script(HURRIED)
        for name in names:
            page.route(f"**/{name}.js*", answer)  # where a book is built again, Sphinx gives its scripts a version
        page.goto(f"{site}/book/{chapter}.html", wait_until="commit")
        for name in names:
            figure = page.locator(name).first
            figure.locator("> .hm-status", has_text=STILL).wait_for()
            expect(figure.get_by_text(STILL)).to_have_count(1)
        page.close()
    page = context.new_page()
    page.goto(f"{site}/book/{chapter}.html")
    for name in names:
        page.wait_for_function("(name) => customElements.get(name)", arg=name)
    page.wait_for_load_state()
    expect(page.get_by_text(STILL)).to_have_count(0)
    faults.clear()


def test_a_figure_whose_script_comes_late_says_what_it_said(page, site):
    page.add_init_script(HURRIED)
    waiting = []
    for name in ("formula-steps", "field-exercise"):
        page.route(f"**/{name}.js*", lambda route: waiting.append(route))
    page.goto(f"{site}/book/formula.html", wait_until="commit")
    page.locator("field-exercise").first.get_by_text(STILL).wait_for()
    still = page.locator("formula-steps:not([model]) .hm-status").first
    data = page.locator("formula-steps:not([model]) > script").first
    said = data.evaluate("(script) => JSON.parse(script.textContent).status")
    for route in waiting:
        route.continue_()
    page.wait_for_load_state()
    expect(page.get_by_text(STILL)).to_have_count(0)
    expect(still).to_have_text(said)


@pytest.mark.parametrize("script", ["bootstrap", "pydata-sphinx-theme", "sphinx-book-theme"])
def test_a_script_of_the_theme_that_never_comes_stops_no_figure(page, site, script):
    page.route(f"**/{script}.js*", ANSWERS["hang"])
    page.goto(f"{site}/book/index.html", wait_until="commit")
    map = page.locator("head-map").first
    map.locator(".hm-live").wait_for()  # it says once, then, what was baked
    ready(map)
    assert type_sentence(map, "Is it alive?")["queryTokens"][1] == "is"


@pytest.mark.parametrize("script", ["searchtools.js", "searchindex.js"])
def test_a_search_that_gives_no_answer_is_told(context, site, faults, script):
    for answer in ANSWERS.values():
        page = context.new_page()
        page.add_init_script(HURRIED)
        page.route(f"**/{script}*", answer)
        page.goto(f"{site}/search.html?q=softmax", wait_until="commit")
        page.get_by_text(SEARCH).wait_for()
        page.close()
    page = context.new_page()
    page.goto(f"{site}/search.html?q=softmax")
    page.locator("#search-results li").first.wait_for()
    expect(page.get_by_text(SEARCH)).to_have_count(0)
    faults.clear()


@pytest.mark.parametrize("chapter", ["museum", "questions"])
def test_a_figure_whose_script_came_is_not_said_to_stand_still(page, site, chapter):
    page.add_init_script(HURRIED)
    page.goto(f"{site}/book/{chapter}.html")
    expect(page.locator("museum-piece [aria-label=Sentence]").first).to_be_visible()
    page.wait_for_function("() => document.readyState === 'complete'")
    expect(page.get_by_text(STILL)).to_have_count(0)


@pytest.mark.parametrize("file", ["bugs.js", "focus-words.safetensors.gz"])
def test_a_bug_that_does_not_come_is_not_called_on(page, site, faults, file):
    piece = page.locator("museum-piece").first
    map = piece.locator("head-map")

    def ask():
        page.goto(f"{site}/book/museum.html")
        map.hover()
        piece.get_by_role("switch").check()

    for _, said in failures(page, map, file, ask):
        assert "could not be loaded" in said
        assert piece.locator(".mp-state").inner_text() == "not yet"
        assert piece.locator(".mp-changes").is_hidden()
    ask_again(piece)
    expect(piece.locator(".mp-state")).to_have_text("on")
    expect(piece.locator(".mp-changes tbody tr")).not_to_have_count(0)
    faults.clear()


def test_what_arrives_later_does_not_hide_that_a_bug_did_not(page, site, faults):
    held = []
    page.route("**/focus-words*", lambda route: held.append(route))
    page.route("**/bugs.js*", ANSWERS["abort"])
    page.goto(f"{site}/book/museum.html")
    piece = page.locator("museum-piece").first
    map = piece.locator("head-map")
    map.hover()
    while not held:
        page.wait_for_event("request")
    piece.get_by_role("switch").check()
    said = told(map)
    held[0].continue_()
    page.evaluate("async (script) => (await import(script)).whenLoaded('focus')", f"{site}/{scripts()}/models.js")
    assert told(map) == said
    assert NETWORK in said
    faults.clear()


def test_words_are_shuffled_once_the_models_come(page, site, faults):
    shuffle = page.locator("word-shuffle")

    def ask():
        page.goto(f"{site}/book/order-and-cost.html")
        shuffle.get_by_role("button", name="Shuffle the words").click()

    for _, said in failures(page, shuffle, "models.js", ask):
        assert "The words could not be shuffled: a part of it did not arrive." in said
    ask_again(shuffle)
    shuffle.get_by_role("table").wait_for()
    assert shuffle.get_by_role("status").inner_text() == ""
    faults.clear()


STOPS = """() => { const answer = onmessage;
    globalThis.onmessage = (event) => { if (event.data.states) throw new Error("no memory"); answer(event) } }"""


def test_pruning_is_measured_again_where_the_encoder_stopped(page, site, faults):
    page.goto(f"{site}/book/claims.html")
    pruning = page.locator("head-pruning")
    pruning.scroll_into_view_if_needed()
    page.locator("head-map#pruned").get_by_role("button", name="Load the encoder").click()
    seen(pruning, "Cosine of the sentence's vector to that with all heads: 1.00").wait_for()
    page.workers[0].evaluate(STOPS)
    pruning.get_by_role("slider").press("ArrowRight")
    assert told(pruning).startswith("What is left could not be measured: the model stopped")
    pruning.get_by_role("button", name="Try again").click()
    page.wait_for_function("() => document.querySelector('head-pruning').pruned === 1")
    expect(pruning.get_by_role("status")).to_have_text("")
    faults.clear()
