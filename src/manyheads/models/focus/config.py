"""The numbers that decide what a focus model is and how it is trained."""

from dataclasses import dataclass


@dataclass(frozen=True)
class FocusConfig:
    """The constants of the focus model and of its training; a saved model carries its own in its header.

    >>> FocusConfig().reach, FocusConfig(reach=2).reach
    (3, 2)
    """

    # What it reads.
    max_words: int = 64
    max_tokens: int = 128
    # Word vectors: how many dimensions are kept, and the step of their 8-bit codes (their spread is about 1).
    word_width: int = 160
    word_step: float = 0.9
    # The model.
    positions: int = 32  # the last is for all positions from there on
    kind_width: int = 64  # what is kept of a word for its neighbours
    reach: int = 3  # how many words away it is heard
    mix_width: int = 128
    attention_width: int = 64
    layer_norm_eps: float = 1e-5
    # Training.
    num_sentences: int = 50_000
    steps: int = 3000
    untaught_steps: int = 1000
    batch: int = 128
    learning_rate: float = 4e-3
    word_noise: float = 0.5
    breaking: float = 0.1  # the share of long words to break in two
    looking: float = 2.0  # what looking rightly counts beside knowing the facts
