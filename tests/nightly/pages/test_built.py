"""What stands in every page of the built book before a script runs: a policy, a description, no script that isn't needed."""

import re
import unicodedata

from built import CHAPTERS, written
from fontTools.ttLib import TTFont
from served import HTML

from manyheads.sphinxext import stylesheets
from manyheads.sphinxext.equations import FONT_OF_STYLE
from manyheads.sphinxext.policy import SOURCES

REDIRECT = HTML / "index.html"  # holds nothing but the address of the first chapter
PAGES = [path for path in HTML.rglob("*.html") if "_static" not in path.parts and path != REDIRECT]
STATIC = HTML / "_static"


def chapters():
    """Each chapter's address and its text as it was written."""
    return {chapter: (HTML / f"{chapter}.html").read_text(encoding="utf-8") for chapter in CHAPTERS}


def test_every_page_has_a_policy_before_its_first_script(html):
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        (policy,) = re.findall(r'<meta http-equiv="Content-Security-Policy" content="([^"]*)">', text)
        sources = dict(part.split(" ", 1) for part in policy.split("; "))
        assert set(sources) == set(SOURCES), path
        assert re.fullmatch(r"'self' 'wasm-unsafe-eval'( 'sha256-[\w+/]{43}=')*", sources["script-src"]), path
        assert text.index(policy) < f"{text}<script".index("<script"), path  # the page of what is lost has none


def test_every_chapter_says_what_it_is(html):
    for chapter in CHAPTERS:
        page = written(f"{chapter}.html")
        [description] = page.find_all("meta", attrs={"name": "description"})
        assert 20 <= len(description["content"]) <= 180, chapter
        assert "nothing you type leaves your machine" in " ".join(page.select_one(".book-footer").get_text().split())


def test_no_chapter_brings_what_it_does_not_need_at_once(html):
    for chapter, text in chapters().items():
        for unused in ("fontawesome.js", "searchindex.js", "vnd.jupyter.widget-state"):
            assert unused not in text, chapter
        scripts = re.findall(r'<script[^>]* src="[^"]*"[^>]*>', text)
        assert scripts, chapter
        assert all("defer" in tag or 'type="module"' in tag for tag in scripts), chapter


def test_a_chapter_brings_a_script_only_for_what_it_has(html):
    for chapter in CHAPTERS:
        page = written(f"{chapter}.html")
        sources = " ".join(script["src"] for script in page.select("script[src]"))
        assert ("copybutton.js" in sources) == bool(page.select(".highlight pre")), chapter
        assert ("togglebutton.js" in sources) == bool(page.select(".toggle, .admonition.dropdown")), chapter
        assert ("design-tabs.js" in sources) == bool(page.select(".sd-tab-set")), chapter


def test_the_fonts_of_icons_have_every_icon(html):
    styles = (HTML / stylesheets.FOLDER / stylesheets.NAME).read_text(encoding="utf-8")
    icons = dict(re.findall(r'\.(fa-[\w-]+)::?before\{content:"(.)"', styles))
    fonts = [TTFont(path).getBestCmap() for path in (HTML / stylesheets.FOLDER).glob("fa-*.woff2")]
    drawn = {name for chapter in CHAPTERS for name in re.findall(r"\bfa-[\w-]+", str(written(f"{chapter}.html")))}
    assert len(drawn & set(icons)) > 8
    assert {name for name in drawn & set(icons) if not any(ord(icons[name]) in font for font in fonts)} == set()


def test_the_font_of_equations_has_every_character(html):
    font = set(TTFont(STATIC / "equations" / FONT_OF_STYLE).getBestCmap())
    equations = [math.get_text() for chapter in CHAPTERS for math in written(f"{chapter}.html").find_all("math")]
    # But those that only programs read, as that between a function and its bracket.
    used = {letter for text in equations for letter in text if unicodedata.category(letter) != "Cf"}
    assert len(used) > 40
    assert {letter for letter in used if ord(letter) not in font} == set()
