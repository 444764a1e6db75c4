"""Pictures of what a review of the look and feel looks at: `python tests/screenshots.py FOLDER [NAME ...]`, after `make book`.

Each of `PICTURES` at three widths and in both themes, as FOLDER/NAME-WIDTH-THEME.png; each of `PRINTED` as a PDF; and the
journey of a word as strips of eight frames: `journey`, between its stations, and `stations`, with less motion.
"""

import io
import sys
from pathlib import Path

from live_maps import MOVE, choose, ready, settled
from PIL import Image
from served import HTML, chromium, serve

# What a picture shows, its page, what is done there first, and what is taken: the map, the screen, or the whole page.
PICTURES = [
    ("first-sight", "index", "", "screen"),
    ("compare-paint", "index", "compare Paint", "map"),
    ("compare-matrix", "index", "compare Matrix", "map"),
    ("compare-grid", "index", "compare Grid", "map"),
    ("compare-lines", "index", "compare Lines", "map"),
    ("a-word-asks", "index", "ask coffee", "map"),
    ("a-word-is-typed", "index", "type", "screen"),
    ("a-head-is-off", "index", "press sentiment", "map"),
    ("more", "index", "more", "map"),
    ("scale-relative", "index", "scale relative", "map"),
    ("matrix", "index", "view Matrix", "map"),
    ("matrix-enlarged", "index", "enlarge", "map"),
    ("grid", "index", "view Grid", "map"),
    ("lines", "index", "view Lines", "map"),
    ("one-head", "claims", "", "map"),
    ("eight-heads", "claims", "slide 3", "map"),
    ("formula-cell", "formula", "cell", "screen"),
    ("from-the-notes", "from-the-notes", "", "page"),
    ("notation", "notation", "", "page"),
    ("general-index", "../genindex", "", "screen"),
    ("search", "../search", "search", "screen"),
    ("not-found", "../404", "", "screen"),
    ("intuition", "intuition", "", "page"),
    ("coffee-or-tea", "coffee-or-tea", "", "page"),
    ("formula", "formula", "", "page"),
    ("code", "code", "", "page"),
    ("museum", "museum", "", "page"),
    ("real-heads", "real-heads", "", "page"),
    ("ambiguity", "ambiguity", "", "page"),
    ("translation", "translation", "", "page"),
    ("induction", "induction", "", "page"),
    ("claims", "claims", "", "page"),
    ("summary", "summary", "", "page"),
    ("questions", "questions", "", "page"),
    ("exercises", "exercises", "", "page"),
    ("focus-model", "focus-model", "", "page"),
]
PRINTED = ["index", "intuition", "coffee-or-tea", "formula", "museum", "real-heads", "claims", "exercises"]
SIZES = {360: 740, 768: 1024, 1400: 900}
SECOND = "Which do you hate more, coffee or tea?"
TYPED = "Would you rather have hot coffee by the fire or cold tea in the rain?"


def compare(page, map, name):
    map.evaluate("(el, text) => el.setAttribute('compare', text)", SECOND)
    view(page, map, name)


def view(page, map, name):
    map.get_by_role("radio", name=name).check()


def ask(page, map, word):
    map.locator(".hm-paint td").filter(has_text=word).nth(1).click()


def type_sentence(page, map):
    map.get_by_role("textbox", name="Sentence").fill(TYPED)


def press(page, map, name):
    map.get_by_role("button", name=name, exact=True).click()


def more(page, map):
    map.locator("details.hm-more > summary").click()


def scale(page, map, name):
    choose(map, "Scale", name)


def slide(page, map, place):
    map.get_by_role("slider", name="Model").fill(place)


def enlarge(page, map):
    view(page, map, "Matrix")
    map.get_by_role("button", name="Enlarge").first.click()


def cell(page, map):
    steps = page.locator("formula-steps[model]").first
    steps.evaluate("(el) => el.ready")
    steps.locator("td:visible").nth(20).click()


def search(page, map):
    page.goto(f"{page.url}?q=softmax")
    page.locator("#search-results li").first.wait_for()


ACTIONS = {act.__name__: act for act in (compare, view, ask, press, more, scale, slide, enlarge, cell, search)}
ACTIONS["type"] = type_sentence


def open_page(page, site, name):
    """Opens a page, and gives its first map; it computes, unless its model has to be asked for."""
    page.goto(f"{site}/book/{name}.html")
    settled(page)
    maps = page.locator("head-map:not([model=encoder])")
    if maps.count():
        ready(maps.first)
    return maps.first


def shoot(page, site, folder, picture, ending):
    name, place, action, part = picture
    map = open_page(page, site, place)
    verb, *rest = action.split(" ")
    if verb:
        ACTIONS[verb](page, map, *rest)
    path = folder / f"{name}-{ending}.png"
    if part == "map":
        map.screenshot(path=path)
    else:
        page.screenshot(path=path, full_page=part == "page")


FILMS = {"journey": ("no-preference", 0.5), "stations": ("reduce", 0)}  # motion, and how far before a station


def film(page, site, path, before):
    """The journey in the formula chapter as one picture, frame beside frame."""
    open_page(page, site, "formula")
    figure = page.locator("attention-flow").first
    figure.evaluate("(el) => el.ready")
    frames = []
    for place in range(len(figure.evaluate("(el) => el.stations"))):
        figure.get_by_role("slider", name="Journey").evaluate(MOVE, max(place - before, 0))
        frames.append(Image.open(io.BytesIO(figure.screenshot())))
    strip = Image.new("RGB", (sum(frame.width for frame in frames), max(frame.height for frame in frames)))
    for place, frame in enumerate(frames):
        strip.paste(frame, (sum(each.width for each in frames[:place]), 0))
    strip.save(path)


def main(folder, names):
    folder.mkdir(parents=True, exist_ok=True)
    with serve(HTML) as site, chromium() as browser:
        for width, height in SIZES.items():
            for theme in ("light", "dark"):
                screen = {"viewport": {"width": width, "height": height}, "color_scheme": theme}
                for picture in PICTURES:
                    if not names or picture[0] in names:
                        page = browser.new_page(**screen)  # which remembers nothing
                        shoot(page, site, folder, picture, f"{width}-{theme}")
                        page.close()
                for name, (motion, before) in FILMS.items():
                    if not names or name in names:
                        page = browser.new_page(**screen, reduced_motion=motion)
                        film(page, site, folder / f"{name}-{width}-{theme}.png", before)
                        page.close()
        for name in PRINTED:
            if not names or f"print-{name}" in names:
                page = browser.new_page()
                open_page(page, site, name)
                page.pdf(path=folder / f"print-{name}.pdf", format="A4")
                page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
