"""What `import manyheads` gives, and what it costs."""

import ast
import dataclasses
import importlib
import re
import subprocess
import sys

import typed_use
from conftest import ROOT

import manyheads
from manyheads.figures import PAGE_FIGURES
from manyheads.shared.options import OPTIONS

PACKAGE = ROOT / "src" / "manyheads"


def test_each_name_is_imported_when_it_s_used():
    for name, module in manyheads.PUBLIC.items():
        value = getattr(manyheads, name)
        assert name in dir(manyheads)
        assert value is getattr(sys.modules[module], name)


def documented():
    """What the API page describes."""
    found, module = set(), ""
    page = (ROOT / "book" / "api.md").read_text(encoding="utf-8")
    for kind, name in re.findall(r"^\.\. (\w+):: ([\w.]+)$", page, re.M):
        assert kind in ("currentmodule", "autofunction", "autoclass", "autoexception"), "a module's all is no promise"
        if kind == "currentmodule":
            module = name
            continue
        full = name if name.startswith("manyheads.") else f"{module}.{name}"
        found.add(getattr(importlib.import_module(full.rpartition(".")[0]), full.rpartition(".")[2]))
    return found


def test_the_api_page_has_what_is_public_and_nothing_else():
    public = {getattr(manyheads, name) for name in {*manyheads.PUBLIC} - {*PAGE_FIGURES, "attention", "check"}}
    for module in (manyheads.attention, manyheads.check):  # they are public as a whole
        own = [value for name, value in vars(module).items() if not name.startswith("_") and callable(value)]
        public |= {value for value in own if value.__module__.startswith(module.__name__)}
    assert documented() == public


def test_a_map_of_arrays_is_drawn_without_torch():
    code = """
import sys
import numpy as np
from manyheads import HeadMap
map = HeadMap.from_attentions([np.full((1, 2, 3, 3), 1 / 3)], ["a", "b", "c"])
assert map._repr_mimebundle_()[0]["text/html"]
print("torch" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_code_with_types_runs_and_has_each_public_name(tmp_path):
    assert not any(typed_use.use(tmp_path))
    assert {*manyheads.__all__} - {*PAGE_FIGURES} <= {*vars(typed_use)}


def arguments_in(path):
    """The arguments of the public functions and methods of a module, without types, and how methods are decorated."""
    found = {}
    tree = ast.parse(path.read_text(encoding="utf-8"))
    owners = {"": tree} | {f"{one.name}.": one for one in tree.body if isinstance(one, ast.ClassDef)}
    for before, owner in owners.items():
        for function in owner.body:
            if isinstance(function, ast.FunctionDef) and (function.name == "__init__" or function.name[0] != "_"):
                for argument in (node for node in ast.walk(function.args) if isinstance(node, ast.arg)):
                    argument.annotation = None
                kinds = [ast.unparse(decorator).removeprefix("torch.") for decorator in function.decorator_list]
                found[before + function.name] = ast.unparse(function.args), [k for k in kinds if k != "no_grad()"]
    return found


def test_the_types_of_the_attention_module_are_of_its_functions():
    source = PACKAGE / "attention.py"
    assert arguments_in(source.with_suffix(".pyi")) == arguments_in(source)


def test_what_is_written_for_type_checkers_alone_has_the_names_of_what_runs():
    maps, widgets = (
        {one.name: one for one in ast.walk(ast.parse((PACKAGE / path).read_text("utf-8"))) if hasattr(one, "name")}
        for path in ("maps/attention_map.py", "widgets/head_map.py")
    )
    taken = [argument.arg for argument in maps["__init__"].args.args]
    assert taken == ["self", *(field.name for field in dataclasses.fields(manyheads.AttentionMap))]
    assert [line.target.id for line in widgets["_Chosen"].body] == [*OPTIONS]
