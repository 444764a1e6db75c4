"""The examples in the docstrings, run."""

import doctest
import importlib
import pkgutil

import pytest
import torch

import manyheads

MODULES = sorted(found.name for found in pkgutil.walk_packages(manyheads.__path__, "manyheads."))


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_the_docstrings_are_true(name):
    with torch.random.fork_rng(devices=[]):
        failed, _ = doctest.testmod(importlib.import_module(name))
    assert not failed, "the report above says which"
