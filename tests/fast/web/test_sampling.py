"""What comes next, in the page as in Python: the same tokens, the same shares, the same draws."""

import json

import numpy as np
from node import WEB, run_node

from manyheads.models.decoder.sampling import drawn, is_endless, probabilities, uniforms

CHOICES = [(1.0, None, None), (0.0, None, None), (0.7, 5, None), (1.5, None, 0.8), (0.4, 7, 0.5), (2.0, 1, 1.0)]
SCRIPT = """
import { drawn, probabilities, uniform } from "%s/math/sampling.ts";
import { readFileSync } from "node:fs";
const { scores, choices, seed } = JSON.parse(readFileSync(0, "utf8"));
let count = 0;
console.log(JSON.stringify(choices.map(([temperature, topK, topP]) => {
  const found = probabilities(Float32Array.from(scores), { temperature, topK: topK ?? 0, topP: topP ?? 1 });
  return { ids: found.ids, shares: [...found.shares], draws: Array.from({ length: 20 }, () => drawn(found, uniform(seed, count++))) };
})));
"""


def test_the_page_draws_as_python_does():
    seed = 2**32 - 1
    scores = np.random.default_rng(0).normal(size=300).round(1).astype(np.float32)  # with ties
    given = {"scores": scores.tolist(), "choices": CHOICES, "seed": seed}
    found = json.loads(run_node("--input-type=module", "-e", SCRIPT % WEB.as_uri(), input=json.dumps(given)))
    numbers = uniforms(seed)
    for (temperature, top_k, top_p), page in zip(CHOICES, found, strict=True):
        tokens, shares = probabilities(scores, temperature, top_k, top_p)
        assert page["ids"] == tokens.tolist()
        np.testing.assert_allclose(page["shares"], shares, atol=1e-9)
        assert page["draws"] == [drawn(tokens, shares, next(numbers)) for _ in range(20)]


BYTES = ["<F0 9F>", "<8D>", "<B5>"]
WRITTEN = [
    ["_1"] * 32,
    ["_1"] * 31,
    [" the", *["_1"] * 31],
    [" the", *["_1"] * 32],
    ["\n"] * 32,
    [*["\n"] * 31, "a"],
    BYTES * 11,
    [" <F0 9F>", *BYTES * 11][:32],
    [],
]


def test_a_word_that_never_ends_is_cut_after_the_same_token():
    script = f"import {{ isEndless }} from '{WEB.as_uri()}/math/sampling.ts'; console.log(JSON.stringify({json.dumps(WRITTEN)}.map(isEndless)))"
    found = json.loads(run_node("--input-type=module", "-e", script))
    assert found == [is_endless(tokens) for tokens in WRITTEN] == list(map(bool, [1, 0, 0, 1, 1, 0, 1, 0, 0]))
