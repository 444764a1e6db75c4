"""Whole English sentences with their French, for training and for the test; some combinations are kept for the test."""

import random
import zlib
from dataclasses import dataclass
from itertools import pairwise

from manyheads.models.translator.data import Maker
from manyheads.models.translator.phrases import French
from manyheads.models.translator.words import VOWELS

HEADS = ("word", "noun", "subject", "antecedent")
MAX_WORDS = 14  # of an English sentence
LONGEST = 23  # French words, at most
HELD_OUT_EVERY = 12  # of so many pairs of words, one is never said in training
CONTRACTED = {("de", "le"): "du", ("de", "les"): "des", ("à", "le"): "au", ("à", "les"): "aux"}
SWALLOWED = (("de", "des"), ("de", "de"), ("de", "d'"))  # "de" and the article of "some"


@dataclass(frozen=True)
class Sentence:
    """A sentence and its translation, word by word.

    For each French word and the end, `looks` has the place of the English word that each of `HEADS` is to look at (the
    end, where there is none), and `rivals` the form that would be wrong, by the name of the head that tells it apart.

    >>> sentence = generate(1, seed=4)[0]
    >>> len(sentence.looks) == len(sentence.french) + 1
    True
    """

    english: tuple[str, ...]
    french: tuple[str, ...]
    looks: tuple[tuple[int, ...], ...]  # [q][h]
    rivals: tuple[dict, ...]  # [q]
    combinations: frozenset


def is_held_out(combination):
    """Whether training never says this: one of the held-out structures, or one pair of words of twelve.

    >>> is_held_out(("structure", "a pronoun in a negated future"))
    True
    """
    kind, *parts = combination
    return kind == "structure" or zlib.crc32(" ".join(parts).encode()) % HELD_OUT_EVERY == 0


def generate(count, seed=0, held_out=False):
    """Make `count` sentences, the same for the same seed; with none of the held-out combinations, or each with one.

    >>> sentence = generate(1, seed=1)[0]
    >>> any(map(is_held_out, sentence.combinations))
    False
    """
    rng = random.Random(seed)
    found = []
    while len(found) < count:
        maker = Maker(rng)
        sentence = finished(*maker.sentence(), maker.combinations)
        short = len(sentence.english) <= MAX_WORDS and len(sentence.french) <= LONGEST
        if short and any(map(is_held_out, sentence.combinations)) == held_out:
            found.append(sentence)
    return found


def finished(english, french, combinations):
    """Minds `an`, elision and contraction, and writes down who looks at whom by place."""
    for word, following in pairwise(english):
        if word.text == "a" and following.text.startswith(tuple("aeiou")):
            word.text = "an"
    spelt = []
    for word in reversed(french):  # what comes after decides
        following = spelt[0] if spelt else None
        if following and word.before_vowel and following.text.startswith(VOWELS):
            word.text, word.rivals = word.before_vowel, {}
        pair = (word.text, following.text) if following and following.noun and word.noun is None else None
        if pair in SWALLOWED:
            after = spelt[1].text.startswith(VOWELS)
            spelt[0] = French("d'" if after else "de", word.word, noun=following.noun)
        elif pair in CONTRACTED:
            spelt[0] = French(CONTRACTED[pair], word.word, noun=following.noun)
        else:
            spelt.insert(0, word)
    place = {id(word): at for at, word in enumerate(english)}
    end = len(english)
    looks = [tuple(place.get(id(getattr(word, name)), end) for name in HEADS) for word in spelt]
    rivals = [dict(word.rivals) for word in spelt]
    for at, ((first, *_), (second, *_)) in enumerate(pairwise(looks)):
        if second < first:  # the French order departs from the English one: the next word would come first there
            rivals[at]["word"] = spelt[at + 1].text
    return Sentence(
        tuple(word.text for word in english),
        tuple(word.text for word in spelt),
        (*looks, (end,) * len(HEADS)),
        (*rivals, {}),
        frozenset(combinations),
    )
