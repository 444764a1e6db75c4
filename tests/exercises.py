"""The exercises of the book, read from the chapters' text, and their solutions, run in a kernel that has run the chapter."""

import ast
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
CELL = re.compile(r"^~~~\{check\}\n(.*?)^~~~$", re.M | re.S)
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
    cells: list  # code that the notebook has for it: what to begin with, and the check
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
        solution = solutions.get(told["label"], "")
        yield Exercise(chapter, title, told["label"], told["kind"], read, CELL.findall(body), solution, options)


EXERCISES = [found for chapter, text in CHAPTERS.items() for found in exercises_of(chapter, text)]


def solutions(text):
    """The code in a chapter's dropdowns, what a prediction reveals, then each exercise's solution and its answers.

    The cells of an exercise run before its solution, as a reader finds them, and after it, with its answer.
    """
    code = [code for dropdown in DROPDOWN.findall(text) for code in CODE.findall(dropdown)]
    for exercise in exercises_of("chapter", text):
        answered = names_of("\n".join(exercise.code))
        code += [reported(cell, "Not yet.") for cell in exercise.cells]
        code += [*exercise.code, *map(answer_check, exercise.fields)]
        code += [reported(cell, "Right.", answered) for cell in exercise.cells]
    return code


def names_of(code):
    """The names that code gives something to."""
    nodes = list(ast.walk(ast.parse(code)))
    defined = {node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    return defined | {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


def reported(cell, begins, answered=frozenset()):
    """Code that fails where the check in a cell says something else; names that are answered keep what they have."""
    *before, report = ast.parse(cell).body
    left = [line for line in map(ast.unparse, before) if not names_of(line) or names_of(line) - answered]
    return "\n".join([*left, f"report = {ast.unparse(report)}", f"assert repr(report).startswith({begins!r}), report"])


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
