"""What is shown of a map: the same in Python and in the page, whatever the reader chose."""

import itertools
import json

import numpy as np
import pytest
from node import WEB, run_node

from manyheads.maps import AttentionMap
from manyheads.maps.legend import legend_of
from manyheads.maps.names import CHOICES
from manyheads.maps.shown import shown_map
from manyheads.maps.wire import map_dict, map_json
from manyheads.maps.written import amount

TWIN = """
import { START } from "./doors/state.ts";
import { queryRow, legendOf, shownMap } from "./math/shown.ts";
import { amount } from "./math/text.ts";
import { decodeMap } from "./math/wire.ts";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { cases, numbers } = JSON.parse(text);
const found = cases.map(({ written, state }) => {
  const map = decodeMap(written);
  const shown = shownMap(map, { ...START, ...state });
  const legend = legendOf(shown, { ...START, ...state, layer: 0 });
  return { ...shown, legend, weights: [...shown.weights], asked: queryRow(shown, state.query, map.queryTokens) };
});
console.log(JSON.stringify({ found, amounts: numbers.map((number) => [amount(number), amount(number, true)]) }));
"""
TEXTS = [
    ["[CLS]", "un", "##help", "##ful", "tea", "[SEP]"],
    ["The", " un", "help", "ful", ",", " tea", " 2nd", "s"],
    ["<s>", "</s>"],
    ["▁a", "b", "<extra_id_0>", "c", "##d"],
    ["x"],
]


def in_the_page(cases, numbers=()):
    given = json.dumps({"cases": cases, "numbers": list(numbers)})
    return json.loads(run_node("--input-type=module", "-e", TWIN, input=given, cwd=WEB))


def examples():
    """Maps of all kinds, of the same and of other tokens on both sides; states, the rarer the more chosen at once."""
    random = np.random.default_rng(7)
    for number, (tokens, kind) in enumerate(itertools.product([*TEXTS, None], ("shares", "amounts", "signed"))):
        queries, keys = (TEXTS[0], TEXTS[1]) if tokens is None else (tokens, tokens)
        weights = random.dirichlet(np.full(len(keys), 0.4), (2, 3, len(queries)))
        weights[random.random(weights.shape[:3]) < 0.2] = 0
        if number % 2:
            weights[..., 0] += 2 * weights.sum(-1)  # a sink
            weights[weights.sum(-1) > 0] /= weights.sum(-1)[weights.sum(-1) > 0][:, None]
        weights = {"shares": weights, "amounts": 5 * weights, "signed": 200 * weights - 3}[kind]
        map = AttentionMap(queries, keys, weights, kind=kind)
        for _ in range(12):
            state = {name: str(random.choice(values)) for name, values in CHOICES.items()}
            state |= {"view": "grid", "query": int(random.integers(len(queries)))}
            if random.random() < 0.4:
                state["headMask"] = (random.random(map.shape[:2]) < 0.6).tolist()
            state |= {"top": int(random.integers(1, 5))} if random.random() < 0.4 else {}
            state |= {"first": int(random.integers(4))} if random.random() < 0.4 else {}
            state |= {"last": int(random.integers(9))} if random.random() < 0.4 else {}
            yield map, state


def test_python_and_the_page_show_the_same():
    cases = list(examples())
    numbers = [0, 0.0004, 0.9996, 1, 9.996, 12.34, 99.96, 1234.5, -0.5, -20]
    sent = [
        {"written": map_dict(map) | {"weights": map.weights.ravel().tolist()}, "state": state} for map, state in cases
    ]
    answer = in_the_page(sent, numbers)
    assert answer["amounts"] == [[amount(number), amount(number, signed=True)] for number in numbers]
    notes = set()
    for (map, state), theirs in zip(cases, answer["found"]):
        chosen = {name: value for name, value in state.items() if name != "headMask"}
        ours = shown_map(map, chosen, head_mask=state.get("headMask"))
        np.testing.assert_allclose(theirs["weights"], ours.map.weights.ravel(), atol=2e-4, rtol=1e-5)
        assert theirs["shape"] == list(ours.map.shape)
        assert (theirs["queryTokens"], theirs["keyTokens"]) == (ours.map.query_tokens, ours.map.key_tokens)
        assert theirs["queries"] == ours.queries
        assert theirs.get("keys", list(range(map.shape[3]))) == ours.keys
        assert theirs["asked"] == ours.row_of(state["query"], map.query_tokens)
        assert theirs["legend"] == legend_of(ours.map, state["scale"], 0)
        assert theirs.get("kind", "shares") == ours.map.kind
        assert theirs["notes"] == list(ours.map.notes)
        notes |= {note.split()[0] for note in ours.map.notes}
    assert notes == {"Word", "Weights", "Hidden", "No", "There", "Tokens", "The", "Relative", "Log"}, (
        "every note was among the examples"
    )


