"""A chapter as a browser prints it: a sheet that a teacher can hand out."""

import pytest
from conftest import HTML
from live_maps import open_map, ready, settled
from sheets import sheets_of

CHAPTERS = sorted(path.stem for path in (HTML / "book").glob("*.html"))
PAPER = {"width": 680, "height": 1000}  # A4 within its margins, in CSS pixels
TOO_WIDE = """() => {
  const edge = document.querySelector(".bd-article").getBoundingClientRect().right + 1;
  const seen = (element) => element.checkVisibility() && !element.closest("svg, iframe");
  return [...document.querySelectorAll(".bd-article *")]
    .filter((element) => seen(element) && element.getBoundingClientRect().right > edge)
    .map((element) => `${element.tagName} ${element.className} ${element.textContent.slice(0, 60)}`);
}"""


@pytest.fixture
def paper(page):
    """A page as wide as a sheet, of a reader who likes dark ones."""
    page.set_viewport_size(PAPER)
    page.emulate_media(color_scheme="dark")
    return page


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_nothing_is_wider_than_the_sheet_and_no_code_is_folded_on_it(paper, site, chapter):
    paper.goto(f"{site}/book/{chapter}.html")
    settled(paper)
    paper.emulate_media(media="print")
    assert paper.evaluate(TOO_WIDE) == []
    for folded in paper.locator("details.hide:not([open])").all():
        assert not folded.is_visible()


def test_weights_keep_their_colour_and_a_dark_page_becomes_light(paper, site):
    paper.goto(f"{site}/book/coffee-or-tea.html")
    settled(paper)
    paper.emulate_media(media="print")
    cell = paper.locator("head-map td", has_text="tea").first
    assert cell.evaluate("cell => getComputedStyle(cell).printColorAdjust") == "exact"
    assert paper.locator("html").get_attribute("data-theme") == "dark"
    paper.evaluate(
        "window.themes = []; addEventListener('beforeprint', () => themes.push(document.documentElement.dataset.theme))"
    )
    paper.pdf()
    assert paper.evaluate("themes") == ["light"]
    assert paper.locator("html").get_attribute("data-theme") == "dark"


def test_frames_that_nobody_has_come_to_are_there_for_who_prints(paper, site):
    paper.goto(f"{site}/book/your-own-models.html")
    paper.mouse.move(300, 300)
    for frame in paper.locator("iframe.bertviz").all():
        frame.content_frame.locator("svg line").first.wait_for(state="attached")
    assert paper.evaluate("scrollY") == 0


@pytest.mark.parametrize("chapter", ["coffee-or-tea", "museum", "questions", "exercises", "from-the-notes", "claims"])
def test_the_title_stands_at_the_left_and_no_sheet_but_the_last_is_a_third_blank(paper, site, chapter):
    paper.goto(f"{site}/book/{chapter}.html")
    settled(paper)
    *sheets, _ = sheets_of(paper.pdf(format="A4"))
    assert [sheet.blank for sheet in sheets if sheet.blank > 1 / 3] == []
    paper.emulate_media(media="print")
    title, first = paper.get_by_role("heading", level=1), paper.locator(".bd-article h1 ~ *").first
    assert title.evaluate("(title) => getComputedStyle(title).textAlign") == "start"
    assert title.bounding_box()["x"] == first.bounding_box()["x"]


@pytest.mark.parametrize("chapter", ["index", "museum"])
def test_a_map_on_paper_names_its_heads_and_who_asks(paper, site, chapter):
    map = open_map(paper, site, f"book/{chapter}")
    if chapter == "museum":
        map = paper.locator("museum-piece").filter(has=paper.locator(".hm-matrix")).locator("head-map")
        ready(map)
    paper.emulate_media(media="print")
    names = map.get_by_role("button", pressed=True)
    assert sorted(names.all_inner_texts()) == ["object", "relation", "sentence type", "sentiment"]
    assert map.get_by_role("combobox", name="Asked by").is_visible()
    for row in map.locator(".hm-paint tr").all():
        name, first, *_, last = [each.bounding_box() for each in row.locator("th > *, td").all()]
        assert name["x"] + name["width"] <= first["x"]
        assert abs(first["y"] - last["y"]) < 5, "on one line"


@pytest.mark.parametrize(
    ("chapter", "title", "begins"),
    [
        ("formula", "Follow a sentence", "Every word is a list of 160 numbers"),
        ("real-heads", "A card for each head", "Layer 1, head 3"),
    ],
)
def test_a_long_figure_begins_on_the_sheet_of_its_title(paper, site, chapter, title, begins):
    paper.goto(f"{site}/book/{chapter}.html")
    settled(paper)
    paper.locator("attention-flow, head-cards").first.evaluate("(el) => el.ready")
    sheets = [sheet.text for sheet in sheets_of(paper.pdf(format="A4"))]
    assert [text for text in sheets if title in text and begins in text]


def test_on_paper_nothing_lies_on_the_numbers_of_the_formula(paper, site):
    paper.goto(f"{site}/book/formula.html")
    settled(paper)
    paper.emulate_media(media="print")
    figure = paper.locator("formula-steps[model]").first
    told = figure.get_by_role("region", name="Arithmetic").bounding_box()
    numbers = [table.bounding_box() for table in figure.locator(".fs-stage").get_by_role("table").all()]
    assert all(box["y"] + box["height"] <= told["y"] for box in numbers)


def test_the_translation_is_on_paper(paper, site):
    paper.goto(f"{site}/book/translation.html")
    settled(paper)
    paper.emulate_media(media="print")
    assert paper.locator("head-map .hm-translation").first.get_by_text("mangent").is_visible()
