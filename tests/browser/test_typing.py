"""Somebody types a sentence: the page computes what Python computes, loses nothing that was typed, and takes it back."""

from datetime import datetime, timedelta

import pytest
from close import assert_close
from live_maps import COFFEE, attend, attention_of, eventually, has_weights, open_map, ready, shows, type_sentence
from playwright.sync_api import expect

from manyheads import load_translator
from manyheads.models.focus import load_focus_model
from manyheads.models.focus.data import generate_sentences

HEARD = """(el) => { globalThis.heard ??= [];
  const live = "[aria-live], [role=status], [role=alert], output";
  new MutationObserver((changes) => changes.forEach(({ target }) => {
    const region = target.closest?.(live) ?? target.parentElement?.closest(live);
    if (region) heard.push(region.innerText || region.textContent);
  })).observe(el, { childList: true, characterData: true, subtree: true }) }"""


def box_of(figure):
    return figure.get_by_role("textbox", name="Sentence")


def test_the_page_and_python_agree_on_any_sentence(page, site):
    head_map, model = open_map(page, site), load_focus_model()
    sentences = [sentence.text for sentence in generate_sentences(12, seed=11)]
    sentences += [
        "a",
        "naïve café ĀĒ",
        "Привет, мир!",
        "مرحبا بالعالم",
        "你好世界",
        "👩‍🚀 says ok",
        "[SEP] [CLS] ##ing",
        "!" * 500,
    ]
    for text in sentences:
        ours, theirs = model(text), attend(head_map, text)
        assert theirs["queryTokens"] == ours.query_tokens, text
        assert_close(theirs["weights"], ours.weights, name=text)
        for name, labels in ours.predictions.items():
            assert theirs["predictions"][name] == pytest.approx(labels, abs=1e-5)


def test_each_key_is_answered_and_the_cells_show_it(page, site):
    head_map = open_map(page, site)
    box = box_of(head_map)
    box.fill("")
    box.press_sequentially("The old dog slept.")
    expect(box).to_have_value("The old dog slept.")
    expect(box).to_be_focused()
    shows(head_map, load_focus_model()("The old dog slept.").weights[-1, :, 0])
    expect(head_map.get_by_role("status")).to_contain_text("Ready")
    page.keyboard.press("Control+z")  # the browser's own
    expect(box).not_to_have_value("The old dog slept.")
    expect(page.locator("#arriving")).to_have_count(0)  # or each key would style the whole page anew
    box.fill("hot\n tea")
    expect(box).to_have_value("hot tea")  # as pasted; and Enter adds no line
    box.press("Enter")
    expect(box).to_have_value("hot tea")


def test_what_is_typed_while_the_model_loads_is_answered(page, site):
    held = []
    page.route("**/focus-words*", lambda route: held.append(route))
    page.goto(f"{site}/book/coffee-or-tea.html")
    head_map = page.locator("head-map").first
    with page.expect_request("**/focus-words*"):
        box_of(head_map).fill("I am early")
    box_of(head_map).fill("I am early.")
    expect(head_map.get_by_role("status")).to_contain_text("Loading")
    held[0].continue_()
    ready(head_map)
    expect(head_map.locator("td", has_text="early").first).to_be_visible()
    expect(box_of(head_map)).to_have_value("I am early.")


def test_what_was_done_is_undone_step_by_step_and_done_again(page, site):
    head_map = open_map(page, site)
    undo = head_map.get_by_role("button", name="Undo", exact=True)
    sentiment, matrix = (
        head_map.get_by_role("button", name="sentiment", exact=True),
        head_map.get_by_role("radio", name="Matrix"),
    )
    expect(undo).to_be_hidden()
    head_map.get_by_role("group", name="Sentences to try").get_by_role("button", name="The soup was not good.").click()
    expect(head_map.locator("[data-prediction=sentiment]")).to_contain_text("negative")
    sentiment.click()
    matrix.check()
    undo.click()
    expect(matrix).not_to_be_checked()
    expect(sentiment).to_have_attribute("aria-pressed", "false")
    undo.click()
    expect(sentiment).to_have_attribute("aria-pressed", "true")
    expect(box_of(head_map)).to_have_value("The soup was not good.")
    undo.click()
    expect(box_of(head_map)).to_have_value(COFFEE)
    expect(undo).to_be_focused()  # though there is no more to undo
    for _ in range(3):
        page.keyboard.press("Control+y")
    expect(box_of(head_map)).to_have_value("The soup was not good.")
    expect(sentiment).to_have_attribute("aria-pressed", "false")
    expect(matrix).to_be_checked()


