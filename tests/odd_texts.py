"""Texts that readers of all kinds may type, or paste, and random ones of the same kinds."""

import random
import sys

from mixed_sentences import WORDS

HOSTILE = [
    *(
        "",
        " \t\u3000\x1c\x85",
        "\ud83d",
        "a\udfffb",
        "\x00\x07\ufffd",
        "ﬁ ſ ẞ ǅ İ ŉ",
        "tea " * 513,
        "x" * 101,
        "x" * 5000,
    ),
    *("tea " * 250_000, "x" * 1_000_000, "tea\n\n" * 3_000 + "\ud83d", "\n" * 30_000 + "tea"),
    *("x" * 30_000, "a." * 15_000, "\N{TEACUP WITHOUT HANDLE} " * 50_000, "ab.,\ud83d" * 20_000),
    *("[MASK] [SEP][CLS] [nothing] [unk][PAD]", "'" * 140, "a\u200bb\u200dc\ufeff\u00ad", "a\nb\u2028c\u0085d\vf"),
    *("ΟΔΟΣ", "Σ", "ΣΑΣ ΑΣ. ΣΣ", "ΑΣ\u0301", "ΣΑ\u00adΣ", "𠀀𪚥x𫝀", "𠀀" * 60, "丽𠀀"),
    *("𝔣𝔬𝔠𝔲𝔰" * 21, "🙂" * 101, "𐐀𐐁", "e\u0301\u0327 \u0327e", "각", "\u1112\u1161\u11ab", "‮abc‬", "a\u0378b"),
]
ALPHABETS = [
    "abcdefghij ",
    " .,;:!?'\"()[]{}<>-–—…¿¡§",
    "ΑΒΓΣΣΣσςάΐ \u0301",
    "İIıiŁłßẞéÀ",
    "\u0300\u0301\u0327\u0591\u064b\u093f\u0e31\u20dd\u0890\u1ae0\U00011f00",
    "\t\n\r\v\f\x1c\x1f\x85\xa0\u1680\u2003\u2028\u202f\u3000\u200b\u200d\ufeff\u00ad\x00\x07\ufffd",
    "日本語中文𠀀𪚥𫝀丽한글カタカナﾊﾝ",
    "🙂👩‍👧🏽🇫🇷½²①™∑\u166d\u1734\U000111c9",
    "\ud83d\udc69\udfff",
]


def fuzzed(count):
    """Texts of all kinds: from one alphabet, from several, from all of Unicode, of known words and special tokens."""
    chance = random.Random(7)
    words = [word for text in WORDS.values() for word in text.split()]
    words += ["[CLS]", "[SEP]", "[MASK]", "[PAD]", "[UNK]", "##ing", "don't", "well-known"]
    for _ in range(count):
        length = chance.choice([1, 2, 5, 12, 30])
        kind = chance.randrange(4)
        if kind == 0:
            alphabet = chance.choice(ALPHABETS)
        elif kind == 1:
            alphabet = "".join(ALPHABETS)
        elif kind == 2:
            yield "".join(chance.choice(words) + chance.choice([" ", " ", "", "\u0301"]) for _ in range(length))
            continue
        else:
            top = chance.choice([0x250, 0x3000, 0x10000, sys.maxunicode + 1])
            alphabet = [chr(chance.randrange(top)) for _ in range(length)]
        yield "".join(chance.choices(alphabet, k=length))
