"""What stays of the theme's rules: all that a page has or a script may make, and what no selector decides."""

import re

import pytest
from sphinx.errors import ExtensionError

from manyheads.sphinxext.stylesheets import FOLDER, NAME, cut, with_link, with_styles

PAGE = '<html><body class="wide"><main id="top"><p class="lead">Text</p></main></body></html>'
SCRIPT = 'tip.classList.add("shown", "bs-" + kind); menu.className = `tab-${place}`;'
STAYS = [
    "p{order:1}",
    "body.wide>main#top .lead:before{order:2}",
    ".shown{order:3}",
    ".bs-tooltip .lead{order:4}",
    ".tab-3{order:5}",
    ".lead:not(.nowhere){order:6}",
    ".lead:is(.shown):hover{order:7}",
    ':root{--ink: "{}"}',
    "html[data-theme=dark] p{order:8}",
    "*,:before{order:9}",
    "@keyframes turn{0%{left:0}to{left:1px}}",
    "@media(min-width:40rem)and (scripting){p{order:10}}",
    "@supports not (top: 1px){@media print{p{order:11}}}",
    "@font-face{font-family:X}",
    ".lead{background:url(data:image/svg+xml;utf8,<svg/>)}",
    ":focus-visible{order:12}",
    ":is(a,p,[tabindex]):focus-visible{order:13}",
]
GOES = [
    ".nowhere{color:red}",
    "main .nowhere p{color:red}",
    "#nowhere{color:red}",
    "table{color:red}",
    ".lead:is(.nowhere,table){color:red}",
    "@media print{.nowhere{color:red}}",
    "/* only a comment */",
]


def styles(folder, text):
    """What is made of a stylesheet for the page and its script."""
    file = folder / "theirs" / "sheet.css"
    file.parent.mkdir()
    file.write_text(text)
    return cut([file], [f'{PAGE} data-theme="dark" tabindex <a>', SCRIPT], [SCRIPT], folder / "ours").strip()


def test_what_may_be_needed_stays_and_what_matches_nothing_goes(tmp_path):
    assert styles(tmp_path, "\n".join([*STAYS, *GOES, ".nowhere, .lead{order:14}"])) == "".join(
        [*STAYS, ".lead{order:14}"]
    )


def test_an_address_leads_where_it_led(tmp_path):
    css = styles(tmp_path, "p{background: url(a.png) no-repeat; mask: url( '../b.png' )}")
    assert css == "p{background:url(../theirs/a.png) no-repeat;mask:url(../b.png)}"


def test_a_stylesheet_that_imports_what_is_missing_stops_the_build(tmp_path):
    with pytest.raises(ExtensionError, match=r"basic\.css"):
        styles(tmp_path, '@import "basic.css"; p { color: red }')


@pytest.fixture
def site(tmp_path):
    """The pages of a built site of two, with a theme; gives its folder."""
    for place, text in {
        "_static/theme/theme.css": "p{background: url(p.png)} .later{top: 0} .nowhere{top: 0}",
        "_static/manyheads/1/theme.css": "main{top: 0}",
        "_static/manyheads/1/head-map.css": ".nowhere{top: 0}",
    }.items():
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text(text)
    return tmp_path


def page(root="", more=""):
    names = ("theme/theme.css", "manyheads/1/head-map.css", "manyheads/1/theme.css")
    links = "".join(f'<link rel="stylesheet" href="{root}_static/{name}?v=1">' for name in names)
    return f"<head>{links}</head>{PAGE}{more}"


def test_pages_wait_for_one_stylesheet_and_those_of_their_figures(site):
    places = {"first.html": "", "deep/second.html": "../"}
    pages = with_styles(site, "manyheads/1", {site / place: page(root) for place, root in places.items()})
    assert (site / FOLDER / NAME).read_text().strip() == "p{background:url(../theme/p.png)}main{top:0}"
    for place, root in places.items():
        html = pages[site / place]
        assert html.count("stylesheet") == 2, place
        assert html.index(f'href="{root}{FOLDER}/{NAME}?v=') < html.index("manyheads/1/head-map.css")


def test_a_page_that_is_written_again_brings_its_rules_and_all_pages_the_new_file(site):
    first, second = site / "first.html", site / "second.html"
    before = with_styles(site, "manyheads/1", {first: page(), second: page()})
    after = with_styles(site, "manyheads/1", before | {second: page(more='<p class="later">')})
    assert ".later{top:0}" in (site / FOLDER / NAME).read_text()
    assert after[first] != before[first]
    assert re.sub(r"\?v=\w+", "", after[first]) == re.sub(r"\?v=\w+", "", before[first])


def test_a_page_without_the_theme_keeps_its_own(site):
    alone = '<link rel="stylesheet" href="_static/manyheads/1/head-map.css">'
    assert with_link(alone, "all.css") == alone
    assert with_styles(site, "manyheads/1", {site / "first.html": alone}) == {site / "first.html": alone}