def test_those_who_listen_hear_once_what_typing_came_to(page, site):
    head_map = open_map(page, site)
    page.clock.install()
    page.clock.pause_at(datetime.now() + timedelta(seconds=1))  # however slow the machine, no pause is a reader's
    head_map.evaluate(HEARD)
    box_of(head_map).fill("")
    box_of(head_map).press_sequentially("That is better, isn't it?")
    page.clock.run_for(5_000)
    heard = eventually(
        lambda: [said for said in page.evaluate("heard") if "Ready" not in said and "Type a sentence" not in said],
        lambda heard: len(heard) == 1,
    )
    for name, labels in attention_of(head_map)["predictions"].items():
        assert f"{name.capitalize()}: {max(labels, key=labels.get)}, " in heard[0]


def test_two_maps_of_a_page_share_the_model_and_nothing_else(page, site):
    fetched = []
    page.on("request", lambda request: fetched.append(request.url) if "/models/" in request.url else None)
    page.goto(f"{site}/book/coffee-or-tea.html")
    first, second = (page.locator("head-map:is([model], [models])").nth(place) for place in (0, 1))
    ready(first)
    ready(second)
    sentence = box_of(second).evaluate("(box) => box.value")
    type_sentence(first, "Only here.")
    expect(first.locator("td", has_text="only").first).to_be_visible()
    expect(box_of(second)).to_have_value(sentence)
    eventually(lambda: page.evaluate("1") and fetched, lambda fetched: 0 < len(fetched) == len(set(fetched)))


def test_another_script_sets_and_reads_a_map(page, site):
    """The contract of the element: ready, sentence, attention, headMask, and an event that bubbles."""
    open_map(page, site)
    act = """async () => {
        const map = document.createElement("head-map");
        map.setAttribute("model", "focus");
        map.setAttribute("sentence", "Am I early?");
        const { ready } = map;
        document.querySelector("article").append(map);
        await ready;
        const first = map.attention.queryTokens;
        const told = new Promise((tell) => document.addEventListener("attention", ({ target, detail }) => tell(target === map && detail === map.attention), { once: true }));
        map.sentence = "I like tea.";
        const bubbled = await told;
        map.headMask = [Array(4).fill(true), [true, true, true, false]];
        await new Promise(requestAnimationFrame);
        const { queryTokens, keyTokens, shape, weights, predictions } = map.attention;
        return { first, bubbled, queryTokens, keyTokens, shape, weights: [...weights], predictions } }"""
    found = eventually(lambda: page.evaluate(act), lambda found: found["bubbled"])
    ours = load_focus_model()("I like tea.", head_mask=[True, True, True, False])
    assert found["first"][1:4] == ["am", "i", "early"]
    assert (found["queryTokens"], found["keyTokens"]) == (ours.query_tokens, ours.key_tokens)
    assert_close(found["weights"], ours.weights.ravel())
    assert found["predictions"]["sentiment"] == pytest.approx(ours.predictions["sentiment"], abs=1e-5)


def test_english_becomes_french_as_one_types_and_an_unknown_word_is_offered_a_near_one(page, site):
    page.goto(f"{site}/book/decoder.html")
    head_map = page.locator("#translator")
    head_map.scroll_into_view_if_needed()
    ready(head_map)
    french, status = head_map.get_by_label("Translation").get_by_role("button"), head_map.get_by_role("status")
    translator = load_translator()
    opened = head_map.evaluate("(el) => el.sentence")
    page.locator("figure-guess", has_text="of the French").last.get_by_role("button", name="just show me").click()
    expect(french).to_have_text(translator(opened, [False, True, True, True]).query_tokens[:-1])
    expect(head_map.get_by_text("with one head off", exact=True)).to_be_visible()
    sentence = "The girls eat a green apple."
    ours = translator(sentence)
    box_of(head_map).fill(sentence)
    expect(french).to_have_text(ours.query_tokens[:-1])
    has_weights(head_map, ours.weights)
    expect(head_map.get_by_text("with one head off", exact=True)).to_be_hidden()
    box_of(head_map).fill("The girls eat a green appel.")
    expect(status).to_contain_text("does not know “appel”. Near ones that it knows: apple")
    expect(french).to_have_text(ours.query_tokens[:-1])
    status.get_by_role("button", name="Use “apple”").click()
    expect(box_of(head_map)).to_have_value(sentence)
    french.filter(has_text="pomme").click()
    expect(head_map.get_by_role("table")).to_have_attribute("aria-label", "What each head looks at when pomme asks")
    head_map.get_by_role("button", name="word", exact=True).click()
    expect(head_map.get_by_text("with one head off", exact=True)).to_be_visible()
    page.get_by_text("Four more, on the translator").click()
    exercise = page.locator("field-exercise[map=translator]")
    exercise.get_by_role("button", name="Check").click()
    exercise.get_by_role("button", name="Show it on the map").first.click()
    shown = "The small girl eats the green apples."
    expect(box_of(head_map)).to_have_value(shown)
    expect(french).to_have_text(translator(shown).query_tokens[:-1])
    expect(head_map.get_by_text("with one head off", exact=True)).to_be_hidden()
