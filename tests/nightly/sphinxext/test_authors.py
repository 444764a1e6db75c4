"""The authors' page: what it says of options, files and recipes is so."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from bs4 import BeautifulSoup
from conftest import ROOT
from node import WEB
from small_book import AUTHORS, EXAMPLES, tags_of

from manyheads.models.files import cache_folder
from manyheads.sphinxext.figures import FIGURES


def test_the_authors_examples_become_figures(small_book):
    pages = [(small_book / f"example-{place}.html").read_text(encoding="utf-8") for place in range(len(EXAMPLES))]
    tags = [re.findall(rf"<({'|'.join(FIGURES)}) ", page) for page in pages]
    assert tags == [
        *(["head-map"], ["formula-steps"], ["attention-flow"], ["head-ledger"], ["museum-piece", "head-map"]),
        *(["word-sense"], ["head-map"], []),
    ]
    assert tags_of(small_book / "example-7.html")["og:description"] == "One sentence, four readings."


RECIPE = AUTHORS[AUTHORS.index("### Add a head") : AUTHORS.index("### Another language")]
COUNTING = ("coffee-or-tea", "focus-model", "intuition")  # the chapters that count heads
QUICK = {  # a training that takes seconds, and still passes all checkpoints
    "num_sentences: int = 50_000": "num_sentences: int = 1_500",
    "steps: int = 3000": "steps: int = 1000",
    "untaught_steps: int = 1000": "untaught_steps: int = 50",
    "batch: int = 128": "batch: int = 8",
}
UNASSERTED = """
import ast


class Unasserted(ast.NodeTransformer):
    def visit_Assert(self, node):
        return ast.copy_location(ast.Pass(), node)


get_ipython().ast_transformers.append(Unasserted())
"""
ABOUT_OTHERS = re.compile(r"Unknown source document|xref_missing")  # chapters that are not in this copy


@pytest.fixture(scope="module")
def five_heads(tmp_path_factory):
    """The pages of the chapters that count heads, of a copy of the book with a fifth head, and what the build said.

    What the page says is done as it says it: its patch is applied, its code is run. Only the training is made short, and
    so the chapters' claims about what heads learn are not asserted.
    """
    folder = tmp_path_factory.mktemp("five")
    shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__", "node_modules"))
    (folder / "src/manyheads/web/node_modules").symlink_to((WEB / "node_modules").resolve())
    shutil.copytree(ROOT / "book", folder / "book")
    shutil.copy(ROOT / "_config.yml", folder)
    (patch,) = re.findall(r"^```diff\n(.*?)^```$", RECIPE, re.DOTALL | re.MULTILINE)
    (labelling,) = re.findall(r"^```python\n(.*?)^```$", RECIPE, re.DOTALL | re.MULTILINE)
    (folder / "time.patch").write_text(patch, encoding="utf-8")
    outside = os.environ | {"GIT_CEILING_DIRECTORIES": str(folder.parent)}
    subprocess.run(["git", "apply", "time.patch"], cwd=folder, env=outside, check=True)
    subprocess.run([sys.executable, "-c", labelling], cwd=folder, check=True)
    config = folder / "src" / "manyheads" / "models" / "focus" / "config.py"
    text = config.read_text(encoding="utf-8")
    for slow, quick in QUICK.items():
        assert text.count(f"    {slow}") == 1
        text = text.replace(f"    {slow}", f"    {quick}")
    config.write_text(text, encoding="utf-8")
    chapters = "".join(f"- file: book/{name}\n" for name in (*COUNTING[1:], "glossary", "references"))
    (folder / "_toc.yml").write_text(f"format: jb-book\nroot: book/{COUNTING[0]}\nchapters:\n{chapters}")
    cache = folder / "cache"
    cache.mkdir()
    for kept in cache_folder().glob("*-*"):
        if kept.name.startswith(("encoder-", "words-", "cards-", "senses-", "translator-")):
            (cache / kept.name).symlink_to(kept)
    startup = folder / "ipython" / "profile_default" / "startup"
    startup.mkdir(parents=True)
    (startup / "unasserted.py").write_text(UNASSERTED, encoding="utf-8")  # `python -O` would compile all packages again
    environment = os.environ | {
        "PYTHONPATH": str(folder / "src"),
        "MANYHEADS_CACHE": str(cache),
        "IPYTHONDIR": str(folder / "ipython"),
    }
    command = [Path(sys.executable).parent / "jupyter-book", "build", ".", "--keep-going"]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return folder / "_build" / "html", done.stderr


def test_every_chapter_that_counts_heads_runs_with_a_fifth(five_heads):
    html, said = five_heads
    told = [line for line in said.splitlines() if re.search("WARNING: |ERROR: ", line)]
    assert not [line for line in told if not ABOUT_OTHERS.search(line)]
    assert not list(html.glob("reports/**/*.log"))


def test_the_figures_and_tables_count_the_heads_themselves(five_heads):
    html, _ = five_heads
    pages = {name: (html / "book" / f"{name}.html").read_text(encoding="utf-8") for name in COUNTING}
    first = BeautifulSoup(pages["coffee-or-tea"], "html.parser").select_one("head-map")
    assert [head.text for head in first.select(".hm-paint .hm-head")][4:] == ["time"]
    for name in ("coffee-or-tea", "focus-model"):
        rows = [
            re.findall(r"<p>(.*?)</p>|<td>(.*?)</td>", row)
            for row in re.findall(r"<tr.*?</tr>", pages[name], re.DOTALL)
        ]
        assert any("time" in "".join(cell) for row in rows for cell in row[:1]), name
