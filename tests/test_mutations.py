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


SCORES = "scores = torch.baddbmm(start, queries, keys.mT, beta=0, alpha=self.scale, out=weights)"
SOFTMAX = "weights = torch.softmax(scores, dim=-1, out=scores if last_use else None)"
FILL = "scores = masked_fill(scores, ~mask, torch.finfo(scores.dtype).min)"
SPLIT = "[part.unflatten(-1, (self.num_heads, -1)).transpose(-3, -2) for part in parts]"

BUGS = {
    "scaling by the model width, in one head": Bug(
        "/ math.sqrt(queries.shape[-1])",
        "/ math.sqrt(self.query.in_features)",
        (tests.check_head_equals_numpy, tests.check_loop_equals_all_at_once),
    ),
    "scaling by the model width, in all heads at once": Bug(
        "self.scale = 1 / math.sqrt(attention_dim // num_heads)",
        "self.scale = 1 / math.sqrt(embed_dim)",
        (tests.check_equals_the_formula, tests.check_equals_pytorch, tests.check_numpy_equals_torch),
    ),
    "scaling by the model width, in NumPy": Bug(
        "/ math.sqrt(Q.shape[-1])",
        "/ math.sqrt(X.shape[-1])",
        (tests.check_numpy_equals_torch, tests.check_head_equals_numpy),
    ),
    "softmax over the wrong axis": Bug(
        SOFTMAX,
        SOFTMAX.replace("dim=-1", "dim=-2"),
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
        FILL,
        "pass",
        (tests.check_causal_never_looks_ahead, tests.check_numpy_equals_torch),
        mask="causal",
    ),
    "no mask after softmax: a query without keys": Bug(
        "return weights if mask is None else masked_fill(weights, ~mask, 0)",
        "return weights",
        (tests.check_query_without_keys, tests.check_rows_sum_to_one),
        mask="some queries see nothing",
    ),
    "a view without the transpose": Bug(
        ".permute(0, 3, 2, 1, 4)",
        ".movedim(2, 1).reshape(-1, 3, self.num_heads, query.shape[-2], sizes[-1]).transpose(1, 2)",
        (tests.check_numpy_equals_torch, tests.check_loop_equals_all_at_once),
    ),
    "a view without the transpose, queries and keys from two texts": Bug(
        SPLIT,
        "[part.reshape(*part.shape[:-2], self.num_heads, part.shape[-2], -1) for part in parts]",
        (tests.check_equals_pytorch, tests.check_heads_permute, tests.check_padding_changes_nothing),
    ),
    "a view without the transpose, on the way back": Bug(
        "context = context.transpose(-3, -2).flatten(-2)",
        "context = context.reshape(*query.shape[:-1], -1)",
        (tests.check_equals_the_formula, tests.check_equals_pytorch, tests.check_head_mask),
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
        "context if mask is None else context.masked_fill(blind, 0)",
        "context",
        (tests.check_query_without_keys, tests.check_without_weights),
        mask="some queries see nothing",
    ),
    "all heads show the same map": Bug(
        SCORES,
        SCORES.replace("queries, keys", "queries[:1].expand_as(queries), keys[:1].expand_as(keys)"),
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
        case = tests.Case(mask=bug.mask, bias=check is not tests.check_numpy_equals_torch)
        check(attention, case)
        with pytest.raises((AssertionError, RuntimeError, pytest.fail.Exception)):
            check(broken, case)
