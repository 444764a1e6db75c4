"""The sentences that the senses are tested on, each with the clues that decide, and words that tell nothing."""

from pathlib import Path

from manyheads.models.senses.data import read_sentences

DATA = Path(__file__).parent / "data"


def labelled_sentences():
    """The sentences for testing, with their clues; the sense vectors know none of them.

    >>> from manyheads.models.senses import building_sentences
    >>> texts = {sentence.text for sentence in building_sentences()}
    >>> len(labelled_sentences()), texts.isdisjoint(sentence.text for sentence in labelled_sentences())
    (92, True)
    """
    return read_sentences(DATA / "labelled.txt")


def noise_words():
    """Words that tell nothing about the sense of any ambiguous word here.

    >>> noise_words()[:3]
    ['yesterday', 'purple', 'seven']
    """
    lines = (DATA / "noise.txt").read_text(encoding="utf-8").splitlines()
    return [word for line in lines if not line.startswith("#") for word in line.split()]
