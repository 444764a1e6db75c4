"""The translation chapter in a real browser: French as one types, heads off, words it does not know, what is masked."""

import csv
import io

import numpy as np
import pytest
from live_maps import ready, saved

from manyheads import load_translator

SENTENCE = "The girls eat a green apple."
FRENCH = "Les filles mangent une pomme verte."


@pytest.fixture
def map(page, site):
    page.goto(f"{site}/book/translation.html")
    map = page.locator("head-map#translator")
    ready(map)
    return map


def box(map):
    return map.get_by_role("textbox", name="Sentence")


def type_sentence(map, text):
    """Types, and gives `el.attention`, which is there when the keystroke has been answered."""
    box(map).fill(text)
    found = map.evaluate("(el) => ({ ...el.attention, weights: [...el.attention.weights] })")
    return found | {"weights": np.array(found["weights"], np.float32).reshape(found["shape"])}


def words(map):
    return map.get_by_label("Translation").get_by_role("button").all_inner_texts()


def test_the_page_translates_as_python_does(map):
    found = type_sentence(map, SENTENCE)
    expected = load_translator()(SENTENCE)
    assert found["written"] == expected.written == FRENCH
    assert (found["queryTokens"], found["keyTokens"]) == (expected.query_tokens, expected.key_tokens)
    assert np.abs(found["weights"] - expected.weights).max() <= 1e-5
    assert words(map) == expected.query_tokens[:-1]


def test_sentences_are_pressed_and_a_question_is_set_as_the_french_do(map):
    pressed = map.get_by_role("group", name="Sentences to try").get_by_role("button")
    pressed.filter(has_text="coffee or tea").click()
    assert box(map).input_value() == "Which do you prefer, coffee or tea?"
    assert map.evaluate("(el) => el.attention.written") == "Qu'est-ce que vous préférez, le café ou le thé\u00a0?"
    assert words(map) == ["qu'", "est-ce", "que", "vous", "préférez", ",", "le", "café", "ou", "le", "thé", "?"]
    buttons = map.get_by_label("Translation").get_by_role("button")
    verb, comma, article = (buttons.nth(at).bounding_box() for at in (4, 5, 6))
    gaps = comma["x"] - verb["x"] - verb["width"], article["x"] - comma["x"] - comma["width"]
    assert gaps[0] < 0 < gaps[1], "the comma is close to its word"


def test_its_words_are_in_a_drawer(page, map):
    drawer = page.locator("details").filter(has_text="The words it knows")
    table = drawer.get_by_role("table")
    assert not table.is_visible()
    drawer.locator("summary").click()
    cells = table.get_by_role("row").locator("td:last-child").all_inner_texts()
    listed = {word for words in cells for word in words.replace(",", " ").split()}
    assert (
        {"coffee", "tea", "like", "read", "drink", "you", "which", "better"}
        <= listed
        <= {*load_translator().vocabulary}
    )


def test_a_french_word_asks(map):
    type_sentence(map, SENTENCE)  # shorter than the one before: its first word asks then
    assert map.get_by_role("table").get_attribute("aria-label") == "What each head looks at when les asks"
    map.get_by_label("Translation").get_by_role("button", name="pomme").click()
    assert map.get_by_role("table").get_attribute("aria-label") == "What each head looks at when pomme asks"
    cell = map.get_by_role("cell", name="pomme to apple:").first
    assert float(cell.get_attribute("data-weight")) > 0.9


def test_a_head_off_breaks_the_french(map):
    both_genders = "A black cow sees a black cat."
    whole = type_sentence(map, both_genders)["written"]
    map.get_by_role("button", name="noun", exact=True).click()
    off = np.array([True, False, True, True])
    assert map.evaluate("(el) => el.attention.written") == load_translator().translate(both_genders, off) != whole


def test_a_word_that_is_being_typed_is_no_error(map):
    type_sentence(map, SENTENCE)
    french = words(map)
    status = map.get_by_role("status")
    grey = "(node) => getComputedStyle(node).filter"
    stage = map.get_by_role("table").first.locator("xpath=ancestor::*[contains(@class, 'hm-stage')]")
    box(map).fill("The girls eat a gree")
    assert status.inner_text() == "What you see is the last sentence that could be read."
    assert words(map) == french
    assert stage.evaluate(grey) == "none"
    box(map).fill("The girls eat a gree apple.")
    assert "does not know “gree”" in status.inner_text()
    assert stage.evaluate(grey) == "grayscale(1)"


def test_an_unknown_word_is_named_and_the_last_french_stays(map):
    type_sentence(map, SENTENCE)
    status = map.get_by_role("status")
    box(map).fill("The girls eat a green appel.")
    assert "does not know “appel”. Near ones that it knows: apple" in status.inner_text()
    assert words(map) == ["les", "filles", "mangent", "une", "pomme", "verte"]
    assert "hm-stale" in map.get_by_label("Translation").get_attribute("class")
    status.get_by_role("button", name="Use “apple”").click()
    assert box(map).input_value() == SENTENCE
    assert "hm-stale" not in map.get_by_label("Translation").get_attribute("class")
    for text, said in (("", "Type an English sentence"), ("the " * 60, "at most 14 words; this sentence has 60")):
        box(map).fill(text)
        assert said in status.inner_text()
    assert map.evaluate("(el) => el.attention.written") == FRENCH


