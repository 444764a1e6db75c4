"""White space is what Python takes for it, whichever model reads."""

import sys

import pytest

from manyheads.models.focus import tokenize
from manyheads.models.induction.head_model import read as read_characters
from manyheads.models.translator import NotTranslated
from manyheads.models.translator.sentences import split
from manyheads.models.white_space import split_at_space


def test_every_character_splits_a_text_as_it_does_in_python():
    for code in (*range(0x3100), *range(0x3100, sys.maxunicode + 1, 31)):
        text = f"a{chr(code)}b"
        assert split_at_space(text) == text.split(), hex(code)


@pytest.mark.parametrize(("space", "words"), [("\x1f", 2), ("\x85", 2), ("\u3000", 2), ("\ufeff", 1), ("\u200b", 1)])
def test_both_models_split_alike(space, words):
    assert len(split(f"hot{space}tea")) == words
    assert ("of 65 words" in "".join(tokenize(space.join(["tea"] * 65))[1])) == (words == 2)


def test_of_what_is_pasted_no_more_is_cut_into_tokens_than_can_be_read(decoder, encoder):
    pasted = "no.spaces." * 50_000
    assert tokenize(pasted)[1][0] == "Only the first 20480 characters are read."
    assert encoder(pasted).notes[0] == "Only the first 81920 characters are read."
    ids, notes = decoder.read(pasted)
    assert notes[0] == "Only the last 81920 characters are read."
    assert ids == decoder.tokenizer.encode(pasted).ids[-decoder.max_tokens :]


def test_what_stands_behind_the_limit_is_not_even_counted():
    start = "tea or coffee? " * 2_000
    for end in ("", " ", "tea " * 250_000, "\N{FOX FACE}\n" * 250_000):
        assert tokenize(start + end) == tokenize(start)
        assert read_characters(start + end, 64) == (list(start[:64]), ("Only the first 64 characters are read.",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the cat " * 125_000, "at most 14 words; this sentence has more"),
        ("x" * 1_000_000, "Only the first 2240 characters are read"),
        ("The cat sleeps." + " " * 3_000 + "The dog sings.", "Only the first 2240 characters are read"),
    ],
)
def test_of_what_is_pasted_no_part_is_translated(translator, text, said):
    with pytest.raises(NotTranslated, match=said):
        translator.read(text)
