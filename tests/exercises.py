"""The exercises of the book, read from the chapters' text, and their solutions, run in a kernel that has run the chapter."""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path

from served import ROOT

from manyheads.sphinxext.fields import read_fields

SHOWN = re.compile(r"^`````text\n.*?^`````$", re.M | re.S)  # how to write one
CHAPTERS = {path.stem: path.read_text(encoding="utf-8") for path in sorted((ROOT / "book").glob("*.md"))}
EXERCISE = re.compile(r"^(`{3,})\{exercise\} (.*?)\n(.*?)^\1$", re.M | re.S)
SOLUTION = re.compile(r"^(:{3,})\{solution\} (.*?)\n(.*?)^\1$", re.M | re.S)
FIELDS = re.compile(r"^```\{field-exercise\}\n((?::.*?\n)*)\n?(.*?)^```$", re.M | re.S)
CODE = re.compile(r"^~~~python\n(.*?)^~~~$", re.M | re.S)
DROPDOWN = re.compile(r"^:::\{dropdown\} .*?\n(.*?)^:::$", re.M | re.S)
WARNINGS_ARE_ERRORS = "import warnings\n\nwarnings.simplefilter('error')"
LONGEST = 600  # seconds that a cell or a solution may take


@dataclass(frozen=True)
class Exercise:
    chapter: str
    title: str
    label: str
    kind: str
    fields: list
    solution: str  # as it stands; "" where there is none
    options: dict  # of its fields: map, sentence

    @property
    def code(self):
        return CODE.findall(self.solution)


def exercises_of(chapter, text):
    text = SHOWN.sub("", text)
    solutions = {label: body for _, label, body in SOLUTION.findall(text)}
    for _, title, body in EXERCISE.findall(text):
        told = dict(re.findall(r"^:([\w-]+): (.*)$", body, re.M))
        fields = FIELDS.search(body)
        options = dict(re.findall(r"^:([\w-]+): (.*)$", fields[1], re.M)) if fields else {}
        read = read_fields(fields[2]) if fields else []
        yield Exercise(chapter, title, told["label"], told["kind"], read, solutions.get(told["label"], ""), options)


EXERCISES = [found for chapter, text in CHAPTERS.items() for found in exercises_of(chapter, text)]


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


def with_solutions(path):
    """A chapter's notebook without its proofs, as a student has it, its solutions as further cells.

    In these a warning is an error.
    """
    from myst_nb.core.read import myst_nb_reader_plugin  # with Sphinx, which those who only read exercises do without
    from nbformat.v4 import new_code_cell

    from manyheads.sphinxext.notebooks import PROOF

    notebook = myst_nb_reader_plugin(path)
    notebook.cells = [cell for cell in notebook.cells if PROOF not in cell.metadata.get("tags", [])]
    notebook.cells += map(new_code_cell, [WARNINGS_ARE_ERRORS, *solutions(path.read_text(encoding="utf-8"))])
    return notebook


def run_solutions(path):
    """Runs a student's cells of a chapter, then its solutions, in a kernel that works in the current folder."""
    from jupyter_cache.executors.utils import single_nb_execution

    from manyheads.sphinxext.warm_kernels import KERNELS

    result = single_nb_execution(with_solutions(path), str(Path.cwd()), LONGEST, allow_errors=False, **KERNELS)
    assert not result.err, str(result.err)


def run_unless_passed(path, package, passed, run=run_solutions):
    """Runs a chapter's solutions, unless the same code has passed with the same package: a folder remembers."""
    code = [cell.source for cell in with_solutions(path).cells if cell.cell_type == "code"]
    digest = hashlib.sha256(json.dumps([package, *code]).encode()).hexdigest()
    remembered = passed / path.stem
    if remembered.is_file() and remembered.read_text(encoding="utf-8") == digest:
        return
    run(path)
    passed.mkdir(exist_ok=True)
    remembered.write_text(digest, encoding="utf-8")


def own_digest():
    """The digest of all that this book's solutions depend on beside their chapters."""
    from manyheads.sphinxext.execution_cache import package_digest
    from manyheads_book.site import sources

    return package_digest(ROOT, [*sources(), Path(__file__)])
