"""The kept cards of the decoder against the model: a handful of heads, by slow code, one weight at a time."""

import string

import numpy as np
import pytest

from manyheads.models.decoder import load_decoder
from manyheads.models.decoder.head_cards import CARD_SCORES, decoder_cards, example_texts, measure_examples
from manyheads.models.decoder.head_scores import head_scores
from manyheads.models.decoder.measures import all_but
from manyheads.models.head_cards_table import head_cards_html

pytestmark = pytest.mark.xdist_group("decoder")

BY_HAND = [(0, 4), (16, 0), (17, 3), (23, 4), (29, 8)]
ATTENTION = [name for name in CARD_SCORES if name != "loss"]


@pytest.fixture(scope="module")
def decoder():
    return load_decoder()


@pytest.fixture(scope="module")
def maps(decoder):
    return {text: decoder(text) for text in example_texts(decoder)}


def card_of(head):
    return next(card for card in decoder_cards() if (card.layer, card.head) == head)


def slow_score(name, tokens, weights, query):
    """The part of a token's attention that a score counts; None where there is nothing to look at."""
    before = range(1, query + 1)  # all but the first token
    keys = {
        "first": [0],
        "previous": [query - 1],
        "local": [key for key in before if query - key < 4],
        "punctuation": [key for key in before if set(tokens[key].strip() or "a") <= set(string.punctuation)],
        "duplicate": [key for key in before if key < query and tokens[key] == tokens[query]],
        "induction": [key for key in before if key < query and tokens[key - 1] == tokens[query]],
    }[name]
    return sum(float(weights[query, key]) for key in keys) if keys else None


@pytest.mark.parametrize("head", BY_HAND)
def test_the_examples_are_the_strongest_that_slow_code_finds(maps, head):
    card = card_of(head)
    for name in ATTENTION:
        best = []
        for map in maps.values():
            found = [slow_score(name, map.key_tokens, map.weights[head], query) for query in range(2, map.shape[2])]
            best.append(max((value for value in found if value is not None), default=-1))
        expected = sorted(best, reverse=True)[:3]
        assert [example.value for example in card.strongest[name]] == pytest.approx(expected, abs=2e-3), name


@pytest.mark.parametrize("head", BY_HAND)
def test_every_example_is_in_the_map_of_its_text(decoder, maps, head):
    card = card_of(head)
    assert list(card.strongest) == list(card.scores) == list(CARD_SCORES)
    for name in CARD_SCORES:
        examples = card.strongest[name]
        assert len({example.sentence for example in examples}) == 3
        for example in examples:
            map = maps[example.sentence]
            assert example.tokens == map.key_tokens
            row = map.weights[head][example.query]
            assert example.weight == pytest.approx(row.max(), abs=2e-3)
            assert row[example.key] == pytest.approx(row.max(), abs=2e-3)
            if name == "loss":
                ids = decoder.read(example.sentence)[0]
                on, off = (decoder.losses(ids, mask)[example.query] for mask in (None, all_but([head])))
                assert off - on == pytest.approx(example.value, abs=2e-3)
            else:
                found = slow_score(name, map.key_tokens, map.weights[head], example.query)
                assert found == pytest.approx(example.value, abs=2e-3), name


def test_the_loss_of_one_head_is_highest_where_measuring_again_finds_it(decoder):
    head = (23, 4)
    again = measure_examples(decoder, heads=(head,))
    kept = card_of(head).strongest["loss"]
    assert ["".join(again["texts"][at]) for at, *_ in again["loss"][head]] == [example.sentence for example in kept]


def test_what_stands_before_the_asking_token_is_read_as_the_same_tokens(decoder):
    """A press shows the text up to there."""
    for text in example_texts(decoder):
        ids = decoder.read(text)[0]
        tokens = decoder.tokens(ids)
        for query in range(2, len(ids)):
            assert decoder.read("".join(tokens[: query + 1]))[0] == ids[: query + 1]


def test_there_is_a_card_for_each_head_with_the_kept_scores():
    cards = decoder_cards()
    assert [(card.layer, card.head) for card in cards] == list(np.ndindex(30, 9))
    for name in CARD_SCORES:
        np.testing.assert_array_equal([card.scores[name] for card in cards], head_scores()[name].ravel())


def test_without_a_book_the_table_has_every_head():
    html = head_cards_html(decoder_cards(), "next-word", CARD_SCORES, causal=True)
    assert html.count("<tr>") == 271
