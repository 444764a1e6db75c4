"""Reduced word vectors."""

import pytest
import torch

from manyheads.models.focus import FocusConfig, reduced_words
from manyheads.models.focus.word_vectors import reduce_words
from manyheads.models.training import reproducible


def test_computed_anew_they_are_those_that_are_kept():
    codes, scale = reduced_words()
    with reproducible(0, torch.float64):  # a training may be the first that needs them
        again, scale_again = reduce_words()
    assert scale_again.dtype == scale.dtype == torch.float32
    assert scale.tolist() == [pytest.approx(FocusConfig().word_step)] * FocusConfig().word_width
    assert (codes.int() - again.int()).abs().max() <= 1  # another number of threads rounds another few
