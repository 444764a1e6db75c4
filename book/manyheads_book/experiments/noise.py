"""Claim: several heads are more robust to noise (note E): typos, words dropped, swapped and added."""

import random
from dataclasses import replace

import numpy as np

from manyheads_book.experiments.evidence import clearly, differences

MANY = 8
TIMES = 2  # each noise is made so often in a sentence
FILLERS = ["well", "then", "um", "yesterday", "somehow", "actually", "meanwhile", "again"]


def statements(runs):
    """Whether eight heads lose fewer right answers to each noise than one, or more (-1); `runs` of short_trainings."""
    return {
        f"Eight heads lose fewer right answers to {name} than one": clearly(
            np.subtract(lost(runs, name, 1), lost(runs, name, MANY))
        )
        for name in NOISES
    }


def lost(runs, name, heads):
    """The share of answers that a noise turns from right to wrong, on balance, in each run."""
    return differences(runs, (heads, "fresh"), (heads, name))


def sentences_of(fresh, seed):
    """Sentences as they are, and with each noise."""
    return {"fresh": fresh, **{name: noisy(fresh, make, seed) for name, make in NOISES.items()}}


def noisy(sentences, make, seed):
    """Sentences with a noise made twice in each; their facts stay as they were."""
    rng = random.Random(seed)
    found = []
    for sentence in sentences:
        words = list(zip(sentence.words, sentence.labels))
        for _ in range(TIMES):
            words = make(words, rng)
        texts, labels = zip(*words)
        found.append(replace(sentence, words=texts, labels=labels))
    return found


def typo(words, rng):
    """Two letters next to each other change places, in a word of four letters or more.

    >>> typo([("like", "RS")], random.Random(0))
    [('liek', 'RS')]
    """
    places = [place for place, (word, _) in enumerate(words) if len(word) > 3 and word.isalpha()]
    if not places:
        return words
    place = rng.choice(places)
    word, label = words[place]
    at = rng.randrange(1, len(word) - 1)
    return [*words[:place], (word[:at] + word[at + 1] + word[at] + word[at + 2 :], label), *words[place + 1 :]]


def dropped(words, rng):
    """A word goes that carries no label: without it, the facts are the same.

    >>> dropped([("the", ""), ("cat", "O")], random.Random(0))
    [('cat', 'O')]
    """
    places = [place for place, (_, label) in enumerate(words) if not label]
    if not places or (len(words) < 3 and len(places) == len(words)):
        return words
    place = rng.choice(places)
    return words[:place] + words[place + 1 :]


def swapped(words, rng):
    """Two words next to each other change places; the closing mark stays.

    >>> swapped([("tea", "O"), ("please", "T"), ("!", "T")], random.Random(0))
    [('please', 'T'), ('tea', 'O'), ('!', 'T')]
    """
    if len(words) < 3:
        return words
    at = rng.randrange(len(words) - 2)
    return [*words[:at], words[at + 1], words[at], *words[at + 2 :]]


def added(words, rng):
    """A word that says nothing comes in, not last.

    >>> added([("Tea", "O"), ("!", "T")], random.Random(0))
    [('Tea', 'O'), ('meanwhile', ''), ('!', 'T')]
    """
    at = rng.randrange(len(words))
    return [*words[:at], (rng.choice(FILLERS), ""), *words[at:]]


NOISES = {"typos": typo, "dropped words": dropped, "swapped words": swapped, "added words": added}
