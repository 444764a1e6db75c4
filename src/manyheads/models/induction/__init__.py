"""A model so small that one sees a head being born: two layers of attention that go on with what repeats."""

from manyheads.models.induction.head_model import Guesses, InductionModel, load_induction, page_files
from manyheads.models.induction.network import InductionConfig

__all__ = ["Guesses", "InductionConfig", "InductionModel", "load_induction", "page_files"]
