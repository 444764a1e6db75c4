"""Every exercise has a solution, and every solution runs: at the end of its own chapter's kernel, in order."""

import re

import jupytext
import nbformat
import pytest
from conftest import ROOT
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

EXERCISE = re.compile(
    r"^(?:```|:::)\{admonition\} (\d+\. .*?)\n.*?^(?:```|:::)$(.*?)(?=^(?:```|:::)\{admonition\} \d|\Z)", re.M | re.S
)
DROPDOWN = re.compile(r"^:::\{dropdown\} .*?\n(.*?)^:::$", re.M | re.S)
CODE = re.compile(r"^~~~python\n(.*?)^~~~$", re.M | re.S)
WARNINGS_ARE_ERRORS = "import warnings\n\nwarnings.simplefilter('error')"
WARNINGS_AS_BEFORE = "warnings.simplefilter('default')"  # the kernel's own, when it ends, are not the solutions'
CHAPTERS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("*.md"))}


def solutions(text):
    """The code in a chapter's dropdowns: solutions, and what a prediction reveals."""
    return [code for dropdown in DROPDOWN.findall(text) for code in CODE.findall(dropdown)]


def run_with_solutions(text, folder):
    """Runs a chapter's cells, then its solutions, in one kernel, in a folder of its own: some write files."""
    notebook = jupytext.reads(text, fmt="md:myst")
    for source in (WARNINGS_ARE_ERRORS, *solutions(text), WARNINGS_AS_BEFORE):
        notebook.cells.append(nbformat.v4.new_code_cell(source))
    there = {"metadata": {"path": str(folder)}}
    NotebookClient(notebook, timeout=600, kernel_name="python3", resources=there).execute()


def broken(cell):
    header = "---\njupytext:\n  text_representation: {extension: .md, format_name: myst}\n---\n"
    return f"{header}# Count\n\n```{{code-cell}}\nlength = 3\n```\n\n:::{{dropdown}} Solution\n~~~python\n{cell}\n~~~\n:::\n"


@pytest.mark.slow
@pytest.mark.parametrize("chapter", [name for name, text in CHAPTERS.items() if solutions(text)])
def test_solutions_run_in_their_chapter(chapter, tmp_path):
    run_with_solutions(CHAPTERS[chapter], tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize(
    "cell", ["length + '!'", "assert length == 4", "import warnings; warnings.warn('old')", "lenght"]
)
def test_a_broken_solution_is_found(cell, tmp_path):
    with pytest.raises(CellExecutionError):
        run_with_solutions(broken(cell), tmp_path)


@pytest.mark.slow
def test_a_right_solution_passes(tmp_path):
    run_with_solutions(broken("assert length == 3"), tmp_path)


@pytest.mark.parametrize("chapter", [name for name, text in CHAPTERS.items() if "\n## Exercises" in text])
def test_every_exercise_has_a_solution(chapter):
    exercises = EXERCISE.findall(CHAPTERS[chapter].partition("\n## Exercises")[2])
    assert [title.partition(".")[0] for title, _ in exercises] == [str(n) for n in range(1, len(exercises) + 1)]
    for title, after in exercises:
        assert ":::{dropdown} Solution" in after, f"{chapter}: {title}"
