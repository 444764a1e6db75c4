"""The rows of "worth trying" tables keep their promises: the head looks at these words, the model concludes that."""

import re

import pytest
from conftest import ROOT

from manyheads import load_focus_model

HEADER = "| type this | a head looks at | the model concludes |"
ROWS = [
    [cell.strip() for cell in row.strip("|").split("|")]
    for path in sorted((ROOT / "book").glob("*.md"))
    for table in path.read_text(encoding="utf-8").split(HEADER)[1:]
    for row in table.partition("\n\n")[0].splitlines()[2:]
]


def test_there_are_rows():
    assert len(ROWS) >= 5


@pytest.mark.parametrize(("sentence", "looks", "concludes"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_keeps_its_promise(sentence, looks, concludes):
    map = load_focus_model()(sentence.strip("*"))
    head, words = looks.split(": ")
    row = map.weights[0, map.head_names.index(head), 0]
    first = re.split(", ", words)
    favourites = sorted(zip(row, map.key_tokens), reverse=True)[: len(first)]
    assert {token for _, token in favourites} == set(first)
    fact, label = concludes.split(": ")
    assert max(map.predictions[fact], key=map.predictions[fact].get) == label
