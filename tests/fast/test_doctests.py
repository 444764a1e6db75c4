"""The examples in the docstrings, run."""

import doctest
import importlib
import pkgutil
from pathlib import Path

import pytest
import torch

import manyheads

SOURCES = {found.name: Path(found.module_finder.path) / found.name.rpartition(".")[2]
           for found in pkgutil.walk_packages(manyheads.__path__, "manyheads.")}  # fmt: skip
MODULES = sorted(
    name
    for name, path in SOURCES.items()
    if ">>>" in (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
)
# One worker loads the decoder, which takes half a gigabyte.
GROUPS = [
    pytest.param(name, marks=[pytest.mark.xdist_group("decoder")] if ".decoder" in name else []) for name in MODULES
]


@pytest.mark.parametrize("name", GROUPS)
def test_the_examples_in_the_docstrings_are_true(name):
    with torch.random.fork_rng(devices=[]):
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed, "the report above says which"
