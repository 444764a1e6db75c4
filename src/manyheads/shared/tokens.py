"""Marks in tokens: whether a token is a piece of the text, and where words begin."""

import re
import unicodedata
from itertools import accumulate, pairwise

from manyheads.shared.names import LONE_BYTES, PIECE_MARK, RIGHT_TO_LEFT, SPECIAL_TOKEN, WORD_MARKS

# Byte-level vocabularies, as GPT-2's, have a sign for each byte: its own where that can be seen, else one from 256 on.
_SEEN = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
_UNSEEN = [byte for byte in range(256) if byte not in _SEEN]
BYTES = {chr(byte): byte for byte in _SEEN} | {chr(256 + place): byte for place, byte in enumerate(_UNSEEN)}
SHORT, BEGIN = 60, 40  # signs of a text that is named whole, and of how a longer one begins
# What joins the letters and digits of a word, by `_kind_of` each sign.
_WORD = re.compile(r"(?:a+('a+)*|1+(\.1+)*)+")


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
    """What bytes spell in UTF-8; those that make no character in hexadecimal.

    >>> spelled("🍵".encode()), spelled(bytes.fromhex("20 F0 9F")), spelled(bytes.fromhex("B5 21"))
    ('🍵', ' <F0 9F>', '<B5>!')
    """
    text = contents.decode("utf-8", "surrogateescape")  # a byte that makes no character becomes a lone surrogate
    return re.sub("[\udc80-\udcff]+", _hexadecimal, text)


def _hexadecimal(run):
    return f"<{run[0].encode('utf-8', 'surrogateescape').hex(' ').upper()}>"


def of_bytes(token):
    """The text of a byte-level token; bytes that are part of a character only in hexadecimal.

    >>> of_bytes("Ġtea"), of_bytes("Ã©"), of_bytes("ĠÃ"), of_bytes("<|im_end|>")
    (' tea', 'é', ' <C3>', '<|im_end|>')
    """
    return spelled(bytes(map(BYTES.__getitem__, token)))


def are_bytewise(tokens):
    """Whether tokens are of a byte-level vocabulary: a sign for each byte, and signs that no other text would have.

    >>> are_bytewise(["ĠcafÃ©", "Ċ"]), are_bytewise(["æĺ¯"]), are_bytewise(["[CLS]", "café", "čaj", "[SEP]"])
    (True, True, False)

    That is a space or a line break at the start of one, or bytes that make characters beyond ASCII. Where a list is cut
    inside a character, the bytes at its ends may be incomplete.
    """
    texts = [token for token in tokens if not is_special(token)]
    if not all(sign in BYTES for text in texts for sign in text):
        return False
    if any(text[0] in "ĠĊ" for text in texts if text):
        return True
    whole = spelled(bytes(BYTES[sign] for text in texts for sign in text))
    whole = re.sub(f"^<[89AB][0-9A-F](?: [89AB][0-9A-F]){{,2}}>|{LONE_BYTES}$", "", whole)
    return not whole.isascii() and re.search(LONE_BYTES, whole) is None


def joined(tokens):
    """Tokens as one text, in which bytes in hexadecimal make characters again.

    >>> joined([" hot", " <F0 9F>", "<8D>", "<B5>"]), joined([" <F0 9F>", "<8D>"])
    (' hot 🍵', ' <F0 9F 8D>')
    """

    def character(run):
        return spelled(bytes.fromhex(re.sub("[<>]", " ", run[0])))

    return re.sub(f"({LONE_BYTES})+", character, "".join(tokens))


def text_of(tokens, first, last):
    """The text of the tokens from `first` to `last`; of a long one, how it begins and ends.

    >>> text_of(["[CLS]", "the", "un", "##tea", "!"], 1, 3), text_of(["▁the", "▁tea", "pot"], 0, 2)
    ('the untea', 'the teapot')
    >>> text_of(["tea"] * 99, 0, 98)
    'tea tea tea tea tea tea tea tea tea tea … tea tea tea tea tea'
    """
    texts = tokens[first : last + 1]
    if not _are_spaced(tokens):
        texts = [readable(text) if text != readable(text) else f" {text}" for text in texts]
    text = re.sub(f"[{WORD_MARKS}]", " ", joined(texts)).strip() or joined(texts)
    return text if len(text) <= SHORT else f"{text[:BEGIN].rstrip()} … {text[BEGIN + 1 - SHORT :].lstrip()}"


