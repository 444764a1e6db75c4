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
    """The lines of assertions about what a page was just then, of a module's source."""
    module = ast.parse(source)
    helpers = {node.name for node in module.body if isinstance(node, ast.FunctionDef) and returns_a_reading(node)}
    return sorted(
        line
        for function in ast.walk(module)
        if isinstance(function, ast.FunctionDef)
        for line in asserted_readings(function, helpers)
    )


def returns_a_reading(function):
    return any(isinstance(node, ast.Return) and node.value and reads(node.value) for node in inside(function))


def asserted_readings(function, helpers):
    names = set()
    for node in sorted(inside(function), key=lambda node: getattr(node, "lineno", 0)):
        if isinstance(node, ast.Assign) and reads(node.value, names, helpers):
            names |= {part.id for target in node.targets for part in ast.walk(target) if isinstance(part, ast.Name)}
        elif asserts(node) and reads(node, names, helpers):
            yield node.lineno


def asserts(node):
    return isinstance(node, ast.Assert) or "assert" in called(node)


def reads(expression, names=(), helpers=()):
    """Whether an expression holds what was read from a page: by a method, by one of the helpers, in one of the names."""
    if isinstance(expression, ast.Call) and called(expression) == "eventually":
        return False
    if isinstance(expression, ast.Call) and isinstance(expression.func, ast.Attribute) and not_of_a_list(expression):
        return True
    if isinstance(expression, ast.Call) and called(expression) in helpers:
        return True
    if isinstance(expression, ast.Name) and expression.id in names:
        return True
    return any(reads(part, names, helpers) for part in ast.iter_child_nodes(expression))


def not_of_a_list(call):
    """A page's `count()` and `title()` take nothing; those of lists and of strings are something else."""
    return call.func.attr in READS and not (call.func.attr == "count" and call.args)


def called(call):
    function = getattr(call, "func", None)
    return getattr(function, "attr", getattr(function, "id", ""))


def inside(function):
    """All nodes of a function but those of functions in it, which are looked at by themselves."""
    waiting = list(function.body)
    while waiting:
        node = waiting.pop()
        yield node
        if not isinstance(node, (ast.FunctionDef, ast.Lambda)):
            waiting.extend(ast.iter_child_nodes(node))


def test_no_test_looks_at_a_page_only_once():
    found = [f"{path}:{line}" for path in FILES for line in looked_once(path.read_text(encoding="utf-8"))]
    assert found == [], "wait by expect or eventually"


def test_looking_once_is_found():
    source = """
def shown(map):
    return map.locator("td").count()

def test(page):
    assert page.title() == "x"
    assert [1, 1].count(1) == 2
    text = page.inner_text()
    assert "x" in text
    expect(page).to_have_title("x")
    eventually(lambda: page.title(), lambda found: found == "x")
    cells = eventually(lambda: shown(page), lambda found: found > 2)
    assert cells == 3
    assert shown(page) == 2
    np.testing.assert_allclose(page.evaluate("1"), 1)
"""
    assert looked_once(source) == [6, 9, 14, 15]


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
