"""What a language model's attention adds: shared keys and values, rotary positions, a cache; and what each head writes."""

import pytest
import torch
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, causal_mask, contributions, join_heads, rotate, split_heads

shapes = st.fixed_dictionaries(
    {
        "batch": st.sampled_from([(), (2,), (2, 3)]),
        "groups": st.integers(1, 3),
        "per_group": st.integers(1, 4),
        "pairs": st.integers(1, 3),
        "words": st.integers(1, 6),
        "rotary_base": st.sampled_from([None, 10_000.0, 100.0]),
        "seed": st.integers(0, 99),
    }
)


def made(shape, embed_dim=7):
    """A module of this shape in double precision, and a text for it."""
    torch.manual_seed(shape["seed"])
    heads = shape["groups"] * shape["per_group"]
    options = {"num_kv_heads": shape["groups"], "rotary_base": shape["rotary_base"], "dtype": torch.float64}
    width = 2 * shape["pairs"] * heads
    module = MultiHeadAttention(embed_dim, heads, attention_dim=width, **options).requires_grad_(False)
    return module, torch.randn(*shape["batch"], shape["words"], embed_dim, dtype=torch.float64)


@given(shapes)
@settings(max_examples=15)
def test_groups_equal_pytorchs_grouped_attention(shape):
    module, X = made(shape)
    queries = split_heads(module.query(X), module.num_heads)
    keys, values = (split_heads(layer(X), module.num_kv_heads) for layer in (module.key, module.value))
    if module.rotary_base:
        queries, keys = rotate(queries, base=module.rotary_base), rotate(keys, base=module.rotary_base)
    context = F.scaled_dot_product_attention(queries, keys, values, is_causal=True, enable_gqa=True)
    output, weights = module(X, mask=causal_mask(shape["words"]))
    assert_close(output, module.output(join_heads(context)))
    assert weights.shape == (*shape["batch"], module.num_heads, shape["words"], shape["words"])


@given(shapes)
@settings(max_examples=15)
def test_word_by_word_with_a_cache_equals_all_at_once(shape):
    module, X = made(shape)
    whole, maps = module(X, mask=causal_mask(shape["words"]))
    cache = ()
    for word in range(shape["words"]):
        kept = [part.clone() for part in cache]
        before = cache
        output, weights, cache = module(X[..., word : word + 1, :], cache=cache)
        assert all(map(torch.equal, kept, before)), "the cache that was passed stays as it was"
        assert_close(output, whole[..., word : word + 1, :])
        assert_close(weights, maps[..., word : word + 1, : word + 1])
    assert cache[0].shape == (*shape["batch"], shape["groups"], shape["words"], 2 * shape["pairs"])


@given(st.integers(1, 4), st.integers(2, 6), st.integers(0, 50), st.integers(0, 99))
@settings(max_examples=15)
def test_after_the_turn_a_score_depends_on_the_distance_alone(pairs, words, start, seed):
    torch.manual_seed(seed)
    queries, keys = torch.randn(2, 1, 2 * pairs, dtype=torch.float64).expand(2, 1, 2 * pairs)
    alike = [x.expand(words, -1) for x in (queries, keys)]  # the same query and key at every position
    scores = rotate(alike[0], start) @ rotate(alike[1], start).mT
    for distance in range(words):
        assert_close(scores.diagonal(distance), scores[0, distance].expand(words - distance), part=1e-9)


@given(st.integers(1, 4), st.integers(1, 6), st.integers(0, 50), st.floats(2, 1e6))
@settings(max_examples=15)
def test_the_speeds_of_a_turn_may_be_given_instead_of_a_base(pairs, words, start, base):
    x, speeds = torch.randn(words, 2 * pairs, dtype=torch.float64), [base ** (-pair / pairs) for pair in range(pairs)]
    assert_close(rotate(x, start, tuple(speeds)), rotate(x, start, base), part=1e-9)
    halved = rotate(x, start, tuple(speed / 2 for speed in speeds))
    assert_close(halved[:1], rotate(x, start / 2, base)[:1], part=1e-9)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: MultiHeadAttention(8, 4, num_kv_heads=3), "num_kv_heads must divide num_heads, got 3 for 4 heads"),
        (lambda: MultiHeadAttention(12, 4, rotary_base=10_000), "turn pairs of columns, got heads of width 3"),
        (lambda: MultiHeadAttention(8, 4, num_kv_heads=2).to_torch(), "no shared keys .* and no rotary positions"),
        (lambda: MultiHeadAttention(8, 4)(torch.ones(1, 8), cache=(torch.ones(4, 3, 1),) * 2), "the cache must"),
    ],
)
def test_what_does_not_fit_is_said(make, says):
    with pytest.raises(ValueError, match=says):
        make()


@given(shapes, st.booleans())
@settings(max_examples=15)
def test_what_the_heads_write_sums_to_the_output_and_goes_with_them(shape, causal):
    module, X = made(shape)
    mask = causal_mask(shape["words"]) if causal else None
    parts = contributions(module, X, mask=mask)
    whole = module(X, mask=mask)[0]
    assert_close(parts.sum(-3) + module.output.bias, whole)
    by_key = contributions(module, X, mask=mask, by_key=True)
    assert_close(by_key.sum(-2), parts)
    for head in range(module.num_heads):
        off = torch.arange(module.num_heads) != head
        without = module(X, mask=mask, head_mask=off)[0]
        assert_close(without + parts[..., head, :, :], whole)
        assert not contributions(module, X, mask=mask, head_mask=off, by_key=True)[..., head, :, :, :].any()
