"""Colab's way in: a published notebook's first cell and then the notebook, in an environment that has nothing of ours."""

import json
import os
import re
import subprocess
import sys
import sysconfig
from importlib import metadata
from pathlib import Path

import nbformat
import pytest
import wheels
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from packaging.requirements import Requirement
from served import ROOT, serve

from manyheads.sphinxext.notebooks import WHEELS, published_notebook

CHAPTERS = sorted(path.stem for path in (ROOT / "book").glob("*.md"))
BROUGHT = ("ipykernel", "ipywidgets", "matplotlib", "numpy", "torch")  # by Colab itself


def distributions(names):
    """The installed distributions of these names, with all that they depend on, by name."""
    found, waiting = {}, list(names)
    while waiting:
        name = waiting.pop()
        if name in found:
            continue
        try:
            found[name] = metadata.distribution(name)
        except metadata.PackageNotFoundError:  # torch without CUDA does without what brings it
            continue
        needed = map(Requirement, found[name].requires or [])
        waiting += [need.name for need in needed if not need.marker or need.marker.evaluate({"extra": ""})]
    return found


class Colab:
    """Makes environments, one for each first cell: notebooks with the same one get the same from it."""

    def __init__(self, folder, site):
        self.folder, self.site = folder, site
        self.brought = folder / "brought"
        self.brought.mkdir()
        for distribution in distributions(BROUGHT).values():
            for top in {file.parts[0] for file in distribution.files} - {"..", "__pycache__"}:
                if not (self.brought / top).exists():
                    (self.brought / top).symlink_to(Path(sysconfig.get_path("purelib")) / top)
        self.environments = {}

    def run(self, notebook):
        """Runs a notebook as it is published, from its first cell on; what fails is the test's."""
        notebook = published_notebook(notebook, self.site)
        first = notebook.cells[0]
        if first.source not in self.environments:
            self.environments[first.source] = self._environment(self.folder / str(len(self.environments)))
        folder = self.environments[first.source]
        theirs = {name: value for name, value in os.environ.items() if not re.match("MANYHEADS|PYTHON|VIRTUAL", name)}
        offline = {"MANYHEADS_CACHE": str(folder / "cache"), "HF_HUB_OFFLINE": "1"}  # what isn't installed is missing
        client = NotebookClient(notebook, kernel_name="colab", timeout=900)
        client.create_kernel_manager().kernel_spec_manager.kernel_dirs = [str(folder / "kernels")]
        try:
            client.execute(cwd=str(folder), env=theirs | offline)
        except CellExecutionError as error:
            pytest.fail(f"{error}\n{first.source} gave {first.outputs}")

    def _environment(self, folder):
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        next(folder.glob("lib/*/site-packages")).joinpath("brought.pth").write_text(f"{self.brought}\n")
        python = folder / "bin" / "python"
        code = "import importlib.util as u, torch; assert not any(map(u.find_spec, ['manyheads', 'transformers', 'einops']))"
        subprocess.run([python, "-c", code], env={"PATH": os.environ["PATH"]}, check=True)
        kernel = folder / "kernels" / "colab" / "kernel.json"
        kernel.parent.mkdir(parents=True)
        argv = [str(python), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        kernel.write_text(json.dumps({"argv": argv, "display_name": "Colab", "language": "python"}))
        return folder


@pytest.fixture(scope="module")
def colab(tmp_path_factory):
    folder = tmp_path_factory.mktemp("colab")
    wheels.build(folder / "site" / WHEELS)
    with serve(folder / "site") as address:
        yield Colab(folder, f"{address}/")


@pytest.mark.parametrize("chapter", CHAPTERS)
def test_a_notebook_installs_what_it_needs_and_runs(html, colab, chapter):
    colab.run(nbformat.read(html / "_sources" / "book" / f"{chapter}.ipynb", as_version=4))