def find_words(tokens, text):
    """Where a text stands among tokens: [(first, last), ...]; where it's made of whole words, only there.

    >>> tokens = ["The", "red", "car", "met", "the", "blue", "hund", "##red", "."]
    >>> [find_words(tokens, text) for text in ("the", "the red CAR", "red", "re", "hund")]
    [[(4, 4)], [(0, 2)], [(1, 1)], [], [(6, 6)]]

    It doesn't matter how spaces stand there; capitals do only where the text also stands there with these.
    """
    starts = {*word_starts(tokens), len(tokens)}
    for spell in (str, str.lower):
        wanted = spell(_unspaced([text]))
        found = [(first, last) for first in range(len(tokens)) if (last := _end_of(tokens, first, wanted, spell)) >= 0]
        if found:
            return [span for span in found if span[0] in starts and span[1] + 1 in starts] or found
    return []


def _end_of(tokens, first, wanted, spell):
    """The last of the tokens from `first` on that are the text, -1 where none are."""
    if not _unspaced(tokens[first : first + 1]):
        return -1
    for last in range(first, len(tokens)):
        text = _unspaced(tokens[first : last + 1])
        if spell(text) == wanted:
            return last
        if not wanted.startswith(spell(text)) and not _is_unfinished(tokens[last]):
            return -1
    return -1


def _unspaced(tokens):
    return re.sub(rf"[\s{WORD_MARKS}]", "", joined(map(readable, tokens)))


def _are_spaced(tokens):
    """Whether the tokens of a text carry the space before them."""
    return any(token[:1] in WORD_MARKS for token in tokens if token)


def direction_of(tokens):
    """How the tokens of a text run, by its first letter: "rtl" or "ltr".

    >>> direction_of(["[CLS]", "שלום", ",", "Anna"]), direction_of(["Anna", "שלום"]), direction_of(["<D7>", "<A9>"])
    ('rtl', 'ltr', 'rtl')
    """
    text = re.sub(LONE_BYTES, "", joined([token for token in tokens if not is_special(token)]))
    first = next((sign for sign in text if sign.isalpha() and sign not in WORD_MARKS), "")
    return "rtl" if re.match(RIGHT_TO_LEFT, first) else "ltr"


def isolated(text):
    """A text to stand among others, which it does not turn round: between invisible marks, where it has to be.

    >>> isolated("tea"), isolated("תה!")
    ('tea', '\\u2068תה!\\u2069')
    """
    return f"\N{FIRST STRONG ISOLATE}{text}\N{POP DIRECTIONAL ISOLATE}" if re.search(RIGHT_TO_LEFT, text) else text


def word_starts(tokens):
    """The places at which words begin: all but those of tokens that go on with the word before.

    >>> word_starts(["[CLS]", "un", "##help", "##ful", "!"])
    [0, 1, 4]
    >>> word_starts([" un", "help", "ful", "!", " Tea"])
    [0, 3, 4]

    A token goes on if it begins with "##". Where tokens carry the space before them (" tea", as "Ġtea" or "▁tea"), one
    without it goes on if letters or digits meet, or an apostrophe stands between letters, a point or comma between
    digits. Bytes go on with the bytes of their character. Special tokens stand alone.

    >>> word_starts([" don", "'", "t", " pay", " '", "3", ".", "50", "'"])
    [0, 3, 4, 5, 8]
    >>> word_starts([" hot", " <F0 9F>", "<8D>", "<B5>", "<F0 9F>"])
    [0, 1, 4]

    Tokens of words in pieces ("##able") don't say where spaces were: there, "don", "'" and "t" stay three words.
    """
    if not tokens:
        return []
    inside = _inside_words(tokens) if _are_spaced(tokens) else set()
    pairs = enumerate(pairwise(tokens), start=1)
    return [0] + [place for place, pair in pairs if not (place in inside or _goes_on(*pair))]


def _goes_on(before, token):
    if is_special(before) or is_special(token):
        return False
    if _is_unfinished(before) and re.match(f"(?=<[89AB]){LONE_BYTES}", token):
        return True
    return readable(token) != token


def _is_unfinished(text):
    """Whether a text ends inside a character, with some of its bytes."""
    return re.search(f"{LONE_BYTES}$", text) is not None


def _inside_words(tokens):
    """The places of tokens that begin inside a word of the text."""
    kinds = [" " if is_special(token) else "".join(map(_kind_of, token)) for token in tokens]
    within = {place for word in _WORD.finditer("".join(kinds)) for place in range(word.start() + 1, word.end())}
    begins = accumulate(map(len, kinds), initial=0)
    return {place for place, begin in zip(range(len(tokens)), begins) if begin in within}


def _kind_of(sign):
    if sign in WORD_MARKS:
        return " "
    if sign in "'’":
        return "'"
    if sign in ".,":
        return "."
    return {"L": "a", "M": "a", "N": "1"}.get(unicodedata.category(sign)[0], " ")
