"""attention.ts, the twin, gives the numbers of attention.py; Python writes the cases and Node computes them again."""

import random

import numpy as np
import torch
from close import assert_close
from node import ask_node
from torch import nn

from manyheads import attention

DRIVER = """
import * as functions from "./math/attention.ts";
const read = (value) => {
  if (value === null || typeof value !== "object") return value;
  if (Array.isArray(value)) return value.map(read);
  if ("shape" in value) return { shape: value.shape, values: Float32Array.from(value.values) };
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, read(part)]));
};
const write = (value) => {
  if ("shape" in value) {
    if (!(value.values instanceof Float32Array)) throw new Error("values must be a Float32Array");
    return { shape: value.shape, values: Array.from(value.values, String) };
  }
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, write(part)]));
};
const results = given.map(([name, args]) => {
  try {
    return write(functions[name](...read(args)));
  } catch (error) {
    return { error: `${error.name}: ${error.message}` };
  }
});
answer(results);
"""


def compute(calls):
    """Calls functions of the twin: [(name, arguments), ...] -> their results, as arrays, or {"error": ...}."""
    return [arrays(result) for result in ask_node(DRIVER, message(calls))]


def message(value):
    """Tensors as the page holds them: {shape, values}; masks as flat lists."""
    if isinstance(value, (list, tuple)):
        return [message(part) for part in value]
    if isinstance(value, dict):
        return {name: message(part) for name, part in value.items()}
    if isinstance(value, torch.Tensor) and value.dtype == torch.bool:
        return value.int().flatten().tolist()
    if isinstance(value, torch.Tensor):
        return {"shape": list(value.shape), "values": value.flatten().tolist()}
    return value


def arrays(result):
    if "values" in result:
        return np.array(result["values"], np.float64).reshape(result["shape"])
    return {name: arrays(part) if isinstance(part, dict) else part for name, part in result.items()}


def random_cases(count):
    """Modules and texts of all sizes; sizes that 2 and 4 do not divide among them."""
    pick = random.Random(0)
    torch.manual_seed(0)
    for _ in range(count):
        num_heads, embed_dim = pick.randint(1, 5), pick.randint(1, 13)
        widths = {"attention_dim": num_heads * pick.randint(1, 7), "value_dim": num_heads * pick.randint(1, 7)}
        if widths["attention_dim"] // num_heads % 2 == 0:
            widths["rotary_base"] = pick.choice([None, 10.0, 10_000.0])
        module = attention.MultiHeadAttention(embed_dim, num_heads, **widths, bias=pick.random() < 0.7)
        module.cap = pick.choice([None, 0.5, 3.0])
        with torch.no_grad():
            for parameter in module.parameters():
                nn.init.normal_(parameter, std=0.4)
        queries, keys = pick.randint(1, 11), pick.randint(1, 11)
        X, Y = torch.randn(queries, embed_dim), torch.randn(keys, embed_dim)

        def mask(keys, queries=queries, num_heads=num_heads):
            heads = pick.choice([(), (num_heads,)])
            return pick.choice([None, torch.rand(*heads, queries, keys) < 0.6])

        yield module, X, Y, mask


def test_multi_head_attention():
    calls, expected = [], []
    for module, X, Y, mask in random_cases(60):
        layer = module.state_dict()
        numbers = {"numHeads": module.num_heads, "rotaryBase": module.rotary_base, "cap": module.cap}
        own, other = mask(len(X)), mask(len(Y))
        head_mask = torch.rand(module.num_heads) < 0.5
        calls.append(("multiHeadAttention", [X, layer, numbers | {"mask": own}]))
        expected.append(module(X, mask=own))
        calls.append(("multiHeadAttention", [X, layer, numbers | {"keys": Y, "mask": other, "headMask": head_mask}]))
        expected.append(module(X, Y, mask=other, head_mask=head_mask))
    for found, (output, weights) in zip(compute(calls), expected, strict=True):
        assert_close(found["output"], output)
        assert_close(found["weights"], weights)


def test_steps():
    calls, expected = [], []
    for module, X, _, mask in random_cases(30):
        own = mask(len(X))
        own = own if own is None or own.ndim == 2 else own[0]
        for head in range(module.num_heads):
            for scaled in (True, False):
                options = {"numHeads": module.num_heads, "head": head, "mask": own, "scaled": scaled}
                options |= {"rotaryBase": module.rotary_base, "cap": module.cap}
                calls.append(("steps", [X, module.state_dict(), options]))
                expected.append(attention.steps(module, X, head, mask=own, scaled=scaled))
    for found, steps in zip(compute(calls), expected, strict=True):
        assert list(found) == list(steps)
        for name in steps:
            assert_close(found[name], steps[name])


def test_a_softmax_of_large_scores_and_a_linear_layer():
    scores, linear = torch.tensor([[90.0, 91.0], [-900.0, -900.0]]), nn.Linear(5, 6)
    x = torch.randn(3, 5)
    softmax, product = compute([("softmax", [scores]), ("linear", [x, linear.weight, linear.bias])])
    assert_close(softmax, scores.softmax(-1))
    assert_close(product, linear(x))


def test_bad_input_is_refused_in_words():
    X, layer = torch.ones(3, 6), attention.MultiHeadAttention(6, 2).state_dict()
    bad = [
        (("multiHeadAttention", [X, layer, {"numHeads": 4}]), "numHeads must divide the width 6, got 4"),
        (("multiHeadAttention", [torch.ones(3, 5), layer, {"numHeads": 2}]), "must be [t, 6]"),
        (("multiHeadAttention", [X, layer, {"numHeads": 2, "keys": torch.ones(3, 5)}]), "got [3,5]"),
        (("multiHeadAttention", [X, layer, {"numHeads": 2, "mask": [1] * 6}]), "3 × 3 numbers, or 2 times that, got 6"),
        (("multiHeadAttention", [X, layer, {"numHeads": 2, "headMask": [1] * 3}]), "2 entries, one for each head"),
        (("steps", [X, layer, {"numHeads": 2, "head": 2}]), "from 0 to 1, got 2"),
        (("linear", [X, torch.ones(2, 6), torch.ones(3)]), "2 biases for weights [2,6], got 3"),
    ]
    for result, (_, sentence) in zip(compute([call for call, _ in bad]), bad, strict=True):
        assert result["error"].startswith("RangeError: ")
        assert sentence in result["error"]


ROTARY = """
import { rotated } from "./math/rotary.ts";
answer(given.map(({ features, position }) => [...rotated(features, position)]));
"""


def test_a_turned_vector_is_pythons():
    rng = np.random.default_rng(3)
    cases = [(rng.normal(size=2 * half), position) for half in (1, 2, 5, 32) for position in (0, 1, 7, 511)]
    given = [{"features": features.tolist(), "position": position} for features, position in cases]
    found = ask_node(ROTARY, given)
    for (features, position), page in zip(cases, found, strict=True):
        ours = attention.rotate(torch.tensor(features)[None], start=position)[0]
        assert_close(page, ours, part=1e-11)
