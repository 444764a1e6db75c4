"""The book out in the world: below any path, found, previewed, and calm where there is no such page."""

import re
import shutil
from pathlib import Path
from xml.etree import ElementTree

import pytest
import yaml
from built import scripts
from conftest import ROOT, Quiet, new_context, serve
from small_book import ADDRESS, EXAMPLES, tags_of

from manyheads.sphinxext import publishing
from manyheads.sphinxext.notebooks import NOTEBOOKS

WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def test_pages_have_previews_of_their_own(small_book):
    first, second = tags_of(small_book / "index.html"), tags_of(small_book / "deeper" / "second.html")
    assert (first["og:title"], second["og:title"]) == ("First", "Second")
    assert (first["og:description"], second["og:description"]) == (
        "The first page says this.",
        "Told &quot;in person&quot;.",
    )
    assert second["og:url"] == f"{ADDRESS}deeper/second.html"
    assert first["og:image"] != second["og:image"]
    for found in (first, second):
        picture = small_book / found["og:image"].removeprefix(ADDRESS)
        assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_site_map_names_each_page_and_no_other(small_book):
    urls = ElementTree.parse(small_book / "sitemap.xml").iter("{http://www.sitemaps.org/schemas/sitemap/0.9}loc")
    names = ["deeper/second", *(f"example-{place}" for place in range(len(EXAMPLES))), "index"]
    assert sorted(url.text for url in urls) == [f"{ADDRESS}{name}.html" for name in names]


def test_without_an_address_none_is_claimed(html):
    assert not (html / "sitemap.xml").exists()
    assert not tags_of(html / "book" / "index.html")


@pytest.mark.parametrize("said", ["example.org", "ftp://example.org", "https://example.org/?a=1"])
def test_an_address_that_is_none_is_refused(monkeypatch, said):
    monkeypatch.setenv(publishing.ADDRESS, said)
    with pytest.raises(ValueError, match="must be an address such as"):
        publishing.address()


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


@pytest.fixture
def elsewhere(browser, faults):
    """A page for another server; errors fail the test, but for a missing page itself."""
    context = new_context(browser, viewport={"width": 1000, "height": 800})
    context.on(
        "response", lambda it: it.status >= 400 and not it.request.is_navigation_request() and faults.append(it.url)
    )
    context.on("weberror", lambda error: faults.append(str(error.error)))
    yield context.new_page()
    context.close()
    assert not faults


@pytest.mark.parametrize("path", ["gone.html", "book/gone/deeper/page.html?a=b"])
def test_a_missing_page_is_answered_at_any_depth(elsewhere, below, path):
    assert elsewhere.goto(f"{below}/{path}").status == 404
    assert elsewhere.locator("script").count() == 0, "words and links are enough"
    width = elsewhere.get_by_role("main").bounding_box()["width"]
    assert width < 0.9 * elsewhere.viewport_size["width"], "it has its styles"
    elsewhere.get_by_role("link", name="Many Heads").click()
    elsewhere.wait_for_url(f"{below}/book/index.html")
    assert elsewhere.locator("article h1").count() == 1
    elsewhere.go_back()
    assert elsewhere.get_by_role("navigation", name="Chapters").get_by_role("link").all_inner_texts() == [
        *TITLES.values()
    ]
    elsewhere.get_by_role("searchbox", name="Search the book").fill("softmax")
    elsewhere.keyboard.press("Enter")
    elsewhere.locator("#search-results li").first.wait_for()
    assert elsewhere.url.startswith(f"{below}/search.html?q=softmax")
    elsewhere.wait_for_load_state("networkidle")  # the excerpts are fetched


# --------------------------------------------------------------------------------------------------------- workflows


def steps(workflow):
    return [step for job in workflow["jobs"].values() for step in job.get("steps", [])]


def test_the_workflows_test_every_push_and_publish_what_passed(html):
    assert [path.name for path in WORKFLOWS] == ["audit.yml", "publish.yml", "test.yml"]
    _, publish, test = (yaml.load(path.read_text(), yaml.BaseLoader) for path in WORKFLOWS)
    assert {"push", "pull_request", "workflow_call"} <= set(test["on"])
    assert test["jobs"]["test"]["steps"][-1]["run"] == (ROOT / ".ci" / "run").read_text().splitlines()[-1]
    assert publish["jobs"]["publish"]["needs"] == "test"
    assert publish["jobs"]["test"]["uses"] == "./.github/workflows/test.yml"
    said = [step for step in steps(publish) if "make book" in step.get("run", "")]
    assert said
    assert all(publishing.ADDRESS in step["env"] for step in said)
    (pushed,) = (step["with"] for step in steps(publish) if step.get("with", {}).get("branch"))
    assert all(step["env"][NOTEBOOKS] == pushed["branch"] for step in said)
    assert list((ROOT / pushed["folder"]).glob("book/*.ipynb"))
    assert publish["jobs"]["publish"]["permissions"]["contents"] == "write"


def test_a_weekly_workflow_audits_packages_and_pages_and_blocks_nothing():
    audit = yaml.load(WORKFLOWS[0].read_text(), yaml.BaseLoader)
    assert set(audit["on"]) == {"schedule", "workflow_dispatch"}
    assert re.fullmatch(r"\d+ \d+ \* \* \d", audit["on"]["schedule"][0]["cron"])
    (npm,) = (step for step in steps(audit) if step.get("run") == "npm audit")
    assert (ROOT / npm["working-directory"] / "package-lock.json").is_file()
    assert any(re.search(r"pip-audit==[\d.]+$", step.get("run", ""), re.MULTILINE) for step in steps(audit))
    assert any(step.get("run") == "make audit" for step in steps(audit))


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_the_workflows_run_what_is_there_and_need_no_secret(path):
    text = path.read_text()
    assert "secrets." not in text
    targets = re.findall(r"^([a-z]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    for step in steps(yaml.load(text, yaml.BaseLoader)):
        assert ("run" in step) != ("uses" in step)
        assert set(re.findall(r"\bmake (\w+)", step.get("run", ""))) <= set(targets)
        for pattern in re.findall(r"hashFiles\(([^)]*)\)", str(step)):
            for name in re.findall(r"'([^']+)'", pattern):
                assert list(ROOT.glob(name)), f"{name} is not there"
