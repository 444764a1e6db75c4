"""White space is what Python takes for it, whichever model reads."""

import sys

import pytest

from manyheads.models.focus import tokenize
from manyheads.models.translator.head_model import split
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
