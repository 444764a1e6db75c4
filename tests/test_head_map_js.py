import shutil
import subprocess
from pathlib import Path


def test_the_pure_part_in_node():
    node = shutil.which("node")
    assert node, "Node is missing: run the tests by `make test`, which installs it"
    done = subprocess.run(
        [node, "--test", Path(__file__).parent / "head-map.test.mjs"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
