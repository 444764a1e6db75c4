"""The tests of the pages wait: what is read from a page and asserted at once fails by chance where the machine is slow.

`expect(locator)` waits, and so does `eventually(read, check)` of `live_maps.py`, in whose lambdas anything may be read.
"""

import ast
import json
import math
from pathlib import Path

from figures import CHAPTER_OF

TESTS = Path(__file__).parents[1]
FILES = sorted(path for room in ("browser", "nightly") for path in (TESTS / room).rglob("*.py"))
MOST = 80  # browser tests that decide whether a change lands
READS = {
    *("all_inner_texts", "all_text_contents", "bounding_box", "count", "content", "evaluate", "evaluate_all"),
    *("get_attribute", "inner_html", "inner_text", "input_value", "is_checked", "is_disabled", "is_editable"),
    *("is_enabled", "is_hidden", "is_visible", "text_content", "title"),
}


def looked_once(source):
    """The lines of assertions about what a page was just then, or about a name that has it, of a module's source."""
    found = []
    for function in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.FunctionDef)):
        statements = [node for node in ast.walk(function) if isinstance(node, ast.stmt)]
        names = set()
        for node in sorted(statements, key=lambda one: one.lineno):
            if isinstance(node, ast.Assign) and reads(node.value, names):
                names |= {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
            asserts = isinstance(node, ast.Assert) or called(getattr(node, "value", None)).startswith("assert")
            if asserts and reads(node, names):
                found.append(node.lineno)
    return found


def reads(node, names):
    """Whether what was read from a page, or one of the names that have it, stands in some code."""
    if called(node) == "eventually":
        return False
    read = called(node) in READS and not (called(node) == "count" and node.args)  # that is a list's
    return read or getattr(node, "id", "") in names or any(reads(part, names) for part in ast.iter_child_nodes(node))


def called(node):
    function = getattr(node, "func", None)
    return getattr(function, "attr", getattr(function, "id", ""))


def test_no_test_looks_at_a_page_only_once():
    found = [f"{path}:{line}" for path in FILES for line in looked_once(path.read_text(encoding="utf-8"))]
    assert found == [], "wait by expect or eventually"
    assert looked_once("def test(page):\n text = page.inner_text()\n assert 'x' in text\n") == [3]


def cases(function):
    """How many tests a function is: its lists of cases stand where it does."""
    lists = [node.args[1].elts for node in function.decorator_list if called(node) == "parametrize"]
    return math.prod(map(len, lists))


def test_few_tests_decide():
    modules = [ast.parse(path.read_text(encoding="utf-8")) for path in (TESTS / "browser").glob("test_*.py")]
    tests = [node for module in modules for node in module.body if getattr(node, "name", "").startswith("test_")]
    assert 0 < sum(map(cases, tests)) <= MOST


def test_every_figure_is_used_by_somebody_in_a_browser():
    figures = json.loads((TESTS.parent / "src" / "manyheads" / "shared" / "figures.json").read_text(encoding="utf-8"))
    tests = "".join(path.read_text(encoding="utf-8") for path in (TESTS / "browser").glob("*.py"))
    assert [name for name in figures if name not in tests] == []
    assert CHAPTER_OF.keys() == figures.keys(), "tests/figures.py names the chapter in which the tests meet each figure"
