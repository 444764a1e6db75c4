"""The built book in a real browser: what a reader, a clumsy one and a hostile one would do."""

import re

import numpy as np
import pytest
from built import scripts
from conftest import HTML, ROOT
from live_maps import COFFEE, CONTRAST, assert_unmoved, attend, boxes, open_map, ready, settled, type_sentence

from manyheads.models.focus import load_focus_model
from manyheads.models.focus.sentences import generate_sentences

PAINTED = {  # note A's table
    "sentence type": {"which", "do", "?"},
    "object": {"you", "coffee", "tea"},
    "relation": {"like", "coffee", "or", "tea"},
    "sentiment": {"like", "better"},
}
CHAPTERS = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_chapter_is_there_and_calm(page, site, chapter):
    page.goto(f"{site}/{chapter}.html")
    assert page.locator("article h1").count() == 1
    for map in page.locator("head-map").all():
        assert map.locator("td[data-weight], .hm-lines").count() > 0
        ready(map)
        live = map.get_attribute("model") or map.get_attribute("models")
        assert (
            map.get_by_role("status")
            .inner_text()
            .startswith("Ready" if live else ("Python computed this map", "These are"))
        )
    settled(page)
    assert "Traceback" not in " ".join(page.locator(".cell_output").all_inner_texts())


# Words in pictures that go beyond them, and formulas of figures that are wider than these.
CUT = """() => {
  const text = [...document.querySelectorAll(".themed text")].filter((text) => {
    const [inner, outer] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
    return inner.width && (inner.left < outer.left - 1 || inner.right > outer.right + 1);
  });
  const formulas = [...document.querySelectorAll(".fs-equation")].filter((box) => box.scrollWidth > box.clientWidth + 1);
  return [...text, ...formulas].map((node) => node.textContent);
}"""


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_no_page_scrolls_sideways(page, site, chapter):
    page.set_viewport_size({"width": 360, "height": 800})
    page.goto(f"{site}/{chapter}.html")
    settled(page)
    for width in (360, 768, 1400):
        page.set_viewport_size({"width": width, "height": 800})
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0, width
        assert page.evaluate(CUT) == [], width


def test_the_notes_words_outrank_all_others(page, site):
    attention = type_sentence(open_map(page, site), COFFEE)
    for head, name in enumerate(attention["headNames"]):
        weights = dict(zip(attention["keyTokens"], attention["weights"][0, head, 0]))
        right = {word: weights.pop(word) for word in PAINTED[name]}
        others = {word: weight for word, weight in weights.items() if not word.startswith("[")}
        assert min(right.values()) > max(others.values()), (name, right, others)


def test_the_page_and_python_agree(page, site):
    map, model = open_map(page, site), load_focus_model()
    sentences = [sentence.text for sentence in generate_sentences(190, seed=11)]
    sentences += [
        "",
        "  ",
        "a",
        "naïve café ĀĒ",
        "Привет, мир!",
        "مرحبا بالعالم",
        "你好世界",
        "👩‍🚀 says ok",
        "x" * 300,
    ]
    sentences += [
        " ".join(f"w{i}" for i in range(90)),
        "\u200bzero\u00a0width\ufeff ",
        "[SEP] [CLS] [MASK] ##ing",
        "!" * 500,
    ]
    for text in sentences:
        ours, theirs = model(text), attend(map, text)
        assert theirs["queryTokens"] == ours.query_tokens, text
        assert tuple(theirs["shape"]) == ours.shape
        assert tuple(theirs["notes"]) == ours.notes
        np.testing.assert_allclose(theirs["weights"], ours.weights, atol=1e-5, err_msg=text)
        norms = map.evaluate("(el) => [...el.attention.valueNorms]")
        np.testing.assert_allclose(norms, ours.value_norms.ravel(), rtol=1e-4, err_msg=text)
        for name, labels in ours.predictions.items():
            assert list(theirs["predictions"][name]) == list(labels)
            np.testing.assert_allclose(list(theirs["predictions"][name].values()), list(labels.values()), atol=1e-5)


