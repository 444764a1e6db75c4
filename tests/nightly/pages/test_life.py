"""A live figure that is removed, moved, given other attributes, or served by a model that takes its time: it goes on."""

import pytest
from built import scripts
from live_maps import ready
from playwright.sync_api import expect

LOADING = "Loading the model"
READY = "Ready: computed in this page"

# A model of a page that answers later than it is asked.
SLOW = """async ([address, names]) => {
    const { loadModel } = await import(address);
    for (const name of names) {
        const model = await loadModel(name);
        const attend = model.attend.bind(model);
        model.attend = async (...request) => {
            await new Promise((done) => setTimeout(done, 50));
            return attend(...request);
        };
    }
}"""


def open_chapter(page, site, chapter, selector):
    page.goto(f"{site}/book/{chapter}.html")
    found = page.locator(selector).first
    found.scroll_into_view_if_needed()
    return found


def held(page, file):
    """Holds a file back, however late it is asked for; gives what lets it come."""
    waiting, open_from_now = [], []
    page.route(f"**/{file}*", lambda route: route.continue_() if open_from_now else waiting.append(route))

    def let():
        open_from_now.append(True)
        for route in waiting:
            route.continue_()

    return let


# A figure, and the file that its model waits for.
FIGURES = [
    ("index", "head-map", "focus-taught.safetensors.gz"),
    ("formula", "formula-steps[model]", "focus-taught.safetensors.gz"),
    ("ambiguity", "word-sense", "senses.safetensors.gz"),
    ("translation", "head-map", "translator-taught.safetensors.gz"),
    ("induction", "head-birth", "induction-step-0.safetensors.gz"),
]


@pytest.mark.parametrize(("chapter", "selector", "file"), FIGURES)
def test_a_figure_removed_while_its_model_loads_goes_on_where_it_is_put_back(page, site, chapter, selector, file):
    let = held(page, file)
    figure = open_chapter(page, site, chapter, selector)
    figure.evaluate("(el) => { globalThis.figure = el; el.ready.then(() => (globalThis.computes = true)) }")
    figure.get_by_text(LOADING).wait_for()
    page.evaluate(
        """async () => {
        const place = document.createComment("");
        figure.replaceWith(place);
        await new Promise((done) => setTimeout(done)); // it isn't only moved
        place.replaceWith(figure);
        }"""
    )
    let()
    page.wait_for_function("() => globalThis.computes")
    expect(figure.get_by_role("status").first).to_contain_text(READY)


def test_a_figure_whose_model_comes_while_it_is_gone_computes_once_it_is_back(page, site):
    let = held(page, "focus-taught.safetensors.gz")
    map = open_chapter(page, site, "index", "head-map")
    map.evaluate("(el) => { globalThis.figure = el; globalThis.place = document.createComment(''); el.ready }")
    map.get_by_text(LOADING).wait_for()
    page.evaluate("() => figure.replaceWith(place)")
    let()
    page.evaluate("async (models) => (await import(models)).whenLoaded('focus')", f"{site}/{scripts()}/models.js")
    page.evaluate("() => { figure.sentence = 'Is it back?'; place.replaceWith(figure) }")
    page.wait_for_function("() => figure.attention.queryTokens.includes('back')")
    page.evaluate("() => figure.ready")


def test_a_figure_moved_in_the_page_goes_on_loading(page, site):
    let = held(page, "focus-taught.safetensors.gz")
    map = open_chapter(page, site, "index", "head-map")
    map.evaluate("(el) => { globalThis.figure = el; el.ready }")
    map.get_by_text(LOADING).wait_for()
    page.evaluate("() => document.querySelector('article').append(figure)")
    let()
    page.evaluate("() => figure.ready")


def test_ready_can_be_asked_for_before_the_figure_is_in_the_page(page, site):
    open_chapter(page, site, "index", "head-map")
    tokens = page.evaluate(
        """async () => {
        const map = document.createElement("head-map");
        map.setAttribute("model", "focus");
        map.setAttribute("sentence", "Am I early?");
        const { ready } = map;
        document.querySelector("article").append(map);
        await ready;
        return map.attention.queryTokens;
        }"""
    )
    assert tokens[1:4] == ["am", "i", "early"]


