"""The formula and intuition chapters in a real browser: every number, every key, every screen."""

import base64
import re

import numpy as np
import pytest
from built import scripts
from live_maps import CONTRAST
from page_numbers import array, number

from manyheads.maps import names
from manyheads.models.focus import load_focus_model
from manyheads.models.focus.sentences import generate_sentences
from manyheads.widgets.formula_steps import LEDGER, MATRICES, FormulaSteps, formula_steps

COFFEE = "Which do you like better, coffee or tea?"
CHAPTERS = ("book/formula", "book/order-and-cost", "book/intuition", "book/notation")
MADE = {
    "projections": ["Q", "K", "V"],
    "answer": ["parts", "answer"],
}  # step -> what it makes, where that is not its own name
ODD = {
    "nothing": "",
    "a word": "tea",
    "scripts and emoji": "👍🏽 naïve שלום",
    "an attack": "<img src=x onerror=document.title='hacked'>",
    "one long word": "z" * 10_000,
    "marks": "?! " * 3_334,
}

STEPS = """(el) => { el.flush(); return Object.fromEntries(Object.entries(el.steps).map(([name, value]) =>
  [name, value?.shape ? { shape: value.shape, values: [...value.values].map(String) } : value])) }"""


def open_steps(page, site, chapter="book/formula", step="scores", rows="all"):
    page.goto(f"{site}/{chapter}.html")
    figure = page.locator("formula-steps[model]").first
    figure.evaluate("async (el) => { await el.ready }")
    go_to(figure, step)
    if rows == "all":
        figure.get_by_role("button", name="All rows").click()
    return figure


def steps_of(figure):
    found = figure.evaluate(STEPS)
    return found | {name: array(found[name]) for name in [*MATRICES, *LEDGER] if name in found}


def terms(sheet):
    """The columns of the arithmetic: one factor, the other, the products."""
    lines = [row.locator("td").all_text_contents() for row in sheet.locator("tbody tr").all()]
    return [[number(text) for text in column] for column in zip(*lines)]


def go_to(figure, step):
    figure.get_by_role("tab").nth(list(names.STEPS).index(step)).click()


def cells(figure, name):
    figure.evaluate("(el) => el.flush()")
    return figure.locator(f'[data-matrix="{name}"] td').all_text_contents()


def assert_shown(cells, values):
    """Whether cells show these numbers: to hundredths, those of three digits and more to four digits."""
    np.testing.assert_allclose([number(cell) for cell in cells], values.ravel(), atol=0.00502, rtol=5.1e-4)


def assert_same(ours, theirs, text):
    assert theirs["tokens"] == ours["tokens"], text
    for name in theirs.keys() & {*MATRICES, *LEDGER}:
        atol = 2e-5 if name in LEDGER else 1e-5  # sums of sums
        np.testing.assert_allclose(theirs[name], ours[name], atol=atol, rtol=1e-6, err_msg=f"{name}: {text}")


def test_every_number_on_display_is_pythons(page, site):
    figure, model = open_steps(page, site), load_focus_model()
    box = figure.get_by_role("textbox", name="Sentence")
    for index, sentence in enumerate(generate_sentences(8, seed=4)):
        text, head = sentence.text, index % 4
        box.fill(text)
        figure.get_by_role("combobox", name="Head").select_option(index=head)
        ours = formula_steps(model, text, head)
        assert_same(ours, steps_of(figure), text)
        for step in names.STEPS:
            go_to(figure, step)
            for name in MADE.get(step, [step]):
                assert_shown(cells(figure, name), ours[name])


@pytest.mark.parametrize("toggle", ["Causal mask", "Padding", "No scaling"])
def test_the_toggles_change_the_formula_as_python_does(page, site, toggle):
    figure = open_steps(page, site)
    figure.get_by_label(toggle).check()
    options = {"causal": toggle == "Causal mask", "padding": toggle == "Padding", "scaled": toggle != "No scaling"}
    assert_same(formula_steps(load_focus_model(), COFFEE, 1, **options), steps_of(figure), toggle)


