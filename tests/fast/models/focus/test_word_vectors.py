"""Reduced word vectors."""

import pytest
import torch
from safetensors.torch import save_file

from manyheads.models.focus import FocusConfig, reduced_words, tokenizer
from manyheads.models.focus.word_vectors import read_words, reduce_words
from manyheads.models.training import reproducible


def test_words_are_bytes_and_unused_ones_are_zero():
    codes, scale = reduced_words()
    assert codes.dtype == torch.int8
    assert codes.shape[1:] == scale.shape
    unused = [tokenizer().token_to_id(f"[unused{number}]") for number in (0, 500, 993)]
    assert not codes[unused].any()
    assert codes[tokenizer().token_to_id("coffee")].any()


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


def test_words_of_another_width_are_computed():
    codes, scale = reduced_words(FocusConfig(word_width=8))
    assert (codes.shape[1], len(scale)) == (8, 8)


def test_a_file_whose_tensors_do_not_fit_is_refused(tmp_path):
    save_file({"codes": torch.zeros(3, 2, dtype=torch.int8), "scale": torch.ones(5)}, tmp_path / "words.safetensors")
    with pytest.raises(ValueError, match="should hold codes"):
        read_words(tmp_path / "words.safetensors")
