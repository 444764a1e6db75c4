"""An option, a view, a model and a figure are added to a copy of the package as CONTRIBUTING says, and they work.

What is new lies in `one_row_more/`, where it would lie in the package; the rows and lines that name it are below.
"""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from node import WEB, run_node

NEW = Path(__file__).parent / "one_row_more"
FAMILY = {
    "label": "toy",
    "attention": "self",
    "variants": "back",
    "plain": "forth",
    "load": "manyheads.models.toy:load",
    "files": "manyheads.models.toy:files",
    "module": "toy",
    "onRequest": False,
}
FIGURE = {}
OPTION = {
    "kind": "choice",
    "values": {"keep": {}, "remove": {"whole": True, "note": "What a token gives itself is left out."}},
    "shown": True,
    "label": "Own weight",
    "says": "what a token gives itself: kept or removed",
}
LINES = {  # of a file: what a new line stands before
    "widgets/head_map.py": {"    For large maps:": '    `own="remove"` leaves out what a token gives itself.\n'},
    "web/math/shown.ts": {
        "import { canWeigh,": 'import { withoutOwn } from "./own.ts";',
        "  shown = takeBetween(": '  if (state.own === "remove" && alike) shown = withoutOwn(shown);',
    },
    "web/figures/head-map/stage.ts": {
        "\nconst VIEWS": 'import { WordsView } from "./words.ts";',
        "  picture: PictureView,": "  words: WordsView,",
    },
}
CHAPTER = """---
jupytext: {text_representation: {extension: .md, format_name: myst}}
kernelspec: {display_name: Python 3, language: python, name: python3}
---
# Toys

```{head-map} a b c
:model: toy/back
:view: matrix
:own: remove
```

```{toy-figure} Some words
```
"""


def add_rows(path, **rows):
    path.write_text(json.dumps(json.loads(path.read_text(encoding="utf-8")) | rows), encoding="utf-8")


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package and its views' tests with what is new, built."""
    folder = tmp_path_factory.mktemp("copy")
    ignored = shutil.ignore_patterns("node_modules", "__pycache__", "dist")
    for source in ("src/manyheads", "tests/views"):
        shutil.copytree(ROOT / source, folder / source, ignore=ignored)
    shutil.copytree(NEW, folder, dirs_exist_ok=True, ignore=ignored)
    package = folder / "src" / "manyheads"
    add_rows(package / "shared" / "models.json", toy=FAMILY)
    add_rows(package / "shared" / "figures.json", **{"toy-figure": FIGURE})
    options = json.loads((package / "shared" / "options.json").read_text(encoding="utf-8"))
    options["view"]["values"]["words"] = {}
    add_rows(package / "shared" / "options.json", view=options["view"], own=OPTION)
    web = package / "web"
    for name, lines in LINES.items():
        text = (package / name).read_text(encoding="utf-8")
        for before, line in lines.items():
            assert text.count(before) == 1, f"{name} has no place for {line}"
            text = text.replace(before, f"{line}\n{before}")
        (package / name).write_text(text, encoding="utf-8")
    (web / "node_modules").symlink_to((WEB / "node_modules").resolve())
    run_node("build.mjs", cwd=web)
    return folder


