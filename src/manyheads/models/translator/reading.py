"""From what somebody types to words that the translator knows, or a plain sentence that says why not; and back."""

import difflib
import re
from functools import cache

from manyheads.models.translator.grammar import grammar
from manyheads.models.translator.sentences import MAX_WORDS
from manyheads.models.white_space import split_at_space

MESSAGES = {
    "nothing": "Type an English sentence to translate.",
    "long": "The translator reads at most {most} words; this sentence has {count}.",
    "unknown": "The translator does not know “{word}”.",
    "near": "Near ones that it knows: {words}.",
    "outside": "The translator knows these words, but has not learnt sentences that are built like this one. Try: "
    "“The girl who sees the cats eats the red apple.” or “Do you like tea?”",
}
SHORT_FORMS = {"won't": "will not", "n't": " not", "'s ": " is ", "'re ": " are ", "'m ": " am ", "'ll ": " will "}


class NotTranslated(ValueError):
    """A sentence that the translator cannot read; says why, and what to try. `word` is the unknown one, if any."""

    def __init__(self, message, word=None, near=()):
        super().__init__(message)
        self.word, self.near = word, list(near)


def read(sentence):
    """The words of a sentence, as the translator knows them.

    >>> read("The girl doesn't see an umbrella.")
    ['the', 'girl', 'does', 'not', 'see', 'an', 'umbrella']

    Raises `TypeError` for a sentence that is not a string, `NotTranslated` for nothing, for more than 14 words, for an
    unknown word and for a sentence outside the grammar.
    """
    if not isinstance(sentence, str):
        raise TypeError(f"a sentence is a string, got {type(sentence).__name__}: {sentence!r}")
    words = split(sentence)
    letters, pattern = grammar()
    if not words:
        raise NotTranslated(MESSAGES["nothing"])
    if len(words) > MAX_WORDS:
        raise NotTranslated(MESSAGES["long"].format(most=MAX_WORDS, count=len(words)))
    for word in words:
        if word not in letters:
            near = near_words(word)
            hint = " " + MESSAGES["near"].format(words=", ".join(near)) if near else ""
            raise NotTranslated(MESSAGES["unknown"].format(word=word) + hint, word, near)
    if not compiled(pattern).fullmatch("".join(letters[word] for word in words)):
        raise NotTranslated(MESSAGES["outside"])
    return words


@cache
def compiled(pattern):
    return re.compile(pattern)


def split(sentence):
    """Lower-case words without marks, short forms written out.

    >>> split("I won't sleep, he isn't here!")
    ['I', 'will', 'not', 'sleep', 'he', 'is', 'not', 'here']
    """
    text = f"{sentence.lower().replace('’', chr(39))} "
    for short, full in SHORT_FORMS.items():
        text = text.replace(short, full)
    words = split_at_space(re.sub(r"[.,;:!?\"“”]", " ", text))
    return ["I" if word == "i" else word for word in words]


def near_words(word):
    """Up to three words that the translator knows and that are written like this one, the likest first.

    >>> near_words("appel")
    ['apple', 'apples', 'happy']
    """
    return difflib.get_close_matches(word, sorted(grammar()[0]), n=3, cutoff=0.6)


def joined(words):
    """French words as a text.

    >>> joined(["l'", "ami", "dort"])
    "L'ami dort."
    """
    text = " ".join(words).replace("' ", "'").replace(" ,", ",").replace(" ?", "\u00a0?")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith('?') else '.'}" if text else ""
