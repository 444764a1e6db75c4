"""Each chapter's solutions hold, run once after the cells that its notebook has, and one that is wrong is found."""

import re

import pytest
from exercises import CHAPTERS, answer_check, own_digest, run_solutions, run_unless_passed, solutions
from served import ROOT

from manyheads import load_induction
from manyheads.drawing.element import BUILDING
from manyheads.models.files import cache_folder

HEADER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {name: python3, display_name: Python 3}
---
"""
BROKEN = {
    "length + '!'": "TypeError",
    "assert length == 4": "AssertionError",
    "import warnings; warnings.warn('soon')": "UserWarning",
    answer_check({"label": "how long", "kind": "number", "answer": "3.1", "computed": "length"}): "how long",
    answer_check({"label": "how much", "kind": "query", "answer": "1", "share": 0.9, "computed": "0.8"}): "how much",
}
SAVED = re.compile(r'load_induction\("([\w.-]+\.safetensors)"\)')  # what a reader saves in the page and opens in Python
LONGEST_FIRST = sorted(filter(lambda name: solutions(CHAPTERS[name]), CHAPTERS), key=lambda name: -len(CHAPTERS[name]))


@pytest.fixture(scope="session")
def package():
    return own_digest()


@pytest.fixture(autouse=True)
def as_in_a_build(monkeypatch, tmp_path):
    """Times that chapters show aren't measured anew, and files that solutions write are nobody's."""
    monkeypatch.setenv(BUILDING, "none")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def chapter(tmp_path):
    """Writes a chapter of one cell and one solution."""

    def write(solution, length=3):
        path = tmp_path / "chapter.md"
        cell = f"```{{code-cell}} python\nlength = {length}\n```\n"
        path.write_text(f"{HEADER}# One\n\n{cell}\n:::{{dropdown}} Solution\n~~~python\n{solution}\n~~~\n:::\n")
        return path

    return write


@pytest.mark.parametrize("name", LONGEST_FIRST)
def test_the_solutions_of_a_chapter_hold(name, package, tmp_path):
    for file in SAVED.findall(CHAPTERS[name]):
        load_induction().save(tmp_path / file)
    run_unless_passed(ROOT / "book" / f"{name}.md", package, cache_folder() / "solutions")


@pytest.mark.parametrize(("solution", "error"), BROKEN.items())
def test_a_wrong_solution_is_found(chapter, solution, error):
    with pytest.raises(AssertionError, match=error):
        run_solutions(chapter(solution))


def test_solutions_run_again_when_what_they_depend_on_has_changed_and_only_then(chapter, tmp_path):
    ran = []

    def runs(package="one", **written):
        run_unless_passed(chapter(**{"solution": "length + 1"} | written), package, tmp_path / "passed", ran.append)
        return len(ran)

    assert [runs(), runs()] == [1, 1]
    assert [runs("another"), runs("another")] == [2, 2]
    assert [runs(length=4), runs(length=4)] == [3, 3]
    assert [runs(solution="length + 2"), runs(solution="length + 2")] == [4, 4]


def test_solutions_that_failed_run_again(chapter, tmp_path):
    def fail(path):
        raise AssertionError(path)

    for _ in range(2):
        with pytest.raises(AssertionError):
            run_unless_passed(chapter("length + 1"), "one", tmp_path, fail)
