"""The kept cards of the decoder against the model: a handful of heads, by slow code, one weight at a time."""

import numpy as np
import pytest

from manyheads.models.cards import behaviour
from manyheads.models.decoder.head_model import INDUCTION_HEADS
from manyheads.models.decoder.head_scores import head_behaviours, head_scores
from manyheads_recipes.decoder.head_cards import CARD_SCORES, decoder_cards, example_texts

pytestmark = pytest.mark.xdist_group("decoder")


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


def test_a_card_is_of_the_kind_that_the_grid_shows():
    assert [behaviour(card.scores) for card in decoder_cards()] == head_behaviours()
    for head in INDUCTION_HEADS:
        assert head_behaviours()[9 * head[0] + head[1]] == "induction"