def test_the_last_step_is_the_modules_output(page, site):
    figure = open_steps(page, site)
    go_to(figure, "output")
    found, model = steps_of(figure), load_focus_model()
    import torch

    with torch.no_grad():
        output, weights = model.attention(torch.tensor(found["X"]))
    np.testing.assert_allclose(found["output"], output, atol=1e-5)
    np.testing.assert_allclose(found["weights"], weights[1], atol=1e-5)
    np.testing.assert_allclose([number(text) for text in cells(figure, "output")], output.ravel(), atol=5.1e-3)


def test_the_arithmetic_of_an_open_cell_adds_up(page, site):
    figure = open_steps(page, site)
    sheet = figure.get_by_role("region", name="Arithmetic")
    for step in names.STEPS:
        go_to(figure, step)
        for name in MADE.get(step, [step]):
            for place in (0, 7, 17) if step == "answer" else (0, 17, 40):
                cell = figure.locator(f'[data-matrix="{name}"] td').nth(place)
                cell.click()
                told = [number(text) for text in sheet.locator("b").all_text_contents()]
                rows = terms(sheet)
                assert abs(told[-1] - number(cell.inner_text())) < 0.0051
                if step in ("X", "masked", "concat") or len(rows) < 3:
                    continue
                digit = 0.5e-4 * (len(rows[2]) + 1)
                assert abs(sum(rows[2]) - told[0]) <= digit
                words = sheet.inner_text()
                if step == "scores":
                    assert abs(told[0] / 4 - told[1]) <= 1e-4
                elif step == "weights":
                    assert abs(rows[2][place % len(rows[2])] / told[0] - told[1]) <= 1e-4
                elif name == "answer":
                    continue
                elif step in ("projections", "output"):
                    bias = number(re.search(r"plus the bias (\S+)", words)[1])
                    assert abs(told[0] + bias - told[1]) <= 1.5e-4
                if step != "weights":
                    products = np.array(rows[0]) * np.array(rows[1])
                    np.testing.assert_allclose(rows[2], products, atol=1e-3)


def test_an_open_cell_lights_what_it_was_made_of(page, site):
    figure = open_steps(page, site)
    figure.get_by_role("combobox", name="Word").select_option(label="like")
    rows = figure.evaluate("(el) => el.steps.tokens.length")
    figure.locator('[data-matrix="scores"] td').nth(4 * rows + 7).hover()  # "like" asks "coffee"
    lit = figure.locator("th.fs-lit")
    assert lit.all_inner_texts().count("coffee") == 2, "its row of K and its column of S"
    assert lit.all_inner_texts().count("like") == 2, "its row of Q and its row of S"
    assert figure.locator('[data-matrix="Q"] td.fs-row').count() == 16
    go_to(figure, "context")
    figure.locator('[data-matrix="context"] td').nth(2).click()
    assert figure.locator('[data-matrix="V"] td.fs-column').count() == rows
    go_to(figure, "projections")
    width = figure.evaluate("(el) => el.steps.X.shape.at(-1)")
    for name, made_by in (("Q", "Wq"), ("K", "Wk"), ("V", "Wv")):
        figure.locator(f'[data-matrix="{name}"] td').nth(1).click()
        assert figure.locator(f'[data-matrix="{made_by}"] td.fs-column').count() == width


IN_ITS_FRAME = """(cell) => {
  const [inner, outer] = [cell, cell.closest(".hm-scroll")].map((node) => node.getBoundingClientRect());
  return [inner.top >= outer.top && inner.bottom <= outer.bottom, inner.left >= outer.left && inner.right <= outer.right];
}"""


