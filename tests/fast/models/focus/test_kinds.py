"""Kinds of attention: what each keeps, and that it needs no more than that."""

import pytest
import torch
from close import assert_close

from manyheads.attention import MultiHeadAttention, attend, causal_mask
from manyheads.models.focus import load_focus_model
from manyheads.models.focus.kinds import BYTES, KINDS, attention_of, cache_bytes, linear_attend, narrow, reach, share
from manyheads.models.registry import load_model


@pytest.fixture
def module():
    torch.manual_seed(2)
    return MultiHeadAttention(40, 4, attention_dim=24, value_dim=32, rotary_base=10.0).eval().requires_grad_(False)


def attended(module, X):
    return module(X, mask=torch.ones(1, len(X), dtype=torch.bool))


@pytest.mark.parametrize("groups", [4, 2, 1])
def test_heads_that_share_have_the_mean_of_what_they_had(module, groups):
    X = torch.randn(7, 40)
    shared, own = share(module, groups).project(X, X, X), module.project(X, X, X)
    assert torch.equal(shared[0], own[0])
    for one, other in zip(shared[1:], own[1:]):
        assert_close(one, other.unflatten(0, (groups, -1)).mean(1))


@pytest.mark.parametrize(("kind", "groups"), [("multi-head", 4), ("grouped-query", 2), ("multi-query", 1)])
def test_a_cache_takes_the_bytes_of_its_tensors(module, kind, groups):
    X = torch.randn(7, 40)
    _, _, cache = share(module, groups)(X, mask=causal_mask(7), cache=())
    assert cache_bytes(kind, module, 7) == BYTES * sum(part.numel() for part in cache)


def test_a_waist_lets_through_so_many_directions(module):
    narrowed = narrow(module, 5)
    both = torch.cat([narrowed.key.weight, narrowed.value.weight]).double()
    assert torch.linalg.matrix_rank(both, rtol=1e-5) == 5
    left = torch.cat([module.key.weight, module.value.weight]).double() - both
    lengths = torch.linalg.svdvals(torch.cat([module.key.weight, module.value.weight]).double())
    assert_close(left.norm(), lengths[5:].norm(), part=1e-5)  # no five keep more
    assert cache_bytes("latent", module, 7) == BYTES * 7 * KINDS["latent"]["waist"]
    assert_close(narrow(module, 40).key.weight, module.key.weight)


def test_the_state_of_a_sum_is_enough_for_the_next_word(module):
    X = torch.randn(9, 40)
    queries, keys, values = module.project(X, X, X)
    context, weights = linear_attend(queries, keys, values)
    assert_close(weights @ values, context)
    features, asking = (torch.nn.functional.elu(rows) + 1 for rows in (keys, queries))
    state, total = torch.zeros(4, 6, 8), torch.zeros(4, 6)
    for word in range(9):
        state += features[:, word, :, None] * values[:, word, None, :]
        total += features[:, word]
        read = (asking[:, word, None] @ state)[:, 0] / (asking[:, word] * total).sum(-1, keepdim=True)
        assert_close(read, context[:, word])
    assert cache_bytes("linear", module, 9) == BYTES * (state.numel() + total.numel())


@pytest.mark.parametrize("kind", KINDS)
def test_no_kind_looks_ahead(module, kind):
    X = torch.randn(8, 40)
    other = torch.cat([X[:-1], torch.randn(1, 40)])
    attention = attention_of(kind, module)
    (output, weights), (changed, _) = attended(attention, X), attended(attention, other)
    assert_close(output[:-1], changed[:-1])
    assert (output[-1] - changed[-1]).abs().max() > 1e-3
    assert (weights.triu(1) == 0).all()
    assert_close(weights.sum(-1), torch.ones(4, 8))


def test_a_window_and_a_sink_see_as_many(module):
    seen = {kind: (attended(attention_of(kind, module), torch.randn(9, 40))[1] > 0).sum(-1) for kind in KINDS}
    assert seen["sliding-window"].max() == seen["attention-sink"].max() == 4
    assert cache_bytes("sliding-window", module, 9) == cache_bytes("attention-sink", module, 9)
    assert reach(9, 3, first=True)[:, 0].all()
    queries, keys, values = module.project(*[torch.randn(9, 40)] * 3)
    near = reach(9, 4)
    assert_close(
        attend(queries, keys, values, near)[0][:, -1], attend(queries[:, -1:], keys[:, -4:], values[:, -4:])[0][:, 0]
    )


def test_the_pages_models_change_layer_1_alone():
    plain, linear = load_focus_model(), load_model("focus/linear")
    assert [load_model(f"focus/{kind}").name for kind in KINDS] == [f"focus/{kind}" for kind in KINDS]
    assert torch.equal(linear.attention.key.weight, plain.attention.key.weight)
    attention = linear("They never, ever really like tea.")
    assert (attention.weights[0].argmax(-1) <= range(10)).all()
    assert attention.weights[1, :, 0, 1:].sum() > 1  # layer 2 still reads all
