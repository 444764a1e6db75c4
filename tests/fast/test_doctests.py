"""The examples in the docstrings, run."""

import doctest
import importlib
import pkgutil

import pytest
import torch

import manyheads

MODULES = sorted(found.name for found in pkgutil.walk_packages(manyheads.__path__, "manyheads."))
# One worker loads the decoder, which takes half a gigabyte.
GROUPS = [
    pytest.param(name, marks=[pytest.mark.xdist_group("decoder")] if ".decoder" in name else []) for name in MODULES
]


@pytest.mark.parametrize("name", GROUPS)
def test_the_examples_in_the_docstrings_are_true(name):
    with torch.random.fork_rng(devices=[]):
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed, "the report above says which"
