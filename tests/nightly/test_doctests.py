"""The examples in the docstrings of modules that train or measure."""

import pytest
from doctested import MEASURING, NAMES, run_examples


@pytest.mark.parametrize("name", [name for name in NAMES if name.startswith(MEASURING)])
def test_the_examples_in_the_docstrings_are_true(name):
    assert not run_examples(name), "the report above says which"
