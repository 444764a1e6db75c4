"""The checks of a reader's own code: right code passes, and each well-known mistake gets a hint of its own."""

import inspect
import itertools
import math
import re
import sys
from types import SimpleNamespace

import numpy as np
import pytest
import torch
from IPython.core.interactiveshell import InteractiveShell
from torch import nn
from traitlets.config import Config

from manyheads import attention, check
from manyheads.attention import softmax
from manyheads.check.mistakes import BLIND, MASKS, OUTPUTS, WEIGHTS
from manyheads.check.solutions import WAITS

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
    ): "without a transpose",
    ("num_heads, -1).swapaxes(-3, -2)", "-1, num_heads).swapaxes(-1, -2).swapaxes(-3, -2)"): "num_heads-th column",
    ("split(X @ Wk)", "split(X @ Wq)"): "Queries are compared with queries",
    ("Q @ K.swapaxes(-2, -1)", "K @ Q.swapaxes(-2, -1)"): "keys ask queries",
    ("K.swapaxes(-2, -1)", "K.T"): "It raises ValueError",
    ("context.swapaxes(-3, -2).reshape(*X.shape[:-1], -1)", "context.reshape(*X.shape[:-1], -1)"): "words of one head",
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


def function(source, **names):
    made = {"math": math, "np": np, "softmax": softmax, "sys": sys, **names}
    exec(source, made)
    return made["mine"]


def test_right_functions_pass():
    assert check.multi_head_attention(function(RIGHT))
    assert check.multi_head_attention(attention.multi_head_attention)
    assert check.module(attention.MultiHeadAttention)
    assert check.module(attention.MultiHeadAttention(8, 2))
    assert check.causal_mask(attention.causal_mask)
    assert check.padding_mask(attention.padding_mask)


def test_a_wrong_function_gets_a_hint_of_its_own():
    hints = set()
    for (right, wrong), hint in WRONG.items():
        assert RIGHT.count(right) >= 1
        source = RIGHT.replace(right, wrong)
        if ", mask=None" in right:
            source = re.sub("    if mask is not None:\n.*\n", "", source)
        report = check.multi_head_attention(function(source))
        assert not report
        assert hint in report.hint, wrong
        assert "Traceback" not in repr(report)
        hints.add(report.hint)
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
            "context, weights = attend(queries, keys, values, mask, cap=self.cap, dropout=dropout)",
            "context, weights = attend(queries, keys, values, mask, scale=1)",
            "not divided",
        ),
        (
            "context, weights = attend(queries, keys, values, mask, cap=self.cap, dropout=dropout)",
            "context, weights = attend(queries, keys, values)",
            "no effect",
        ),
        ("output = self.output(join_heads(context))", "output = join_heads(context)", "not mixed"),
        ("keys = split_heads(self.key(key)", "keys = split_heads(self.key(query)", "from the other"),
        ("queries = split_heads(self.query(query)", "queries = split_heads(query @ self.query.weight.T", "With biases"),
        ("self.output(join_heads(context))", "self.output(context.flatten(-2))", "Print the shapes"),
    ],
)
def test_a_wrong_module_gets_a_hint(right, wrong, hint):
    report = check.module(broken(right, wrong))
    assert not report
    assert hint in report.hint


def test_a_module_without_our_layers_is_told_so():
    assert 'no layer "query"' in check.module(nn.MultiheadAttention).hint
    wide = check.module(lambda d, h: attention.MultiHeadAttention(d, h, attention_dim=2 * d))
    assert "as wide as all heads together" in wide.hint
    assert "RuntimeError" in check.module(lambda d, h: (_ for _ in ()).throw(RuntimeError("out of luck"))).hint


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


# --- In the precision that it has


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_right_function_may_compute_in_lower_precision(dtype):
    cast = "    X, Wq, Wk, Wv, Wo = (part.astype(lower) for part in (X, Wq, Wk, Wv, Wo))\n\n    def split"
    assert check.multi_head_attention(function(RIGHT.replace("    def split", cast), lower=dtype))


