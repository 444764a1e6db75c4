"""What stands around a chapter: a title, a description, a logo, a footer; the search, whose excerpts are plain."""

import re
from urllib.parse import urlsplit

import pytest
from built import written
from conftest import HTML

PAGES = sorted(path.relative_to(HTML).as_posix() for path in (HTML / "book").glob("*.html"))


@pytest.mark.parametrize("name", PAGES)
def test_a_page_says_what_it_is(name):
    page = written(name)
    [description] = page.find_all("meta", attrs={"name": "description"})
    assert 20 <= len(description["content"]) <= 180
    title = page.title.get_text()
    assert len(set(re.split(" [—-] |: ", title))) >= 2, title  # no name is said twice
    footer = " ".join(page.select_one(".book-footer").get_text().split())
    assert "nothing you type leaves your machine" in footer
    assert footer.count("code MIT, text CC BY 4.0") == 1
    assert page.select_one("a.navbar-brand img")["src"].endswith("favicon.svg")


def test_search_excerpts_are_words_of_the_page_and_no_formula_marks(page, site):
    page.goto(f"{site}/search.html?q=softmax")
    page.locator("#search-results li p.context").nth(3).wait_for()
    page.get_by_text(re.compile("Search finished")).wait_for()
    page.wait_for_load_state("networkidle")
    excerpts = page.locator("#search-results li p.context").all_inner_texts()
    assert len(excerpts) >= 4
    assert any("softmax" in text.lower() for text in excerpts)
    assert not [text for text in excerpts if re.search(r"\\\(|\\sqrt|\\frac|^\W*Contents", text)]


def test_search_excerpts_begin_and_end_with_whole_words(page, site):
    page.goto(f"{site}/search.html?q=softmax")
    page.get_by_text(re.compile("Search finished")).wait_for()
    page.wait_for_load_state("networkidle")
    found = page.locator("#search-results li:has(p.context)").all()
    assert len(found) >= 4
    for result in found:
        text = result.locator("p.context").inner_text()
        assert "..." not in (text[:3], text[-3:])
        link = result.get_by_role("link").first.evaluate("(link) => link.href")
        page_text = written(urlsplit(link.removeprefix(f"{site}/")).path).get_text(" ")
        words = re.findall(r"\w+", page_text)
        first = re.match(r"… ([A-Za-z]+)\s", text)
        last = re.search(r"\s([A-Za-z]+) …$", text)
        assert {cut[1] for cut in (first, last) if cut} <= {*words}


@pytest.mark.parametrize("path", ["book/index.html", "search.html"])
def test_the_magnifying_glass_stands_beside_the_words(page, site, path):
    page.goto(f"{site}/{path}", wait_until="networkidle")
    page.keyboard.press("Control+k")
    form = page.locator("form.bd-search:visible").first
    form.wait_for()
    glass_ends, words_begin = form.evaluate("""(form) => {
        const [glass, input] = [form.querySelector("i"), form.querySelector("input")];
        const inset = Number.parseFloat(getComputedStyle(input).paddingLeft);
        return [glass.getBoundingClientRect().right, input.getBoundingClientRect().left + inset] }""")
    assert glass_ends <= words_begin


@pytest.mark.parametrize("motion", ["no-preference", "reduce"])
def test_no_sidebar_slides_for_who_asks_for_less_motion(page, site, motion):
    moving = "document.getAnimations().filter(({ effect }) => effect.target.matches('[class*=sidebar]')).length > 0"
    page.emulate_media(reduced_motion=motion)
    page.set_viewport_size({"width": 768, "height": 900})
    page.goto(f"{site}/book/index.html")
    page.set_viewport_size({"width": 1400, "height": 900})  # there is room for a sidebar
    assert page.evaluate(moving) == (motion == "no-preference")
    page.wait_for_function(f"() => !({moving})")
    page.get_by_role("button", name="Toggle primary sidebar").evaluate("(button) => button.click()")
    assert page.evaluate(moving) == (motion == "no-preference")
