"""Tokens as text: whatever marks a tokenizer put into them."""

import re
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st

from manyheads.reading.token_names import pretty
from manyheads.shared.names import LONE_BYTES
from manyheads.shared.tokens import BYTES, joined
from manyheads.widgets import HeadMap

SIGNS = {byte: sign for sign, byte in BYTES.items()}
TEXTS = st.text(st.one_of(st.characters(codec="utf-8"), st.sampled_from(" \nabé是🍵’")), min_size=1, max_size=20)


def in_pieces(pieces, cuts):
    """A list cut anywhere."""
    places = sorted({0, len(pieces), *(cut % (len(pieces) + 1) for cut in cuts)})
    return [pieces[start:end] for start, end in pairwise(places)]


@given(TEXTS, st.lists(st.integers(0, 99), max_size=9))
@example("don’t 🍵", list(range(20)))
def test_byte_level_tokens_are_text_again_wherever_it_is_cut(text, cuts):
    assume(not re.search(LONE_BYTES, text) and not text.isascii())
    tokens = ["".join(map(SIGNS.get, piece)) for piece in in_pieces(text.encode(), cuts)]
    assert joined(pretty(["<s>", *tokens, "<|end|>"])[1:-1]) == text


@given(TEXTS)
def test_bytes_of_sentencepiece_are_text_again(text):
    assume(not re.search(LONE_BYTES, text))
    assert joined(pretty([f"<0x{byte:02X}>" for byte in text.encode()])) == text


@pytest.mark.parametrize(
    ("tokens", "texts"),
    [
        (["Ġæĺ¯", "ĠcafÃ©", "Ċ", "<|endoftext|>"], [" 是", " café", "\n", "<|endoftext|>"]),
        (["ĠðŁ", "į", "µ"], [" <F0 9F>", "<8D>", "<B5>"]),
        (["µ", "æĺ¯", "ðŁ"], ["<B5>", "是", "<F0 9F>"]),  # a window of a text
        (["cafÃ©</w>"], ["café"]),
        (["[CLS]", "café", "é", "##č", "[SEP]"], ["[CLS]", "café", "é", "##č", "[SEP]"]),
        (["čaj", "mała", "ağ"], ["čaj", "mała", "ağ"]),
        (["▁tea", "<0xF0>", "<0x9F>", "<pad>"], [" tea", "<F0>", "<9F>", "<pad>"]),
    ],
)
def test_tokens_of_all_kinds_are_text(tokens, texts):
    assert pretty(tokens) == texts
    weights = np.full((len(tokens), len(tokens)), 1 / len(tokens))
    assert HeadMap.of(weights, tokens).attention.key_tokens == texts
