"""What a page weighs: nothing comes before it is wanted, and the theme brings only the icons in use."""

import re

import pytest
from conftest import HTML
from fontTools.ttLib import TTFont
from live_maps import open_map, ready, typeset

STATIC = HTML / "_static"
PAGES = sorted(path.relative_to(HTML).as_posix() for path in (HTML / "book").glob("*.html"))


def fetched_models(page):
    """The models that a page has asked for; grows as it asks for more."""
    fetched = []
    page.on("request", lambda request: "/models/" in request.url and fetched.append(request.url))
    return fetched


@pytest.mark.parametrize("figure", ["head-map", "formula-steps"])
def test_no_model_comes_before_the_reader_points_at_a_figure(context, site, figure):
    page = context.new_page()
    fetched = fetched_models(page)
    chapter = {"head-map": "index", "formula-steps": "formula"}[figure]
    page.goto(f"{site}/book/{chapter}.html", wait_until="networkidle")
    shown = page.locator(f"{figure}[model]").first
    assert "The model loads when you point at it" in shown.get_by_role("status").inner_text()
    assert not fetched
    shown.hover()
    shown.get_by_role("status").get_by_text("Ready").wait_for()
    assert fetched


def test_a_map_that_a_link_describes_needs_no_touch(page, site):
    page.goto(f"{site}/book/index.html#map=1&sentence=Hello.")
    page.locator("head-map td", has_text="hello").first.wait_for()


def test_a_map_that_was_removed_hears_no_link(page, site):
    open_map(page, site)
    page.evaluate("() => { const map = document.querySelector('head-map'); globalThis.kept = map; map.remove() }")
    page.evaluate("() => { globalThis.told = 0; kept.addEventListener('attention', () => told++) }")
    before = page.evaluate("kept.sentence")
    page.evaluate("""() => new Promise((heard) => {
        addEventListener("hashchange", () => requestAnimationFrame(heard)); location.hash = "map=1&sentence=Hello." })""")
    assert page.evaluate("[kept.sentence, told]") == [before, 0]
    page.evaluate("document.querySelector('article').append(kept)")
    ready(page.locator("head-map").first)
    page.evaluate("location.hash = 'map=1&sentence=Goodbye.'")
    page.locator("head-map td", has_text="goodbye").first.wait_for()


@pytest.mark.parametrize("path", PAGES)
def test_a_page_brings_no_script_that_draws_icons_no_index_and_no_state_of_widgets(path):
    text = (HTML / path).read_text(encoding="utf-8")
    for unused in ("fontawesome.js", "searchindex.js", "vnd.jupyter.widget-state"):
        assert unused not in text
    waiting = re.findall(r'<script[^>]* src="(?!\.\./_static/documentation_options)[^"]*"[^>]*>', text)
    assert waiting
    assert all("defer" in tag or 'type="module"' in tag for tag in waiting), waiting
    assert not list(STATIC.glob("scripts/fontawesome*"))


def test_the_icons_that_are_used_are_in_the_font():
    css = (STATIC / "styles" / "pydata-sphinx-theme.css").read_text(encoding="utf-8")
    rules = re.findall(r"([^{}]*:before)\{content:\"\\([0-9a-f]+)\"\}", css)
    codes = {name: int(code, 16) for names, code in rules for name in re.findall(r"fa-[\w-]+", names)}
    font = STATIC / "vendor" / "fontawesome" / "webfonts" / "fa-solid-900.woff2"
    drawn = TTFont(font).getBestCmap()
    assert len(drawn) < 100 < len(codes)
    assert font.stat().st_size < 10_000
    for path in PAGES:
        for name in re.findall(r"fa-solid (?:fa-lg )?(fa-[\w-]+)", (HTML / path).read_text(encoding="utf-8")):
            assert codes[name] in drawn, name


@pytest.mark.parametrize("mode", ["auto", "light", "dark"])
@pytest.mark.parametrize("schemes", [("light", "dark"), ("dark", "light")])
def test_a_page_has_its_theme_before_its_first_stroke(context, site, mode, schemes):
    page = context.new_page()
    page.add_init_script("""globalThis.themes = [];
        const see = () => document.documentElement && themes.push(document.documentElement.dataset.theme);
        new MutationObserver(see).observe(document, { attributes: true, attributeFilter: ["data-theme"], subtree: true })""")
    for scheme in schemes:  # today's, and that of the next visit
        page.emulate_media(color_scheme=scheme)
        page.goto(f"{site}/book/glossary.html")
        page.evaluate("(mode) => localStorage.setItem('mode', mode)", mode)
        page.reload()
        assert set(page.evaluate("themes")) == {scheme if mode == "auto" else mode}
    page.evaluate("localStorage.clear()")
    page.reload()
    assert set(page.evaluate("themes")) == {scheme}
    assert page.evaluate("localStorage.getItem('mode')") == "auto"


def test_formulas_are_no_stops_of_the_tab_key(page, site):
    page.goto(f"{site}/book/formula.html")
    typeset(page)
    assert page.locator("math").count() > 20
    assert page.locator(".math :is([tabindex], a, button):not(.headerlink)").count() == 0
