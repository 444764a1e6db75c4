"""Which sense an ambiguous word has in a sentence, read off the pretrained encoder's vectors."""

from manyheads.models.senses.axes import SenseAxes, fit_axes, share
from manyheads.models.senses.data import building_sentences, word_forms
from manyheads.models.senses.head_model import Senses, build_senses, load_senses, senses_file, senses_files, word_sense
from manyheads.models.senses.pushes import Pushes

__all__ = [
    "Pushes",
    "SenseAxes",
    "Senses",
    "build_senses",
    "building_sentences",
    "fit_axes",
    "load_senses",
    "senses_file",
    "senses_files",
    "share",
    "word_forms",
    "word_sense",
]