class Written(nn.Module):
    """As the models of Hugging Face do: softmax in float32, whatever comes in."""

    def __init__(self, embed_dim, num_heads, softmax_in=torch.float32):
        super().__init__()
        self.num_heads, self.softmax_in = num_heads, softmax_in
        self.query, self.key, self.value, self.output = (nn.Linear(embed_dim, embed_dim) for _ in range(4))

    def forward(self, query, key=None, *, mask=None):
        key = query if key is None else key
        layers = (self.query, query), (self.key, key), (self.value, key)
        Q, K, V = (layer(x).unflatten(-1, (self.num_heads, -1)).transpose(-3, -2) for layer, x in layers)
        scores = Q @ K.mT / Q.shape[-1] ** 0.5
        if mask is not None:
            scores = scores.masked_fill(~mask, -torch.inf)
        weights = scores.softmax(-1, dtype=self.softmax_in).nan_to_num().to(query.dtype)
        return self.output((weights @ V).transpose(-3, -2).flatten(-2)), weights


class Unmasked(Written):
    def forward(self, query, key=None, *, mask=None):
        return super().forward(query, key)


@pytest.mark.parametrize("dtype", [torch.float64, torch.bfloat16])
def test_a_module_is_checked_in_the_precision_that_it_has(dtype):
    seen, made = set(), Written(16, 4).to(dtype)
    made.register_forward_pre_hook(lambda _, texts: seen.add(texts[0].dtype))
    before = {name: tensor.clone() for name, tensor in made.state_dict().items()}
    assert check.module(made)
    assert seen == {dtype}
    assert all(torch.equal(before[name], tensor) for name, tensor in made.state_dict().items()), "it stays as it is"
    assert "no effect" in check.module(Unmasked(16, 4).to(dtype)).hint


# --- A report comes back


def ends(error):
    raise error


@pytest.mark.parametrize(
    ("fn", "hint"),
    [
        (lambda *_, **__: sys.exit(1), "It ends Python, as sys.exit does"),
        (lambda *_, **__: ends(RecursionError("too deep")), "It raises RecursionError: too deep"),
        (lambda *_, **__: ([[1], [1, 2]], [[1]]), "a list of rows of different lengths"),
        (lambda *_, **__: (None, None), "Give two things"),
        (lambda *_, **__: (torch.ones(2, device="meta"), torch.ones(2)), "It gives a Tensor, and must give an array"),
        (lambda *_, **__: 1, "It gives int"),
    ],
)  # fmt: skip
def test_whatever_it_does_a_report_comes_back(fn, hint):
    assert hint in check.multi_head_attention(fn).hint
    assert not check.module(lambda *_: fn())
    for mask in (check.causal_mask, check.padding_mask):
        assert not mask(fn)


def test_an_interrupt_passes_through():
    with pytest.raises(KeyboardInterrupt):
        check.multi_head_attention(lambda *_, **__: ends(KeyboardInterrupt()))


def test_a_module_without_num_heads_gets_a_hint():
    made = Written(16, 4)
    made.num_heads = 3
    assert "Its num_heads is 3, which does not divide its width, 16" in check.module(made).hint
    del made.num_heads
    report = check.module(made)
    assert (report.rung, report.place) == ("it has four layers", 1)
    assert "It has no num_heads. Keep the number of heads in self.num_heads" in report.hint


def test_a_length_written_into_the_code_is_found():
    source = RIGHT.replace("context = weights", "weights, V = weights[..., :9], V[..., :9, :]\n    context = weights")
    report = check.multi_head_attention(function(source))
    assert report.rung == "longer texts"
    assert "no length may be written into the code" in report.hint


def test_the_time_is_taken_on_one_thread():
    """On a busy machine two wait for each other, up to thirty times as long as they compute."""
    threads = []

    def mask(length):
        threads.append(torch.get_num_threads())
        return attention.causal_mask(length)

    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        assert check.causal_mask(mask)
        assert [threads[0], threads[-1], torch.get_num_threads()] == [2, 1, 2]
    finally:
        torch.set_num_threads(before)


