import json
import re
from pathlib import Path

import numpy as np
import pytest
import tints
from node import WEB, run_node

from manyheads.maps import AttentionMap
from manyheads.maps.names import FULL, LEGEND
from manyheads.maps.wire import map_json
from manyheads.maps.written import percent
from manyheads.widgets.static_html import head_map_html

TWINS = """
import { withoutSpecial } from "./math/choosing.ts";
import { averageHeads, rollout } from "./math/maps.ts";
import { decodeMap } from "./math/wire.ts";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { written, raw } = JSON.parse(text);
const map = { ...written, weights: Float32Array.from(raw) };
const plain = (map) => ({ ...map, weights: [...map.weights] });
console.log(JSON.stringify({
  decoded: plain(decodeMap(written)),
  average: plain(averageHeads(map)),
  rollout: plain(rollout(map)),
  without_special: plain(withoutSpecial(map)),
}));
"""


@pytest.mark.parametrize(
    "name",
    [
        "head-map",
        "head-map-view",
        "formula-steps",
        "kernel-door",
        "live-figure",
        "pictures",
        "share",
        "word-shuffle",
        "word-sense",
        "head-pruning",
    ],
)
def test_the_pure_part_in_node(name):
    run_node("--test", Path(__file__).parent / f"{name}.test.mjs")


@pytest.mark.parametrize(
    "tokens", [["[CLS]", "tea", "or", "##der", "[SEP]"], ["[CLS]", "[SEP]"], ["tea", "[MASK]", "</s>"], ["word"] * 70]
)
def test_python_and_the_page_make_the_same_of_a_map(tokens):
    """2 layers x 3 heads; one row gives all that it has to a special token, another nothing to anybody."""
    n = len(tokens)
    weights = np.random.default_rng(n).dirichlet(np.full(n, 0.2), (2, 3, n)).astype(np.float32)
    weights[0, 1, 0] = np.eye(n)[0]
    weights[1, 2, -1] = 0
    map = AttentionMap(tokens, tokens, weights, notes=("A note.",))
    given = json.dumps({"written": map_json(map), "raw": weights.ravel().tolist()})
    found = json.loads(run_node("--input-type=module", "-e", TWINS, input=given, cwd=WEB))
    for name in ("average", "rollout", "without_special"):
        ours, theirs = getattr(map, name)(), found[name]
        assert theirs["shape"] == list(ours.shape)
        assert (theirs["queryTokens"], theirs["keyTokens"]) == (ours.query_tokens, ours.key_tokens)
        assert theirs["headNames"] == ours.head_names
        assert theirs["notes"] == list(ours.notes)
        np.testing.assert_allclose(theirs["weights"], ours.weights.ravel(), atol=1e-6)
    np.testing.assert_allclose(found["decoded"]["weights"], weights.ravel(), atol=0.0007)


DIFFERENCES = """
import { difference, movedHeads } from "./math/compared.ts";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const [map, compared] = JSON.parse(text).map((each) => ({ ...each, weights: Float32Array.from(each.raw), queries: [...each.queryTokens.keys()] }));
const found = difference(map, compared);
console.log(JSON.stringify({ ...found, weights: [...found.weights], ...movedHeads(map, compared, 1) }));
"""


@pytest.mark.parametrize("second", [["[CLS]", "no", "tea", "[SEP]"], ["[CLS]", "tea", "[SEP]"], ["nothing", "alike"]])
def test_the_static_matrix_of_two_sentences_is_the_difference_that_the_page_draws(second):
    """2 layers x 3 heads; layer 2 is shown."""
    random = np.random.default_rng(0)
    sentences = [["[CLS]", "hot", "tea", "[SEP]"], second]
    maps = [
        AttentionMap(tokens, tokens, random.dirichlet(np.full(len(tokens), 0.3), (2, 3, len(tokens))))
        for tokens in sentences
    ]
    given = json.dumps([map_json(map) | {"raw": map.weights.ravel().tolist()} for map in maps])
    page = json.loads(run_node("--input-type=module", "-e", DIFFERENCES, input=given, cwd=WEB))
    html = head_map_html(maps[0], compared=maps[1], view="matrix", layer=1, compare=" ".join(second))
    weights = [float(weight) for weight in re.findall(r'data-weight="([-\d.]+)"', html)]
    _, heads, queries, keys = page["shape"]
    np.testing.assert_allclose(weights, page["weights"][heads * queries * keys :], atol=6e-5)
    np.testing.assert_allclose(tints.of_html(html), np.minimum(np.abs(weights) / np.float32(FULL), 1), atol=0.006)
    assert re.findall(r'class="hm-moved">([^<]+)<', html) == [f"moved {percent(share)}" for share in page["moved"]]
    places = [int(place) for place in re.findall(r";order:(\d+)", html)]
    assert [page["order"].index(head) for head in range(heads)] == places
    assert 'class="hm-body hm-signed"' in html
    assert LEGEND["difference"][1].format(full=percent(FULL)) in html
