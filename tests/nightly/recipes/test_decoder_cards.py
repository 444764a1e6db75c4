"""The kept cards of the decoder against the model: a handful of heads, by slow code, one weight at a time."""

import string

import pytest
from close import assert_close

from manyheads.models.decoder import load_decoder
from manyheads.models.registry import all_but
from manyheads_recipes.decoder.head_cards import CARD_SCORES, decoder_cards, example_texts, measure_examples

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
        for head_map in maps.values():
            found = [
                slow_score(name, head_map.key_tokens, head_map.weights[head], query)
                for query in range(2, head_map.shape[2])
            ]
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
            head_map = maps[example.sentence]
            assert example.tokens == head_map.key_tokens
            row = head_map.weights[head][example.query]
            assert example.weight == pytest.approx(row.max(), abs=2e-3)
            assert row[example.key] == pytest.approx(row.max(), abs=2e-3)
            if name == "loss":
                ids = decoder.read(example.sentence)[0]
                on, off = (decoder.losses(ids, mask)[example.query] for mask in (None, all_but(decoder, [head])))
                assert_close(off - on, example.value, summed=[off, on], part=1e-3)
            else:
                found = slow_score(name, head_map.key_tokens, head_map.weights[head], example.query)
                assert found == pytest.approx(example.value, abs=2e-3), name


def test_the_loss_of_one_head_is_highest_where_measuring_again_finds_it(decoder):
    head = (23, 4)
    again = measure_examples(decoder, heads=(head,))
    kept = card_of(head).strongest["loss"]
    assert ["".join(again["texts"][at]) for at, *_ in again["loss"][head]] == [example.sentence for example in kept]
