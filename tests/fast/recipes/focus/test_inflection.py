"""The kept forms of nouns and verbs."""

from manyheads.models.focus import grammar
from manyheads_recipes.focus.inflection import forms_file


def test_the_kept_forms_are_those_of_the_word_lists():
    assert (grammar.DATA / "forms.txt").read_text(encoding="utf-8") == forms_file()
