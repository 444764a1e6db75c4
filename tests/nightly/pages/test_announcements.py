"""What those hear who do not see: one sentence for a change, names that differ, few stops of the Tab key, a focus that stays."""

from datetime import datetime, timedelta

import pytest
from live_maps import open_map, ready, seen

HEARD = """(el) => { globalThis.heard ??= [];
  const live = "[aria-live], [role=status], [role=alert], output";
  new MutationObserver((changes) => changes.forEach(({ target }) => {
    const region = target.closest?.(live) ?? target.parentElement?.closest(live);
    if (region) heard.push(region.innerText || region.textContent);
  })).observe(el, { childList: true, characterData: true, subtree: true }) }"""


def stop_the_clock(page):
    """From here on time passes on the page only by `page.clock`: however slow the machine, no pause is a reader's pause."""
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(seconds=1))


def typed(figure, text="That is better, isn't it?"):
    """Types a sentence, key by key; gives what live regions said until a while after."""
    page = figure.page
    stop_the_clock(page)
    figure.evaluate(HEARD)
    box = figure.get_by_role("textbox", name="Sentence")
    box.fill("")
    box.press_sequentially(text)
    page.clock.run_for(5_000)
    return page.evaluate("heard")


def test_a_map_says_once_what_typing_came_to(page, site):
    map = open_map(page, site)
    heard = [said for said in typed(map) if "Ready" not in said and "Type a sentence" not in said]
    (said,) = heard
    predictions = map.evaluate("(el) => el.attention.predictions")
    for name, labels in predictions.items():
        best = max(labels, key=labels.get)
        assert f"{name.capitalize()}: {best}, " in said
        assert f"{name.capitalize()} head: most on " in said


def test_the_formula_says_once_what_typing_came_to(page, site):
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("formula-steps[model]").first
    figure.evaluate("async (el) => { await el.ready }")
    heard = [said for said in typed(figure) if "Ready" not in said and "Type a sentence" not in said]
    assert len(heard) == 1
    page.evaluate("heard.length = 0")
    for at in range(12):
        figure.locator("td:visible").nth(at).hover()
    page.clock.run_for(5_000)
    assert page.evaluate("heard") == []


def test_the_scale_of_senses_says_once_what_typing_came_to(page, site):
    page.goto(f"{site}/book/ambiguity.html")
    figure = page.locator("word-sense").first
    figure.evaluate("async (el) => { await el.ready }")
    stop_the_clock(page)
    figure.evaluate(HEARD)
    figure.evaluate("(el) => el.addEventListener('sense', ({ detail }) => (globalThis.read = detail))")
    box = figure.get_by_role("textbox", name="Sentence")
    for sentence in ("She took her money to the bank.", "She sat on the bank of the river."):
        box.fill(sentence)
    page.wait_for_function("() => globalThis.read?.shares.at(-1) > 0.8")
    page.clock.run_for(5_000)
    said = [text for text in page.evaluate("heard") if text.startswith("bank: ")]
    sense = figure.evaluate("(el) => el.sense")
    share = sense["shares"][sense["layer"]]
    likelier = max(share, 1 - share)
    assert len(said) == 1
    assert f"{likelier:.0%}".replace("%", " %") in said[0]
    assert f"{sense['senses'][share >= 0.5]} after layer {sense['layer']}." in said[0]


def test_the_scale_of_softmax_says_once_what_its_slider_came_to(page, site):
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("softmax-scale")
    stop_the_clock(page)
    figure.evaluate(HEARD)
    slider = figure.get_by_role("slider")
    slider.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    page.clock.run_for(5_000)
    (said,) = page.evaluate("heard")
    assert said.startswith("The largest weight is ")
    assert slider.get_attribute("aria-valuetext") == "dₖ = 512"


def test_pruning_says_once_what_the_slider_came_to(page, site):
    page.goto(f"{site}/book/claims.html")
    figure, map = page.locator("head-pruning"), page.locator("head-map#pruned")
    figure.scroll_into_view_if_needed()
    map.get_by_role("button", name="Load the encoder").click()
    seen(figure, "Cosine of the sentence's vector").wait_for()
    ready(map)
    stop_the_clock(page)
    figure.evaluate(HEARD)
    map.evaluate(HEARD)
    slider = figure.get_by_role("slider", name="Heads pruned")
    slider.focus()
    for count in (1, 2, 3):
        page.keyboard.press("ArrowRight")
        page.wait_for_function("(count) => document.querySelector('head-pruning').pruned === count", arg=count)
    page.clock.run_for(5_000)
    said = [text for text in page.evaluate("heard") if not text.startswith(("Computing", "Ready"))]
    left = figure.locator(".hp-left").inner_text()
    pruned = slider.get_attribute("aria-valuetext")
    assert pruned.startswith("3 of 72 heads pruned, layer ")
    assert "nearest to “" in left
    assert said == [f"{pruned} {left}"]


def test_a_mouse_does_not_change_what_the_keyboard_hears(page, site):
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("formula-steps[model]").first
    cells = figure.locator(".fs-results td:visible")
    cells.nth(3).focus()
    described = "document.getElementById(document.activeElement.getAttribute('aria-describedby')).textContent"
    before = page.evaluate(described)
    assert before
    cells.nth(9).hover()
    assert page.evaluate(described) == before


@pytest.mark.parametrize("made", ["K", "V"])
def test_every_learnt_matrix_is_reached_and_the_focus_stays(page, site, made):
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("formula-steps[model]").first
    figure.get_by_role("tab").nth(1).click()
    figure.get_by_role("button", name="All rows").click()
    figure.locator(f'[data-matrix="{made}"] td').first.click()
    figure.locator('[data-matrix="X"] td').nth(1).click()
    assert page.evaluate("document.activeElement.closest('[data-matrix]')?.dataset.matrix") == "X"
    figure.locator(f'[data-matrix="W{made.lower()}"] td').first.click()
    assert page.evaluate("document.activeElement.closest('[data-matrix]')?.dataset.matrix") == f"W{made.lower()}"


def stops(figure):
    return figure.evaluate("""(el) => [...el.querySelectorAll("a[href], button, input, select, summary, textarea, [tabindex]")]
        .filter((node) => node.tabIndex >= 0 && !node.disabled && node.checkVisibility()
          && !(node.type === "radio" && !node.checked)).length""")


@pytest.mark.parametrize(
    ("chapter", "figure"),
    [
        ("index", "head-map"),
        ("formula", "formula-steps[model]"),
        ("museum", "museum-piece"),
        ("real-heads", "head-cards"),
    ],
)
def test_a_figure_has_few_stops(page, site, chapter, figure):
    page.goto(f"{site}/book/{chapter}.html")
    shown = page.locator(figure).first
    if figure in ("head-map", "museum-piece"):
        ready(shown)
    shown.locator("button").first.wait_for()
    assert 5 <= stops(shown) <= 40


def test_cards_are_walked_with_arrows_and_their_names_differ(page, site):
    page.goto(f"{site}/book/real-heads.html")
    cards = page.locator("head-cards")
    cards.locator(".hc-open").first.wait_for()
    names = cards.locator(".hc-open").evaluate_all("(buttons) => buttons.map(({ ariaLabel }) => ariaLabel)")
    assert len(set(names)) == len(names) == 72
    cards.locator("tbody a").first.focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert page.evaluate("document.activeElement.ariaLabel") == names[2]
    stop_the_clock(page)
    cards.evaluate(HEARD)
    page.keyboard.press("Enter")
    page.clock.run_for(5_000)
    (said,) = page.evaluate("heard")
    assert said.startswith("Layer 1, head 3: ")
    assert len(said) < 200
