"""The numbers that decide what the induction model is and how it is trained."""

from dataclasses import dataclass


@dataclass(frozen=True)
class InductionConfig:
    """The constants of the model and of its training; a saved one carries its own in its header.

    >>> InductionConfig().layers, InductionConfig(width=32).width
    (2, 32)
    """

    # The model.
    layers: int = 2
    heads: int = 2
    width: int = 64
    symbols: int = 64
    positions: int = 64
    # Training.
    shortest: int = 8  # period of the sequences that repeat
    longest: int = 32
    num_sequences: int = 40_000
    steps: int = 600
    batch: int = 64
    learning_rate: float = 4e-3
