"""The sentences: the same for the same seed, right where French is hard, and kept apart from those held out."""

import re

import pytest

from manyheads.models.keeping import kept_variants
from manyheads.models.translator import load_translator
from manyheads.models.translator.sentences import MAX_WORDS
from manyheads_recipes.translator.data import HELD_OUT_STRUCTURES, generate, is_held_out
from manyheads_recipes.translator.grammar import grammar


@pytest.fixture(scope="module")
def sentences():
    return generate(2000, seed=5)


@pytest.fixture(scope="module")
def held_out():
    return generate(600, seed=77, held_out=True)


def test_there_are_words_enough_and_all_sentences_are_in_the_grammar(sentences, held_out):
    letters, pattern = grammar()
    fits = re.compile(pattern)
    for sentence in (*sentences, *held_out):
        assert fits.fullmatch("".join(letters[word] for word in sentence.english)), sentence.english
        assert len(sentence.english) <= MAX_WORDS
    assert len({word for sentence in sentences for word in sentence.english}) >= 150
    assert len({word for sentence in sentences for word in sentence.french}) >= 150


def test_what_is_held_out_is_never_said_in_training(sentences, held_out):
    said = set().union(*(sentence.combinations for sentence in sentences))
    assert not any(map(is_held_out, said))
    assert all(any(map(is_held_out, sentence.combinations)) for sentence in held_out)
    for structure in HELD_OUT_STRUCTURES:
        assert sum(("structure", structure) in sentence.combinations for sentence in held_out) >= 20
    assert not {sentence.english for sentence in sentences} & {sentence.english for sentence in held_out}


def test_one_english_sentence_has_one_translation(sentences):
    found = {}
    for sentence in sentences:
        assert found.setdefault(sentence.english, sentence.french) == sentence.french


@pytest.mark.parametrize("variant", kept_variants("translator"))
def test_the_kept_translators_read_by_the_grammar_as_it_stands(variant):
    translator = load_translator(variant)
    assert (translator.letters, translator.pattern) == grammar()
