"""What was measured of MiniLM comes out again: the cards of its heads, and what they do for the senses of a word."""

import pytest
from close import assert_close

from manyheads.models.encoder import load_encoder
from manyheads.models.encoder.head_cards import head_cards
from manyheads.models.senses.head_model import load_senses
from manyheads_recipes.encoder.head_cards import card_sentences, measure_heads
from manyheads_recipes.senses import measures


def test_the_cards_are_measured_again():
    for kept, now in zip(head_cards(), measure_heads(load_encoder(), card_sentences()), strict=True):
        assert now.scores == pytest.approx(kept.scores, rel=1e-3, abs=1e-3)


def test_the_senses_are_measured_again():
    kept, now = measures.measure_senses(), measures._measure(load_senses())
    assert set(kept) == set(now)
    for name in set(kept) - {"ranking"}:  # of heads that help alike, another may come first
        assert_close(now[name], kept[name], part=1e-3, name=name)
