"""The authors' page: what it says of options, files and recipes is so."""

import re
import subprocess

from conftest import ROOT
from small_book import AUTHORS, EXAMPLES, tags_of

from manyheads.figures import FIGURES


def test_the_authors_examples_become_figures(small_book):
    pages = [(small_book / f"example-{place}.html").read_text(encoding="utf-8") for place in range(len(EXAMPLES))]
    tags = [re.findall(rf"<({'|'.join(FIGURES)}) ", page) for page in pages]
    assert tags == [
        *(["head-map"], ["next-word"], ["figure-guess", "head-map"], ["attention-flow"], ["head-ledger"]),
        *(["whole-model"], ["attention-kinds", "head-map"], ["museum-piece", "head-map"]),
        *(["drawing-board", "head-map"], ["word-sense"], ["word-points"], ["one-step"]),
        *(["open-model"], ["head-map"], []),
    ]
    assert tags_of(small_book / f"example-{len(EXAMPLES) - 1}.html")["og:description"] == "One sentence, four readings."


def test_the_patch_that_adds_a_head_fits_the_package():
    recipe = AUTHORS[AUTHORS.index("### Add a head") : AUTHORS.index("### Another language")]
    (patch,) = re.findall(r"^```diff\n(.*?)^```$", recipe, re.DOTALL | re.MULTILINE)
    subprocess.run(["git", "apply", "--check", "-"], cwd=ROOT, input=patch, text=True, check=True)
