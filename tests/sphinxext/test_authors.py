"""The authors' page: what it says of options, files and recipes is so."""

import os
import re
import shutil
import subprocess
import sys

import pytest
from conftest import ROOT
from small_book import AUTHORS, EXAMPLES, tags_of

from manyheads.sphinxext.directives import (
    FormulaStepsDirective,
    HeadMapDirective,
    MuseumPieceDirective,
    WordSenseDirective,
)
from manyheads.widgets.one_module import WEB


@pytest.mark.parametrize(
    "directive", [HeadMapDirective, FormulaStepsDirective, MuseumPieceDirective, WordSenseDirective]
)
def test_the_authors_page_knows_every_option(directive):
    start = AUTHORS.index(f"`{{{directive.__doc__.partition('}')[0].lstrip('`{')}}}`\n")
    section = AUTHORS[start : AUTHORS.index("\n##", start + 1)]
    assert sorted(re.findall(r"^\| `:(\w+):`", section, re.MULTILINE)) == sorted(directive.option_spec)


def test_the_authors_examples_become_figures(small_book):
    pages = [(small_book / f"example-{place}.html").read_text(encoding="utf-8") for place in range(len(EXAMPLES))]
    tags = [re.findall(r"<(head-map|formula-steps|museum-piece|word-sense) ", page) for page in pages]
    assert tags == [["head-map"], ["formula-steps"], ["museum-piece", "head-map"], ["word-sense"], ["head-map"], []]
    assert tags_of(small_book / "example-5.html")["og:description"] == "One sentence, four readings."


def test_what_the_authors_page_names_is_there():
    for path in re.findall(r"`((?:src|book|\.github)/[\w./-]+\.\w+)`", AUTHORS):
        assert (ROOT / path).is_file() or path == "book/your-verb.md", path
    named = re.search(r"`:bug:` \| (.*?) \|", AUTHORS)[1]
    assert set(re.findall(r"`(\w+)`", named)) == set(
        re.findall(r"^  (\w+): \(", (WEB / "models" / "bugs.js").read_text(), re.MULTILINE)
    )


TRIED = """
from manyheads.models.focus import train_focus_model
map = train_focus_model(steps=5, num_sentences=200, progress=False)("We met on Monday.")
print(map.shape, map.head_names[-1], sorted(map.predictions["time"]))
"""


@pytest.mark.slow
def test_the_recipe_for_a_fifth_head_gives_one(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("node_modules"), symlinks=True)

    def edit(name, *changes):
        path = tmp_path / "src" / "manyheads" / name
        text = path.read_text(encoding="utf-8")
        for old, new in changes:
            assert old in text, f"{name} no longer holds {old}: mend the recipe in book/authors.md"
            text = text.replace(old, new)
        path.write_text(text, encoding="utf-8")

    facts = re.search(r'`("time": .*?)`', AUTHORS)[1]
    fact = re.search(r'`("a time" if .*?)`', AUTHORS)[1]
    sentiment = '    "sentiment": ("negative", "neutral", "positive"),\n'
    edit(
        "models/focus/sentences.py",
        (sentiment, f"{sentiment}    {facts},\n"),
        ('"TORS"', '"TORSW"'),
        ("relation, sentiment)))", f"relation, sentiment, {fact})))"),
    )
    edit("models/focus/data/other_words.txt", ("[n.time/O]", "[n.time/OW]"), ("[ns.time/O]", "[ns.time/OW]"))
    edit("models/focus/config.py", ("attention_width: int = 64", "attention_width: int = 80"))
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run([sys.executable, "-c", TRIED], env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "(1, 5, 7, 7) time ['a time', 'no time']"
