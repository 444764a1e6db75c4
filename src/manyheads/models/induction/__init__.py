"""A model so small that one sees a head being born: two layers of attention that go on with what repeats."""

from manyheads.models.induction.config import InductionConfig
from manyheads.models.induction.induction import Guesses, InductionModel
from manyheads.models.induction.kept import (
    CHECKPOINTS,
    induction_file,
    induction_files,
    induction_jobs,
    induction_key,
    load_induction,
)
from manyheads.models.induction.training import held_out_sequences, repeated, train_induction

__all__ = [
    "CHECKPOINTS",
    "Guesses",
    "InductionConfig",
    "InductionModel",
    "held_out_sequences",
    "induction_file",
    "induction_files",
    "induction_jobs",
    "induction_key",
    "load_induction",
    "repeated",
    "train_induction",
]
