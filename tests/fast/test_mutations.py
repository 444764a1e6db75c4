"""Each bug of the museum, put into a copy of attention.py, is caught by the test the museum names.

A bug is a replacement of source text; one that no longer matches fails here, so that the museum stays true.
"""

import importlib.util
import inspect
import sys
from pathlib import Path

import pytest

from manyheads import attention


def load(path, name):
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # dataclasses look their module up
    spec.loader.exec_module(module)
    return module


tests = load(Path(__file__).with_name("test_attention.py"), "tests_for_mutations")


HEAD = "return attend(queries, keys, values, mask)"
ALL_HEADS = "context, weights = attend(queries, keys, values, mask, cap=self.cap, dropout=dropout)"
FILL = "scores = scores.masked_fill(~mask, lowest)"
SCALE, HIDDEN = "scale=1 / math.sqrt(query.shape[-1])", "some queries see nothing"

# what is right, what stands there instead, which checks find it, and with which mask
BUGS = {
    "scaling by the model width, in one head": (
        *(HEAD, HEAD.replace("mask)", f"mask, {SCALE})")),
        "head_equals_numpy loop_equals_all_at_once",
    ),
    "scaling by the model width, in all heads at once": (
        *(ALL_HEADS, ALL_HEADS.replace("mask,", f"mask, {SCALE},")),
        "equals_the_formula equals_pytorch numpy_equals_torch",
    ),
    "scaling by the model width, in NumPy": (
        *("/ math.sqrt(Q.shape[-1])", "/ math.sqrt(X.shape[-1])"),
        "numpy_equals_torch head_equals_numpy",
    ),
    "softmax over the wrong axis": (
        *("weights = scores.softmax(dim=-1)", "weights = scores.softmax(dim=-2)"),
        "rows_sum_to_one equals_pytorch equals_the_formula",
    ),
    "softmax over the wrong axis, in NumPy": (
        *("sums = powers.sum(axis=-1, keepdims=True)", "sums = powers.sum(axis=-2, keepdims=True)"),
        "numpy_equals_torch",
    ),
    "mask after softmax": (FILL, "pass", "rows_sum_to_one equals_pytorch padding_changes_nothing", "per head"),
    "mask after softmax, seen from the past": (FILL, "pass", "causal_never_looks_ahead numpy_equals_torch", "causal"),
    "no mask after softmax: a query without keys": (
        *("weights = weights.masked_fill(~mask, 0)", "pass", "query_without_keys rows_sum_to_one"),
        HIDDEN,
    ),
    "a view without the transpose": (
        *("return parts.transpose(-3, -2)", "return parts.view(*x.shape[:-2], num_heads, x.shape[-2], -1)"),
        "numpy_equals_torch loop_equals_all_at_once equals_pytorch heads_permute padding_changes_nothing",
    ),
    "a view without the transpose, on the way back": (
        *("parts = x.transpose(-3, -2)", "parts = x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3], -1)"),
        "equals_the_formula equals_pytorch head_mask",
    ),
    "every head's columns scattered, in note C's words": (
        *('queries, "... q (h d) -> ... h q d"', 'queries, "... q (d h) -> ... h q d"'),
        "einsum_equals_all_at_once",
    ),
    "every value with the same weight, in note C's words": (
        *('"... h q k, ... h k d -> ... h q d"', '"... h q k, ... h j d -> ... h q d"'),
        "einsum_equals_all_at_once",
    ),
    "concatenating on the wrong axis": (
        *("context = torch.cat(contexts, dim=-1)", "context = torch.cat(contexts, dim=1)"),
        "loop_equals_all_at_once",
    ),
    "silent truncation": (
        "check_width(num_heads, attention_dim=attention_dim, value_dim=value_dim)",
        *("attention_dim = value_dim = attention_dim // num_heads * num_heads", "width_must_divide"),
    ),
    "silent truncation, in the loop": (
        "check_width(num_heads, attention_dim=attention_dim)",
        *("attention_dim = attention_dim // num_heads * num_heads", "width_must_divide"),
    ),
    "the kernel's own way with a query without keys": (
        *("return context.masked_fill(blind, 0)", "return context", "query_without_keys without_weights"),
        HIDDEN,
    ),
    "all heads show the same map": (
        *(ALL_HEADS, ALL_HEADS.replace("queries, keys", "*(x[..., :1, :, :].expand_as(x) for x in (queries, keys))")),
        "equals_pytorch equals_the_formula heads_permute",
    ),
}


@pytest.mark.parametrize("bug", BUGS.values(), ids=BUGS)
def test_the_named_test_catches_the_bug(bug, tmp_path):
    right, wrong, caught_by, *mask = bug
    source = inspect.getsource(attention)
    assert source.count(right) == 1, "the text to be replaced must be there, once"
    path = tmp_path / "broken.py"
    path.write_text(source.replace(right, wrong), encoding="utf-8")
    broken = load(path, "broken_attention")
    case = tests.Case(mask=mask[0] if mask else "none")
    for name in caught_by.split():
        check = getattr(tests, f"check_{name}")
        check(attention, case)
        with pytest.raises((AssertionError, RuntimeError, pytest.fail.Exception)):
            check(broken, case)
