"""A model so small that one sees a head being born: two layers of attention that go on with what repeats."""

from manyheads.models.induction.data import held_out_sequences, repeated
from manyheads.models.induction.head_model import Guesses, InductionModel, load_induction, page_files
from manyheads.models.induction.network import InductionConfig
from manyheads.models.induction.training import CHECKPOINTS, train_induction

__all__ = [
    "CHECKPOINTS",
    "Guesses",
    "InductionConfig",
    "InductionModel",
    "held_out_sequences",
    "load_induction",
    "page_files",
    "repeated",
    "train_induction",
]