@pytest.mark.parametrize("name", ["model", "models"])
def test_other_models_are_taken_after_mount(page, site, name):
    map = open_chapter(page, site, "index", "head-map")
    ready(map)
    before = map.evaluate("(el) => [...el.attention.weights]")
    map.evaluate(
        """async (el, name) => {
        el.removeAttribute("model");
        el.removeAttribute("models");
        el.setAttribute(name, name === "model" ? "focus/untaught" : "focus/untaught focus");
        while (el.computedBy !== "focus/untaught") await new Promise((done) => setTimeout(done, 20));
        }""",
        name,
    )
    assert map.evaluate("(el) => [...el.attention.weights]") != before
    expect(map.get_by_role("status")).to_contain_text(READY)
    slider = map.get_by_role("slider", name="Model")
    if name == "model":
        assert slider.count() == 0
        return
    assert slider.get_attribute("max") == "1"
    slider.press("ArrowRight")
    page.wait_for_function("(el) => el.computedBy === 'focus'", arg=map.element_handle())
    assert map.evaluate("(el) => [...el.attention.weights]") == before


def test_a_model_that_no_page_has_is_named(page, site, faults):
    map = open_chapter(page, site, "index", "head-map")
    ready(map)
    map.evaluate("(el) => el.setAttribute('model', 'fokus')")
    map.get_by_text("There is no model called “fokus” on this page.").wait_for()
    map.evaluate("(el) => el.setAttribute('model', 'focus')")
    expect(map.get_by_role("status")).to_contain_text(READY)
    faults.clear()


def test_another_model_of_the_formula_is_taken_after_mount(page, site):
    formula = open_chapter(page, site, "formula", "formula-steps[model]")
    ready(formula)
    before = formula.evaluate("(el) => [...el.steps.Q.values]")
    formula.evaluate(
        """async (el) => {
        const seen = new Promise((done) => el.addEventListener("steps", done, { once: true }));
        el.setAttribute("model", "focus/untaught");
        await seen;
        }"""
    )
    assert formula.evaluate("(el) => [...el.steps.Q.values]") != before


def slow_down(page, site, *names):
    page.evaluate(SLOW, [f"{site}/{scripts()}/models.js", names])


def test_a_map_takes_a_model_that_answers_later(page, site):
    map = open_chapter(page, site, "index", "head-map")
    slow_down(page, site, "focus")
    ready(map)
    map.get_by_role("textbox", name="Sentence").fill("Late, but there.")
    page.wait_for_function("(el) => el.attention.queryTokens.includes('late')", arg=map.element_handle())


def test_words_are_shuffled_for_models_that_answer_later(page, site):
    shuffle = open_chapter(page, site, "order-and-cost", "word-shuffle")
    slow_down(page, site, "focus", "focus/no-order")
    shuffle.get_by_role("button", name="Shuffle the words").click()
    expect(shuffle.locator("tbody tr")).to_have_count(2)
    assert shuffle.locator("tbody tr").first.locator("td").first.inner_text().startswith("0")
    expect(shuffle.get_by_role("status")).to_have_text("")


def test_a_bug_is_compared_for_models_that_answer_later(page, site):
    piece = open_chapter(page, site, "museum", "museum-piece")
    slow_down(page, site, piece.locator("head-map").get_attribute("models").split()[1])  # it calls the other one itself
    piece.get_by_role("switch").check()
    expect(piece.locator(".mp-state")).to_have_text("on")
    expect(piece.locator(".mp-changes tbody tr").first).to_contain_text("The weights of a row sum to")


def test_figures_ask_a_map_by_its_properties(page, site):
    map = open_chapter(page, site, "museum", "museum-piece head-map")
    ready(map)
    right, wrong = map.evaluate("(el) => el.models")
    assert map.evaluate("(el) => el.model") == right
    piece = page.locator("museum-piece").first
    map.evaluate("(el, name) => { el.model = name }", wrong)
    expect(piece.get_by_role("switch")).to_be_checked()
    assert map.evaluate("(el) => el.computedBy") == wrong
    map.evaluate("(el) => { el.headMask = [el.attention.headNames.map((_, head) => head !== 1)] }")
    assert map.evaluate("(el) => el.headMask[0][1]") is False
    expect(map.get_by_role("button", pressed=False).first).to_be_visible()
    map.evaluate("(el) => { el.sentence = 'One two three.'; el.query = 3 }")
    assert map.get_by_role("combobox", name="Asked by").input_value() == "3"


def test_what_was_set_before_a_maps_script_came_holds(page, site):
    page.route("**/head-map.js*", lambda route: route.fulfill(body="", content_type="text/javascript"))
    map = open_chapter(page, site, "index", "head-map")
    map.evaluate("(el) => { el.sentence = 'Set before.' }")
    page.unroute("**/head-map.js*")
    page.evaluate("(script) => import(script)", f"{site}/{scripts()}/head-map.js?again=1")
    page.wait_for_function("(el) => el.attention?.queryTokens.includes('before')", arg=map.element_handle())
