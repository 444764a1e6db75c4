"""The examples in the docstrings, run."""

import pytest
from doctested import MEASURING, NAMES, run_examples

# One worker loads the decoder, which takes half a gigabyte.
GROUPS = [
    pytest.param(name, marks=[pytest.mark.xdist_group("decoder")] if ".decoder" in name else [])
    for name in NAMES
    if not name.startswith(MEASURING)
]


@pytest.mark.parametrize("name", GROUPS)
def test_the_examples_in_the_docstrings_are_true(name):
    assert not run_examples(name), "the report above says which"
