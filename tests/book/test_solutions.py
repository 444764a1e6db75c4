"""Every exercise has a solution, and every solution runs: at the end of its own chapter's kernel, in order.

And the answer that a field takes for right is the one that its chapter computes.
"""

import re

import jupytext
import nbformat
import pytest
from exercises import CHAPTERS, CODE, EXERCISES, exercises_of
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

DROPDOWN = re.compile(r"^:::\{dropdown\} .*?\n(.*?)^:::$", re.M | re.S)
WARNINGS_ARE_ERRORS = "import warnings\n\nwarnings.simplefilter('error')"
WARNINGS_AS_BEFORE = "warnings.simplefilter('default')"  # the kernel's own, when it ends, are not the solutions'


def solutions(text):
    """The code in a chapter's dropdowns, what a prediction reveals, then each exercise's solution and its answers."""
    code = [code for dropdown in DROPDOWN.findall(text) for code in CODE.findall(dropdown)]
    for exercise in exercises_of("chapter", text):
        code += [*exercise.code, *map(answer_check, exercise.fields)]
    return code


def answer_check(field):
    """Code that fails where a field's answer is not what is computed."""
    kind, answer = field["kind"], field["answer"]
    holds = {
        "shape": f"[int(size) for size in found] == {[int(size) for size in answer.split()] if kind == 'shape' else 0}",
        "number": f"abs(float(found) - {answer}) <= {max(field.get('within', 0), 5e-4)}",
        "word": f"str(found) == {answer!r}",
        "choice": f"str(found) == {answer!r}",
        "query": f"float(found) >= {field.get('share')}",
    }[kind]
    return f"found = {field['computed']}\nassert {holds}, ({field['label']!r}, found)"


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "field",
    [
        {"kind": "shape", "answer": "3 4", "computed": "(length, 5)"},
        {"kind": "number", "answer": "3.1", "computed": "length"},
        {"kind": "word", "answer": "three", "computed": "'four'"},
        {"kind": "query", "answer": "1, 2", "share": 0.9, "computed": "0.8"},
    ],
)
def test_a_wrong_answer_is_found(field, tmp_path):
    with pytest.raises(CellExecutionError):
        run_with_solutions(broken(answer_check({"label": "it", **field})), tmp_path)


def test_every_exercise_has_a_solution():
    for exercise in EXERCISES:
        assert exercise.solution.strip(), f"{exercise.chapter}: {exercise.title}"
    assert len({exercise.label for exercise in EXERCISES}) == len(EXERCISES)


def test_what_is_written_in_a_cell_is_run():
    for exercise in EXERCISES:
        assert (
            exercise.code
            or exercise.kind not in ("cell", "hand", "query", "bug", "shape", "word")
            or (exercise.label == "does-not-fit")
        ), exercise.label
        assert exercise.code or not exercise.fields, "what its fields ask for is computed"


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_every_exercise_has_a_label(chapter):
    assert not re.search(r"^(```|:::)\{admonition\} \d+\.", CHAPTERS[chapter], re.M)
