"""Generated sentences: what they say and how they are labelled."""

import random

import pytest

from manyheads.models.focus.grammar import COUNTABLE, templates
from manyheads.models.focus.sentences import FACTS, HEADS, generate_sentences, parse, speak


@pytest.fixture(scope="module")
def generated():
    return generate_sentences(6000, seed=11)


def labelled(text, sentences):
    """The labels that a word gets in the sentences, each way it is labelled."""
    return {labels for s in sentences for word, labels in zip(s.words, s.labels) if word.lower() == text}


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
