"""A film strip of `<attention-flow>`, to look at: `python bench/film_strip.py FOLDER [PAGE]`, after `make book`.

Its eight stations, and with motion the moments halfway between them, at three widths, in both themes, and once more for
readers who ask for less motion; each strip is FOLDER/WIDTH-THEME[-still].png.
"""

import sys
from itertools import product
from pathlib import Path

from PIL import Image

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
from served import HTML, chromium, serve

WIDTHS = {1400: 900, 768: 1024, 360: 740}
COLUMNS = 4


def frames(page, folder, name, moments):
    """Takes the figure at each moment of its scrubber."""
    figure = page.locator("attention-flow").first
    figure.evaluate("async (el) => { await el.ready }")
    for moment in moments:
        page.get_by_role("slider", name="Journey").first.evaluate(
            "(slider, at) => { slider.value = at; slider.dispatchEvent(new Event('input')) }", moment
        )
        path = folder / f"{name}-{moment:.1f}.png"
        figure.screenshot(path=path)
        yield path


def strip(paths, to):
    """The frames as one picture, a few to a row."""
    pictures = [Image.open(path) for path in paths]
    width, height = (max(picture.size[axis] for picture in pictures) for axis in (0, 1))
    rows = -(-len(pictures) // COLUMNS)
    whole = Image.new("RGB", (COLUMNS * width, rows * height), "white")
    for place, picture in enumerate(pictures):
        whole.paste(picture, (place % COLUMNS * width, place // COLUMNS * height))
    whole.save(to)


def main(folder, page_name="formula"):
    folder.mkdir(parents=True, exist_ok=True)
    with serve(HTML) as site, chromium() as browser:
        for (width, height), theme, motion in product(WIDTHS.items(), ("light", "dark"), ("no-preference", "reduce")):
            name = f"{width}-{theme}{'-still' if motion == 'reduce' else ''}"
            page = browser.new_page(
                viewport={"width": width, "height": height}, color_scheme=theme, reduced_motion=motion
            )
            page.goto(f"{site}/book/{page_name}.html")
            moments = [place for place in range(8)] if motion == "reduce" else [place / 2 for place in range(15)]
            strip(list(frames(page, folder, name, moments)), folder / f"{name}.png")
            page.close()


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
