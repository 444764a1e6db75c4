"""The built site, served over HTTP, and a browser for scripts that measure or print; tests have that of pytest-playwright."""

import functools
import shutil
import threading
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

ROOT = Path(__file__).parents[1]
HTML = ROOT / "_build" / "html"
# The first is the second without windows, tabs and a toolbar that nobody sees: the same pages in four fifths of the time.
BROWSERS = ("chromium-headless-shell", "chromium", "google-chrome")
CHROMIUM = [
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
]
VIEWPORT = {"width": 1400, "height": 900}
PATIENCE = 90_000  # milliseconds; on a busy machine the encoder alone may take thirty seconds


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


def browser_path():
    """The browser on the path, or None."""
    return next(filter(None, map(shutil.which, BROWSERS)), None)


def patient(context):
    """A browser context that waits for as long as a busy machine may take."""
    context.set_default_timeout(PATIENCE)
    return context


@contextmanager
def chromium():
    """A browser: the one on the path, else Playwright's own."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=CHROMIUM)
        yield browser
        browser.close()
