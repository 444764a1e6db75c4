"""What the grammar reads: lists, forms, phrases, templates."""

import pytest

from manyheads.models.focus import grammar
from manyheads.models.focus.inflection import forms_file


def test_the_kept_forms_are_those_of_the_word_lists():
    assert (grammar.DATA / "forms.txt").read_text(encoding="utf-8") == forms_file()


def test_a_word_whose_forms_nobody_looked_up_says_what_to_run():
    with pytest.raises(ValueError, match=r"no plurals of 'pangolin': run `python -m manyheads\.models\.focus\.inflec"):
        grammar.inflected("plurals", "pangolin")
