"""The numbers that decide what a translator is and how it is trained."""

from dataclasses import dataclass


@dataclass(frozen=True)
class TranslatorConfig:
    """The constants of the translator and of its training; a saved one carries its own in its header.

    >>> TranslatorConfig().layers, TranslatorConfig(width=32).width
    (2, 32)
    """

    # The model.
    layers: int = 2  # of the encoder and of the decoder
    width: int = 80
    hidden: int = 304  # of the feed-forward layers
    positions: int = 24  # words of a sentence, the mark of its end included
    # Training.
    num_sentences: int = 80_000
    steps: int = 4200
    batch: int = 64
    learning_rate: float = 4e-3
    weight_decay: float = 0.1  # without it, words of one kind are mixed up in sentences that training never showed
    looking: float = 0.5  # what looking rightly counts beside saying the right word
