"""Reduced word vectors."""

import pytest
import torch

from manyheads.models.focus import FocusConfig, reduced_words, tokenizer
from manyheads.models.focus.word_vectors import reduce_words
from manyheads.models.training import reproducible


def test_like_words_have_like_vectors():
    codes, _ = reduced_words()
    vectors = [codes[tokenizer().token_to_id(word)].double() for word in ("coffee", "tea", "staircase")]
    coffee_tea = torch.cosine_similarity(vectors[0], vectors[1], 0)
    assert coffee_tea > torch.cosine_similarity(vectors[0], vectors[2], 0) + 0.2


def test_computed_anew_they_are_those_that_are_kept():
    codes, scale = reduced_words()
    with reproducible(0, torch.float64):  # a training may be the first that needs them
        again, scale_again = reduce_words()
    assert scale_again.dtype == scale.dtype == torch.float32
    assert scale.tolist() == [pytest.approx(FocusConfig().word_step)] * FocusConfig().word_width
    assert (codes.int() - again.int()).abs().max() <= 1  # another number of threads rounds another few
