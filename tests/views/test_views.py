"""What the page's parts do in Node, with happy-dom where they need a page: state in, DOM out."""

import json
from pathlib import Path

import pytest
from node import run_node

HERE = Path(__file__).parent
FILES = sorted(HERE.glob("*.test.mjs"))

pytestmark = pytest.mark.xdist_group("views")  # one process runs them all, and is started once


@pytest.fixture(scope="module")
def results():
    """What came of each test of each file, all in one process: a page takes longer to load than all of them to run."""
    reporter = ["--test-reporter", (HERE / "reporter.mjs").as_uri(), "--test-reporter-destination", "stdout"]
    lines = run_node(*reporter, HERE / "all.mjs", *FILES).splitlines()
    return [json.loads(line) for line in lines if line.startswith('{"file":')]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name.removesuffix(".test.mjs"))
def test_in_node(path, results):
    own = [result for result in results if Path(result["file"]) == path]
    assert own, "none of its tests ran"
    failed = "\n\n".join(f"{result['name']}\n{result['fault']}" for result in own if result["fault"])
    assert not failed, failed
