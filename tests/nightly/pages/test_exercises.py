"""The exercises on the page: answered by keyboard, rightly and wrongly; what is kept, and how it is erased."""

import re

import pytest
from exercises import EXERCISES

WITH_FIELDS = [exercise for exercise in EXERCISES if exercise.fields]
SHAPES = next(exercise for exercise in WITH_FIELDS if exercise.label == "shapes-of-a-batch")
REPLY = "(input) => document.getElementById(input.getAttribute('aria-describedby')).textContent"


def open_exercise(page, site, exercise):
    page.goto(f"{site}/book/{exercise.chapter}.html")
    found = page.locator(f'field-exercise[exercise="{exercise.label}"]')
    found.locator("form").wait_for()
    return found


def answer(page, found, exercise, answers):
    """Types or chooses every answer and asks for the verdict, by keyboard alone; gives the replies."""
    found.locator("input").first.focus()
    for field, text in zip(exercise.fields, answers):
        if field["kind"] == "choice":
            page.keyboard.press("Space")
            for _ in field["options"]:
                if page.evaluate("document.activeElement.value") == text:
                    break
                page.keyboard.press("ArrowDown")
            assert page.evaluate("document.activeElement.value") == text
        else:
            page.keyboard.press("Control+A")
            page.keyboard.type(text)
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Check"
    page.keyboard.press("Enter")
    return found.get_by_role("status").all_inner_texts()


def first_mistakes(exercise):
    return [next(iter(field["hints"])) for field in exercise.fields]


def plain(text):
    return re.sub(r"[*`]", "", text)


@pytest.mark.parametrize("exercise", WITH_FIELDS, ids=lambda exercise: exercise.label)
def test_a_field_exercise_is_answered_by_keyboard(page, site, exercise):
    found = open_exercise(page, site, exercise)
    assert [field.get_attribute("aria-live") for field in found.get_by_role("status").all()] == ["polite"] * len(
        exercise.fields
    )
    replies = answer(page, found, exercise, first_mistakes(exercise))
    for field, mistake, reply in zip(exercise.fields, first_mistakes(exercise), replies):
        said = f"Not yet. {plain(field['hints'][mistake])}"
        assert reply == said or (field["kind"] == "query" and reply.startswith("Not yet. "))
    assert found.locator('input[aria-invalid="true"]').count() >= len(exercise.fields)
    replies = answer(page, found, exercise, [field["answer"] for field in exercise.fields])
    assert all(reply.startswith("Right.") for reply in replies)
    assert found.locator('input[aria-invalid="true"]').count() == 0


@pytest.mark.parametrize("exercise", WITH_FIELDS, ids=lambda exercise: exercise.label)
def test_each_field_has_a_name(page, site, exercise):
    found = open_exercise(page, site, exercise)
    for field in exercise.fields:
        name = plain(field["label"])
        if field["kind"] == "choice":
            options = found.get_by_role("group", name=name, exact=True).get_by_role("radio")
            assert [option.get_attribute("value") for option in options.all()] == field["options"]
        else:
            assert found.get_by_role("textbox", name=name, exact=True).count() == 1


def test_answers_survive_a_reload_and_are_erased(page, site):
    found = open_exercise(page, site, SHAPES)
    right = [field["answer"] for field in SHAPES.fields]
    answer(page, found, SHAPES, right)
    found = open_exercise(page, site, SHAPES)
    assert [box.input_value() for box in found.get_by_role("textbox").all()] == right
    assert all(reply.startswith("Right.") for reply in found.get_by_role("status").all_inner_texts())

    page.goto(f"{site}/book/exercises.html")
    table = page.locator("exercise-list")
    row = table.get_by_role("row", name=SHAPES.title)
    assert "answered" in row.inner_text()
    assert "you have answered 1 of them" in table.get_by_role("status").inner_text()
    table.get_by_role("button", name="Erase my answers").focus()
    page.keyboard.press("Enter")
    assert "answered" not in row.inner_text()
    assert "erased" in table.get_by_role("status").inner_text()
    found = open_exercise(page, site, SHAPES)
    assert [box.input_value() for box in found.get_by_role("textbox").all()] == [""] * len(right)


def test_one_exercise_can_be_started_over(page, site):
    found = open_exercise(page, site, SHAPES)
    answer(page, found, SHAPES, first_mistakes(SHAPES))
    found.get_by_role("button", name="Start over").press("Enter")
    assert found.get_by_role("status").all_inner_texts() == [""] * len(SHAPES.fields)
    found = open_exercise(page, site, SHAPES)
    assert found.get_by_role("textbox").first.input_value() == ""


def test_a_browser_that_keeps_nothing_checks_all_the_same(context, site):
    page = context.new_page()
    page.add_init_script(
        """for (const name of ["getItem", "setItem", "removeItem"]) {
          const real = Storage.prototype[name];
          Storage.prototype[name] = function (key, ...rest) {
            if (key.startsWith("manyheads")) throw new DOMException("full", "QuotaExceededError");
            return real.call(this, key, ...rest);
          };
        }"""
    )
    found = open_exercise(page, site, SHAPES)
    replies = answer(page, found, SHAPES, [field["answer"] for field in SHAPES.fields])
    assert all(reply.startswith("Right.") for reply in replies)


def test_a_prediction_is_shown_on_the_live_map(page, site):
    exercise = next(exercise for exercise in WITH_FIELDS if exercise.options)
    found = open_exercise(page, site, exercise)
    show = found.get_by_role("button", name="Show it on the map")
    assert not show.is_visible()
    answer(page, found, exercise, [field["answer"] for field in exercise.fields])
    show.press("Enter")
    map = page.locator(f"#{exercise.options['map']}")
    map.evaluate("async (el) => { await el.ready }")
    assert map.evaluate("(el) => el.sentence") == exercise.options["sentence"]
    assert page.evaluate("(el) => el.contains(document.activeElement)", map.element_handle())


def test_all_exercises_are_listed_with_what_they_practise(page, site):
    page.goto(f"{site}/book/exercises.html")
    links = page.locator("exercise-list td a")
    assert links.count() == len(EXERCISES) >= 36
    addresses = links.evaluate_all("(links) => links.map((link) => link.getAttribute('href'))")
    assert {*addresses} == {f"{exercise.chapter}.html#{exercise.label}" for exercise in EXERCISES}
    page.goto(f"{site}/book/{addresses[0]}")
    assert page.locator(f"#{addresses[0].partition('#')[2]}").get_by_text("Exercise").count() == 1


def test_without_scripts_the_questions_and_closed_solutions_are_there(still, site):
    still.goto(f"{site}/book/{SHAPES.chapter}.html")
    found = still.locator(f'field-exercise[exercise="{SHAPES.label}"]')
    questions = found.locator("label:not(.fe-option), legend").all_inner_texts()
    assert questions == [plain(field["label"]) for field in SHAPES.fields]
    folds = still.locator("details.solution")
    assert folds.count() == sum(exercise.chapter == SHAPES.chapter for exercise in EXERCISES)
    assert not any(folds.evaluate_all("(all) => all.map((fold) => fold.open)"))


@pytest.mark.parametrize("width", [360, 768])
@pytest.mark.parametrize("name", ["code", "exercises", "formula"])
def test_exercises_fit_a_phone(page, site, name, width):
    page.set_viewport_size({"width": width, "height": 800})
    page.goto(f"{site}/book/{name}.html")
    page.locator("field-exercise form, exercise-list button").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
