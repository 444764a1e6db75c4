"""What the grammar reads: lists, forms, phrases, templates."""

import pytest

from manyheads.models.focus import grammar


def test_a_word_whose_forms_nobody_looked_up_says_what_to_run():
    with pytest.raises(ValueError, match=r"no plurals of 'pangolin': run `python -m manyheads_recipes\.focus\.inflec"):
        grammar.inflected("plurals", "pangolin")
