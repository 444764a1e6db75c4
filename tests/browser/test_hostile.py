"""Somebody clumsy, and somebody hostile: whatever is typed or linked is text, and is answered calmly."""

import numpy as np
import pytest
from live_maps import eventually, has_weights, open_map, ready, tools, type_sentence
from playwright.sync_api import expect

from manyheads.models.focus import load_focus_model

ATTACK = """<img src=x onerror="document.title='hacked'"> & "quotes" 'too' #?&=+% \\"""
TEXTS = {
    "": "Type a sentence",
    "   ": "Type a sentence",
    "👩‍🚀🏳️‍🌈 👍🏽": "",
    "مرحبا \u202eبالعالم\u200b": "Take what they conclude with doubt",
    ATTACK: "",
    " ".join(["word"] * 80): "first 64 of 80 words",
    "z" * 10_000: "",
    "?! " * 3_334: "words",
}


def calm(page, title):
    """Nothing typed has run, and nothing is wider than the page."""
    expect(page).to_have_title(title)
    eventually(lambda: page.evaluate("document.documentElement.scrollWidth - innerWidth"), lambda wider: wider <= 0)


def test_any_text_is_answered_by_a_map(page, site):
    head_map = open_map(page, site)
    title = page.title()
    for text, sentence in TEXTS.items():
        weights = type_sentence(head_map, text)["weights"]
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5, err_msg=text[:40])
        expect(head_map.get_by_role("status")).to_contain_text(sentence)
        expect(head_map.get_by_role("textbox", name="Sentence")).to_have_value(text)
        expect(head_map.locator("img")).to_have_count(0)
        calm(page, title)


def test_words_that_run_from_right_to_left_do_so(page, site):
    head_map = open_map(page, site)
    type_sentence(head_map, "אני אוהב תה")
    words = "(el) => [...el.querySelectorAll('tbody:first-of-type td:not(.hm-special)')].map((td) => td.getBoundingClientRect().x)"
    eventually(lambda: head_map.evaluate(words), lambda found: found[0] > found[-1])
    type_sentence(head_map, "I like tea.")
    eventually(lambda: head_map.evaluate(words), lambda found: found[0] < found[-1])


def test_a_hostile_link_is_text_and_a_broken_one_still_gives_a_map(page, site):
    broken = "map=1&view=spiral&layer=-1&head=x&query=99999&off=9.9+7&special=%FF&model=nobody&constructor=1"
    sentence = "%3Cimg%20src%3Dx%20onerror%3D%22document.title%3D1%22%3E"
    page.goto(f"{site}/book/coffee-or-tea.html#{broken}&sentence={sentence}")
    head_map = page.locator("head-map").first
    ready(head_map)
    expect(head_map.get_by_role("textbox", name="Sentence")).to_have_value('<img src=x onerror="document.title=1">')
    expect(head_map.get_by_role("radio", name="Paint")).to_be_checked()
    ours = load_focus_model()('<img src=x onerror="document.title=1">').weights
    has_weights(head_map, ours)
    expect(head_map.locator("img")).to_have_count(0)
    eventually(lambda: page.title(), lambda title: title != "1")


@pytest.mark.usefixtures("faulty")
def test_a_script_that_is_not_ours_does_not_run(page, site):
    head_map = open_map(page, site)
    page.evaluate("""async () => {
        globalThis.ran = [];
        const come = ["<img src=x onerror='ran.push(1)'>", "<iframe srcdoc='<script>parent.ran.push(2)</script>'></iframe>"].map((html) => {
          document.body.insertAdjacentHTML("beforeend", html);
          return new Promise((done) => ["load", "error"].forEach((name) => document.body.lastElementChild.addEventListener(name, done)));
        });
        const script = document.createElement("script");
        script.textContent = "ran.push(3)";
        document.body.append(script);
        await Promise.all(come);
    }""")
    refused = page.evaluate("fetch('http://127.0.0.1:9/').then(() => 'sent', ({ message }) => message)")
    eventually(lambda: [refused, page.evaluate("ran")], lambda found: found == ["Failed to fetch", []])
    type_sentence(head_map, "Ours still does.")


@pytest.mark.usefixtures("faulty")  # scripts of the theme want to keep something
def test_a_browser_that_keeps_nothing_shows_a_live_map(new_context, site):
    context = new_context()
    context.add_init_script("Object.defineProperty(window, 'localStorage', {get() {throw new DOMException('no')}})")
    page = context.new_page()
    head_map = open_map(page, site)
    tools(head_map)
    expect(head_map.get_by_role("combobox", name="Scale")).to_be_visible()
    type_sentence(head_map, "It is alive.")
