"""What somebody types becomes words that the translator knows, or a plain sentence that says why not."""

import difflib
import re
from collections.abc import Iterable

from manyheads.models.white_space import split_at_space, within_reach

MAX_WORDS = 14  # of an English sentence
MESSAGES = {
    "nothing": "Type an English sentence to translate.",
    "long": "The translator reads at most {most} words; this sentence has {count}.",
    "unknown": "The translator does not know “{word}”.",
    "near": "Near ones that it knows: {words}.",
    "first": "The translator knows these words, but it learned no sentence that begins with “{word}”.",
    "next": "The translator knows these words, but it learned no sentence that goes on with “{word}” after “{before}”.",
    "end": "The translator knows these words, but it learned no sentence that ends after “{before}”.",
}
SHORT_FORMS = {"won't": "will not", "n't": " not", "'s ": " is ", "'re ": " are ", "'m ": " am ", "'ll ": " will "}


class NotTranslated(ValueError):
    """A sentence that the translator cannot read; says why, and what to try. `word` is the unknown one, if any."""

    def __init__(self, message: str, word: str | None = None, near: Iterable[str] = ()) -> None:
        super().__init__(message)
        self.word, self.near = word, list(near)


def read(sentence, letters, pattern):
    """The words of a sentence, where the `pattern` fits the letters of their kinds; see `Translator.read`."""
    if not isinstance(sentence, str):
        raise TypeError(f"a sentence is a string, got {type(sentence).__name__}: {sentence!r}")
    start, cut = within_reach(sentence, MAX_WORDS)
    words = split(start)
    if not words:
        raise NotTranslated(MESSAGES["nothing"])
    if len(words) > MAX_WORDS:
        raise NotTranslated(MESSAGES["long"].format(most=MAX_WORDS, count="more" if cut else len(words)))
    if cut:
        raise NotTranslated(*cut)
    for word in words:
        if word not in letters:
            near = near_words(word, sorted(letters))
            hint = " " + MESSAGES["near"].format(words=", ".join(near)) if near else ""
            raise NotTranslated(MESSAGES["unknown"].format(word=word) + hint, word, near)
    kinds = "".join(letters[word] for word in words)
    if not re.fullmatch(pattern, kinds):
        raise NotTranslated(misfit(words, longest_beginning(pattern, kinds)))
    return words


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


def near_words(word, known):
    """Up to three known words that are written like this one, the likest first.

    >>> near_words("appel", ["apple", "apples", "girl", "happy"])
    ['apple', 'apples', 'happy']
    """
    return difflib.get_close_matches(word, known, n=3, cutoff=0.6)


def longest_beginning(pattern, kinds):
    """With how many of its first letters a text can begin what the pattern fits.

    >>> longest_beginning("À[ÁÂ]?Ã", "ÀÂÂÃ")
    2
    """
    beginning = re.sub(r"\[.+?\]|[^ -~]", r"(?:\g<0>|$)", pattern)  # the text may end before any letter
    return next(length for length in range(len(kinds), -1, -1) if re.fullmatch(beginning, kinds[:length]))


def misfit(words, begun):
    """Why no sentence that it learned is this one: how many of its words begin one, and what doesn't come next.

    >>> misfit(["he", "sleep"], 1).partition(", but ")[2]
    'it learned no sentence that goes on with “sleep” after “he”.'
    """
    before = " ".join(words[:begun])
    message = "end" if begun == len(words) else "next" if begun else "first"
    return MESSAGES[message].format(before=before, word=words[begun] if begun < len(words) else "")
