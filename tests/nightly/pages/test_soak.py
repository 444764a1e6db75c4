"""Figures live and die: one that was removed leaves no listener, no node and no computation."""

import os

import pytest
from figures import CHAPTER_OF
from live_maps import eventually, ready, renew, settled

ROUNDS = int(os.environ.get("MANYHEADS_SOAK", 12))
FIGURES = [
    *((chapter, name) for name, chapter in CHAPTER_OF.items() if name not in ("field-exercise", "exercise-list")),
    ("real-heads", 'head-map[model="encoder"]'),
]

COMPUTING = ("head-map", "attention-flow", "head-ledger", "slice-or-project", "museum-piece", "whole-model")
# As if by hand; what is really typed the browser itself keeps, to undo it.
TYPED = """(el) => el.querySelectorAll("input[type=text]").forEach((box) => {
  box.value = "The heron waited.";
  box.dispatchEvent(new Event("input", { bubbles: true })) })"""


def counted(page, devtools):
    """Listeners and nodes of the page once what nobody holds is gone."""
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    for _ in range(3):
        devtools.send("HeapProfiler.collectGarbage")
    counts = devtools.send("Memory.getDOMCounters")
    return {name: counts[name] for name in ("jsEventListeners", "nodes")}


@pytest.mark.parametrize(("chapter", "figure"), FIGURES)
def test_a_figure_that_was_removed_leaves_nothing(page, site, chapter, figure):
    page.goto(f"{site}/book/{chapter}.html")
    devtools = page.context.new_cdp_session(page)
    page.evaluate("document.querySelectorAll('details').forEach((fold) => (fold.open = true))")
    page.locator(figure).first.wait_for()

    def live():
        shown = renew(page, figure)
        shown.scroll_into_view_if_needed()
        shown.evaluate(TYPED)
        if figure in COMPUTING:
            shown.evaluate("async (el) => { await el.ready; (el.map ?? el).sentence = 'The owl slept.' }")

    def once():
        live()
        page.evaluate("location.hash = 'map=1&sentence=Hello.'")

    settled(page)
    for _ in range(4):
        once()
    before = counted(page, devtools)
    for _ in range(ROUNDS):  # until what the page itself adds late is there; what leaks never ends
        once()
        earlier, before = before, counted(page, devtools)
        if before["jsEventListeners"] == earlier["jsEventListeners"]:
            break
    for _ in range(ROUNDS):
        once()
    eventually(  # a timer may hold a removed figure for a second; what leaks is held for ever
        lambda: counted(page, devtools),
        lambda after: (
            after["jsEventListeners"] <= before["jsEventListeners"] and after["nodes"] - before["nodes"] < 40
        ),  # fewer than any figure has
    )
    page.evaluate("history.replaceState(null, '', location.pathname)")
    devtools.detach()


def test_an_encoder_stops_computing_for_a_figure_that_was_removed(page, site):
    page.goto(f"{site}/book/real-heads.html")
    head_map = page.locator('head-map[model="encoder"]').first
    ready(head_map)
    page.evaluate("""() => {
        const map = document.querySelector('head-map[model="encoder"]');
        globalThis.told = 0;
        map.addEventListener("attention", () => told++);
        for (const word of ["one", "two", "three"]) map.sentence = word;
        globalThis.kept = map;
        map.remove();
    }""")
    page.evaluate("document.querySelector('attention-flow').sentence = 'four'")  # of the same model, asked after them
    page.wait_for_function("() => document.querySelector('attention-flow').steps.tokens.includes('four')")
    page.evaluate("document.querySelector('article').append(kept)")
    page.wait_for_function("() => kept.attention.queryTokens.includes('three')")
    eventually(lambda: page.evaluate("told"), lambda told: told == 1)  # once, since it is back
