"""The grammar: what it says, how it labels it, and that the unseen sentences are unseen."""

import random

import pytest

from manyheads import words
from manyheads.focus import pieces
from manyheads.sentences import (
    COUNTABLE,
    FACTS,
    HEADS,
    generate_sentences,
    open_words,
    parse,
    speak,
    templates,
    vocabulary,
)
from manyheads.unseen import unseen_sentences

# What may stand in the unseen sentences although the generator says it too: words that carry grammar, not content.
FUNCTION_WORDS = """
    a an the this that these those my your his her its our their whose one two some any many much most no
    i me you he him she it we us they them somebody someone anyone anybody everybody everyone nobody i'm it's
    who what which where when why how
    do does did don't be is are was were isn't aren't weren't has have haven't can could will would shall
    and or but because although while if since than that not please let's there
    about across around at before behind beside by for from in of on opposite over to under with
    like likes better best rather still far outside yesterday yet
"""


@pytest.fixture(scope="module")
def generated():
    return generate_sentences(6000, seed=11)


def labelled(text, sentences):
    """The labels that a word gets in the sentences, each way it is labelled."""
    return {labels for s in sentences for word, labels in zip(s.words, s.labels) if word.lower() == text}


def test_the_grammar_is_rich():
    assert len(templates()) >= 60
    assert len(vocabulary()) >= 1500
    assert len(open_words()) >= 1500
    assert len(set(templates())) == len(templates())


def test_the_same_seed_says_the_same(generated):
    assert generate_sentences(50, seed=3) == generate_sentences(50, seed=3)
    assert generate_sentences(50, seed=3) != generate_sentences(50, seed=4)
    assert len({sentence.text for sentence in generated}) > 0.99 * len(generated)


def test_every_fact_occurs(generated):
    for name, values in FACTS.items():
        assert {sentence.facts[name] for sentence in generated} == set(values)


def test_every_template_can_be_spoken():
    rng = random.Random(0)
    for *_, text in templates():
        for kind in COUNTABLE:
            assert speak(text, {"X": kind, "Y": "dish"}, rng)


def test_a_word_has_one_label_per_focus_and_only_those(generated):
    for sentence in generated:
        assert len(sentence.words) == len(sentence.labels)
        for labels in sentence.labels:
            assert set(labels) <= set(HEADS)
            assert list(labels) == sorted(labels, key=list(HEADS).index)


def test_labels_follow_the_foci(generated):
    for closing in ("?", "!", "."):
        assert labelled(closing, generated) == {"T"}
    for determiner in ("the", "a", "every"):
        assert labelled(determiner, generated) <= {"", "T"}  # the `a` of "what a" is of the sentence type
    assert labelled(",", generated) == {""}
    assert labelled("because", generated) == {"R"}
    assert labelled("please", generated) == {"T"}
    assert "O" not in "".join(labelled("very", generated))
    assert {"O", "OR"} >= labelled("coffee", generated) != set()
    joined = [s for s in generated if "or" in s.words[1:-1] and s.facts["sentence type"] == "choice question"]
    assert joined
    assert all(s.labels[s.words.index("or")] == "R" for s in joined)


def test_a_question_opens_with_its_type_and_a_statement_does_not(generated):
    for sentence in generated:
        kind, opening = sentence.facts["sentence type"], "".join(sentence.labels[:-1])
        if kind == "statement":
            assert "T" not in opening
        if kind in ("open question", "command"):
            assert "T" in opening


def test_sentiment_words_and_the_sentiment_agree(generated):
    for sentence in generated:
        if sentence.facts["sentiment"] != "neutral":
            assert "S" in "".join(sentence.labels)
    good = parse("statement, food or drink, state, positive: The soup/O was/R lovely/S ./T")
    assert good.facts["sentiment"] == "positive"


@pytest.mark.parametrize(
    ("verb", "expected"),
    [
        ("bake", ("bake", "bakes", "baked", "baked", "baking")),
        ("carry", ("carry", "carries", "carried", "carried", "carrying")),
        ("drop", ("drop", "drops", "dropped", "dropped", "dropping")),
        ("see", ("see", "sees", "saw", "seen", "seeing")),
        ("tie", ("tie", "ties", "tied", "tied", "tying")),
        ("wash", ("wash", "washes", "washed", "washed", "washing")),
        ("write", ("write", "writes", "wrote", "written", "writing")),
    ],
)
def test_verbs(verb, expected):
    assert words.forms(verb) == expected


def test_text_joins_marks_and_contractions():
    line = "open question, person, action, neutral: What/T 's/T Ann/O 's dog/O doing/R , Bob/O ?/T"
    assert parse(line).text == "What's Ann's dog doing, Bob?"


@pytest.mark.parametrize("line", ["statement, tree, state, neutral: Oaks/O grow/R", "statement, idea: x", "", "no"])
def test_a_wrong_line_is_refused(line):
    with pytest.raises(ValueError, match=r"tree|begins with"):
        parse(line)


def test_a_wrong_label_is_refused():
    with pytest.raises(ValueError, match="X"):
        parse("statement, idea, state, neutral: Oaks/X grow/R")


def test_a_wrong_list_is_refused():
    with pytest.raises(ValueError, match="judged"):
        unseen_sentences("third")


def test_unseen_sentences_are_many_and_varied():
    assert len(unseen_sentences()) >= 80
    assert unseen_sentences("all") == unseen_sentences() + unseen_sentences("pieces")
    for name, values in FACTS.items():
        assert {sentence.facts[name] for sentence in unseen_sentences()} == set(values)


def test_judging_words_are_tokens_or_come_in_pieces():
    def broken(sentence):
        return [len(pieces(word)) > 1 for word, labels in zip(sentence.words, sentence.labels) if "S" in labels]

    assert not any(any(broken(sentence)) for sentence in unseen_sentences())
    assert all(any(broken(sentence)) for sentence in unseen_sentences("pieces"))


def test_unseen_content_words_are_unseen_in_every_form():
    said = vocabulary()
    spoken = {word.lower() for sentence in unseen_sentences("all") for word in sentence.words if word[0].isalpha()}
    content = spoken - set(FUNCTION_WORDS.split())
    assert len(content) > 250
    for word in content:
        assert not {word, words.plural(word), *words.forms(word)} & said, word
