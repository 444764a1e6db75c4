"""Two drawings of one map as SVG, the page's and Python's: the same cells, weights and colours."""

import json
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from node import WEB, run_node

from manyheads.maps import AttentionMap
from manyheads.maps.names import PAPER
from manyheads.maps.patches import PatchGrid, picture_from
from manyheads.maps.tokens import isolated
from manyheads.maps.wire import map_dict, map_json

PAGES = """
import { svgOf } from "./doors/picture.ts";
import { START } from "./math/options.ts";
import { colourOf } from "./math/maps.ts";
import { shownMap } from "./math/shown.ts";
import { decodeMap } from "./math/wire.ts";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const look = (map, _, head) => ({ colour: colourOf(map.headNames[head]), off: false, dim: false, scale: START.scale });
console.log(JSON.stringify(JSON.parse(text).map(({ written, given }) => {
  const state = { ...START, ...given };
  return svgOf({ state, shown: { map: shownMap(decodeMap(written), state), compared: null }, query: 0, dim: false, look });
})));
"""
TOKENS = ["[CLS]", "un", "##helpful", "<tea>", "[SEP]"]


def maps():
    """2 layers x 3 heads of each kind: with unequal sides, with both signs, with a causal mask, with one of another shape."""
    random = np.random.default_rng(0)
    shares = random.dirichlet(np.full(5, 0.3), (2, 3, 5))
    lower = np.tril(shares) / np.tril(shares).sum(-1, keepdims=True)
    band = np.eye(5, dtype=bool) | np.eye(5, k=-1, dtype=bool)
    banded = shares * band / (shares * band).sum(-1, keepdims=True)
    return {
        "unequal sides": AttentionMap(TOKENS[:3], TOKENS, shares[:, :, :3], notes=("One <note>.",)),
        "amounts": AttentionMap(TOKENS, TOKENS, 7 * shares, kind="amounts"),
        "signed": AttentionMap(TOKENS, TOKENS, shares - 0.2, kind="signed"),
        "causal": AttentionMap(TOKENS, TOKENS, lower, causal=True),
        "masked": AttentionMap(TOKENS, TOKENS, banded, mask=band),
    }


@pytest.fixture(scope="module")
def pages():
    """What the page draws: {(name, view): svg}."""
    asked = {(name, view): map for name, map in maps().items() for view in ("matrix", "grid")}
    given = [
        {"written": map_dict(map) | {"weights": map.weights.ravel().tolist()}, "given": {"view": view, "layer": 1}}
        for (_, view), map in asked.items()
    ]
    return dict(zip(asked, json.loads(run_node("--input-type=module", "-e", PAGES, input=json.dumps(given), cwd=WEB))))


def read(svg):
    """{(layer, head, query, key): (weight, opacity, colour, rectangle)}, the lines over each head, and the words."""
    root = ElementTree.fromstring(svg)
    cells, lines = {}, {}
    for group in (node for node in root.iter() if node.get("data-head")):
        place = int(group.get("data-layer")), int(group.get("data-head"))
        for cell in (node for node in group if node.get("data-weight")):
            at = (*place, int(cell.get("data-query")), int(cell.get("data-key")))
            rectangle = tuple(float(cell.get(side)) for side in ("x", "y", "width", "height"))
            colour = cell.get("fill", group.get("fill"))
            cells[at] = np.float32(cell.get("data-weight")), float(cell.get("fill-opacity")), colour, rectangle
        paths = (node for node in group if node.tag.endswith("path"))
        lines[place] = {(path.get("stroke"), path.get("data-masked") is not None): path.get("d") for path in paths}
    words = [node.text for node in root.iter() if node.tag.endswith("text")]
    return cells, lines, words


@pytest.mark.parametrize("view", ["matrix", "grid"])
@pytest.mark.parametrize("name", maps())
def test_the_page_and_python_draw_the_same_picture(pages, name, view):
    map = maps()[name]
    ours, our_lines, our_words = read(map.to_svg(layer=1 if view == "matrix" else None))
    theirs, their_lines, their_words = read(pages[name, view])
    assert set(ours) == set(theirs)
    for place, (weight, opacity, colour, rectangle) in ours.items():
        their_weight, their_opacity, their_colour, their_rectangle = theirs[place]
        assert (weight, colour, rectangle) == (their_weight, their_colour, their_rectangle)
        assert rectangle == (place[3], place[2], 1, 1)
        assert abs(opacity - their_opacity) < 0.0101, "the page's tints have 200 depths"
    assert our_lines == their_lines
    assert {key[0] for lines in our_lines.values() for key in lines} <= {PAPER["ink"], PAPER["line"]}
    assert bool(map.allowed is not None) == any(masked for lines in our_lines.values() for _, masked in lines)
    legend = next(text for text in our_words if text.startswith("Colour: ")) if view == "matrix" else ""
    for text in (legend, *map.notes):
        assert text in " ".join(their_words)


def test_weights_over_a_picture_lie_on_its_patches():
    """From Python through the wire to the page, of a map without its special token."""
    names = PatchGrid(2, 3, ("[CLS]",)).names
    weights = np.random.default_rng(0).dirichlet(np.full(7, 0.3), (1, 2, 7))
    picture, _ = picture_from(np.zeros((20, 30, 3), np.uint8), 2, 3, key_start=1, query_start=1)
    map = AttentionMap(names, names, weights, picture=picture)
    given = {"written": map_json(map), "given": {"view": "picture", "special": "remove"}}
    (svg,) = json.loads(run_node("--input-type=module", "-e", PAGES, input=json.dumps([given]), cwd=WEB))
    assert svg.count(picture.source) == 1
    root = ElementTree.fromstring(svg)
    cells = [node for node in root.iter() if node.get("data-weight")]
    expected = map.without_special().weights[0, :, 0].ravel()  # the first patch asks
    np.testing.assert_allclose([float(cell.get("data-weight")) for cell in cells], expected, atol=1e-5)
    left, top = zip(*((float(cell.get("x")), float(cell.get("y"))) for cell in cells[:6]))
    assert left[:3] == left[3:] == tuple(sorted(left[:3]))
    assert top[:3] < top[3:]


def test_columns_run_as_the_text_does_in_both():
    tokens = ["[CLS]", "שלום,", "(עולם)", "[SEP]"]
    map = AttentionMap(tokens, tokens, np.full((1, 1, 4, 4), 0.25))
    sent = {
        "written": map_dict(map) | {"weights": map.weights.ravel().tolist()},
        "given": {"view": "matrix", "layer": 0},
    }
    page = json.loads(run_node("--input-type=module", "-e", PAGES, input=json.dumps([sent]), cwd=WEB))[0]
    for svg in (map.to_svg(), page):
        root = ElementTree.fromstring(svg)
        texts = [(node.text, node.get("transform")) for node in root.iter() if node.tag.endswith("text")]
        columns = {text: float(re.search(r"[\d.]+", place)[0]) for text, place in texts if "rotate" in (place or "")}
        assert list(sorted(columns, key=columns.get, reverse=True)) == [isolated(token) for token in tokens]
        cells = next(node.get("transform") for node in root.iter() if node.get("data-head"))
        left, across = (float(number) for number in re.search(r"\(([\d.]+) .*scale\((\S+) ", cells).groups())
        assert across < 0 < left + 4 * across, "the first column is the last from the left"
