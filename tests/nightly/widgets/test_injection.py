"""Texts that mean harm, in every place of a map that a text can come from: none of them is ever more than a text."""

from hostile import hostile_maps
from live_maps import eventually
from playwright.sync_api import expect

from manyheads.widgets import HeadMap

# What has run, and what waits to.
HARM = """() => [globalThis.fired ?? null, [...document.querySelectorAll("head-map *")].filter((node) =>
  [...node.attributes].some(({ name }) => name.startsWith("on"))).map((node) => node.outerHTML)]"""


def test_no_saved_page_runs_what_a_text_says(opened):
    for number, (head_map, sentence) in enumerate(hostile_maps()):
        if number % 2:
            continue
        shown = HeadMap(sentence, model=lambda *_, head_map=head_map, **__: head_map, head=1)
        page = opened(shown)
        for view in ("Paint", "Matrix", "Grid", "Lines"):
            page.get_by_role("radio", name=view).check(force=True)
        page.wait_for_function("document.readyState === 'complete'")
        running = "script:not([type='application/json']), iframe, object, embed, a"
        expect(page.locator(f"head-map :is({running})")).to_have_count(0)
        eventually(lambda page=page: page.evaluate(HARM), lambda found: found == [None, []])
