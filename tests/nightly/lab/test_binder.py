"""Binder's own steps, in an empty environment: what `binder/` asks for, the book, JupyterLab, a chapter's launch path."""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from lab_server import jupyter_lab, open_notebook, put_notebooks, run_first_cell
from served import ROOT, VIEWPORT, patient

from manyheads.sphinxext.notebooks import launch_links

MEGABYTE = 2**20
LIMIT = 3_000  # megabytes: the CUDA build of torch alone takes more
FOLDERS, CONFIGURED = "src recipes tools book binder tests", "_config.yml _toc.yml pyproject.toml setup.py"
NEEDED = f"{FOLDERS} {CONFIGURED} constraints.txt requirements.txt README.md LICENSE".split()
CELLS = "_build/.jupyter_cache"  # what the chapters' cells gave when they were run


@pytest.fixture(scope="module")
def environment(html):
    """A folder with what git has of the book and an environment made as Binder makes it; and the variables for it.

    The index of CPU builds is left out: it is another host. What was trained before is taken from the cache, and what
    the cells gave, which is all that is taken of the built book: its pages and notebooks are made anew. That the cells
    run in such an environment, too, the launched chapter shows for one of them.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for needed in NEEDED:
            copy = shutil.copytree if (ROOT / needed).is_dir() else shutil.copyfile
            ignore = {"ignore": shutil.ignore_patterns("node_modules", "*.egg-info", "__pycache__")}
            copy(ROOT / needed, folder / needed, **(ignore if copy is shutil.copytree else {}))
        shutil.copytree(ROOT / CELLS, folder / CELLS)
        asked = folder / "binder" / "requirements.txt"
        asked.write_text(re.sub("^--extra-index-url .*\n", "", asked.read_text(), flags=re.MULTILINE))
        path = f"{folder / '.venv' / 'bin'}{os.pathsep}{os.environ['PATH']}"
        variables = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        variables |= {
            "PATH": path,
            "JUPYTER_DATA_DIR": str(folder / "data"),
            "PIP_NO_COMPILE": "0",  # of options that say "no", pip reads 0 as yes; compiling all takes a minute
        }
        for command in (
            [sys.executable, "-m", "venv", ".venv"],
            [".venv/bin/python", "-m", "pip", "install", "--quiet", "-r", "binder/requirements.txt"],
            ["binder/postBuild"],
        ):
            done = subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True, check=False)
            assert done.returncode == 0, done.stderr[-2000:]
        yield folder, variables


def test_the_image_is_lean(environment):
    folder, _ = environment
    size = sum(path.lstat().st_size for path in (folder / ".venv").rglob("*")) / MEGABYTE
    print(f"The installed environment has {size:.0f} MB.")
    assert size < LIMIT


def test_a_launch_link_opens_its_chapter_as_a_notebook(browser, environment, tmp_path):
    folder, variables = environment
    link = launch_links("https://github.com/somebody/many-heads", "book/from-the-notes")["Binder"]
    python = folder / ".venv" / "bin" / "python"
    put_notebooks(folder, tmp_path, python=python, environment=variables)  # trusted by the user of this test's server
    with jupyter_lab(folder, tmp_path, python=python, environment=variables) as lab:
        context = patient(browser.new_context(viewport=VIEWPORT))
        page, faults = open_notebook(context, f"{lab.address}/{link.split('urlpath=')[1]}")
        page.locator(".jp-CodeCell figure svg path").nth(9).wait_for()  # a map before it runs
        run_first_cell(page)
        page.context.close()
        assert not faults
