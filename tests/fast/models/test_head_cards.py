"""Five head cards against slow code that was written by hand, one weight at a time."""

import math
import string

import numpy as np
import pytest
from bs4 import BeautifulSoup
from close import assert_close

from manyheads.models.cards import SCORES, head_cards_element, shown
from manyheads.models.encoder.head_cards import head_cards
from manyheads_recipes.encoder.head_cards import card_sentences

BY_HAND = [(2, 9)]


@pytest.fixture(scope="module")
def cards():
    return {(card.layer, card.head): card for card in head_cards()}


@pytest.fixture(scope="module")
def maps(encoder):
    return {sentence: encoder(sentence) for sentence in card_sentences()}


@pytest.fixture(scope="module")
def means(encoder):
    """Each sentence's last hidden state, averaged over its tokens."""
    return mean_states(encoder)


def mean_states(encoder, mask=None):
    sentences = card_sentences()
    states = encoder.states(sentences, mask)
    return {sentence: layers[-1].astype(float).mean(0) for sentence, (_, layers) in zip(sentences, states)}


def slow_scores(attention, layer, head, query):
    """The scores of one token that asks, None where there is nothing to look at."""
    tokens, weights = attention.key_tokens, attention.weights[layer, head, query].tolist()
    last = len(tokens) - 1
    punctuation = [place for place in range(1, last) if tokens[place] in string.punctuation]
    distance = entropy = 0.0
    for key, weight in enumerate(weights):
        distance += weight * abs(key - query)
        entropy -= weight * math.log2(weight) if weight else 0
    return {
        "previous": weights[query - 1] if query > 1 else None,
        "next": weights[query + 1] if query < last - 1 else None,
        "same": weights[query],
        "cls": weights[0],
        "sep": weights[last],
        "punctuation": sum(weights[place] for place in punctuation) if punctuation else None,
        "distance": distance,
        "entropy": entropy,
    }


@pytest.mark.parametrize(("layer", "head"), BY_HAND)
def test_a_card_is_what_slow_code_finds(cards, maps, layer, head):
    card = cards[layer, head]
    found = {name: [] for name in SCORES if name != "effect"}
    for sentence, attention in maps.items():
        assert attention.query_tokens[0] == "[CLS]"
        assert attention.query_tokens[-1] == "[SEP]"
        for query in range(1, len(attention.query_tokens) - 1):
            for name, value in slow_scores(attention, layer, head, query).items():
                if value is not None:
                    found[name].append((value, sentence, query))
    for name, values in found.items():
        numbers = [value for value, *_ in values]
        assert_close(card.scores[name], sum(numbers) / len(numbers), summed=numbers, name=name)
        best = {}  # of each sentence
        for value, sentence, _ in values:
            best[sentence] = max(value, best.get(sentence, -1))
        expected = sorted(best.values(), reverse=True)[:3]
        assert_close([example.value for example in card.strongest[name]], expected, name=name)
        assert_close(card.weakest[name].value, min(numbers), summed=numbers, name=name)


@pytest.mark.parametrize(("layer", "head"), BY_HAND)
def test_the_effect_is_that_of_turning_the_head_off(cards, encoder, means, layer, head):
    mask = [[(row, column) != (layer, head) for column in range(12)] for row in range(6)]
    distances = {}
    for sentence, without in mean_states(encoder, mask).items():
        whole = means[sentence]
        cosine = sum(a * b for a, b in zip(whole, without)) / math.sqrt(sum(whole**2) * sum(without**2))
        distances[sentence] = 1 - cosine  # rounded as numbers of the size of 1 are
    card, effects = cards[layer, head], [*distances.values()]
    assert card.scores["effect"] == pytest.approx(np.mean(effects), abs=1e-5)
    assert distances[card.strongest["effect"][0].sentence] == pytest.approx(max(effects), abs=1e-5)
    assert distances[card.weakest["effect"].sentence] == pytest.approx(min(effects), abs=1e-5)


def test_the_table_holds_every_score(cards):
    page = BeautifulSoup(head_cards_element(list(cards.values())), "html.parser")
    rows = page.select("tbody tr")
    assert [row.th.text for row in rows] == [f"layer {layer + 1}, head {head + 1}" for layer, head in cards]
    cells = [[cell.text for cell in row.select("td")] for row in rows]
    assert cells == [[shown(name, round(value, 5)) for name, value in card.scores.items()] for card in cards.values()]
