"""A hue means one thing, and can be seen: the table of names.json, and the variables of head-map.css."""

import re
from itertools import combinations

import pytest
from colours import BLIND, chroma, contrast, distance, mixed, rgb, seen_as
from node import WEB

from manyheads.shared import names

PACKAGE = WEB.parent
SHEET = (WEB / "figures" / "head-map" / "head-map.css").read_text(encoding="utf-8")
PAPERS = {"light": ("#000000", "#ffffff"), "dark": ("#ffffff", "#15191e")}  # letters on a cell, and what lies below

SIGNS = {sign: names.NUMBER_COLOURS[sign] for sign in ("positive", "negative")}
KINDS = {name: colour for name, (_, colour) in names.BEHAVIOURS.items() if name != "other"}
HEADS = names.HEAD_COLOURS | {"without a name": names.NEUTRAL_COLOUR}
HUES = {**HEADS, **SIGNS, "off": names.OFF_COLOUR, **{f"kind: {name}": colour for name, colour in KINDS.items()}}
SAME = {"kind: first": "kind: cls"}  # [CLS] is a first token
TOGETHER = (  # what stands in one figure
    {"sentence type", "object", "relation", "sentiment", "without a name", "off", *SIGNS},
    {"word", "noun", "subject", "antecedent", "without a name", "off", *SIGNS},
    {*(f"kind: {name}" for name in KINDS if name not in ("first", "induction", "duplicate", "local")), "off"},
    {*(f"kind: {name}" for name in ("first", "previous", "induction", "duplicate", "local", "punctuation")), "off"},
)
NEAR, NEVER = 0.068, 0.039  # how close two may be in one figure, and anywhere


def variables(theme):
    """The colours of a theme: {name: "#1d2329"}."""
    blocks = re.findall(r"\.head-map[^{}]*\{([^{}]*--hm-ink:[^{}]*)\}", SHEET)
    block = next(block for block in blocks if (theme == "dark") == ("--hm-dark: 1" in block))
    return dict(re.findall(r"--hm-([a-z]+): (#[0-9a-f]{6});", block))


THEMES = {theme: variables(theme) for theme in PAPERS}


def test_each_theme_has_its_colours_wherever_it_comes_from():
    """From the page, from JupyterLab, from the reader's own preference."""
    blocks = re.findall(r"\.head-map[^{}]*\{([^{}]*--hm-ink:[^{}]*)\}", SHEET)
    themes = [dict(re.findall(r"--hm-([a-z]+): (#[0-9a-f]{3,6});", block)) for block in blocks]
    light, system, dark, lab = themes
    assert system == dark
    assert lab.items() <= light.items()
    assert set(lab) == set(dark)


@pytest.mark.parametrize("theme", PAPERS)
@pytest.mark.parametrize("meaning", HUES)
def test_letters_can_be_read_on_a_full_cell(meaning, theme):
    letters, paper = map(rgb, PAPERS[theme])
    assert contrast(mixed(names.DEPTH, rgb(HUES[meaning]), paper), letters) >= 4.5


@pytest.mark.parametrize("theme", PAPERS)
@pytest.mark.parametrize("meaning", HUES)
def test_a_bar_can_be_seen_on_its_ground(meaning, theme):
    for ground in ("paper", "field"):
        assert contrast(rgb(HUES[meaning]), rgb(THEMES[theme][ground])) >= 3


@pytest.mark.parametrize("theme", PAPERS)
def test_words_can_be_read_on_every_ground(theme):
    """On what has just changed as well."""
    colours = {name: rgb(colour) for name, colour in THEMES[theme].items()}
    share = int(re.search(r"--hm-flash: color-mix\(in srgb, var\(--hm-ink\) (\d+)%, var\(--hm-paper\)\);", SHEET)[1])
    grounds = [colours["paper"], colours["field"], mixed(share / 100, colours["ink"], colours["paper"])]
    for word in ("ink", "soft"):
        assert min(contrast(colours[word], ground) for ground in grounds) >= 4.5, word
    for word in ("right", "wrong"):
        assert min(contrast(colours[word], ground) for ground in grounds[:2]) >= 4.5, word


def test_a_hue_means_one_thing():
    for one, other in combinations(HUES, 2):
        apart = distance(rgb(HUES[one]), rgb(HUES[other]))
        if SAME.get(one) == other or SAME.get(other) == one:
            assert apart == 0
        else:
            assert apart >= NEVER, (one, other)
    for together in TOGETHER:
        for one, other in combinations(sorted(together), 2):
            assert distance(rgb(HUES[one]), rgb(HUES[other])) >= NEAR, (one, other)
    assert names.BEHAVIOURS["other"][1] == names.NEUTRAL_COLOUR


@pytest.mark.parametrize("theme", PAPERS)
def test_nor_is_it_the_interfaces(theme):
    """Which is ink; right and wrong look like no head either."""
    for name in ("ink", "soft", "line", "field", "paper"):
        assert chroma(rgb(THEMES[theme][name])) < 0.025, name
        for meaning, colour in HUES.items():
            assert distance(rgb(THEMES[theme][name]), rgb(colour)) >= 0.05, (name, meaning)
    for name in ("right", "wrong"):
        for meaning, colour in HUES.items():
            assert distance(rgb(THEMES[theme][name]), rgb(colour)) >= NEAR, (name, meaning)
    assert "--hm-accent: var(--hm-ink);" in SHEET


@pytest.mark.parametrize("blindness", BLIND)
def test_signs_differ_to_a_colour_blind_eye(blindness):
    assert seen_as(blindness, *map(rgb, SIGNS.values())) >= 0.1


# Whoever draws takes a colour from the table, or from the variables.
DRAWN = [
    *(path for path in WEB.rglob("*.css") if not {"node_modules", "dist"} & set(path.parts)),
    *(path for path in WEB.rglob("*.ts") if not {"node_modules", "dist"} & set(path.parts)),
    *(path for folder in ("drawing", "widgets", "sphinxext", "maps") for path in (PACKAGE / folder).rglob("*.py")),
    *(PACKAGE.parents[1] / "book" / "manyheads_book").rglob("*.py"),
]
ELSEWHERE = {  # of the table's colours, where no variable reaches
    WEB / "figures" / "head-map" / "head-map.css": None,
    WEB / "doors" / "theme.css": "the diff of a page, in the colours of right and wrong",
}
COLOUR = re.compile(r"""(?<![&.\w])#([0-9a-fA-F]{8}|[0-9a-fA-F]{6}|[0-9a-fA-F]{3,4})(?=["'`;,)} \n])""")


def test_no_other_hue_is_written_down():
    found = {}
    for path in DRAWN:
        if path in ELSEWHERE:
            continue
        for line in path.read_text(encoding="utf-8").splitlines():
            if re.search(r"^\s*(//|\*|/\*\*|>>>)|#[a-z]+\(", line):
                continue
            for digits in COLOUR.findall(line):
                full = digits if len(digits) >= 6 else "".join(2 * digit for digit in digits)
                if chroma(rgb(f"#{full[:6]}")) >= 0.025:
                    found.setdefault(str(path.relative_to(PACKAGE.parents[1])), []).append(f"#{digits}")
    assert found == {}
