"""What the grammar reads: lists, forms, phrases, templates."""

import pytest

from manyheads.models.focus import grammar
from manyheads.models.focus.grammar import compiled, forms, lexicon, open_words, templates, vocabulary
from manyheads.models.focus.inflection import forms_file


def test_the_grammar_is_rich():
    assert len(templates()) >= 60
    assert len(vocabulary()) >= 1500
    assert len(open_words()) >= 1500
    assert len(set(templates())) == len(templates())


def test_comments_and_lines_that_go_on(tmp_path, monkeypatch):
    monkeypatch.setattr(grammar, "DATA", tmp_path)
    (tmp_path / "some.txt").write_text("# A.\n[one, two]\nfirst\n  goes on\n\nsecond\n[three]\n# No.\nthird\n")
    assert grammar.read_sections("some.txt") == {"one, two": ["first  goes on", "second"], "three": ["third"]}


def test_labels_stand_in_the_headers():
    words = lexicon()
    assert (words["hate"][0].labels, words["hate.past"][0].polarity) == ("RS", "-")
    assert {word.means for word in words["n.stuff"]} == {"thing"}
    assert {word.means for word in words["joy"]} == {"idea"}
    assert words["adj"][0].labels == ""
    assert words["v.stuff.ing"] == words["v.thing.ing"]


def test_forms():
    for expected in ("man men", "thesis theses", "ox oxen", "potato potatoes"):
        assert " ".join(forms("plurals")[expected.split()[0]]) == expected
    for expected in (
        "carry carries carried carried carrying",
        "drop drops dropped dropped dropping",
        "see sees saw seen seeing",
        "tie ties tied tied tying",
        "lie lies lay lain lying",
    ):
        assert " ".join(forms("verbs")[expected.split()[0]]) == expected


def test_the_kept_forms_are_those_of_the_word_lists():
    assert (grammar.DATA / "forms.txt").read_text(encoding="utf-8") == forms_file()


def test_a_word_whose_forms_nobody_looked_up_says_what_to_run():
    with pytest.raises(ValueError, match=r"no plurals of 'pangolin': run `python -m manyheads\.models\.focus\.inflec"):
        grammar.inflected("plurals", "pangolin")


def test_braces_match():
    with pytest.raises(ValueError, match="unbalanced"):
        compiled("a } b")
