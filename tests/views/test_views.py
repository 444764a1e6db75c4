"""What the page's parts do in Node, with happy-dom where they need a page: state in, DOM out."""

from pathlib import Path

import pytest
from node import run_node

HERE = Path(__file__).parent


@pytest.mark.parametrize("path", sorted(HERE.glob("*.test.mjs")), ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_in_node(path):
    run_node("--test", path)
