"""What a page says of its first figure is what a reader sees there: each is drawn as the build draws it, with what its guess sets."""

import base64
import io
import re
from types import SimpleNamespace

import numpy as np
import pytest
from conftest import ROOT
from drawn import drawn
from PIL import Image

from manyheads.figures import FIGURES
from manyheads.figures.elements import make
from manyheads.shared.tokens import is_special
from manyheads.sphinxext.directives import figure_directive
from manyheads.sphinxext.phrases import guesses_in, read_phrase, read_settings

SOURCES = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("*.md"))}
LIBRARY = SOURCES["intuition"].partition("## Query, key, value: a library")[2].partition("\n## ")[0]
FOOLED = SOURCES["is-it-shut"].partition("## Fool it")[2].partition("\n## ")[0]
NUMBERS = {"two": 2, "three": 3, "four": 4, "eight": 8}
FIGURE = re.compile(r"^`{3}\{([a-z]+-[a-z-]+)\} (.+)\n((?::.*\n)*)`{3}$", re.MULTILINE)
STRONG = 0.5  # of the tint of a square's strongest cell


def html_of(chapter, sets=None):
    """The HTML of a chapter's first figure, with what is set of it."""
    kind, words, written = next(found for found in FIGURE.findall(SOURCES[chapter]) if found[0] in FIGURES)
    options = dict(re.findall(r"^:([\w-]+): *(.*)$", written, re.MULTILINE))
    return made(chapter, kind, words, options, sets or {})


def made(chapter, kind, words, options, sets):
    """The HTML that a figure's directive makes of its words and options, some of which are set otherwise."""
    directive = figure_directive(kind)
    env = SimpleNamespace(docname=chapter, doc2path=lambda name: ROOT / "book" / f"{name}.md", temp_data={})
    figure = type(kind, (directive,), {"env": env, "__init__": lambda self: None})()
    spec = figure.option_spec
    written = options | {name: value for name, value in sets.items() if name in spec}
    figure.options = {name: spec[name](value) for name, value in written.items()}
    return make(kind, sets.get("sentence", words), figure.read())


def guess_of(chapter):
    """The question of a chapter's first guess, its options, and what it sets."""
    options = guesses_in(SOURCES[chapter])[0]
    question = re.search(r"^`{3}\{guess\} (.*)$", SOURCES[chapter], re.MULTILINE)[1]
    return question, options, read_settings(options.get("sets", "")) if "sets" in options else {}


def phrases_in(text):
    """What the phrases of a text set."""
    return [read_phrase(written)[2] for written in re.findall(r"\{try\}`([^`]+)`", text)]


def shown_text(part):
    """The texts of a figure that aren't hidden."""
    return [
        text
        for text in part.find_all(string=True)
        if not text.find_parent(hidden=True) and text.parent.name != "script"
    ]


def number_before(words, text):
    """The number that stands before some words of a text, written out: 8 of "Eight squares"."""
    return NUMBERS[re.search(rf"(\w+) {words}", text)[1].lower()]


@pytest.fixture(scope="module")
def seen():
    """The first figures of some chapters, as their guesses show them."""
    sentence, view = re.search(r'^HeadMap\("(.*)", view="(.*)"\)$', SOURCES["code"], re.MULTILINE).groups()
    figures = {
        "code": made("code", "head-map", sentence, {"view": view}, {}),
        "is-it-shut": html_of("is-it-shut", *phrases_in(FOOLED)[:1]),
        "real-heads": html_of("real-heads"),
        "intuition": html_of("intuition", *phrases_in(LIBRARY)[:1]),
        "opening": html_of("intuition"),
        "formula": html_of("formula"),
    }
    return dict(zip(figures, drawn(*figures.values()), strict=True))


def test_as_many_squares_are_drawn_as_the_text_says(seen):
    rows = seen["code"].select(".hm-grid tbody tr")
    heads = {len(row.select("button")) for row in rows}
    text = SOURCES["code"]
    said = [number_before(words, text) for words in ("squares", "layers of", "heads: rows are words")]
    assert said == [sum(len(row.select("button")) for row in rows), len(rows), *heads]