def run_python(copy, *arguments):
    environment = os.environ | {"PYTHONPATH": str(copy / "src")}
    done = subprocess.run([sys.executable, *arguments], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def site(copy, tmp_path_factory):
    """A book of one chapter with all of it."""
    folder = tmp_path_factory.mktemp("book")
    (folder / "conf.py").write_text('extensions = ["myst_nb", "manyheads.sphinxext"]\nproject = "Toys"\n')
    (folder / "index.md").write_text(CHAPTER, encoding="utf-8")
    run_python(copy, "-m", "sphinx", "-W", "-n", "-q", str(folder), str(folder / "html"))
    return folder / "html"


@pytest.mark.parametrize("asked", ["typescript/bin/tsc", "eslint/bin/eslint.js ."])
def test_types_and_linters_have_nothing_to_say(copy, asked):
    tool, *arguments = asked.split()
    run_node(WEB / "node_modules" / tool, *arguments, cwd=copy / "src" / "manyheads" / "web")


def test_the_option_changes_the_map_on_screen_and_the_view_draws_it(copy):
    tests = [f"./{name}.test.mjs" for name in ("own-and-words", "head-map-state", "share", "embed")]
    reporter = ["--test-reporter", "./reporter.mjs", "--test-reporter-destination", "stdout"]
    results = [
        json.loads(line) for line in run_node(*reporter, "all.mjs", *tests, cwd=copy / "tests" / "views").splitlines()
    ]
    assert len({result["file"] for result in results}) == len(tests)
    assert [result for result in results if result["fault"]] == []


SAVED = """
import sys
from manyheads import HeadMap

weights = [[0.5, 0.25, 0.25], [0.25, 0.5, 0.25], [0.25, 0.25, 0.5]]
for name, own in (("part", "keep"), ("whole", "remove")):
    HeadMap.of(weights, ["a", "b", "c"], own=own, first=1, last=1).save(f"{sys.argv[1]}/{name}.html")
"""


def test_a_saved_page_has_whole_rows_where_the_option_is_told_from_them(copy, tmp_path):
    run_python(copy, "-c", SAVED, str(tmp_path))
    pages = (BeautifulSoup((tmp_path / f"{name}.html").read_text(), "html.parser") for name in ("part", "whole"))
    part, whole = (page.select_one("head-map") for page in pages)
    assert json.loads(part.select_one("script").string)["shape"] == [1, 1, 1, 1]
    assert json.loads(whole.select_one("script").string)["shape"] == [1, 1, 3, 3]
    assert (whole["own"], whole["first"], whole["last"]) == ("remove", "1", "1")


WEIGHTS = """
from manyheads import HeadMap

for name in ("toy", "toy/back"):
    print((2 * HeadMap("a b c", model=name).attention.weights[0, 0]).ravel().astype(int).tolist())
"""
IN_THE_PAGE = """import(process.argv[1]).then(async ({ load }) => {
  for (const variant of ["", "back"]) console.log(JSON.stringify([...(await load(variant)).attend("a b c").weights].map((weight) => 2 * weight)));
})"""


def test_a_head_map_shows_the_new_model_and_its_script_computes_the_same(copy):
    found = [json.loads(line) for line in run_python(copy, "-c", WEIGHTS).splitlines()]
    assert found == [[1, 1, 0, 0, 1, 1, 1, 0, 1], [1, 0, 1, 1, 1, 0, 0, 1, 1]]
    module = (copy / "src" / "manyheads" / "web" / "dist" / "toy.js").as_uri()
    assert [json.loads(line) for line in run_node("-e", IN_THE_PAGE, module).splitlines()] == found


def test_all_is_drawn_on_a_page_that_has_its_scripts_and_files(site):
    page = BeautifulSoup((site / "index.html").read_text(encoding="utf-8"), "html.parser")
    cells = [float(cell["data-weight"]) for cell in page.select("head-map[model='toy/back'] td[data-weight]")]
    assert cells == [0, 0, 1, 1, 0, 0, 0, 1, 0], "without what a word gives itself"
    assert page.select_one("toy-figure").get_text() == "Drawn: Some words, 0"
    scripts = [script["src"].split("?")[0] for script in page.select("script[src]")]
    (figure,) = (script for script in scripts if script.endswith("/toy-figure.js"))
    for name in ("toy.js", "toy-figure.js", "models/toy.json"):
        assert (site / figure).parent.joinpath(name).is_file(), name
    for link in page.select("link[rel=stylesheet][href*=manyheads]"):
        assert (site / link["href"].split("?")[0]).is_file(), link["href"]


def test_all_is_in_the_chapters_notebook(site):
    notebook = nbformat.read(site / "_sources" / "index.ipynb", as_version=4)
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert 'from manyheads import HeadMap\n\nHeadMap("a b c", model="toy/back", view="matrix", own="remove")' in code
    assert 'from manyheads import ToyFigure\n\nToyFigure("Some words")' in code
