"""Sentences that hold an ambiguous word in a sense that is clear.

A header names a word and a sense, and the sentences stand below it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from manyheads.models.sections import read_sections

FILE = Path(__file__).parent / "data" / "building.txt"
FEWEST = 8  # sentences that a sense is built from
CLUE = re.compile(r"_([^_]+)_")


@dataclass(frozen=True)
class SenseSentence:
    """A sentence, its ambiguous word as the dictionary has it, the word's sense there, and the clues that decide.

    >>> sentence = building_sentences()[0]
    >>> sentence.word, sentence.sense, sentence.clues
    ('bank', 'money', ())
    """

    text: str
    word: str
    sense: str
    clues: tuple[str, ...] = ()


def building_sentences():
    """The sentences that the sense vectors are built from.

    >>> len(building_sentences()) > 300
    True
    """
    return read_sentences(FILE)


def word_forms():
    """The forms of each ambiguous word, the word itself first.

    >>> word_forms()["mouse"]
    ('mouse', 'mice')
    """
    return {line.split()[0]: tuple(line.split()) for line in read_sections(FILE)["forms"]}


def senses_of(sentences):
    """The senses of each word, in the order in which they come.

    >>> senses_of(building_sentences())["bank"]
    ('money', 'river')

    Raises `ValueError` for a word without exactly two senses, or with fewer than eight sentences of one.
    """
    found = {}
    for sentence in sentences:
        counts = found.setdefault(sentence.word, Counter())
        counts[sentence.sense] += 1
    for word, counts in found.items():
        if len(counts) != 2:
            raise ValueError(f"{word!r} has the senses {', '.join(counts)}; a scale needs two")
        for sense, count in counts.items():
            if count < FEWEST:
                raise ValueError(f"{word!r} has {count} sentences for the sense {sense!r}; {FEWEST} are the least")
    return {word: tuple(counts) for word, counts in found.items()}


def read_sentences(path):
    """The sentences of a file; what stands between two underscores in one is a clue."""
    return [
        SenseSentence(CLUE.sub(r"\1", line), *header.split("/"), tuple(CLUE.findall(line)))
        for header, lines in read_sections(path).items()
        if header != "forms"
        for line in lines
    ]
