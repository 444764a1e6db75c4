"""The built site, served over HTTP, and a real browser that tolerates no error and no stranger."""

import functools
import shutil
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from small_book import build_small_book

ROOT = Path(__file__).parent.parent
HTML = ROOT / "_build" / "html"
CHROMIUM = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]

VIEWPORT = {"width": 1400, "height": 900}


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *args):
        pass


class Below(Quiet):
    """Serves its folder below a path, as GitHub Pages serves a project's; there is nothing above."""

    path_before = "/some/prefix"

    def translate_path(self, path):
        inside = path.startswith(f"{self.path_before}/")
        return super().translate_path(path.removeprefix(self.path_before) if inside else "/outside-of-the-book")


class Shared(Quiet):
    """Lets pages of other origins read its files, as GitHub Pages does."""

    def end_headers(self):
        self.send_header("Access-Control-Allow-Origin", "*")
        super().end_headers()


@contextmanager
def serve(folder, handler=Quiet):
    """Serves a folder on a free port of this machine; gives the address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(handler, directory=str(folder)))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.fixture(scope="session")
def site():
    """The address of the built book, below a path."""
    assert (HTML / "book" / "index.html").is_file(), "the book is not built: run `make book` first"
    with serve(HTML, Below) as address:
        yield address + Below.path_before


@pytest.fixture(scope="session")
def small_book(tmp_path_factory):
    """The pages of `small_book.py`."""
    return build_small_book(tmp_path_factory.mktemp("book"))


@pytest.fixture(scope="session")
def browser():
    from playwright.sync_api import sync_playwright

    path = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=CHROMIUM)
        yield browser
        browser.close()


@pytest.fixture
def faults():
    """What went wrong in the test's pages, as sentences; a test that expects a fault clears it."""
    return []


@pytest.fixture
def context(browser, site, faults):
    """A fresh browser profile; any console error, failed request or request to another host fails the test."""
    context = browser.new_context(viewport=VIEWPORT)

    def request(request):
        if not request.url.startswith((site, "data:", "blob:")):
            faults.append(f"request to another host: {request.url}")

    def response(response):
        if response.status >= 400:
            faults.append(f"status {response.status}: {response.url}")

    context.on("request", request)
    context.on("response", response)
    context.on("console", lambda message: message.type == "error" and faults.append(f"console: {message.text}"))
    context.on("weberror", lambda error: faults.append(f"exception: {error.error}"))
    yield context
    context.close()
    assert not faults


@pytest.fixture
def page(context):
    return context.new_page()


@pytest.fixture
def still(browser):
    """A page of a browser that runs no script."""
    context = browser.new_context(java_script_enabled=False, viewport=VIEWPORT)
    yield context.new_page()
    context.close()
