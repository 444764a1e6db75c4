"""From text to tokens, by MiniLM's tokenizer."""

import re
from functools import lru_cache

from tokenizers import Tokenizer

from manyheads.models.focus.network import FocusConfig
from manyheads.models.pretrained import pretrained_file
from manyheads.models.white_space import split_at_space, within_reach
from manyheads.shared.names import EMPTY, FOREIGN, NOTES
from manyheads.shared.tokens import readable

CLS, SEP = "[CLS]", "[SEP]"


@lru_cache
def tokenizer():
    """MiniLM's tokenizer, which neither cuts nor pads here."""
    made = Tokenizer.from_file(str(pretrained_file("tokenizer.json")))
    made.no_truncation()
    made.no_padding()
    return made


def tokenize(text, config=FocusConfig()):
    """The token ids of a text, [CLS] and [SEP] included, and notes about what was left out.

    >>> tokenize("tea " * 65)[1]
    ('Only the first 64 of 65 words are shown.',)
    """
    if not isinstance(text, str):
        raise TypeError(f"a sentence is a string, got {type(text).__name__}: {text!r}")
    start, cut = within_reach(text, config.max_tokens)
    words, notes = split_at_space(start.encode("utf-8", "replace").decode()), [*cut]
    if len(words) > config.max_words:
        notes.append(f"Only the first {config.max_words} of {len(words)} words are shown.")
    ids = tokenizer().encode(" ".join(words[: config.max_words])).ids
    if len(ids) > config.max_tokens:
        notes.append(f"Only the first {config.max_tokens - 2} of {len(ids) - 2} word pieces are shown.")
        ids = [*ids[: config.max_tokens - 1], ids[-1]]
    if len(ids) == 2:
        notes.append(EMPTY)
    return ids, (*notes, *hints([tokenizer().id_to_token(token) for token in ids[1:-1]]))


def hints(tokens):
    """What a reader should know of these tokens: doubt where two words in five are new; else which word is cut.

    >>> hints(["ich", "mag", "ka", "##ffe", "##e"]) == [NOTES["doubt"]], hints(["i", "like", "tea", "."])
    (True, [])
    >>> hints(["she", "ba", "##kes", "good", "bread"])
    ['“bakes” isn’t among the words that this model knows. It reads the pieces ba + kes.']

    New are words that come in pieces, what is unknown, and small words of other languages.
    """
    words = []  # each by its pieces
    for token in tokens:
        if words and readable(token) != token:
            words[-1].append(readable(token))
        elif not re.fullmatch(r"[!-/:-@\[-`{-~]", token):
            words.append([token])
    cut = [pieces for pieces in words if len(pieces) > 1]
    new = len(cut) + sum(word == "[UNK]" or word in FOREIGN for [word, *more] in words if not more)
    if words and 5 * new >= 2 * len(words):
        return [NOTES["doubt"]]
    found = [NOTES["pieces"].format(word="".join(pieces), pieces=" + ".join(pieces)) for pieces in cut[:1]]
    return found + [NOTES["unknown"]] * ("[UNK]" in tokens)


@lru_cache(maxsize=100_000)
def pieces(word):
    """The token ids of one word or mark, without [CLS] and [SEP]."""
    return tuple(tokenizer().encode(word, add_special_tokens=False).ids)
