"""The rows of "worth trying" tables keep their promises, and the model is sure of every sentence that a figure offers."""

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


FIGURE = re.compile(r"^```\{(?:first-look|head-map|attention-flow|head-ledger)\} (.*?)\n((?::.*\n)*)", re.M)
CHAPTERS = [path for path in (ROOT / "book").glob("*.md") if path.stem not in ("authors", "your-own-models")]


def offered():
    """The sentences that figures of the taught heads open with, compare, or offer to be pressed."""
    for path in CHAPTERS:
        for sentence, written in FIGURE.findall(path.read_text(encoding="utf-8")):
            options = dict(re.findall(r"^:(\w+): *(.*)$", written, re.M))
            if "focus" in options.get("models", options.get("model", "focus")).split():
                offers = [options.get("compare"), *options.get("try", "").split(" | ")]
                yield from (sentence, *filter(None, offers))


REMARK = re.compile(r" \((.*)\)$")
MISREAD = {"They like nothing more than tea.": "positive"}  # the sentiment that it has


@pytest.mark.parametrize("sentence", sorted(set(offered())))
def test_what_a_figure_offers_is_read_without_doubt(sentence):
    attention = load_focus_model()(REMARK.sub("", sentence))
    assert not attention.notes
    for fact, labels in attention.predictions.items():
        assert max(labels.values()) >= 0.8, (fact, labels)


def test_a_figure_says_of_what_it_offers_whether_it_is_misread():
    remarks = {REMARK.sub("", sentence): remark[1] for sentence in offered() if (remark := REMARK.search(sentence))}
    assert remarks == dict.fromkeys(MISREAD, "misread")
    for sentence, sentiment in MISREAD.items():
        found = load_focus_model()(sentence).predictions["sentiment"]
        assert max(found, key=found.get) != sentiment


def test_there_are_rows():
    assert len(ROWS) >= 4


@pytest.mark.parametrize(("sentence", "looks", "concludes"), ROWS, ids=[row[0] for row in ROWS])
def test_a_row_keeps_its_promise(sentence, looks, concludes):
    attention = load_focus_model()(sentence.strip("*"))
    head, words = looks.split(": ")
    row = attention.weights[-1, attention.head_names.index(head), 0]
    first = re.split(", ", words)
    favourites = sorted(zip(row, attention.key_tokens), reverse=True)[: len(first)]
    assert {token for _, token in favourites} == set(first)
    fact, label = concludes.split(": ")
    assert max(attention.predictions[fact], key=attention.predictions[fact].get) == label
