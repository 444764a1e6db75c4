"""Less of a map, for reading it: what is left is true, and the map says what was done."""

from dataclasses import replace

import numpy as np
import pytest
from close import assert_close
from hypothesis import given
from hypothesis import strategies as st

from manyheads.maps import AttentionMap
from manyheads.maps.choosing import fit_query, query_of, read_query, take_tokens, write_query
from manyheads.shared.options import OPTIONS
from manyheads.shared.tokens import find_words, text_of, word_starts

PIECES = ["[CLS]", "un", "##help", "##ful", "tea", "!", "</s>"]
SPACED = ["<s>", " un", "help", "ful", " tea", "!", " 7", "th", "é", "\N{COMBINING ACUTE ACCENT}x"]
LISTS = st.one_of(*(st.lists(st.sampled_from(tokens), min_size=1, max_size=9) for tokens in (PIECES, SPACED)))


@st.composite
def maps(draw):
    """2 layers x 3 heads over tokens of all sorts; some rows look at nothing, others at one token alone."""
    queries = draw(LISTS)
    keys = draw(st.one_of(st.just(queries), LISTS))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    weights = random.dirichlet(np.full(len(keys), 0.3), (2, 3, len(queries))).astype(np.float32)
    weights[random.random((2, 3, len(queries))) < 0.2] = 0
    return AttentionMap(queries, keys, weights)


@given(maps())
def test_words_are_what_their_pieces_are_together(attention):
    """Against the plain loops over words."""
    words = attention.merge_pieces()
    asking, looked_at = (
        [range(start, end) for start, end in zip(starts, [*starts[1:], len(tokens)])]
        for tokens in (attention.query_tokens, attention.key_tokens)
        for starts in [word_starts(tokens)]
    )
    assert "".join(words.key_tokens).replace("##", "") == "".join(attention.key_tokens).replace("##", "")
    for query, rows in enumerate(asking):
        summed = np.stack([attention.weights[:, :, rows][..., columns].sum(-1) for columns in looked_at], axis=-1)
        looks = (summed.sum(-1) > 0).sum(2)[..., None]
        assert_close(words.weights[:, :, query], summed.sum(2) / np.maximum(looks, 1))
    merges = (len(asking), len(looked_at)) != attention.shape[2:]
    assert words.notes == ((OPTIONS["pieces"]["values"]["merge"]["note"],) if merges else ())


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        (["[CLS]", "un", "##help", "##ful", "!"], ["[CLS]", "unhelpful", "!"]),
        (["<s>", "▁un", "help", "ful", "!", "▁Tea"], ["<s>", "▁unhelpful", "!", "▁Tea"]),
        ([" un", "help", "ful", ",", "</s>", "tea"], [" unhelpful", ",", "</s>", "tea"]),
        (["un", "help", "ful"], ["un", "help", "ful"]),
        (["Ġtea", "Ċ", "Hot"], ["Ġtea", "Ċ", "Hot"]),
        (["Hel", "lo", "\n", "Tea", "s"], ["Hello", "\n", "Teas"]),
        (["##s"], ["##s"]),
        ([" hot", " <F0 9F>", "<8D>", "<B5>", "<F0 9F>", "<8D>"], [" hot", " 🍵", "<F0 9F 8D>"]),
        (["<B5>", "<AB>", "<a>"], ["<B5 AB>", "<a>"]),
        ([" don", "'", "t", " I", "’ve"], [" don't", " I’ve"]),
        ([" 3", ".", "14", " is", " 3", ",", "000"], [" 3.14", " is", " 3,000"]),
        ([" '", "tea", "'", ".", " the", "end", ".", " New"], [" '", "tea", "'", ".", " theend", ".", " New"]),
        ([" a", ".", "b", " 3", ".", " 5", ",", "</s>", "7"], [" a", ".", "b", " 3", ".", " 5", ",", "</s>", "7"]),
        (["don", "'", "t", "##s", "3", ".", "5"], ["don", "'", "ts", "3", ".", "5"]),
    ],
)
def test_where_words_begin(tokens, words):
    attention = AttentionMap(tokens, tokens, np.full((1, 1, len(tokens), len(tokens)), 1 / len(tokens)))
    assert attention.merge_pieces().key_tokens == words


def test_less_of_a_causal_map_is_causal_where_rows_and_columns_still_match():
    tokens = [" un", "help", "ful", " tea"]
    weights = np.tril(np.ones((4, 4)))
    attention = AttentionMap(tokens, tokens, (weights / weights.sum(-1, keepdims=True))[None, None], causal=True)
    assert attention.merge_pieces().causal
    assert attention.without_special().causal
    assert take_tokens(attention, [1, 2], [1, 2]).causal
    assert take_tokens(attention, [1, 2], [0, 3]).mask.tolist() == [[True, False], [True, False]]


