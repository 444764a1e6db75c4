"""Sentences that hold an ambiguous word in a sense that is clear: those to build from, and those to test on.

Both are text files in `data/`; a header names a word and a sense, and the sentences stand below it.
"""

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from manyheads.models.sections import read_sections

DATA = Path(__file__).parent / "data"
FEWEST = 8  # sentences that a sense is built from
CLUE = re.compile(r"_([^_]+)_")


@dataclass(frozen=True)
class SenseSentence:
    """A sentence, its ambiguous word as the dictionary has it, the word's sense there, and the clues that decide.

    >>> sentence = labelled_sentences()[0]
    >>> sentence.text, sentence.word, sentence.sense, sentence.clues
    ('The loan from the bank was larger than we had hoped.', 'bank', 'money', ('loan',))
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
    return _sentences("building.txt")


def labelled_sentences():
    """The sentences for testing, with their clues; the sense vectors know none of them.

    >>> texts = {sentence.text for sentence in building_sentences()}
    >>> len(labelled_sentences()), texts.isdisjoint(sentence.text for sentence in labelled_sentences())
    (92, True)
    """
    return _sentences("labelled.txt")


def noise_words():
    """Words that tell nothing about the sense of any ambiguous word here.

    >>> noise_words()[:3]
    ['yesterday', 'purple', 'seven']
    """
    lines = (DATA / "noise.txt").read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]


def word_forms():
    """The forms of each ambiguous word, the word itself first.

    >>> word_forms()["mouse"]
    ('mouse', 'mice')
    """
    return {line.split()[0]: tuple(line.split()) for line in read_sections(DATA / "building.txt")["forms"]}


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


def _sentences(file):
    return [
        SenseSentence(CLUE.sub(r"\1", line), *header.split("/"), tuple(CLUE.findall(line)))
        for header, lines in read_sections(DATA / file).items()
        if header != "forms"
        for line in lines
    ]