def test_a_right_function_that_is_slow_is_told_how_slow(monkeypatch):
    """By a clock that ticks each time it's read, and as often as a function waits."""
    ticks = itertools.count(1)
    monkeypatch.setattr("manyheads.check.report.time", SimpleNamespace(perf_counter=lambda: next(ticks)))

    def waits(ticks_to_wait):
        def mask(length):
            all(next(ticks) for _ in range(ticks_to_wait))
            return attention.causal_mask(length)

        return mask

    report = check.causal_mask(waits(41))
    assert report
    assert repr(report).endswith(" rungs hold. It takes about 40 times as long as the reference.")
    assert repr(check.causal_mask(waits(3))).endswith(" rungs hold.")


@pytest.mark.parametrize(
    "report",
    [
        lambda empty: check.equals(empty, 1),
        lambda empty: check.holds(empty, {"it is one": lambda empty: empty() == 1}),
        lambda empty: check.causal_mask(empty),
        lambda empty: check.padding_mask(empty),
        lambda empty: check.multi_head_attention(empty),
        lambda empty: check.module(empty),
    ],
)
def test_an_empty_cell_is_told_so_without_a_traceback(report):
    def empty(*arguments, **options): ...

    assert repr(report(empty)).startswith("Not yet. Rung 1 ")


def test_an_answer_equals_what_is_right():
    X = np.arange(6.0).reshape(2, 3)
    assert check.equals(lambda X: torch.tensor(X.T), np.transpose, X)
    assert check.equals([1, 2.00001], (1, 2))
    assert check.equals(..., 1).hint == "There is nothing yet where your answer belongs."
    assert check.equals(["a"], [1]).rung == "it gives numbers"
    assert check.equals(X, X.T, hint="Swap.").hint == "It is [2, 3] and should be [3, 2]. Swap."
    assert check.equals([1, np.nan, 3], [1, 2, 4]).hint == "It is furthest off at [1], counted from 0."
    assert check.equals(lambda X: X / "2", 1, X, hint="Use 2.").rung == "it gives numbers"


def test_what_has_to_hold_is_tried_in_turn():
    tests = {"two": lambda words: len(words) == 2, "short": lambda words: max(map(len, words)) < 4}
    assert check.holds(["tea", "no"], tests)
    assert check.holds(["tea"], tests).rung == "two"
    assert check.holds(["coffee", "tea"], tests, hint="Shorter.").hint == "Shorter."
    assert check.holds([1, 2], tests).hint == "It raises TypeError: object of type 'int' has no len()."
    assert check.holds(lambda: 1 / 0, {"it runs": lambda fn: fn()}).hint.startswith("It raises ZeroDivisionError")


def test_a_seal_is_that_of_the_value_whoever_wrote_it():
    mask = np.tri(2, dtype=bool)
    assert check.seal(mask) == check.seal(torch.tensor(mask)) == check.seal([[1, 0], [1, 1]])
    assert check.seal({"b", "a"}) == check.seal({"a", "b"}) != check.seal({"a"})
    assert check.seal({"a": {("b", 2.0001)}}) == check.seal({"a": {("b", 2)}})
    report = check.holds(0.5, {"half": lambda half: check.seal(half) == ""})
    assert report.hint == "It holds 0.5. Give whole numbers and words."


def test_a_solution_runs_when_its_cell_is_run_once_more(capsys):
    shell = InteractiveShell(config=Config(HistoryManager={"enabled": False}))

    def run(*cells):
        for cell in cells:
            shell.run_cell(cell)
        return capsys.readouterr().out.splitlines()

    one, two = "# Solution\n\nprint(1)\n\n", "# Solution\nprint(2)"
    assert run(one) == ["1"], "it waits nowhere else"
    run("%load_ext manyheads.check.solutions")
    assert run("print(0)", one, two) == ["0", WAITS, WAITS], "as Run All does"
    assert run(two) == ["2"]
    assert run(one, two, "print(1)\n# Solution") == ["1", "2", "1"]