def test_what_is_lit_is_scrolled_into_view_in_its_frame(page, site):
    figure = open_steps(page, site)
    figure.get_by_role("textbox", name="Sentence").fill("a very long sentence " * 15)
    figure.get_by_role("combobox", name="Word").select_option(index=50)
    for step in ("projections", "scores", "context"):
        go_to(figure, step)
        assert figure.locator("td.fs-open").evaluate(IN_ITS_FRAME) == [True, True], step
    assert figure.locator('[data-matrix="weights"] td.fs-row').first.evaluate(IN_ITS_FRAME)[0], (
        "the row that it is made of"
    )


def test_the_keyboard_reaches_every_step_and_every_cell(page, site):
    figure = open_steps(page, site)
    figure.get_by_role("textbox", name="Sentence").focus()
    for _ in range(6):  # head, word, three changes
        page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.role") == "tab"
    page.keyboard.press("Home")
    for index, name in enumerate(
        ("Words", "Q, K, V", "Scores", "Mask", "Softmax", "Mix", "Concat", "Output", "Answer")
    ):
        tab = figure.get_by_role("tab", name=f"{index + 1} {name}")
        assert tab.get_attribute("aria-selected") == "true"
        assert page.evaluate("document.activeElement.getAttribute('aria-selected')") == "true"
        assert figure.locator(".fs-equation math").count() == {"Q, K, V": 3, "Softmax": 2, "Answer": 2}.get(name, 1)
        page.keyboard.press("ArrowRight")
    figure.get_by_role("button", name="Back").click()
    assert figure.get_by_role("tab", selected=True).inner_text() == "8 Output"
    page.keyboard.press("ArrowLeft")
    assert figure.get_by_role("tab", selected=True).inner_text() == "7 Concat"
    go_to(figure, "scores")
    figure.get_by_role("table", name="scores").locator('td[tabindex="0"]').focus()
    for key in ("ArrowLeft",) * 12 + ("ArrowDown", "ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("scores, which, do: ")
    described = page.evaluate(
        """() => document.activeElement.getAttribute("aria-describedby").split(" ")
            .map((id) => document.getElementById(id).textContent).join(" ")"""
    )
    assert "the key of “do” answers the query of “which”" in described.replace("How", "how")
    assert "sum of the products" in described
    page.keyboard.press("Enter")
    assert page.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Arithmetic")
    page.keyboard.press("Escape")
    assert page.evaluate("document.activeElement.tagName") == "TD"


def test_each_matrix_is_a_table_with_headers(page, site):
    figure = open_steps(page, site)
    for name in ("queries", "keys", "scores"):
        table = figure.get_by_role("table", name=name)
        assert table.get_by_role("columnheader").count() > 10
        assert table.get_by_role("rowheader").count() == 12


@pytest.mark.parametrize("text", ODD.values(), ids=ODD)
def test_any_text_is_answered_calmly(page, site, text):
    figure = open_steps(page, site)
    title = page.title()
    box = figure.get_by_role("textbox", name="Sentence")
    box.fill(text)
    for tab in figure.get_by_role("tab").all():  # without a word there is no answer
        tab.click()
    assert box.input_value() == text
    steps = steps_of(figure)
    np.testing.assert_allclose(steps["weights"].sum(-1), 1, atol=1e-5)
    assert_same(formula_steps(load_focus_model(), text, 1), steps, text[:40])
    assert page.title() == title
    assert figure.locator("img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0


def test_the_steps_are_on_the_page_without_any_script(still, site):
    still.goto(f"{site}/book/formula.html")
    found = still.locator('formula-steps[model] [data-matrix="X"]').first.locator("td:visible").all_inner_texts()
    ours = formula_steps(load_focus_model(), COFFEE, 1)["X"][0]  # the row of [CLS], the first
    assert_shown([text.split()[-1] for text in found], ours)


def test_what_is_baked_opens_before_the_model_comes(page, site):
    page.route("**/models/*", lambda route: None)
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("formula-steps[model]").first
    go_to(figure, "scores")
    figure.locator('[data-matrix="scores"] td').nth(5).click()
    assert "sum of the products" in figure.get_by_role("region", name="Arithmetic").inner_text()
    figure.get_by_role("textbox", name="Sentence").fill("I am early.")
    assert "Loading" in figure.get_by_role("status").inner_text()
    page.unroute_all(behavior="ignoreErrors")


def test_the_focus_stays_where_it_is_when_the_model_comes(page, site):
    held = []
    page.route("**/focus-words*", lambda route: held.append(route))
    page.goto(f"{site}/book/notation.html")
    figure = page.locator("formula-steps[model]").first
    figure.evaluate("(el) => [...el.querySelectorAll('button')].find((one) => one.textContent === 'All rows').click()")
    cell = figure.locator('[data-matrix="X"] td').first
    cell.focus()
    while not held:
        page.wait_for_event("request")
    assert figure.locator('[data-matrix="Wq"]').count() == 0
    held[0].continue_()
    figure.locator('[data-matrix="Wq"]').wait_for()
    assert cell.evaluate("(td) => document.activeElement === td")


def test_a_model_that_does_not_arrive_can_be_asked_for_again(page, site, faults):
    page.route("**/focus-words*", lambda route: route.abort())
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("formula-steps[model]").first
    figure.hover()
    again = figure.get_by_role("button", name="Try again")
    again.wait_for()
    figure.get_by_role("textbox", name="Sentence").fill("Is this lost?")
    again.wait_for()
    page.unroute("**/focus-words*")
    again.click()
    figure.evaluate("async (el) => { await el.ready }")
    assert "lost" in figure.evaluate("(el) => el.steps.tokens")
    faults.clear()


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_figure_is_live(page, site, chapter):
    page.goto(f"{site}/{chapter}.html")
    for figure in page.locator("formula-steps, head-map").all():
        figure.evaluate("async (el) => { await el.ready }")
        assert figure.locator("td").count() > 0
    for figure in page.locator("formula-steps[model], head-map:is([model], [models])").all():
        events = "['attention', 'steps']"
        heard = figure.evaluate(
            f"""(el) => new Promise((done) => {{ for (const name of {events}) el.addEventListener(name, () => done(name));
            el.sentence = "Heads look." }})"""
        )
        assert heard == figure.evaluate("(el) => el.localName === 'head-map' ? 'attention' : 'steps'")


def test_the_example_by_hand_opens_without_a_model(page, site):
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("formula-steps:not([model])").first
    figure.get_by_role("tab", name="2 Q, K, V").click()
    figure.locator('[data-matrix="V"] td').last.click()
    sheet = figure.get_by_role("region", name="Arithmetic")
    assert terms(sheet)[-1] == [0, 4]
    assert number(sheet.locator("b").last.inner_text()) == 4
    assert figure.get_by_role("textbox").count() == 0


def test_the_scaling_experiment_answers(page, site):
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("softmax-scale")
    slider = figure.get_by_role("slider", name="Width d_k")
    largest = {}
    for place in (0, 9):
        slider.fill(str(place))
        largest[place] = [
            float(text) for text in re.findall(r"0\.\d\d|1\.00", figure.locator(".hm-status").inner_text())
        ]
    assert largest[9][0] > 0.9 > largest[9][1]
    raw, scaled = (figure.locator(f"tbody td:nth-child({column})").all_inner_texts() for column in (3, 4))
    assert abs(sum(map(float, raw)) - 1) < 0.05
    assert abs(sum(map(float, scaled)) - 1) < 0.05
    before = scaled
    figure.get_by_role("button", name="Draw others").click()
    assert figure.locator("tbody td:nth-child(4)").all_inner_texts() != before


KERNEL = """async ([state, module]) => {
  const bytes = (text) => new DataView(Uint8Array.from(atob(text), (char) => char.charCodeAt(0)).buffer);
  for (const matrices of [state._steps, state._parameters])
    for (const matrix of Object.values(matrices)) if (matrix?.shape) matrix.values = bytes(matrix.values);
  const heard = {};
  const model = { get: (name) => state[name], set: (name, value) => { state[name] = value },
    save_changes: () => { model.saved = { ...state } },
    on: (names, todo) => names.split(" ").forEach((name) => (heard[name] = todo)), off: (names) => names.split(" ").forEach((name) => delete heard[name]) };
  const { default: { render } } = await import(module);
  const el = document.body.appendChild(document.createElement("div"));
  const stop = render({ model, el });
  const select = el.querySelector("select[aria-label=Head]");
  select.value = "1";
  select.dispatchEvent(new Event("change"));
  const saved = model.saved.head;
  state.step = "weights";
  heard["change:step"]();
  const found = { saved, cells: [...el.querySelectorAll("[data-matrix=weights] td")].map((cell) => cell.textContent),
    sums: el.querySelector(".fs-sums").textContent, status: el.querySelector("[role=status]").textContent };
  stop();
  return { ...found, left: Object.keys(heard).length };
}"""


def test_the_kernels_door_shows_what_python_computes(page, site):
    widget = FormulaSteps(COFFEE, step="projections")
    public = ("sentence", "head", "word", "step", "causal", "padding", "unscaled")
    state = {name: getattr(widget, name) for name in (*public, "_types", "_status", "_steps", "_parameters")}
    for name in ("_steps", "_parameters"):
        state[name] = {
            key: value | {"values": base64.b64encode(value["values"]).decode()} if isinstance(value, dict) else value
            for key, value in state[name].items()
        }
    page.goto(f"{site}/book/notation.html")
    found = page.evaluate(KERNEL, [state, f"{site}/{scripts()}/formula-steps.js"])
    assert found["saved"] == 1
    assert_shown(found["cells"], widget.steps["weights"])
    assert "divided by the sum" in found["sums"]
    assert found["status"].startswith("Ready: Python computes")
    assert found["left"] == 0


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_nothing_scrolls_the_page_sideways(page, site, width):
    page.set_viewport_size({"width": width, "height": 800})
    figure = open_steps(page, site)
    figure.get_by_role("textbox", name="Sentence").fill("a very long sentence " * 15)
    for step in names.STEPS:
        go_to(figure, step)
        assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
        assert figure.evaluate("(el) => el.scrollWidth - el.clientWidth") <= 0
        assert figure.get_by_role("group", name="Equation").evaluate("(el) => el.scrollWidth - el.clientWidth") <= 0


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_text_is_readable_in_both_themes(page, site, theme):
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    figure = open_steps(page, site)
    page.evaluate("(theme) => { document.documentElement.dataset.theme = theme }", theme)
    contrast = CONTRAST.replace(
        "head-map :is(td, button, dt, b, dd > span, p, label, output)",
        ":is(formula-steps, softmax-scale) :is(td, th, button, b, p, label, output, small)",
    )
    for step in ("projections", "masked", "weights", "output"):
        go_to(figure, step)
        figure.get_by_label("Causal mask").set_checked(step == "masked")
        assert page.evaluate(contrast) == []


# ------------------------------------------------------------------------------------------------- walk, full screen


def test_a_walk_goes_through_the_products_to_the_result(page, site):
    formula = open_steps(page, site)
    arithmetic = formula.get_by_role("region", name="Arithmetic")
    result = arithmetic.locator(".fs-sums b").last.inner_text()
    formula.get_by_role("button", name="Walk through it").click()
    arithmetic.get_by_role("button", name="Pause").click()
    paused = arithmetic.get_by_text("of 16 terms").inner_text()
    assert formula.locator("td.fs-now").count() == 2  # of the query and of the key
    shown = arithmetic.locator("tbody tr:not(.fs-later) td:last-child").all_inner_texts()
    so_far = arithmetic.locator(".fs-so-far b").inner_text()
    assert abs(sum(map(number, shown)) - number(so_far)) < 1e-3
    arithmetic.get_by_role("button", name="Walk through it").click()
    formula.locator("td.fs-landed").wait_for()
    assert int(re.search(r"after (\d+)", paused)[1]) < 16
    assert arithmetic.locator(".fs-sums b").last.inner_text() == result
    assert formula.locator("td.fs-now").count() == 0


def test_who_asks_for_less_motion_walks_a_step_a_press(page, site):
    page.emulate_media(reduced_motion="reduce")
    formula = open_steps(page, site)
    for step in (1, 2, 3):
        formula.get_by_role("button", name="Walk through it").click()
        formula.get_by_text(f"after {step} of 16 terms").wait_for()


def test_it_opens_at_its_first_step_with_a_sentence_that_leads_in(page, site):
    figure = open_steps(page, site, step="X", rows="one")
    page.reload()
    figure.evaluate("async (el) => { await el.ready }")
    assert figure.get_by_role("tab", selected=True).inner_text() == "1 Words"
    figure.get_by_text("Follow “[CLS]” through the head “object”, in 9 steps.").wait_for()


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_asking_words_row_comes_first_and_nothing_of_it_is_out_of_view(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    figure = open_steps(page, site, rows="one")
    figure.get_by_role("combobox", name="Word").select_option(label="coffee")
    for step in names.STEPS:
        go_to(figure, step)
        for frame in figure.locator(".fs-stage .hm-scroll").all():
            assert frame.evaluate("(el) => el.scrollWidth - el.clientWidth") <= 0, step
        if step == "answer":
            continue
        made = figure.locator(f'[data-matrix="{MADE.get(step, [step])[0]}"]')
        assert made.get_by_role("rowheader").all_inner_texts() == ["coffee"], step
    go_to(figure, "scores")
    figure.locator('[data-matrix="scores"] td:visible').nth(9).hover()
    assert figure.locator('[data-matrix="K"]').get_by_role("rowheader").all_inner_texts() == ["tea"], "the key it meets"
    figure.get_by_role("button", name="All rows").click()
    assert figure.locator('[data-matrix="K"]').get_by_role("rowheader").count() == 12


@pytest.mark.parametrize("width", [360, 768, 1400])
def test_the_arithmetic_stands_beside_the_tables_or_below_and_never_over_them(page, site, width):
    page.set_viewport_size({"width": width, "height": 900})
    figure = open_steps(page, site, rows="one")
    for step in names.STEPS:
        go_to(figure, step)
        page.mouse.wheel(0, 300)
        told = figure.get_by_role("region", name="Arithmetic").bounding_box()
        for table in figure.locator(".fs-stage .hm-scroll").all():
            box = table.bounding_box()
            beside = box["x"] + box["width"] <= told["x"]
            assert beside if width == 1400 else beside or box["y"] + box["height"] <= told["y"], step


def test_the_answers_parts_are_the_heads_and_sum_to_the_logit(page, site):
    figure = open_steps(page, site, step="answer", rows="one")
    rows = figure.locator('[data-matrix="parts"] tbody tr:visible')
    assert rows.count() == 4, "the likeliest label of each prediction"
    for row in rows.all():
        *parts, logit = [number(cell.split()[-1]) for cell in row.locator("td").all_inner_texts()]
        assert len(parts) == 5
        assert abs(sum(parts) - logit) < 0.005 * 6


def test_the_figure_takes_the_whole_screen_and_gives_it_back(page, site):
    formula = open_steps(page, site)
    formula.get_by_role("button", name="Full screen").click()
    leave = formula.get_by_role("button", name="Leave full screen")
    leave.wait_for()
    assert page.evaluate("document.fullscreenElement.tagName") == "FORMULA-STEPS"
    leave.click()
    formula.get_by_role("button", name="Full screen", exact=True).wait_for()
    assert page.evaluate("document.fullscreenElement") is None
