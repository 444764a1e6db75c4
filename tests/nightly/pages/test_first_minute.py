"""A reader's first minute: sentences to press, three first steps, and everything can be undone."""

import pytest
from live_maps import COFFEE, SHIFT, open_map, ready, type_sentence


def said(map):
    return map.evaluate("(el) => [el.sentence, el.attention.queryTokens.slice(1, -1).join(' ')]")


def test_sentences_above_the_box_are_pressed(page, site):
    map = open_map(page, site)
    map.get_by_role("group", name="Sentences to try").get_by_role("button", name="The soup was not good.").click()
    assert said(map) == ["The soup was not good.", "the soup was not good ."]
    assert "negative" in map.locator("[data-prediction=sentiment]").inner_text()
    map.get_by_role("button", name="Undo").click()
    assert said(map)[0] == COFFEE


@pytest.mark.parametrize(
    ("chapter", "sentence"), [("coffee-or-tea", "I like coffee."), ("ambiguity", "I went to the bank.")]
)
def test_rows_that_are_worth_trying_are_pressed(page, site, chapter, sentence):
    page.goto(f"{site}/book/{chapter}.html")
    button = page.get_by_role("table").get_by_role("button", name=sentence, exact=True)
    button.click()
    figure = page.locator("head-map, word-sense").filter(has=page.get_by_label("Sentence")).first
    page.wait_for_function(
        "([el, text]) => el.querySelector('[aria-label=Sentence]').value === text",
        arg=[figure.element_handle(), sentence],
    )
    assert button.evaluate("(el) => el === document.activeElement"), "the focus stays"


def test_on_a_phone_a_pressed_row_leads_to_the_sentence_and_back_to_the_row(page, site):
    page.set_viewport_size({"width": 360, "height": 740})
    page.goto(f"{site}/book/coffee-or-tea.html")
    map = page.locator("head-map").first
    ready(map)
    row = page.get_by_role("table").get_by_role("button", name="I like coffee.", exact=True)
    row.click()
    seen = """(node) => { const { top, bottom } = node.getBoundingClientRect();
        const header = document.querySelector(".bd-header-article").getBoundingClientRect().bottom;
        return top >= Math.max(header, 0) - 1 && bottom <= innerHeight }"""
    assert map.get_by_role("textbox", name="Sentence").evaluate(seen)
    assert map.locator("[data-prediction=sentiment]").evaluate(seen)
    page.go_back()
    page.wait_for_function(f"(node) => ({seen})(node)", arg=row.element_handle())
    assert map.evaluate("(el) => el.sentence") == "I like coffee."


def test_what_the_reader_did_is_undone_and_done_again(page, site):
    map = open_map(page, site)
    undo, redo = (map.get_by_role("button", name=name, exact=True) for name in ("Undo", "Redo"))
    assert undo.get_attribute("aria-disabled") == "true"
    undo.click(force=True)
    assert said(map)[0] == COFFEE
    type_sentence(map, "I like tea.")
    map.get_by_role("button", name="sentiment", exact=True).click()
    map.locator("td", has_text="tea").first.click()
    page.mouse.move(5, 5)
    map.get_by_role("radio", name="Matrix").check()

    def state():
        return map.evaluate("""(el) => [el.sentence, el.querySelector("[aria-label='Asked by']").value,
            el.querySelector("input[type=radio]:checked").value, [...el.querySelectorAll("button.hm-head")].map((one) => one.ariaPressed).join(" ")]""")

    on, off = "true true true true", "true true true false"
    steps = [
        [COFFEE, "0", "paint", on],
        ["I like tea.", "0", "paint", on],
        ["I like tea.", "0", "paint", off],
        ["I like tea.", "3", "paint", off],
        ["I like tea.", "3", "matrix", off],
    ]
    assert state() == steps[4]
    for step in (3, 2, 1, 0, 0):
        undo.click(force=True)
        assert state() == steps[step]
    assert undo.evaluate("(el) => el === document.activeElement"), "it keeps the focus though there is no more to undo"
    for step in (1, 2, 3, 4, 4):
        redo.click(force=True)
        assert state() == steps[step]
    assert map.evaluate("(el) => el.attention.predictions.sentiment") is not None


def test_keystrokes_are_one_step_and_the_box_keeps_its_own_undo(page, site):
    map = open_map(page, site)
    box = map.get_by_role("textbox", name="Sentence")
    box.focus()
    page.keyboard.press("End")
    page.keyboard.type(" Now")
    assert said(map)[0] == f"{COFFEE} Now"
    page.keyboard.press("Control+z")
    assert said(map)[0] != f"{COFFEE} Now", "the browser's own"
    page.keyboard.type("!")
    map.get_by_role("button", name="Undo", exact=True).click()
    assert said(map)[0] == COFFEE


