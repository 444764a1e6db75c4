"""The book out in the world: below any path, found, previewed, and calm where there is no such page."""

import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
from built import scripts
from playwright.sync_api import expect
from served import Quiet, serve
from small_book import ADDRESS, EXAMPLES, tags_of

from manyheads.sphinxext import publishing


def test_pages_have_previews_of_their_own(small_book):
    first, second = tags_of(small_book / "index.html"), tags_of(small_book / "deeper" / "second.html")
    assert (first["og:title"], second["og:title"]) == ("First", "Second")
    assert first["og:description"] == "The first page says this."
    assert second["og:description"] == "Told &quot;in person&quot;."
    assert second["og:url"] == f"{ADDRESS}deeper/second.html"
    assert first["og:image"] != second["og:image"]
    for found in (first, second):
        picture = small_book / found["og:image"].removeprefix(ADDRESS)
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_site_map_names_each_page_and_no_other(small_book):
    urls = ElementTree.parse(small_book / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    names = ["deeper/second", *(f"example-{place}" for place in range(len(EXAMPLES))), "index"]
    assert sorted(url.text for url in urls) == [f"{ADDRESS}{name}.html" for name in sorted(names)]


def test_without_an_address_none_is_claimed(html):
    assert not (html / "sitemap.xml").exists()
    assert not tags_of(html / "book" / "index.html")


TITLES = {"book/index": "Many Heads", "book/code": "Write it <five> ways"}


class WithLost(Quiet):
    """Shows 404.html for what is missing, as GitHub Pages does."""

    def send_error(self, code, message=None, explain=None):
        body = (Path(self.directory) / "some" / "prefix" / "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


@pytest.fixture
def below(html, tmp_path, monkeypatch):
    """The built book below a path, told its address; gives what it is served at."""
    shutil.copytree(html, tmp_path / "some" / "prefix")
    monkeypatch.setenv(publishing.ADDRESS, ADDRESS)
    publishing.write_pages(tmp_path / "some" / "prefix", TITLES, scripts().removeprefix("_static/"))
    with serve(tmp_path, WithLost) as address:
        yield f"{address}/some/prefix"


@pytest.mark.usefixtures("faulty")
def test_a_missing_page_is_answered_at_any_depth(page, hosts, below):
    hosts.append(below)
    for path in ("gone.html", "book/gone/deeper/page.html?a=b"):
        page.goto(f"{below}/{path}")
        expect(page.locator("script")).to_have_count(0)  # words and links are enough
        chapters = page.get_by_role("navigation", name="Chapters").get_by_role("link")
        expect(chapters).to_have_text([*TITLES.values()])
        page.get_by_role("link", name="Many Heads").click()
        page.wait_for_url(f"{below}/book/index.html")
        page.go_back()
        page.get_by_role("searchbox", name="Search the book").fill("softmax")
        page.keyboard.press("Enter")
        page.wait_for_url(f"{below}/search.html?q=softmax*")
        expect(page.locator("#search-results li").first).to_be_visible()
