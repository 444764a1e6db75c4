"""A family of models and a figure take a row and a file on each side: toys of both, in a copy of the package."""

import json
import os
import shutil
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from node import WEB, run_node

FAMILY = {
    "toy": {
        "label": "toy",
        "attention": "self",
        "variants": "back",
        "plain": "forth",
        "load": "manyheads.models.toy:load",
        "files": "manyheads.models.toy:files",
        "inWheel": False,
        "module": "toy",
        "onRequest": False,
    }
}
FIGURE = {"toy-figure": {"directive": "manyheads.sphinxext.directives:FigureDirective"}}
PYTHON = '''
import numpy as np

from manyheads.maps import AttentionMap
from manyheads.models.files import cache_folder


class Toy:
    """Each word looks at the one after it; in one that goes back, at the one before."""

    num_layers, num_heads, head_names = 1, 1, ["next"]

    def __init__(self, variant):
        self.step = -1 if variant == "back" else 1
        self.name = f"toy/{variant}".rstrip("/")

    def __call__(self, sentence, head_mask=None):
        words = sentence.split()
        return AttentionMap(words, words, np.roll(np.eye(len(words)), self.step, axis=1)[None, None])


load = Toy


def files():
    path = cache_folder() / "toy.json"
    path.write_text("{}")
    return [path]
'''
MODULE = """
export async function load(variant: string) {
  const step = variant === "back" ? -1 : 1;
  return { name: "toy", numLayers: 1, numHeads: 1, headNames: ["next"], attend(sentence: string) {
    const words = sentence.split(" ");
    const count = words.length;
    const weights = Float32Array.from({ length: count ** 2 }, (_, at) => Number((Math.floor(at / count) + step + count) % count === at % count));
    return { queryTokens: words, keyTokens: words, shape: [1, 1, count, count], headNames: ["next"], weights, predictions: {}, notes: [] };
  } };
}
"""
ELEMENT = """
import { define, Figure } from "../../doors/page-element.ts";
import { h } from "../../views/dom.ts";

class ToyFigure extends Figure {
  protected draw() {
    this.replaceChildren(h("p", {}, `Drawn: ${this.getAttribute("label")}`));
  }
}

define("toy-figure", ToyFigure);
"""
CHAPTER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
# Toys

```{head-map} a b c
:model: toy/back
:view: matrix
```

```{toy-figure} Some words
```
"""


def add_row(path, row):
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | row), encoding="utf-8")


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """A copy of the package with a row and a file for each toy, built."""
    folder = tmp_path_factory.mktemp("toys")
    ignored = shutil.ignore_patterns("node_modules", "__pycache__", "dist")
    copy = shutil.copytree(ROOT / "src" / "manyheads", folder / "manyheads", ignore=ignored)
    (copy / "web" / "node_modules").symlink_to((WEB / "node_modules").resolve())
    add_row(copy / "shared" / "models.json", FAMILY)
    add_row(copy / "shared" / "figures.json", FIGURE)
    (copy / "models" / "toy.py").write_text(PYTHON, encoding="utf-8")
    (copy / "web" / "models" / "toy.ts").write_text(MODULE, encoding="utf-8")
    (copy / "web" / "figures" / "toy-figure").mkdir()
    (copy / "web" / "figures" / "toy-figure" / "toy-figure.ts").write_text(ELEMENT, encoding="utf-8")
    run_node("build.mjs", cwd=copy / "web")
    return folder


def run_python(package, *arguments):
    environment = os.environ | {"PYTHONPATH": str(package)}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(package, tmp_path_factory):
    """A book of one chapter with both toys."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text('extensions = ["myst_nb", "manyheads.sphinxext"]\nproject = "Toys"\n')
    (folder / "index.md").write_text(CHAPTER, encoding="utf-8")
    run_python(package, "-m", "sphinx", "-W", "-n", "-q", str(folder), str(folder / "html"))
    return folder / "html"


WEIGHTS = """
from manyheads import HeadMap

for name in ("toy", "toy/back"):
    print(HeadMap("a b c", model=name).attention.weights[0, 0].ravel().astype(int).tolist())
"""
IN_THE_PAGE = """import(process.argv[1]).then(async ({ load }) => {
  for (const variant of ["", "back"]) console.log(JSON.stringify([...(await load(variant)).attend("a b c").weights]));
})"""


def test_a_head_map_shows_the_new_model_and_its_script_computes_the_same(package):
    found = [json.loads(line) for line in run_python(package, "-c", WEIGHTS).splitlines()]
    assert found == [[0, 1, 0, 0, 0, 1, 1, 0, 0], [0, 0, 1, 1, 0, 0, 0, 1, 0]]
    module = (package / "manyheads" / "web" / "dist" / "toy.js").as_uri()
    assert [json.loads(line) for line in run_node("-e", IN_THE_PAGE, module).splitlines()] == found


def test_both_are_drawn_on_a_page_that_has_their_scripts_and_files(site):
    page = BeautifulSoup((site / "index.html").read_text(encoding="utf-8"), "html.parser")
    cells = [float(cell["data-weight"]) for cell in page.select("head-map[model='toy/back'] td[data-weight]")]
    assert cells == [0, 0, 1, 1, 0, 0, 0, 1, 0]
    assert page.select_one("toy-figure").get_text() == "Drawn: Some words"
    scripts = [script["src"].split("?")[0] for script in page.select("script[src]")]
    (figure,) = (script for script in scripts if script.endswith("/toy-figure.js"))
    for name in ("toy.js", "toy-figure.js", "models/toy.json"):
        assert (site / figure).parent.joinpath(name).is_file(), name
    for link in page.select("link[rel=stylesheet][href*=manyheads]"):
        assert (site / link["href"].split("?")[0]).is_file(), link["href"]


def test_both_are_in_the_chapters_notebook(site):
    notebook = nbformat.read(site / "_sources" / "index.ipynb", as_version=4)
    texts = {kind: [cell.source for cell in notebook.cells if cell.cell_type == kind] for kind in ("code", "markdown")}
    assert 'from manyheads import HeadMap\n\nHeadMap("a b c", model="toy/back", view="matrix")' in texts["code"]
    assert "there is a live figure here: *Some words*" in "\n".join(texts["markdown"])
