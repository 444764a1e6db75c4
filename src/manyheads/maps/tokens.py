"""Marks in tokens: whether a token is a piece of the text, and where words begin."""

import re
import unicodedata
from codecs import getincrementaldecoder
from itertools import pairwise

from manyheads.maps.names import LONE_BYTES, PIECE_MARK, SPECIAL_TOKEN, WORD_MARKS


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


def spelled(contents):
    """What bytes spell in UTF-8; those at the end that make no character yet in hexadecimal, or all where one is wrong.

    >>> spelled("🍵".encode()), spelled(bytes.fromhex("20 F0 9F")), spelled(bytes.fromhex("B5"))
    ('🍵', ' <F0 9F>', '<B5>')
    """
    try:
        text = getincrementaldecoder("utf-8")().decode(contents)
    except UnicodeDecodeError:
        text = ""
    rest = contents[len(text.encode()) :]
    return text + (f"<{rest.hex(' ').upper()}>" if rest else "")


def joined(tokens):
    """Tokens as one text, in which bytes in hexadecimal make characters again.

    >>> joined([" hot", " <F0 9F>", "<8D>", "<B5>"]), joined([" <F0 9F>", "<8D>"])
    (' hot 🍵', ' <F0 9F 8D>')
    """

    def character(run):
        return spelled(bytes.fromhex(re.sub("[<>]", " ", run[0])))

    return re.sub(f"({LONE_BYTES})+", character, "".join(tokens))


def word_starts(tokens):
    """The places at which words begin: all but those of tokens that go on with the word before.

    >>> word_starts(["[CLS]", "un", "##help", "##ful", "!"])
    [0, 1, 4]
    >>> word_starts([" un", "help", "ful", "!", " Tea"])
    [0, 3, 4]

    A token goes on if it begins with "##". Where tokens carry the space before them (" tea", as "Ġtea" or "▁tea"), one
    without it goes on if it begins with a letter or a digit and the one before ends with one. Bytes go on with the
    bytes of their character. Special tokens stand alone.

    >>> word_starts([" hot", " <F0 9F>", "<8D>", "<B5>", "<F0 9F>"])
    [0, 1, 4]
    """
    spaced = any(token[:1] in WORD_MARKS for token in tokens if token)
    pairs = enumerate(pairwise(tokens), start=1)
    return [0][: len(tokens)] + [place for place, (before, token) in pairs if not _goes_on(before, token, spaced)]


def _goes_on(before, token, spaced):
    if is_special(before) or is_special(token):
        return False
    if re.search(f"{LONE_BYTES}$", before) and re.match(f"(?=<[89AB]){LONE_BYTES}", token):
        return True
    return readable(token) != token or (spaced and _is_of_word(before[-1:]) and _is_of_word(token[:1]))


def _is_of_word(sign):
    return sign != "" and sign not in WORD_MARKS and unicodedata.category(sign)[0] in "LMN"