HEADS_TWIN = """
import { similarHeads, totals } from "./math/heads.ts";
import { decodeMap } from "./math/wire.ts";
let text = "";
for await (const chunk of process.stdin) text += chunk;
const { written, layer, head, chosen } = JSON.parse(text);
const map = decodeMap(written);
console.log(JSON.stringify({
  similar: similarHeads(map, layer, head, 4).map(({ layer, head, apart }) => [layer, head, apart]),
  sums: totals(map, chosen).map((sums) => [...sums]),
}));
"""


@pytest.mark.parametrize(
    "chosen",
    [
        [None, None, None, None],
        [[1], None, None, None],
        [[0, 1], [2], [0, 4], None],
        [[0], [0, 1], [3], [1, 6]],
        [None, [], None, [2]],
    ],
)
def test_heads_are_compared_and_summed_alike(chosen):
    weights = np.random.default_rng(1).dirichlet(np.full(7, 0.5), (2, 3, 5))
    map = AttentionMap(list("abcde"), list("tuvwxyz"), weights)
    written = map_dict(map) | {"weights": map.weights.ravel().tolist()}
    given = json.dumps({"written": written, "layer": 1, "head": 2, "chosen": chosen})
    found = json.loads(run_node("--input-type=module", "-e", HEADS_TWIN, input=given, cwd=WEB))
    ours = map.similar_heads(1, 2, count=4)
    assert [tuple(place) for *place, _ in found["similar"]] == [tuple(place) for *place, _ in ours]
    np.testing.assert_allclose([each[-1] for each in found["similar"]], [each[-1] for each in ours], atol=1e-6)
    for theirs, sums in zip(found["sums"], map.totals(*chosen).values()):
        np.testing.assert_allclose(theirs, sums, atol=1e-5)


def test_sums_are_the_plain_ones():
    weights = np.random.default_rng(1).dirichlet(np.full(7, 0.5), (2, 3, 5)).astype(np.float32)
    map = AttentionMap(list("abcde"), list("tuvwxyz"), weights)
    sums = map.totals(layers=[1], heads=[0, 2], keys=[3])
    np.testing.assert_allclose(sums["layers"], weights[:, [0, 2]][..., 3].sum((1, 2)), rtol=1e-5)
    np.testing.assert_allclose(sums["heads"], weights[1][..., 3].sum(1), rtol=1e-5)
    np.testing.assert_allclose(sums["keys"], weights[1, [0, 2]].sum((0, 1)), rtol=1e-5)
    apart = np.abs(weights - weights[0, 1]).sum(-1).mean(-1) / 2  # [layer, head]
    for layer, head, distance in map.similar_heads(0, 1):
        assert abs(apart[layer, head] - distance) < 1e-6
    with pytest.raises(ValueError, match="heads count from 0 to 2"):
        map.totals(heads=[3])
    with pytest.raises(ValueError, match="2 layers of 3 heads"):
        map.similar_heads(2, 0)


def test_weights_that_are_no_shares_travel_as_digits():
    weights = np.random.default_rng(0).normal(scale=40, size=(1, 1, 70, 70))
    map = AttentionMap([str(place) for place in range(70)], [str(place) for place in range(70)], weights, kind="signed")
    written = map_json(map)
    assert len(written["weights"]) == 2 * 70 * 70
    (found,) = in_the_page([{"written": written, "state": {"query": 0}}])["found"]
    np.testing.assert_allclose(found["weights"], map.weights.ravel(), atol=np.abs(weights).max() / 4000)
