import json

import numpy as np
from node import WEB, run_node

from manyheads.maps import AttentionMap
from manyheads.maps.wire import map_json

TWINS = """
import { withoutSpecial } from "./math/choosing.ts";
import { averageHeads, rollout } from "./math/maps.ts";
import { decodeMap } from "./math/wire.ts";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const plain = (map) => ({ ...map, weights: [...map.weights] });
console.log(JSON.stringify(JSON.parse(text).map(({ written, raw }) => {
  const map = { ...written, weights: Float32Array.from(raw) };
  return {
    decoded: plain(decodeMap(written)),
    average: plain(averageHeads(map)),
    rollout: plain(rollout(map)),
    without_special: plain(withoutSpecial(map)),
  };
})));
"""


def maps():
    """2 layers x 3 heads; one row gives all that it has to a special token, another nothing to anybody."""
    for tokens in (["[CLS]", "tea", "or", "##der", "[SEP]"], ["[CLS]", "[SEP]"], ["tea", "[MASK]", "</s>"], ["a"] * 70):
        n = len(tokens)
        weights = np.random.default_rng(n).dirichlet(np.full(n, 0.2), (2, 3, n)).astype(np.float32)
        weights[0, 1, 0] = np.eye(n)[0]
        weights[1, 2, -1] = 0
        yield AttentionMap(tokens, tokens, weights, notes=("A note.",))


def test_python_and_the_page_make_the_same_of_a_map():
    given = json.dumps([{"written": map_json(map), "raw": map.weights.ravel().tolist()} for map in maps()])
    pages = json.loads(run_node("--input-type=module", "-e", TWINS, input=given, cwd=WEB))
    for map, page in zip(maps(), pages, strict=True):
        for name in ("average", "rollout", "without_special"):
            ours, theirs = getattr(map, name)(), page[name]
            assert theirs["shape"] == list(ours.shape)
            assert (theirs["queryTokens"], theirs["keyTokens"]) == (ours.query_tokens, ours.key_tokens)
            assert theirs["headNames"] == ours.head_names
            assert theirs["notes"] == list(ours.notes)
            np.testing.assert_allclose(theirs["weights"], ours.weights.ravel(), atol=1e-6)
        np.testing.assert_allclose(page["decoded"]["weights"], map.weights.ravel(), atol=0.0007)
