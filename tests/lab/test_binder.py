"""Binder's own steps, in an empty environment: what `binder/` asks for, JupyterLab, and the launch path of a chapter."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from conftest import ROOT
from lab_server import jupyter_lab, open_notebook, run_to_first_map

from manyheads.sphinxext.notebooks import launch_links

MEGABYTE = 2**20
LIMIT = 3_000  # megabytes: the CUDA build of torch alone takes more
NEEDED = ("src", "book", "binder", "requirements.txt", "pyproject.toml", "README.md", "LICENSE", "jupytext.toml")


@pytest.fixture(scope="module")
def environment():
    """A folder with what git has of the book and an environment made as Binder makes it; and the variables for it.

    The index of CPU builds is left out: it is another host. What was trained before is taken from the cache.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for needed in NEEDED:
            copy = shutil.copytree if (ROOT / needed).is_dir() else shutil.copyfile
            ignore = {"ignore": shutil.ignore_patterns("node_modules", "*.egg-info", "__pycache__")}
            copy(ROOT / needed, folder / needed, **(ignore if copy is shutil.copytree else {}))
        asked = folder / "binder" / "requirements.txt"
        asked.write_text(re.sub("^--extra-index-url .*\n", "", asked.read_text(), flags=re.MULTILINE))
        path = f"{folder / 'env' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | {"PATH": path}
        for command in (
            [sys.executable, "-m", "venv", "env"],
            ["env/bin/python", "-m", "pip", "install", "--quiet", "-r", "binder/requirements.txt"],
            ["binder/postBuild"],
        ):
            done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[-2000:]
        yield folder, variables


def test_the_image_is_lean(environment):
    folder, _ = environment
    size = sum(path.lstat().st_size for path in (folder / "env").rglob("*")) / MEGABYTE
    print(f"The installed environment has {size:.0f} MB.")
    assert size < LIMIT


def test_a_launch_link_opens_its_chapter_as_a_notebook(window, environment, tmp_path):
    folder, variables = environment
    link = launch_links("https://github.com/somebody/many-heads", "book/coffee-or-tea")["Binder"]
    python = folder / "env" / "bin" / "python"
    with jupyter_lab(folder, tmp_path, python=python, environment=variables) as lab:
        page, faults = open_notebook(window, f"{lab.address}/{link.split('urlpath=')[1]}")
        run_to_first_map(page)
        page.close()
        assert not faults
