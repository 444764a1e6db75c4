"""Somebody uses the keyboard alone."""

import re

from axe import violations
from figures import open_figure
from live_maps import eventually, open_map, ready
from playwright.sync_api import expect
from walk import reaches_everything


def test_the_tab_key_reaches_everything_and_every_stop_is_seen_and_named(page, site):
    reaches_everything(page, f"{site}/book/index.html")


def test_the_tools_are_used_by_keyboard_and_move_nothing(page, site):
    head_map = open_map(page, site)
    place = head_map.locator(".hm-body").bounding_box()
    button = head_map.get_by_role("button", name="Tools")
    button.press("Enter")
    expect(head_map.get_by_role("combobox", name="Layer", exact=True)).to_be_focused()
    eventually(head_map.locator(".hm-body").bounding_box, lambda now: now == place)  # the map stays where it is
    summary = head_map.locator("details.hm-menu > summary")
    for key in ("Enter", "Tab"):
        summary.press(key)
    expect(page.locator("*:focus")).to_have_text("link")
    page.keyboard.press("Enter")
    expect(head_map.get_by_role("textbox", name="link")).to_be_visible()
    page.keyboard.press("Escape")
    expect(head_map.get_by_role("button", name="Copy link")).to_be_hidden()
    expect(summary).to_be_focused()
    page.keyboard.press("Escape")
    expect(head_map.get_by_role("dialog", name="Tools")).to_be_hidden()
    expect(button).to_be_focused()


def test_the_keyboard_goes_through_the_formula(page, site):
    page.emulate_media(reduced_motion="reduce")
    page.goto(f"{site}/book/formula.html")
    figure = page.locator("attention-flow")
    track = figure.get_by_role("slider", name="Stations")
    track.focus()
    for _ in range(3):
        page.keyboard.press("ArrowRight")
    expect(track).to_have_attribute("aria-valuetext", "4 Scores, of 9")
    expect(track).to_be_focused()
    expect(figure.get_by_role("img")).to_have_accessible_name(re.compile("^Scores[.] The highest scores: "))
    figure.get_by_role("button", name="Numbers").press("Enter")
    sheet = figure.get_by_role("region", name="Arithmetic")
    expect(sheet).to_be_focused()
    sheet.locator('tbody button[tabindex="0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(sheet).to_contain_text("feature 2")
    for _ in range(2):
        page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    expect(figure.get_by_role("button", name="Numbers")).to_be_focused()


def test_a_box_is_drawn_and_taken_back_by_keys(page, site):
    board = open_figure(page, site, "drawing-board")
    ready(board)
    paper, says = board.get_by_role("application", name="Paper"), board.locator(".db-says")
    paper.focus()
    page.keyboard.press("Delete")
    for key in ("ArrowLeft", "ArrowUp"):
        page.keyboard.press(f"Shift+{key}")
        page.keyboard.press(f"Shift+{key}")
    page.keyboard.press("Space")
    for key in ("ArrowRight", "ArrowDown", "ArrowLeft", "ArrowUp"):
        for _ in range(4):
            page.keyboard.press(f"Shift+{key}")
    page.keyboard.press("Enter")
    expect(says).to_have_text("One place is shut in.")
    expect(paper).to_be_focused()
    page.keyboard.press("Backspace")
    expect(board).to_have_js_property("strokes", [])


def test_axe_finds_nothing(page, site):
    page.goto(f"{site}/book/index.html")
    eventually(lambda: violations(page, "light", 1400), lambda found: found == [])
