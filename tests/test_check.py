"""The checks of a reader's own code: right code passes, and each well-known mistake gets a hint of its own."""

import inspect
import math

import numpy as np
import pytest
import torch
from torch import nn

from manyheads import attention, check
from manyheads.attention import softmax
from manyheads.check.mistakes import BLIND, MASKS, OUTPUTS, WEIGHTS

RIGHT = """
def mine(X, Wq, Wk, Wv, Wo, num_heads, mask=None):
    width = Wq.shape[-1]
    if width % num_heads:
        raise ValueError(f"num_heads must divide the width {width}, got {num_heads}")

    def split(x):
        return x.reshape(*x.shape[:-1], num_heads, -1).swapaxes(-3, -2)

    Q, K, V = split(X @ Wq), split(X @ Wk), split(X @ Wv)
    scores = Q @ K.swapaxes(-2, -1) / math.sqrt(Q.shape[-1])
    if mask is not None:
        scores = np.where(mask, scores, -math.inf)
    axis = -1
    highest = scores.max(axis=axis, keepdims=True)
    powers = np.exp(scores - np.where(highest == -math.inf, 0, highest))
    sums = powers.sum(axis=axis, keepdims=True)
    weights = powers / np.where(sums == 0, 1, sums)
    context = weights @ V
    context = context.swapaxes(-3, -2).reshape(*X.shape[:-1], -1)
    return context @ Wo, weights
"""

# (what is right, what stands there instead) -> a part of the hint
WRONG = {
    ("/ math.sqrt(Q.shape[-1])", ""): "not divided",
    ("math.sqrt(Q.shape[-1])", "Q.shape[-1]"): "not by its square root",
    ("math.sqrt(Q.shape[-1])", "math.sqrt(X.shape[-1])"): "width of the words",
    ("math.sqrt(Q.shape[-1])", "math.sqrt(width)"): "square root of the width of all heads",
    ("axis = -1", "axis = -2"): "over the queries",
    ("axis = -1", "axis = -3"): "over the heads",
    (
        "num_heads, -1).swapaxes(-3, -2)",
        "-1).reshape(*x.shape[:-2], num_heads, x.shape[-2], -1)",
    ): "without a transpose: each head",
    (
        "num_heads, -1).swapaxes(-3, -2)",
        "-1, num_heads).swapaxes(-1, -2).swapaxes(-3, -2)",
    ): "every num_heads-th column",
    ("split(X @ Wk)", "split(X @ Wq)"): "Queries are compared with queries",
    ("Q @ K.swapaxes(-2, -1)", "K @ Q.swapaxes(-2, -1)"): "keys ask queries",
    ("K.swapaxes(-2, -1)", "K.T"): "It raises ValueError",
    (
        "context.swapaxes(-3, -2).reshape(*X.shape[:-1], -1)",
        "context.reshape(*X.shape[:-1], -1)",
    ): "several words of one head",
    ("context.swapaxes(-3, -2)", "context.swapaxes(-3, -2).swapaxes(-2, -1)"): "wrong order",
    ("weights @ V", "weights @ K"): "keys are averaged",
    ("context @ Wo", "context"): "not mixed",
    ("return context @ Wo, weights", "return context @ Wo"): "(output, weights)",
    ("context @ Wo, weights", "context @ Wo, weights.mean(-3)"): "of an average",
    ("context @ Wo, weights", "context @ Wo, scores"): "These are the scores",
    ("context @ Wo, weights", "context @ Wo, weights.swapaxes(-3, -2)"): "axis of the heads to the front",
    ("np.where(mask, scores, -math.inf)", "np.where(mask, -math.inf, scores)"): "turned round",
    ("np.where(mask, scores, -math.inf)", "np.where(mask, scores, 0)"): "set to 0",
    ("np.where(mask, scores, -math.inf)", "scores + mask"): "added to the scores",
    ("np.where(mask, scores, -math.inf)", "scores"): "no effect",
    (
        "context = weights @ V",
        "context = (weights := weights if mask is None else softmax(Q @ K.swapaxes(-2, -1) / math.sqrt(Q.shape[-1])) * mask) @ V",
    ): "after softmax",
    ("np.where(mask, scores, -math.inf)", "np.where(mask, scores, -1e9)"): "equal shares of all",
    ("np.where(sums == 0, 1, sums)", "sums"): "0/0",
    ("np.where(highest == -math.inf, 0, highest)", "0"): "overflow",
    ("        raise ValueError", "        width = ValueError"): "num_heads in its text",
    (", mask=None", ""): "takes the mask by name",
    ("    width = Wq.shape[-1]", "    X *= 2\n    width = Wq.shape[-1]"): "changes what it was given",
}


def function(source):
    made = {"math": math, "np": np, "softmax": softmax}
    exec(source, made)
    return made["mine"]


