"""Each bug of the museum, put into a copy of attention.py, is caught by the test the museum names.

A bug is a replacement of source text; one that no longer matches fails here, so that the museum stays true.
"""

import importlib.util
import inspect
import sys
from dataclasses import dataclass
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


@dataclass(frozen=True)
class Bug:
    right: str
    wrong: str
    caught_by: tuple
    mask: str = "none"


HEAD = "return attend(queries, keys, values, mask)"
ALL_HEADS = "context, weights = attend(queries, keys, values, mask, dropout=dropout)"
FILL = "scores = scores.masked_fill(~mask, lowest)"

BUGS = {
    "scaling by the model width, in one head": Bug(
        HEAD,
        HEAD.replace("mask)", "mask, scale=1 / math.sqrt(query.shape[-1]))"),
        (tests.check_head_equals_numpy, tests.check_loop_equals_all_at_once),
    ),
    "scaling by the model width, in all heads at once": Bug(
        ALL_HEADS,
        ALL_HEADS.replace("mask,", "mask, scale=1 / math.sqrt(query.shape[-1]),"),
        (tests.check_equals_the_formula, tests.check_equals_pytorch, tests.check_numpy_equals_torch),
    ),
    "scaling by the model width, in NumPy": Bug(
        "/ math.sqrt(Q.shape[-1])",
        "/ math.sqrt(X.shape[-1])",
        (tests.check_numpy_equals_torch, tests.check_head_equals_numpy),
    ),
    "softmax over the wrong axis": Bug(
        "weights = scores.softmax(dim=-1)",
        "weights = scores.softmax(dim=-2)",
        (tests.check_rows_sum_to_one, tests.check_equals_pytorch, tests.check_equals_the_formula),
    ),
    "softmax over the wrong axis, in NumPy": Bug(
        "sums = powers.sum(axis=-1, keepdims=True)",
        "sums = powers.sum(axis=-2, keepdims=True)",
        (tests.check_numpy_equals_torch,),
    ),
    "mask after softmax": Bug(
        FILL,
        "pass",
        (tests.check_rows_sum_to_one, tests.check_equals_pytorch, tests.check_padding_changes_nothing),
        mask="queries by keys",
    ),
    "mask after softmax, seen from the past": Bug(
        FILL, "pass", (tests.check_causal_never_looks_ahead, tests.check_numpy_equals_torch), mask="causal"
    ),
    "no mask after softmax: a query without keys": Bug(
        "weights = weights.masked_fill(~mask, 0)",
        "pass",
        (tests.check_query_without_keys, tests.check_rows_sum_to_one),
        mask="some queries see nothing",
    ),
    "a view without the transpose": Bug(
        "return parts.transpose(-3, -2)",
        "return parts.view(*x.shape[:-2], num_heads, x.shape[-2], -1)",
        (
            tests.check_numpy_equals_torch,
            tests.check_loop_equals_all_at_once,
            tests.check_equals_pytorch,
            tests.check_heads_permute,
            tests.check_padding_changes_nothing,
        ),
    ),
    "a view without the transpose, on the way back": Bug(
        "parts = x.transpose(-3, -2)",
        "parts = x.reshape(*x.shape[:-3], x.shape[-2], x.shape[-3], -1)",
        (tests.check_equals_the_formula, tests.check_equals_pytorch, tests.check_head_mask),
    ),
    "every head's columns scattered, in note C's words": Bug(
        'rearrange(queries, "... q (h d) -> ... h q d", h=num_heads)',
        'rearrange(queries, "... q (d h) -> ... h q d", h=num_heads)',
        (tests.check_einsum_equals_all_at_once,),
    ),
    "every value with the same weight, in note C's words": Bug(
        '"... h q k, ... h k d -> ... h q d"',
        '"... h q k, ... h j d -> ... h q d"',
        (tests.check_einsum_equals_all_at_once,),
    ),
    "concatenating on the wrong axis": Bug(
        "context = torch.cat(contexts, dim=-1)",
        "context = torch.cat(contexts, dim=1)",
        (tests.check_loop_equals_all_at_once,),
    ),
    "silent truncation": Bug(
        "check_width(num_heads, attention_dim=attention_dim, value_dim=value_dim)",
        "attention_dim = value_dim = attention_dim // num_heads * num_heads",
        (tests.check_width_must_divide,),
    ),
    "silent truncation, in the loop": Bug(
        "check_width(num_heads, attention_dim=attention_dim)",
        "attention_dim = attention_dim // num_heads * num_heads",
        (tests.check_width_must_divide,),
    ),
    "the kernel's own way with a query without keys": Bug(
        "return context.masked_fill(blind, 0)",
        "return context",
        (tests.check_query_without_keys, tests.check_without_weights),
        mask="some queries see nothing",
    ),
    "all heads show the same map": Bug(
        ALL_HEADS,
        ALL_HEADS.replace("queries, keys", "*(x[..., :1, :, :].expand_as(x) for x in (queries, keys))"),
        (tests.check_equals_pytorch, tests.check_equals_the_formula, tests.check_heads_permute),
    ),
}


@pytest.mark.parametrize("name", BUGS)
def test_the_named_test_catches_the_bug(name, tmp_path):
    bug = BUGS[name]
    source = inspect.getsource(attention)
    assert source.count(bug.right) == 1, "the text to be replaced must be there, once"
    path = tmp_path / "broken.py"
    path.write_text(source.replace(bug.right, bug.wrong), encoding="utf-8")
    broken = load(path, "broken_attention")
    for check in bug.caught_by:
        case = tests.Case(mask=bug.mask)
        check(attention, case)
        with pytest.raises((AssertionError, RuntimeError, pytest.fail.Exception)):
            check(broken, case)
