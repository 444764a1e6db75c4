"""What a page weighs: nothing comes before it is wanted, and of the theme only what is used."""

import re

import pytest
from conftest import HTML
from fontTools.ttLib import TTFont
from live_maps import open_map, ready, typeset

from manyheads.sphinxext.light_theme import BASE, CSS, FONT

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
def test_a_page_brings_no_icons_indexes_states_and_scripts_that_it_does_not_use(path):
    text = (HTML / path).read_text(encoding="utf-8")
    for unused in ("fontawesome.js", "searchindex.js", "vnd.jupyter.widget-state", "togglebutton", "design-tabs"):
        assert unused not in text
    waiting = re.findall(r'<script[^>]* src="(?!\.\./_static/documentation_options)[^"]*"[^>]*>', text)
    assert waiting
    assert all("defer" in tag or 'type="module"' in tag for tag in waiting), waiting


def test_the_icons_that_are_used_are_in_the_font():
    css = (BASE / CSS).read_text(encoding="utf-8")
    rules = re.findall(r"([^{}]*:before)\{content:\"\\([0-9a-f]+)\"\}", css)
    known = {name: int(code, 16) for names, code in rules for name in re.findall(r"fa-[\w-]+", names)}
    static = HTML / "_static"
    assert len(set(re.findall(r"\.(fa-[\w-]+):before", (static / CSS).read_text(encoding="utf-8")))) < 100 < len(known)
    there = TTFont(static / FONT).getBestCmap()
    assert (static / FONT).stat().st_size < 10_000
    for path in PAGES:
        for name in re.findall(r"fa-solid (?:fa-lg )?(fa-[\w-]+)", (HTML / path).read_text(encoding="utf-8")):
            assert known[name] in there, name


STYLES = """() => [...document.querySelectorAll("body *")].flatMap((element) => [null, "::before", "::after"].map((part) =>
    `${element.tagName}.${element.className}${part}: ${getComputedStyle(element, part).cssText}`))"""


@pytest.mark.parametrize(("width", "scheme"), [(1400, "light"), (360, "dark")])
@pytest.mark.parametrize("path", ["book/index.html", "book/glossary.html", "search.html"])
def test_the_rules_that_are_left_out_of_the_theme_style_nothing(page, site, path, width, scheme):
    page.set_viewport_size({"width": width, "height": 900})
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    page.goto(f"{site}/{path}", wait_until="networkidle")
    page.keyboard.press("Control+k")  # the search is open
    light = page.evaluate(STYLES)
    page.route(f"**/{CSS.name}*", lambda route: route.fulfill(path=BASE / CSS))
    with page.expect_response(f"**/{CSS.name}*") as whole:
        page.reload(wait_until="networkidle")
    page.keyboard.press("Control+k")
    assert len(whole.value.body()) > 2 * (HTML / "_static" / CSS).stat().st_size
    assert page.evaluate(STYLES) == light


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
