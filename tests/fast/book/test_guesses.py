"""What a page says of its guesses: the right answer is one that its code asserts, and has a tempting rival."""

import re

import pytest
from conftest import ROOT

from manyheads.sphinxext.phrases import guesses_in

PAGES = {path.stem: path.read_text(encoding="utf-8") for path in (ROOT / "book").glob("*.md") if path.stem != "authors"}
GUESSES = [(page, options) for page, source in PAGES.items() for options in guesses_in(source)]
ASSERTED = re.compile(r"^ *assert .*  # guess: (.*)$", re.MULTILINE)


@pytest.mark.parametrize(("page", "options"), GUESSES, ids=[page for page, _ in GUESSES])
def test_the_right_answer_of_a_guess_is_asserted_by_its_page(page, options):
    assert options["right"] in ASSERTED.findall(PAGES[page])
    assert 2 <= len(options["answers"].split(" | ")) <= 3


def test_every_asserted_answer_is_one_of_a_guess():
    for source in PAGES.values():
        assert {*ASSERTED.findall(source)} == {options["right"] for options in guesses_in(source)}
