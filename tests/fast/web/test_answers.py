"""What the page says to the answers of every field in the book: the right one, each likely mistake, nothing at all."""

import pytest
from exercises import EXERCISES
from node import ask_node

from manyheads.sphinxext.fields import read_fields

FIELDS = [field for exercise in EXERCISES for field in exercise.fields]
SHAPE, SHARE, COUNT = read_fields("""
- {shape: it, answer: 2 3 5 7, computed: "1"}
- {number: it, answer: 0.25, computed: "1", hint: Divide it.}
- {number: it, answer: -3, computed: "1"}
""")


def judged(asked):
    """The verdicts on [(field, typed)]."""
    judge = 'import { judge } from "./figures/field-exercise/answers.ts"; answer(given.map(([field, typed]) => judge(field, typed)))'
    return ask_node(judge, asked)


def test_every_right_answer_is_right():
    assert len(FIELDS) > 30
    assert all(verdict["right"] for verdict in judged([(field, field["answer"]) for field in FIELDS]))


def test_every_likely_mistake_gets_its_hint():
    asked = [(field, wrong, hint) for field in FIELDS for wrong, hint in field["hints"].items()]
    for (field, wrong, hint), verdict in zip(asked, judged([case[:2] for case in asked])):
        assert not verdict["right"], (field["label"], wrong)
        if field["kind"] != "query":
            assert verdict["reply"] == f"Not yet. {hint}"


def test_nothing_and_nonsense_are_no_answers():
    for verdict in judged([(field, typed) for field in FIELDS for typed in ("", "  ", "?!", "1e999", "<b>")]):
        assert not verdict["right"]
        assert verdict["reply"].startswith("Not yet. ") or verdict["reply"] == "Not yet."


WAYS = [
    (SHAPE, "[2, 3, 5, 7]", "Right."),
    (SHAPE, "(2,3,5,7)", "Right."),
    (SHAPE, "2×3×5×7", "Right."),
    (SHAPE, "2 x 3 x 5 x 7", "Right."),
    (SHAPE, "2 3 7 5", "another order"),
    (SHAPE, "2 3 5", "more axes than 3"),
    (SHAPE, "2 3 5 7 1", "fewer axes than 5"),
    (SHAPE, "2 3 4 7", "Of its 4 sizes 3 are right"),
    (SHAPE, "b h q k", "Type the sizes"),
    (SHARE, "1/4", "Right."),
    (SHARE, "0,25", "Right."),
    (SHARE, ".25", "Right."),
    (SHARE, "25 %", "Right."),
    (SHARE, "25", "percent"),
    (SHARE, "-0.25", "sign"),
    (SHARE, "0.3", "Divide it."),
    (SHARE, "a quarter", "Type a number"),
    (COUNT, "−3", "Right."),
    (COUNT, "-2", "less than that"),
    (COUNT, "-4", "more than that"),
]


def test_answers_may_be_written_in_many_ways():
    for (_, typed, expected), verdict in zip(WAYS, judged([way[:2] for way in WAYS]), strict=True):
        assert expected in verdict["reply"], typed


@pytest.mark.parametrize(
    "text",
    [
        "- {answer: 1, computed: '1'}",
        "- {number: a, answer: 1}",
        "- {number: a, answer: 1, computed: '1', colour: red}",
        "- {number: a, answer: 1, computed: '1', hints: {1: no}}",
        "- {choice: a, answer: x, computed: '1', options: [y], hints: {y: no}}",
    ],
)
def test_fields_that_do_not_fit_are_refused(text):
    with pytest.raises(ValueError, match=r"field|lacks|hint"):
        read_fields(text)
