"""Equations: drawn by the browser, without a script, in a font that has all their characters."""

import unicodedata

import pytest
from built import written
from conftest import new_context
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

from manyheads.sphinxext.equations import FONT_OF_STYLE, mathml

HEIGHT = "(node) => node.getBoundingClientRect().height"


def test_equations_need_no_script(browser, site):
    context = new_context(browser, java_script_enabled=False)
    page = context.new_page()
    with page.expect_response(f"**/{FONT_OF_STYLE}") as font:
        page.goto(f"{site}/book/formula.html")
    assert font.value.ok
    page.locator("details:has(mtable)").first.evaluate("(fold) => { fold.open = true }")
    matrix = page.locator("math mrow:has(> mtable > mtr:nth-of-type(4))").first
    bracket, digit = matrix.locator("> mo").first, matrix.locator("mn").first
    assert bracket.evaluate(HEIGHT) > 4 * digit.evaluate(HEIGHT)
    assert page.get_by_text("\\frac").count() == 0
    context.close()


def seen(math):
    """The characters of an equation, without those that only programs read, as that between a function and its bracket."""
    return [letter for letter in math.get_text() if unicodedata.category(letter) != "Cf"]


def test_the_font_has_every_character(html):
    font = set(TTFont(html / "_static" / "equations" / FONT_OF_STYLE).getBestCmap())
    pages = {path.stem: written(f"book/{path.name}") for path in html.glob("book/*.html")}
    used = {
        name: {ord(letter) for math in page.find_all("math") for letter in seen(math)} for name, page in pages.items()
    }
    assert {name: characters - font for name, characters in used.items() if characters - font} == {}
    assert len(used["formula"]) > 40
    letters = {unicodedata.lookup(f"MATHEMATICAL ITALIC SMALL {letter}") for letter in "AZ"}
    assert {ord(letter) for letter in letters} <= font, "browsers write single letters in italics"


@pytest.mark.parametrize("tex", [r"\frac{1}", r"\nonsense", "{"])
def test_what_is_no_equation_stops_the_build(tex):
    with pytest.raises(ExtensionError, match="This is no equation"):
        mathml(tex)


def test_a_page_without_equations_fetches_nothing_for_them(page, site):
    page.goto(f"{site}/book/index.html")
    assert page.locator("link[href*=equations]").count() == page.locator("math").count() == 0