@pytest.mark.parametrize("chapter", ["index", "coffee-or-tea"])
def test_a_first_map_is_a_sentence_four_heads_and_what_follows(newcomer, site, chapter):
    """Three steps tick themselves off; when they're done or skipped, the rest comes, and stays."""
    map = open_map(newcomer, site, f"book/{chapter}")
    guide = map.get_by_role("group", name="First steps")
    more = [
        map.get_by_role("combobox", name="Asked by"),
        map.get_by_role("group", name="View"),
        *(map.get_by_text(text, exact=True).first for text in ("[CLS]", "[SEP]", "Compare", "More")),
    ]
    assert map.get_by_role("textbox", name="Sentence").is_visible()
    assert map.get_by_text("From what they found in the whole sentence:").is_visible()
    assert not any(part.is_visible() for part in more)
    type_sentence(map, "I like tea.")
    assert guide.get_by_role("listitem", name="Change a word: done").count() == 1
    map.get_by_role("button", name="object", exact=True).click()
    map.locator("td", has_text="tea").first.hover()
    assert guide.locator(".hm-done").count() == 3
    words = map.locator("tbody").first.locator("td:visible").first.bounding_box()
    arcs = map.locator("svg path").evaluate_all(
        "(all) => all.map((path) => path.getBoundingClientRect()).filter(({ width }) => width).map(({ left }) => left)"
    )
    assert arcs
    assert min(arcs) >= words["x"] - 5, "none to a token that isn't shown"
    assert not more[0].is_visible(), "nothing moves under the pointer"
    guide.get_by_role("button", name="Done").click()
    for part in more:
        part.wait_for()
    newcomer.reload()
    ready(map)
    assert all(part.is_visible() for part in more)
    assert guide.get_by_role("listitem").count() == 0
    map.get_by_role("radio", name="Matrix").check()
    guide.get_by_role("button", name="Show the first steps").click()
    assert not more[0].is_visible()
    assert map.get_by_role("button", name="object", exact=True).is_visible()
    assert map.locator("td", has_text="tea").first.is_visible()
    guide.get_by_role("button", name="Skip").click()
    assert more[0].is_visible()


@pytest.mark.parametrize("width", [360, 1400])
def test_a_first_map_does_not_move_while_its_page_loads(newcomer, site, width):
    newcomer.set_viewport_size({"width": width, "height": 900})
    newcomer.goto(f"{site}/book/index.html")
    newcomer.locator("head-map .hm-live").first.wait_for()
    newcomer.evaluate("() => document.fonts.ready")
    assert newcomer.evaluate(SHIFT) <= 0.02


def test_a_link_into_the_book_shows_all_of_a_map(newcomer, site):
    newcomer.goto(f"{site}/book/index.html#what-you-are-looking-at")
    assert newcomer.locator("head-map").first.get_by_role("combobox", name="Asked by").is_visible()


def test_words_that_run_from_right_to_left_do_so(page, site):
    map = open_map(page, site)
    type_sentence(map, "אני אוהב תה")
    first, last = (
        map.locator("tbody").first.locator("td:not(.hm-special)").nth(place).bounding_box() for place in (0, -1)
    )
    assert first["x"] > last["x"]
    assert "Take what they conclude with doubt" in map.get_by_role("status").inner_text()
    type_sentence(map, "I like tea.")
    first, last = (
        map.locator("tbody").first.locator("td:not(.hm-special)").nth(place).bounding_box() for place in (0, -1)
    )
    assert first["x"] < last["x"]


def test_undo_in_any_order_breaks_nothing(page, site):
    map = open_map(page, site)
    for text in ("", "a", "x" * 300, "hot\ttea"):
        map.get_by_role("textbox", name="Sentence").fill(text)
        map.get_by_role("button", name="Compare", exact=True).click()
        map.get_by_role("button", name="Undo", exact=True).click()
        map.get_by_role("radio", name="Grid").check()
        map.get_by_role("button", name="Redo", exact=True).click(force=True)
        map.get_by_role("button", name="Undo", exact=True).click()
    while map.get_by_role("button", name="Undo", exact=True).get_attribute("aria-disabled") == "false":
        map.get_by_role("button", name="Undo", exact=True).click()
    assert said(map)[0] == COFFEE
    assert map.get_by_role("status").inner_text().startswith("Ready")