@pytest.mark.parametrize("view", ["Paint", "Matrix"])
def test_the_cells_show_the_attention(page, site, view):
    map = open_map(page, site)
    map.get_by_role("radio", name=view).check()
    attention = type_sentence(map, "The old dog slept.")
    expected = attention["weights"][0] if view == "Matrix" else attention["weights"][0, :, 0]
    shown = map.locator("td").evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))")
    np.testing.assert_allclose(shown, expected.ravel(), atol=5.1e-5)


def test_another_word_can_ask(page, site):
    map = open_map(page, site)
    attention = type_sentence(map, "The old dog slept.")
    map.get_by_role("combobox", name="Asked by").select_option(label="dog")
    shown = map.locator("td").evaluate_all("(cells) => cells.map((cell) => Number(cell.dataset.weight))")
    np.testing.assert_allclose(shown, attention["weights"][0, :, 3].ravel(), atol=5.1e-5)


def test_a_head_turned_off_changes_its_prediction_and_comes_back(page, site):
    map = open_map(page, site)
    before = type_sentence(map, COFFEE)["predictions"]
    toggle = map.get_by_role("button", name="sentiment")
    toggle.click()
    assert toggle.get_attribute("aria-pressed") == "false"
    after = map.evaluate("(el) => el.attention.predictions")
    python = load_focus_model()(COFFEE, head_mask=[True, True, True, False]).predictions
    assert after["sentiment"]["positive"] == pytest.approx(python["sentiment"]["positive"], abs=1e-5)
    assert before["sentiment"]["positive"] - after["sentiment"]["positive"] > 0.2
    shown = map.locator('[data-prediction="sentiment"]').inner_text()
    assert "all heads on: positive" in shown
    toggle.click()
    assert map.evaluate("(el) => el.attention.predictions") == before


def test_a_second_sentence_is_compared_head_by_head(page, site):
    map = open_map(page, site)
    type_sentence(map, "The soup was good.")
    map.get_by_role("button", name="Compare").click()
    map.get_by_role("textbox", name="Compare with").fill("The soup was awful.")
    moved = [float(text.split()[1]) for text in map.locator("tr:nth-child(2) th").all_inner_texts()]
    assert len(moved) == 4
    assert moved == sorted(moved, reverse=True)
    assert moved[0] > 50
    assert map.locator("tbody").first.locator("th").first.inner_text().startswith("sentiment")
    assert map.locator("td.hm-only").all_inner_texts().count("awful") == 4
    assert map.get_by_role("textbox", name="Sentence").input_value() == "The soup was good."


def test_the_slider_runs_over_models(page, site):
    open_map(page, site, "book/coffee-or-tea")
    map = page.locator('head-map[models="focus focus/untaught"]')
    slider = map.get_by_role("slider", name="Model")
    ready(map)
    for variant in ("taught", "untaught"):
        slider.evaluate(
            """async (el, index) => {
            const changed = new Promise((done) => el.closest("head-map").addEventListener("attention", done, { once: true }));
            el.value = index; el.dispatchEvent(new Event("input", { bubbles: true })); await changed }""",
            int(variant == "untaught"),
        )
        page.wait_for_function(
            "(el) => el.querySelector('[role=status]').textContent.startsWith('Ready')",
            arg=map.element_handle(),
        )
        found = map.evaluate("(el) => [...el.attention.weights]")
        sentence = map.evaluate("(el) => el.sentence")
        np.testing.assert_allclose(found, load_focus_model(variant)(sentence).weights.ravel(), atol=1e-5)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Type a sentence"),
        ("   ", "Type a sentence"),
        ("tea", ""),
        ("👍🏽 🎉", ""),
        ("שלום עולם", ""),
        ("<img src=x onerror=document.title='hacked'>", ""),
        (" ".join(["word"] * 80), "first 64 of 80 words"),
        ("z" * 10_000, ""),
        ("?! " * 3_334, "words"),
    ],
)
def test_any_text_is_answered_calmly(page, site, text, said):
    map = open_map(page, site)
    title = page.title()
    attention = type_sentence(map, text)
    np.testing.assert_allclose(attention["weights"].sum(-1), 1, atol=1e-5)
    assert said in map.get_by_role("status").inner_text()
    assert map.locator("img").count() == 0
    assert page.title() == title
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_what_is_typed_while_the_model_loads_is_answered(page, site):
    held = []
    page.route("**/focus-words*", lambda route: held.append(route))
    page.goto(f"{site}/book/index.html")
    map = page.locator("head-map").first
    box = map.get_by_role("textbox", name="Sentence")
    box.fill("I am early")
    box.fill("I am early.")
    assert "Loading" in map.get_by_role("status").inner_text()
    page.wait_for_function("() => true")
    while not held:
        page.wait_for_event("request")
    held[0].continue_()
    ready(map)
    assert map.evaluate("(el) => el.attention.queryTokens") == ["[CLS]", "i", "am", "early", ".", "[SEP]"]
    assert box.input_value() == "I am early."


