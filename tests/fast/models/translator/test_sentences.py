"""The sentences: the same for the same seed, right where French is hard, and kept apart from those held out."""

import re

import pytest

from manyheads.models.translator.grammar import grammar
from manyheads.models.translator.maker import HELD_OUT_STRUCTURES
from manyheads.models.translator.sentences import HEADS, MAX_WORDS, generate, is_held_out
from manyheads.models.translator.words import VOWELS


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


def test_elision_and_contraction(sentences):
    elided, whole = {"l'", "d'", "j'", "n'", "qu'"}, {"le", "la", "de", "je", "ne", "que"}
    for sentence in sentences:
        for word, following in zip(sentence.french, sentence.french[1:]):
            assert not (word in elided and not following.startswith(VOWELS)), sentence.french
            assert not (word in whole and following.startswith(VOWELS)), sentence.french
            assert (word, following) not in (("de", "le"), ("de", "des"), ("à", "le"), ("à", "les"), ("si", "il"))


def test_negation_stands_around_the_verb_and_asks_for_de(sentences):
    for sentence in sentences:
        text = " ".join(sentence.french)
        assert text.count(" ne ") + text.count(" n' ") == text.count(" pas") + text.count(" jamais"), text
        assert not re.search(r" (?:pas|jamais)(?: \w+é)? (?:un|une|des|du|de la|de l') ", text), text


def test_labels_lead_to_the_right_words(sentences):
    """By number alone: a finite verb's subject is plural where the verb is, a pronoun's noun is where the pronoun is."""
    for sentence in sentences:
        english = (*sentence.english, "")
        for word, looks in zip(sentence.french, sentence.looks):
            _, noun, subject, antecedent = (english[place] for place in looks)
            if word in ("ont", "sont", "étaient", "seront"):
                assert subject in {*PLURALS, "they", "and", ""}, sentence
            if word in ("ces", "les", "mes", "nos") and noun:
                assert noun in PLURALS, sentence
            if word in ("ils", "elles"):
                assert antecedent in {*PLURALS, "and", ""}, sentence
    assert HEADS == ("word", "noun", "subject", "antecedent")


def plurals():
    from manyheads.models.translator.words import nouns

    return {noun.english[1] for noun in nouns()}


PLURALS = plurals()