@pytest.mark.parametrize(
    ("kind", "weights", "says"),
    [
        ("pie", [1, 0], "kind must be one of shares, parts, amounts, signed, got 'pie'"),
        ("parts", [1, 1], "parts must sum to 1 at most, got 2"),
        ("amounts", [-1, 0], "amounts must be 0 or more, got -1"),
        ("signed", [np.inf, 0], "must be finite"),
        ("shares", [0.5, 0], "must sum to 1"),
    ],
)
def test_weights_are_of_their_kind(kind, weights, says):
    with pytest.raises(ValueError, match=says):
        AttentionMap(["a"], ["a", "b"], [[[weights]]], kind=kind)


def test_what_is_no_share_is_never_scaled():
    weights = np.array([[[[-2, 0.5, 1], [0, 4, -1], [1, 1, 1]]], [[[0, 0, 0], [1, 2, 3], [3, 2, 1]]]])
    tokens = ["[CLS]", "tea", "##s"]
    attention = AttentionMap(tokens, tokens, weights, kind="signed")
    np.testing.assert_array_equal(attention.without_special().weights, weights[:, :, 1:, 1:])
    np.testing.assert_array_equal(attention.merge_pieces().weights[0, 0], [[-2, 1.5], [0.5, 2.5]])
    with pytest.raises(ValueError, match="rollout is for rows that sum to 1, got signed"):
        attention.rollout()


@given(maps(), st.data())
def test_a_span_asks_with_the_mean_of_its_rows(attention, data):
    """The sum of what its tokens give is how many they are; a text that stands once is the span where it stands."""
    count = len(attention.query_tokens)
    first, last = sorted(data.draw(st.tuples(*[st.integers(0, count - 1)] * 2)))
    causal = attention.query_tokens == attention.key_tokens and data.draw(st.booleans())
    attention = (
        replace(attention, weights=np.tril(attention.weights), kind="parts", causal=True) if causal else attention
    )
    span = data.draw(st.sampled_from([(first, last), (last, first)]))
    one = attention.for_query(span)
    rows = attention.weights[:, :, first : last + 1]
    assert_close(one.weights[:, :, 0] * (last + 1 - first), rows.sum(2, dtype=np.float64), terms=count)
    assert one.key_tokens == attention.key_tokens
    assert one.query_tokens == [text_of(attention.query_tokens, first, last)]
    if causal:
        assert one.allowed[0].tolist() == [key <= last for key in range(len(attention.key_tokens))]
    assert read_query(write_query(query_of(span))) == query_of(span) == fit_query(query_of(span), count)
    found = find_words(attention.query_tokens, one.query_tokens[0])
    assert all(text_of(attention.query_tokens, *place) == one.query_tokens[0] for place in found)
    if len(found) == 1:
        assert np.array_equal(attention.for_query(one.query_tokens[0]).weights, one.weights)


@pytest.mark.parametrize(
    ("tokens", "text", "places"),
    [
        (["The", "red", "car", "met", "the", "red", "bus"], "the red", [(4, 5)]),  # with these capitals
        (["the", "red", "car", "met", "the", "red", "bus"], "The  Red", [(0, 1), (4, 5)]),
        (["un", "##tea", "##s", "tea"], "tea", [(3, 3)]),  # a whole word before a piece
        (["un", "##tea", "##s"], "tea", [(1, 1)]),
        ([" hot", " <F0 9F>", "<8D>", "<B5>", "!"], "hot 🍵!", [(0, 4)]),
        ([" hot", " <F0 9F>", "<8D>", "<B5>", "!"], "🍵", [(1, 3)]),
        (["我", "喜", "欢", "茶"], "喜欢", [(1, 2)]),
        (["▁it", "'", "s", "▁", "▁tea"], "it's tea", [(0, 4)]),
        (["▁it", "▁", "▁tea"], "tea", [(2, 2)]),
        (["hot", "tea"], "ot te", []),
        (["hot", "tea"], " ", []),
        ([], "tea", []),
    ],
)
def test_words_are_found_where_they_stand(tokens, text, places):
    assert find_words(tokens, text) == places


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("tea", "“tea” stands there 2 times, at 0, 2: choose one of these places, counted from 0, to ask."),
        ("milk", "“milk” can’t ask: it isn’t in this text, as whole words or tokens."),
        ((1, 3), r"query must be from 0 to 2 for this map, got \(1, 3\)"),
        ((-1, 2), r"query counts from 0, got \(-1, 2\)"),
        ((0, 1, 2), r"query must be a place, a span of tokens \(first, last\) or a text, got \(0, 1, 2\)"),
        (True, "query must be a place"),
        (1.5, "query must be a place"),
        ((0.0, 1), "query must be a place"),
        (None, "query must be a place"),
    ],
)
def test_who_cant_ask_is_refused(query, says):
    with pytest.raises((TypeError, ValueError), match=says):
        AttentionMap(["tea", "or", "tea"], ["x"], np.ones((1, 1, 3, 1))).for_query(query)