@pytest.mark.parametrize("trouble", ["gone", "missing", "cut short", "wrong"])
def test_a_model_that_does_not_arrive_can_be_asked_for_again(page, site, faults, trouble):
    packed = (HTML / scripts() / "models/focus-words.safetensors.gz").read_bytes()
    answers = {
        "gone": lambda route: route.abort(),
        "missing": lambda route: route.fulfill(status=404),
        "cut short": lambda route: route.fulfill(body=packed[: len(packed) // 2]),
        "wrong": lambda route: route.fulfill(body=b"<html>Log in to the hotel's network</html>"),
    }
    page.route("**/focus-words*", answers[trouble])
    page.goto(f"{site}/book/index.html")
    map = page.locator("head-map").first
    box = map.get_by_role("textbox", name="Sentence")
    box.fill("Is this lost?")
    again = map.get_by_role("button", name="Try again")
    again.wait_for()
    assert "could not be loaded" in map.get_by_role("status").inner_text()
    assert map.locator("td[data-weight]").count() > 40, "the baked map stays"
    assert box.input_value() == "Is this lost?"
    page.unroute("**/focus-words*")
    again.click()
    ready(map)
    assert "lost" in map.evaluate("(el) => el.attention.queryTokens")
    assert again.count() == 0
    faults.clear()


def test_the_map_is_on_the_page_without_any_script(still, site):
    still.goto(f"{site}/book/index.html")
    cells = still.locator("head-map").first.locator("td[data-weight]")
    shown = [float(cell.get_attribute("data-weight")) for cell in cells.all()]
    np.testing.assert_allclose(shown, load_focus_model()(COFFEE).weights[0, :, 0].ravel(), atol=5.1e-5)
    assert cells.first.is_visible()


def test_nothing_moves_when_the_script_takes_over(still, page, site):
    still.goto(f"{site}/book/index.html")
    before = boxes(still.locator("head-map td"))
    assert_unmoved(before, boxes(open_map(page, site).locator("td")))


def test_cells_are_reached_and_read_by_keyboard(page, site):
    map = open_map(page, site)
    map.locator("td").first.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    label = page.evaluate("document.activeElement.getAttribute('aria-label')")
    assert re.fullmatch(r"\[CLS\] to which: \d+(\.\d)? %", label)
    assert (
        page.evaluate(
            "document.activeElement.closest('tbody').rowIndex ?? [...document.activeElement.closest('table').tBodies].indexOf(document.activeElement.closest('tbody'))"
        )
        == 1
    )


def test_a_matrix_is_enlarged_on_demand(page, site):
    map = open_map(page, site)
    map.get_by_role("radio", name="Matrix").check()
    cell = map.get_by_role("table", name="relation").locator("td").first
    small = cell.bounding_box()["width"]
    map.get_by_role("button", name="Enlarge relation").click()
    assert cell.bounding_box()["width"] > 1.3 * small
    map.get_by_role("button", name="Shrink relation").click()
    assert cell.bounding_box()["width"] == small


def test_many_maps_share_one_download_and_know_nothing_of_each_other(context, site):
    page, fetched = context.new_page(), []
    page.on("request", lambda request: fetched.append(request.url) if "models/" in request.url else None)
    page.goto(f"{site}/book/coffee-or-tea.html")
    for map in page.locator("head-map").all():
        ready(map)
    assert len(fetched) == len(set(fetched))
    first, second = page.locator("head-map").all()[:2]
    before = second.evaluate("(el) => el.sentence")
    type_sentence(first, "Only here.")
    assert second.evaluate("(el) => el.sentence") == before


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_readable_in_both_themes(page, site, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    map = open_map(page, site)
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
    type_sentence(map, COFFEE)
    assert page.evaluate(CONTRAST) == []
