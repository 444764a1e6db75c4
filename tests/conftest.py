"""The built site for the tests, and pytest-playwright's browser, in which any error or request to another host fails the test.

What a page's console says is printed: pytest shows it where a test fails, with the folder of its trace and screenshots.
"""

import gc
import os
import shutil
from pathlib import Path

import hypothesis
import pytest
from playwright.sync_api import expect
from served import CHROMIUM, HTML, PATIENCE, ROOT, VIEWPORT, Below, browser_path, patient, serve

TESTS = ROOT / "tests"
NO_BROWSER = "there is no browser: run `make browser`, or put Chromium on the path"
# Fixtures that take long: with `--dist=loadgroup` the tests of each go to one worker.
MADE_ONCE = {"built", "chapters", "colab", "environment", "plain", "printed", "small_book"}

# The same examples in every run, however busy the machine is.
hypothesis.settings.register_profile("suite", deadline=None, derandomize=True)
hypothesis.settings.load_profile("suite")
# Where torch is to compute with fewer instructions (tests/processors.py), oneDNN has no more: torch packs bfloat16 for what oneDNN has.
ONEDNN = {"default": "SSE41", "avx2": "AVX2", "avx512": "AVX512_CORE"}
if (capability := os.environ.get("ATEN_CPU_CAPABILITY")) in ONEDNN:
    os.environ.setdefault("ONEDNN_MAX_CPU_ISA", ONEDNN[capability])
expect.set_options(timeout=PATIENCE)


@pytest.hookimpl(tryfirst=True)  # before xdist looks for groups
def pytest_collection_modifyitems(items):
    for item in items:
        for fixture in MADE_ONCE & set(item.fixturenames):
            item.add_marker(pytest.mark.xdist_group(fixture))


def pytest_collection_finish():
    gc.freeze()  # what is imported by now stays; Python need not look through all of torch again and again


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


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The folder of a copy of the package, from which a book's cells are executed."""
    from manyheads.sphinxext import execution_cache

    ignored = shutil.ignore_patterns("node_modules", "__pycache__")
    package = shutil.copytree(ROOT / "src" / "manyheads", tmp_path / "src" / "manyheads", ignore=ignored)
    monkeypatch.setattr(execution_cache, "PACKAGE", package)
    return package


@pytest.fixture(scope="session")
def browser_type_launch_args(browser_type_launch_args, playwright):
    path = browser_path()
    assert path or Path(playwright.chromium.executable_path).is_file(), NO_BROWSER
    return {**browser_type_launch_args, "executable_path": path, "args": CHROMIUM}


@pytest.fixture(scope="session")
def browser_context_args(browser_context_args):
    return {**browser_context_args, "viewport": VIEWPORT}


@pytest.fixture
def faults():
    """What went wrong in the test's pages, as sentences."""
    found = []
    yield found
    assert found == []


@pytest.fixture
def faulty(faults):
    """For tests that break something: what then goes wrong in their pages is no fault. They ask for it first."""
    yield
    faults.clear()


@pytest.fixture
def hosts(site):
    """How addresses begin that the test's pages may ask for; a test adds its own."""
    return [site, "data:", "blob:"]


@pytest.fixture
def new_context(new_context, hosts, faults):
    """Makes browser contexts; any console error, failed request or request to another host is one of the `faults`."""

    def request(request):
        if not request.url.startswith(tuple(hosts)):
            faults.append(f"request to another host: {request.url}")

    def response(response):
        if response.status >= 400:
            faults.append(f"status {response.status}: {response.url}")

    def console(message):
        print(f"{message.type}: {message.text}")
        if message.type == "error":
            faults.append(f"console: {message.text}")

    def made(**options):
        context = patient(new_context(**options))
        context.on("request", request)
        context.on("response", response)
        context.on("console", console)
        context.on("weberror", lambda error: faults.append(f"exception: {error.error}"))
        return context

    return made


@pytest.fixture
def still(new_context):
    """A page of a browser that runs no script."""
    return new_context(java_script_enabled=False).new_page()


@pytest.fixture
def open_file(new_context, hosts):
    """Opens a saved map in a browser without network."""

    def opened(path):
        hosts[:] = [path.as_uri(), "data:", "blob:"]  # a file alone
        page = new_context(offline=True).new_page()
        page.goto(path.as_uri())
        expect(page.locator("head-map [role=status]").first).to_be_visible()
        page.evaluate("async () => void (await customElements.whenDefined('head-map'))")  # its script is unpacked first
        return page

    return opened


@pytest.fixture
def opened(open_file, tmp_path):
    """Saves a map, and opens the file."""
    return lambda shown: open_file(shown.save(tmp_path / "map.html"))
