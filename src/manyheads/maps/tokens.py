"""Marks in tokens: whether a token is a piece of the text, and where words begin."""

import re
import unicodedata
from itertools import pairwise

from manyheads.maps.names import PIECE_MARK, SPECIAL_TOKEN, WORD_MARKS


def is_special(token):
    """Whether a token marks a place rather than a piece of the text, or stands for what no token spells.

    >>> [is_special(token) for token in ("[CLS]", "</s>", "<extra_id_0>", "<start_of_turn>", "tea")]
    [True, True, True, True, False]
    """
    return re.fullmatch(SPECIAL_TOKEN, token) is not None


def readable(token):
    """A token as people read it: the rest of a word without the marks before it.

    >>> readable("##able"), readable("##")
    ('able', '##')
    """
    return token.removeprefix(PIECE_MARK) or token


def word_starts(tokens):
    """The places at which words begin: all but those of tokens that go on with the word before.

    >>> word_starts(["[CLS]", "un", "##help", "##ful", "!"])
    [0, 1, 4]
    >>> word_starts([" un", "help", "ful", "!", " Tea"])
    [0, 3, 4]

    A token goes on if it begins with "##". Where tokens carry the space before them (" tea", as "Ġtea" or "▁tea"), one
    without it goes on if it begins with a letter or a digit and the one before ends with one. Special tokens stand
    alone.
    """
    spaced = any(token[:1] in WORD_MARKS for token in tokens if token)
    pairs = enumerate(pairwise(tokens), start=1)
    return [0][: len(tokens)] + [place for place, (before, token) in pairs if not _goes_on(before, token, spaced)]


def _goes_on(before, token, spaced):
    if is_special(before) or is_special(token):
        return False
    return readable(token) != token or (spaced and _is_of_word(before[-1:]) and _is_of_word(token[:1]))


def _is_of_word(sign):
    return sign != "" and sign not in WORD_MARKS and unicodedata.category(sign)[0] in "LMN"