def test_words_are_offered_while_one_is_typed(page, map):
    type_sentence(map, SENTENCE)
    offered = map.get_by_role("group", name="Words it knows")
    below = map.locator(".hm-tools").bounding_box()
    box(map).fill("The girls ea")
    assert offered.get_by_role("button").all_inner_texts() == ["eat", "eats"]
    assert map.locator(".hm-tools").bounding_box() == below, "they lie over what is below"
    offered.get_by_role("button", name="eat", exact=True).click()
    assert box(map).input_value() == "The girls eat"
    assert map.evaluate("(el) => el.sentence") == "The girls eat"
    assert not offered.is_visible()
    page.keyboard.type(" appl")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Enter")
    assert box(map).input_value() == "The girls eat apples"
    page.keyboard.type(" an")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Escape")
    assert not offered.is_visible()
    assert box(map).evaluate("(el) => el === document.activeElement")
    page.keyboard.type("d")
    assert box(map).input_value() == "The girls eat apples and"
    page.keyboard.type(" t")
    assert offered.is_visible()
    map.get_by_role("radio", name="Paint").focus()
    assert not offered.is_visible()


def test_a_phone_shows_the_whole_sentence_and_tables_that_fit(page, map):
    page.set_viewport_size({"width": 360, "height": 740})
    cut = "(el) => el.scrollHeight > el.clientHeight + 1 || el.scrollWidth > el.clientWidth + 1"
    assert not box(map).evaluate(cut)
    assert box(map).evaluate("(el) => el.clientHeight") > 60, "three lines"
    page.locator("summary", has_text="Four sentences that one head gets wrong").click()
    for column, rows in (("attention on the right word", 8), ("one head", 4)):
        table = page.locator(".cell_output").get_by_role("table").filter(has_text=column)
        assert table.get_by_role("row").count() == 1 + rows
        assert table.bounding_box()["width"] <= 400
    assert page.locator(".cell_output pre").count() == 0


def test_what_is_masked_is_no_zero(map):
    type_sentence(map, SENTENCE)
    map.get_by_role("slider", name="Model").fill("3")
    map.get_by_role("radio", name="Matrix").check()
    cell = map.get_by_role("cell", name="les to filles: masked", exact=True).first
    assert "hm-masked" in cell.get_attribute("class")
    assert map.get_by_role("cell", name="filles to mangent: masked", exact=True).first.is_visible()
    assert not map.get_by_role("cell", name="filles to les: masked", exact=True).count()


HATCHED = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return [...data.keys()].filter((at) => at % 4 === 3 && data[at] === 0x60 && data[at - 1] === data[at - 2]).length;
}"""


def test_what_is_masked_is_hatched_in_the_grid_and_has_no_weight_in_files(page, map):
    type_sentence(map, SENTENCE)
    map.get_by_role("radio", name="Grid").check()
    canvas = map.locator(".hm-grid canvas")
    assert canvas.evaluate(HATCHED) == 0
    map.get_by_role("slider", name="Model").fill("3")
    assert canvas.evaluate(HATCHED) > 100
    map.get_by_role("radio", name="Matrix").check()
    queries, keys = map.evaluate("(el) => el.attention.shape").copy()[2:]
    rows = list(csv.DictReader(io.StringIO(saved(page, map, "CSV")[0].decode())))
    for row in rows:
        assert (row["weight"] == "") == (int(row["key"]) > int(row["query"]))
    ours = load_translator(attention="french")(SENTENCE)
    layer = [line for line in ours.to_csv().splitlines() if line.startswith("0,")]
    assert [[*[*row.values()][:6], row["weight"] == ""] for row in rows] == [
        [*line[:6], line[6] == ""] for line in csv.reader(layer)
    ]
    svg = saved(page, map, "SVG")[0].decode()
    for picture in (svg, ours.to_svg(layer=0)):
        assert picture.count("data-masked") == 4  # of each head
        assert picture.count("data-weight=") == 4 * sum(range(1, queries + 1))
    assert queries == keys


def test_all_models_are_played_one_after_the_other(page, map):
    type_sentence(map, SENTENCE)
    slider = map.get_by_role("slider", name="Model")
    map.get_by_role("button", name="Play").click()
    map.get_by_role("button", name="Pause").wait_for()
    for model in ("1", "2", "3"):
        page.wait_for_function("([el, model]) => el.value === model", arg=[slider.element_handle(), model])
    map.get_by_role("button", name="Play").wait_for()  # it has come to the end
    assert map.evaluate("(el) => el.attention.causal")


def test_who_asks_for_less_motion_plays_a_model_a_press(page, map):
    page.emulate_media(reduced_motion="reduce")
    slider = map.get_by_role("slider", name="Model")
    for model in ("1", "2"):
        map.get_by_role("button", name="Play").click()
        assert slider.input_value() == model
    assert map.get_by_role("button", name="Pause").count() == 0
