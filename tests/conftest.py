"""The built site, served over HTTP, and a real browser; any error or request to another host fails the test."""

import functools
import gc
import shutil
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import hypothesis
import pytest

from manyheads.maps.names import FIRST_STEPS

TESTS = Path(__file__).parent
ROOT = TESTS.parent
HTML = ROOT / "_build" / "html"
# The first is the second without windows, tabs and a toolbar that nobody sees: the same pages in four fifths of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
CHROMIUM = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

VIEWPORT = {"width": 1400, "height": 900}
PATIENCE = 90_000  # milliseconds; on a busy machine the encoder alone may take thirty seconds

# The same examples in every run, however busy the machine is.
hypothesis.settings.register_profile("suite", deadline=None, derandomize=True)
hypothesis.settings.load_profile("suite")

# Fixtures that take long: their tests go to one worker.
MADE_ONCE = {"chapters", "environment", "five_heads", "plain", "printed", "small_book", "wheel"}


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items):
    """Marks each test with its kind, where it does not say so itself, and those that should stay together."""
    for item in items:
        if not any(item.iter_markers("slow")):
            item.add_marker(kind(item.path.relative_to(TESTS).parts, item.fixturenames))
        for fixture in MADE_ONCE & set(item.fixturenames):
            item.add_marker(pytest.mark.xdist_group(fixture))


def pytest_collection_finish():
    gc.freeze()  # what is imported by now stays; Python need not look through all of torch again and again


def kind(parts, fixtures):
    if "lab" in parts or "small_book" in fixtures:
        return "slow"
    if "pages" in parts or "html" in fixtures or "browser" in fixtures:
        return "browser"
    return "fast"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class Below(Quiet):
    """Serves its folder below a path, as GitHub Pages serves a project's; there is nothing above."""

    path_before = "/some/prefix"

    def translate_path(self, path):
        inside = path.startswith(f"{self.path_before}/")
        return super().translate_path(path.removeprefix(self.path_before) if inside else "/outside-of-the-book")

    def end_headers(self):
        self.send_header("Cache-Control", "max-age=600")
        super().end_headers()


class Shared(Quiet):
    """Lets pages of other origins read its files, as GitHub Pages does."""

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


class Server(ThreadingHTTPServer):
    request_queue_size = 128  # a page asks for dozens of files at once; with the usual 5 a busy machine drops some


@contextmanager
def serve(folder, handler=Quiet):
    """Serves a folder on a free port of this machine; gives the address."""
    server = Server(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def html():
    """The folder of the built book."""
    assert (HTML / "book" / "index.html").is_file(), "the book is not built: run `make book` first"
    return HTML


@pytest.fixture(scope="session")
def site(html):
    """The address of the built book, below a path."""
    with serve(html, Below) as address:
        yield address + Below.path_before


@pytest.fixture(scope="session")
def small_book(tmp_path_factory):
    """The pages of `small_book.py`."""
    from small_book import build_small_book  # with Sphinx and torch, which those who only hand out tests do without

    return build_small_book(tmp_path_factory.mktemp("book"))


def browser_path():
    """The browser on the path, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


@contextmanager
def chromium():
    """A browser: the one on the path, else Playwright's own."""
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def browser():
    with chromium() as browser:
        yield browser


def new_context(browser, newcomer=False, **options):
    """A browser context that waits for as long as a busy machine may take; its reader took the first steps before."""
    context = browser.new_context(**{"viewport": VIEWPORT, **options})
    if not newcomer:
        context.add_init_script(f"try {{ localStorage.setItem('{FIRST_STEPS}', '1') }} catch {{}}")
    context.set_default_timeout(PATIENCE)
    return context


@pytest.fixture
def faults():
    """What went wrong in the test's pages, as sentences; a test that expects a fault clears it."""
    return []


@contextmanager
def watched(browser, site, faults, **options):
    """A new context; any console error, failed request or request to another host in its pages is added to `faults`."""

    def request(request):
        if not request.url.startswith((site, "data:", "blob:")):
            faults.append(f"request to another host: {request.url}")

    def response(response):
        if response.status >= 400:
            faults.append(f"status {response.status}: {response.url}")

    context = new_context(browser, **options)
    context.on("request", request)
    context.on("response", response)
    context.on("console", lambda message: message.type == "error" and faults.append(f"console: {message.text}"))
    context.on("weberror", lambda error: faults.append(f"exception: {error.error}"))
    yield context
    context.close()


@pytest.fixture
def context(browser, site, faults):
    """A new context; any fault fails the test."""
    with watched(browser, site, faults) as context:
        yield context
    assert not faults


@pytest.fixture
def page(context):
    return context.new_page()


@pytest.fixture
def newcomer(browser, site, faults):
    """The page of a reader who was never here."""
    with watched(browser, site, faults, newcomer=True) as context:
        yield context.new_page()
    assert not faults


@pytest.fixture
def open_file(browser, faults):
    """Opens a file in a browser without network that tolerates no error, no warning and no request; gives the page."""
    context = new_context(browser, offline=True)
    requests = []
    context.on("request", lambda request: requests.append(request.url))
    context.on("console", lambda message: message.type in ("error", "warning") and faults.append(message.text))
    context.on("weberror", lambda error: faults.append(str(error.error)))

    def opened(path):
        page = context.new_page()
        page.goto(path.as_uri())
        page.locator("head-map [role=status]").first.wait_for()
        assert requests.pop(0) == path.as_uri()
        assert not requests, "a file alone"
        return page

    yield opened
    assert not [url for url in requests if not url.startswith(("data:", "blob:"))]
    context.close()
    assert not faults


@pytest.fixture
def still(browser):
    """A page of a browser that runs no script."""
    context = new_context(browser, java_script_enabled=False)
    yield context.new_page()
    context.close()


@pytest.fixture
def opened(open_file, tmp_path):
    """Saves a map, and opens the file."""

    def opened(map):
        page = open_file(map.save(tmp_path / "map.html"))
        page.evaluate("async () => void (await customElements.whenDefined('head-map'))")  # its script is unpacked first
        return page

    return opened
