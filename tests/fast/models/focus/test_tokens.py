"""Tokens: of a text as of its words, what is left out, and labels."""

import pytest

from manyheads.models.focus import pieces, tokenize
from manyheads.models.focus.data import generate_sentences
from manyheads.shared.names import NOTES
from manyheads_recipes.focus.sentences import held_out_sentences


@pytest.mark.parametrize(
    ("text", "note", "tokens"),
    [
        ("tea " * 64, None, 66),
        ("tea " * 80, "Only the first 64 of 80 words are shown.", 66),
        ("a" * 10_000, None, 3),
        ("a-b" * 3_000, "Only the first 126 of 6001 word pieces are shown.", 128),
        ("日本語" * 100, "Only the first 126 of 300 word pieces are shown.", 128),
        ("tea", None, 3),
        ("<b>tea</b> 😀 \ud800", None, 12),
    ],
)
def test_what_is_left_out_is_noted(focus, text, note, tokens):
    attention = focus(text)
    assert [said for said in attention.notes if said not in (NOTES["doubt"], NOTES["unknown"])] == (
        [note] if note else []
    )
    assert len(attention.key_tokens) == tokens
    assert attention.key_tokens[-1] == "[SEP]"


@pytest.mark.parametrize(
    ("text", "doubtful"),
    [
        *((text, True) for text in ("Welches Getränk trinkst du?", "أحب الشاي", "Я люблю чай", "asdf qwer", "🦉")),
        *((text, True) for text in ("J'aime le thé.", "Je suis fatigué.", "Das Wetter ist schön.")),
        *((text, False) for text in ("The plumber left an unbelievable mess!", "I like tea.", "", "?!")),
    ],
)
def test_words_that_are_no_english_are_noted(focus, text, doubtful):
    assert (NOTES["doubt"] in focus(text).notes) == doubtful


def test_word_by_word_tokens_are_the_tokens_of_the_text():
    for sentence in (*held_out_sentences(), *generate_sentences(200, seed=9)):
        spelt = [token for word in sentence.words for token in pieces(word)]
        assert spelt == tokenize(sentence.text)[0][1:-1], sentence.text
