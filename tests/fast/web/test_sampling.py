"""What comes next, in the page as in Python: the same tokens, the same shares, the same draws."""

import numpy as np
from node import ask_node

from manyheads.models.decoder.sampling import drawn, is_endless, probabilities, uniforms

CHOICES = [(1.0, None, None), (0.0, None, None), (0.7, 5, None), (1.5, None, 0.8), (0.4, 7, 0.5), (2.0, 1, 1.0)]
SCRIPT = """
import { drawn, probabilities, uniform } from "./math/sampling.ts";
const { scores, choices, seed } = given;
let count = 0;
answer(choices.map(([temperature, topK, topP]) => {
  const found = probabilities(Float32Array.from(scores), { temperature, topK: topK ?? 0, topP: topP ?? 1 });
  return { ids: found.ids, shares: [...found.shares], draws: Array.from({ length: 20 }, () => drawn(found, uniform(seed, count++))) };
}));
"""


def test_the_page_draws_as_python_does():
    seed = 2**32 - 1
    scores = np.random.default_rng(0).normal(size=300).round(1).astype(np.float32)  # with ties
    given = {"scores": scores.tolist(), "choices": CHOICES, "seed": seed}
    found = ask_node(SCRIPT, given)
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
    found = ask_node('import { isEndless } from "./math/sampling.ts"; answer(given.map(isEndless))', WRITTEN)
    assert found == [is_endless(tokens) for tokens in WRITTEN] == list(map(bool, [1, 0, 0, 1, 1, 0, 1, 0, 0]))