def test_a_guess_names_a_square_as_its_titles_do_and_counts_the_columns_that_are_strong_in_it(seen):
    question, _, _ = guess_of("code")
    layer, head = re.search(r"(layer \d), (head \d)", question, re.IGNORECASE).groups()
    grid = seen["code"].select_one(".hm-grid")
    names = [[title.get_text(strip=True).lower() for title in grid.select(at)] for at in ("tbody th", "thead th")]
    row, column = names[0].index(layer.lower()), names[1].index(head)
    image = grid.select_one("img")
    pixels = np.asarray(Image.open(io.BytesIO(base64.b64decode(image["src"].split(",")[1]))).convert("RGBA"))
    _, heads, queries, keys = map(int, image["data-drawn"].split())
    side = pixels.shape[1] // heads
    square = pixels[row * side : (row + 1) * side, column * side : (column + 1) * side].astype(float)
    step = side // keys  # pixels of a cell
    tint = square[step // 2 :: step, step // 2 :: step, 3][
        :queries, :keys
    ]  # how much the paper of either theme is covered
    strong = (tint > STRONG * tint.max()).mean(0) >= 0.5
    assert strong.sum() == number_before("strong columns", question)
    assert not {"object", "bright", "dark"} & {
        *re.findall(r"\w+", question)
    }  # nothing is called so yet; dark ground turns it round


def test_the_gap_that_a_phrase_shows_is_as_wide_as_it_says(seen):
    phrase = re.search(r"\{try\}`([^<]+) <", FOOLED)[1]
    assert phrase == "a gap no wider than the line"
    strokes = seen["is-it-shut"].select_one("path.db-strokes[d]")
    points = np.array(re.findall(r"([\d.]+) ([\d.]+)", strokes["d"]), float)
    width = float(seen["is-it-shut"].select_one("path.db-strokes[stroke-width]")["stroke-width"])
    clear = np.hypot(*(points[0] - points[-1])) - width  # lines have round ends
    assert 0.85 * width < clear <= width


def test_the_first_chapter_opens_with_two_words_and_a_dot(seen):
    """No number with a sign, and no arrow, before a reader opens them."""
    first = seen["opening"]
    parts = [first.select_one(at) for at in (".ws-chain", ".ws-layer:not(.ws-open)", ".ws-switches")]
    assert all(part.has_attr("hidden") for part in parts)
    assert first.select_one(".ws-open th").get_text(strip=True) == "bank"
    assert not re.search(r"[+−]\d|\d\.\d|log-odds", " ".join(shown_text(first)))


def test_a_page_counts_the_heads_that_rest_as_its_legend_does(seen):
    legend = [item.get_text(" ", strip=True).rpartition(" ") for item in seen["real-heads"].select(".hm-kinds li")]
    counts = {label: int(count) for label, _, count in legend}
    commonest = max(counts, key=counts.get)
    assert guess_of("real-heads")[1]["right"].replace("`", "") == commonest.replace("rests", "rest") == "rest on [CLS]"
    counted = re.findall(r"(\d+) of the 72 heads", SOURCES["real-heads"])
    assert [*map(int, counted)] == [counts[commonest]]
    assert abs(counts[commonest] / sum(counts.values()) - 0.5) < 0.05  # "About half"


def test_the_library_s_head_has_the_longest_arrow(seen):
    head = int(re.search(r"head (\d+)", LIBRARY)[1])
    sizes = [float(re.search(r"--size: ([\d.]+)", step["style"])[1]) for step in seen["intuition"].select(".ws-step")]
    names = [name.get_text(strip=True) for name in seen["intuition"].select(".ws-names span")]
    assert names[int(np.argmax(sizes))] == f"head {head}"


def test_a_guess_counts_the_words_that_stand_in_its_figure(seen):
    question, options, _ = guess_of("formula")
    tokens = [option.get_text(strip=True) for option in seen["formula"].select("select")[-1].select("option")]
    words = [token for token in tokens if token.isalpha() and not is_special(token)]
    said = number_before("words", question)
    assert said == len(words) < len(tokens)
    assert options["answers"].split(" | ")[0] == f"all {next(name for name, value in NUMBERS.items() if value == said)}"


def test_what_is_seen_of_a_bug_is_told_to_who_has_switched_it_on():
    """The figures stand with their bugs off."""
    sections = re.split(r"^## ", SOURCES["museum"], flags=re.MULTILINE)[1:]
    bugs = [section for section in sections if "~~~diff" in section]
    assert len(bugs) == 6
    for section in bugs:
        told = section.partition("~~~diff")[0].strip().split("\n\n")[-1]
        assert told.startswith("*Switch it on"), told
