"""Code that readers are shown: it may be pasted anywhere, so it takes no builtin's name."""

import ast
import builtins
import re

import pytest
from conftest import ROOT

CELL = re.compile(
    r"^(?:```|~~~)(?:\{code-cell\} )?python\n(?:---\n.*?\n---\n|(?::[^\n]*\n)*)(.*?)^(?:```|~~~)$", re.M | re.S
)
EXAMPLE = re.compile(r"^ *>>> .*\n(?: *\.\.\. .*\n)*", re.M)
PROMPT = re.compile(r"^ *(?:>>>|\.\.\.) ", re.M)
PAGES = [ROOT / "README.md", *sorted((ROOT / "book").glob("*.md"))]
BUILTINS = {name for name in dir(builtins) if not name.startswith("_")}  # `_` is put there by who translates
MODULES = sorted(path for folder in ("src/manyheads", "recipes", "book") for path in (ROOT / folder).rglob("*.py"))


def shadowed(code):
    """The builtins that code gives another meaning to; a comprehension's names end with it."""
    nodes = list(ast.walk(ast.parse(code)))
    inside = {name for node in nodes if isinstance(node, ast.comprehension) for name in ast.walk(node.target)}
    names = [node for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    return {node.id for node in names if node not in inside} & BUILTINS


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_code_of_a_page_takes_no_builtins_name(path):
    assert [found for code in CELL.findall(path.read_text(encoding="utf-8")) for found in shadowed(code)] == []


def test_no_example_takes_a_builtins_name():
    found = {
        (path.name, name)
        for path in MODULES
        for example in EXAMPLE.findall(path.read_text(encoding="utf-8"))
        for name in shadowed(PROMPT.sub("", example))
    }
    assert found == set()
