"""Somebody reads the book: from chapter to chapter, with and without scripts, and finds what they look for."""

import re

from built import CHAPTERS
from live_maps import COFFEE, SHIFT, eventually, ready, settled, shows
from playwright.sync_api import expect
from seen import faint
from served import ROOT

from manyheads.models.focus import load_focus_model


def test_the_next_link_leads_through_every_chapter_and_each_is_calm(page, site):
    """That none has an error, a missing file or a request to another host is seen to by `page`."""
    page.goto(f"{site}/{CHAPTERS[0]}.html")
    visited = []
    for chapter in CHAPTERS:
        page.wait_for_url(f"{site}/{chapter}.html")
        visited.append(chapter)
        expect(page.get_by_role("heading", level=1)).to_have_count(1)
        for head_map in page.locator("head-map:is([model], [models]):not([model=encoder], [model=decoder])").all():
            ready(head_map)
        settled(page)
        expect(page.locator("article")).not_to_contain_text("Traceback")
        expect(page.locator("article")).not_to_contain_text("stands still: its script")
        if chapter != CHAPTERS[-1]:
            page.locator("a.right-next").click()
    expect(page.locator("a.right-next")).to_have_count(0)


def test_a_stranger_sees_a_sentence_type_itself_turns_a_head_off_and_is_shown_the_chapters(page, site):
    page.add_init_script("""globalThis.concluded = [];
        addEventListener("attention", ({ detail: { predictions: { sentiment } } }) => {
            if (sentiment) concluded.push(Object.entries(sentiment).sort((a, b) => b[1] - a[1])[0][0]) })""")
    page.goto(f"{site}/book/index.html")
    opened = page.evaluate(SHIFT)
    look = page.locator("first-look")
    verdict = look.locator(".fl-verdict")
    eventually(lambda: page.evaluate("concluded"), lambda found: "positive" in found and found[-1] == "negative")
    expect(look.get_by_role("textbox", name="Sentence")).to_have_value("None of them like tea.")
    expect(verdict).to_contain_text("negative")
    look.get_by_role("button", name="Turn this head off").click()
    expect(verdict).to_contain_text("positive")
    expect(look.get_by_text("with one head off")).to_be_visible()
    look.get_by_role("button", name="She likes nobody here.").click()
    expect(verdict).to_contain_text("negative")
    expect(look.get_by_role("button", name="Turn this head off")).to_be_visible()
    expect(page.locator("#pst-primary-sidebar")).to_be_hidden()
    # It only grows, and letters that type themselves move by a transform, which doesn't count.
    eventually(lambda: page.evaluate(SHIFT), lambda shift: shift <= 0.02 and shift - opened <= 0.02 / 4, seconds=0)
    listed = (ROOT / "book/index.md").read_text(encoding="utf-8").partition("```{chapters}\n")[2].partition("\n```")[0]
    expect(page.locator(".chapters li:has(> a):has(> svg)")).to_have_count(len(listed.splitlines()))


def test_a_search_finds_sections_and_shows_words_of_them(page, site):
    page.goto(f"{site}/book/index.html")
    page.keyboard.press("Control+k")
    page.locator("form.bd-search:visible input").first.fill("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax*")
    expect(page.get_by_text(re.compile("Search finished"))).to_be_visible()
    excerpts = page.locator("#search-results li p.context")
    expect(excerpts.filter(has_text=re.compile("softmax", re.I)).first).to_be_visible()
    expect(excerpts.filter(has_text=re.compile(r"\\(sqrt|frac|\()"))).to_have_count(0)
    page.locator("#search-results li a").first.click()
    expect(page.locator("article h1")).to_be_visible()


def test_the_chosen_theme_is_there_on_the_next_page_before_anything_is_drawn_and_in_a_term_s_card(page, site):
    page.emulate_media(color_scheme="light")
    page.add_init_script("""globalThis.themes = [];
        const see = () => document.documentElement && themes.push(document.documentElement.dataset.theme);
        new MutationObserver(see).observe(document, { attributes: true, attributeFilter: ["data-theme"], subtree: true })""")
    page.goto(f"{site}/book/index.html")
    root = page.locator("html")
    expect(root).to_have_attribute("data-theme", "light")
    switch = page.locator("button.theme-switch-button:visible").first
    for _ in range(3):
        switch.click()
        if page.evaluate("localStorage.getItem('mode')") == "dark":
            break
    expect(root).to_have_attribute("data-theme", "dark")
    page.goto(f"{site}/book/glossary.html")
    eventually(lambda: page.evaluate("[...new Set(themes)]"), lambda found: found == ["dark"])
    page.get_by_role("link", name="query", exact=True).first.hover()
    card = page.locator(".term-card")
    expect(card).to_contain_text("A list of numbers that a token makes to look for something")
    eventually(lambda: faint(card), lambda found: found == [])
    page.mouse.move(5, 5)
    expect(card).to_be_hidden()


def test_code_and_solutions_are_folded_until_they_are_opened(page, site):
    page.goto(f"{site}/book/code.html")
    code = page.locator("details.hide").first
    expect(code.locator("pre").first).to_be_hidden()
    code.locator("summary").click()
    expect(code.locator("pre").first).to_be_visible()
    solution = page.locator("details.solution").first
    expect(solution.locator("pre, p").last).to_be_hidden()
    solution.locator("summary").click()
    expect(solution.locator("pre, p").last).to_be_visible()


def test_without_scripts_figures_and_equations_are_drawn(still, site):
    drawn = {
        "index": "first-look",
        "formula": "attention-flow, softmax-scale",
        "real-heads": "head-map, head-cards",
        "induction": "head-birth, one-step",
    }
    for chapter, figures in drawn.items():
        still.goto(f"{site}/book/{chapter}.html")
        for figure in still.locator(figures).all():
            expect(figure.locator("td, img, svg, li").locator("visible=true").first).to_be_visible()
    still.goto(f"{site}/book/formula.html")
    expect(still.locator("math:has(msqrt)").first).to_be_visible()
    expect(still.get_by_text("\\frac")).to_have_count(0)
    still.goto(f"{site}/book/coffee-or-tea.html")
    shows(still.locator("head-map").first, load_focus_model()(COFFEE).weights[-1, :, 0])