def test_right_functions_pass():
    assert check.multi_head_attention(function(RIGHT))
    assert check.multi_head_attention(attention.multi_head_attention)
    for kind in (attention.MultiHeadAttention, attention.EinsumMultiHeadAttention):
        assert check.module(kind)
        assert check.module(kind(8, 2))
    assert check.causal_mask(attention.causal_mask)
    assert check.padding_mask(attention.padding_mask)


@pytest.mark.parametrize(("right", "wrong"), WRONG)
def test_a_wrong_function_gets_the_hint_of_its_mistake(right, wrong):
    assert RIGHT.count(right) >= 1
    source = RIGHT.replace(right, wrong)
    if ", mask=None" in right:
        source = source.replace("    if mask is not None:\n        scores = np.where(mask, scores, -math.inf)\n", "")
    report = check.multi_head_attention(function(source))
    assert not report
    assert WRONG[right, wrong] in report.hint
    assert "Traceback" not in repr(report)


def test_each_mistake_has_a_hint_of_its_own():
    hints = {check.multi_head_attention(function(RIGHT.replace(*change))).hint for change in WRONG}
    assert len(hints) == len(WRONG)
    kept = [*WEIGHTS, *OUTPUTS, *MASKS, *BLIND]
    assert len(set(kept)) == len(kept)


def broken(right, wrong):
    source = inspect.getsource(attention.MultiHeadAttention).replace("class MultiHeadAttention", "class Broken")
    assert source.count(right) == 1
    made = dict(vars(attention))
    exec(source.replace(right, wrong), made)
    return made["Broken"]


@pytest.mark.parametrize(
    ("right", "wrong", "hint"),
    [
        (
            "context, weights = attend(queries, keys, values, mask, dropout=dropout)",
            "context, weights = attend(queries, keys, values, mask, scale=1)",
            "not divided",
        ),
        (
            "context, weights = attend(queries, keys, values, mask, dropout=dropout)",
            "context, weights = attend(queries, keys, values)",
            "no effect",
        ),
        ("return self.output(context), weights  #", "return context, weights  #", "not mixed"),
        ("keys = split_heads(self.key(key)", "keys = split_heads(self.key(query)", "from the other"),
        ("queries = split_heads(self.query(query)", "queries = split_heads(query @ self.query.weight.T", "With biases"),
        ("context = join_heads(context)", "context = context.flatten(-2)", "Print the shapes"),
    ],
)
def test_a_wrong_module_gets_a_hint(right, wrong, hint):
    report = check.module(broken(right, wrong))
    assert not report
    assert hint in report.hint


def test_a_module_without_our_layers_is_told_so():
    assert 'no layer "query"' in check.module(nn.MultiheadAttention).hint
    assert (
        "as wide as all heads together"
        in check.module(lambda d, h: attention.MultiHeadAttention(d, h, attention_dim=2 * d)).hint
    )
    assert "RuntimeError" in check.module(lambda d, h: (_ for _ in ()).throw(RuntimeError("out of luck"))).hint


def test_a_module_that_is_given_stays_as_it_is():
    module = attention.MultiHeadAttention(8, 2)
    before = {name: tensor.clone() for name, tensor in module.state_dict().items()}
    assert check.module(module)
    assert all(torch.equal(before[name], tensor) for name, tensor in module.state_dict().items())


@pytest.mark.parametrize(
    ("mask", "hint"),
    [
        (lambda n: ~np.tri(n, dtype=bool), "must not be seen"),
        (lambda n: np.tri(n, dtype=bool).T, "looks ahead, and none looks back"),
        (lambda n: np.tri(n, k=-1, dtype=bool), "look at itself"),
        (lambda n: np.tri(n, k=1, dtype=bool), "one place ahead"),
        (lambda n: np.tri(n), "float64"),
        (lambda n: np.ones(n, dtype=bool), "[5] and should be [5, 5]"),
        (lambda n: np.eye(n, dtype=bool), "[1, 0]"),
        (lambda: 1, "TypeError"),
    ],
)
def test_a_wrong_causal_mask_gets_a_hint(mask, hint):
    assert hint in check.causal_mask(mask).hint


@pytest.mark.parametrize(
    ("mask", "hint"),
    [
        (lambda lengths, n: ~attention.padding_mask(lengths, n), "key_padding_mask"),
        (lambda lengths, n: attention.padding_mask(lengths + 1, n), "one word of padding"),
        (lambda lengths, n: attention.padding_mask(lengths, n).flip(-1), "padding comes first"),
        (lambda lengths, n: attention.padding_mask(lengths, n).squeeze(), "axes of length 1"),
    ],
)
def test_a_wrong_padding_mask_gets_a_hint(mask, hint):
    assert hint in check.padding_mask(mask).hint
