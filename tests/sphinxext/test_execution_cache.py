"""A chapter is executed again when what it imports changed, and not for a comment."""

import ast
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import ROOT

from manyheads.sphinxext import execution_cache
from manyheads.sphinxext.execution_cache import chapter_digest, source_of

CONF = 'extensions = ["myst_nb", "manyheads.sphinxext.execution_cache"]\nnb_execution_mode = "cache"\n'
CHAPTER = """---
jupytext: {{text_representation: {{extension: .md, format_name: myst}}}}
kernelspec: {{name: python3, display_name: Python 3}}
---
# {title}

```{{code-cell}} python
{code}
import time
print("executed", time.time_ns())
```
"""
CHAPTERS = {
    "index": "import math",
    "maps": "from manyheads.maps import HEAD_COLOURS",
    "source": "import inspect, textwrap\nfrom manyheads.attention import softmax",
}


@pytest.fixture
def copied(tmp_path, monkeypatch):
    """The folder of a copy of the package."""
    ignored = shutil.ignore_patterns("node_modules", "__pycache__")
    package = shutil.copytree(ROOT / "src" / "manyheads", tmp_path / "src" / "manyheads", ignore=ignored)
    monkeypatch.setattr(execution_cache, "PACKAGE", package)
    return package


def build(book, package):
    """Builds the book; gives for each chapter when it was executed."""
    html = book.parent / "html"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(book), str(html)]
    environment = os.environ | {"PYTHONPATH": str(package.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {name: (html / f"{name}.html").read_text(encoding="utf-8") for name in CHAPTERS}
    return {name: re.search(r"executed (\d+)", page)[1] for name, page in pages.items()}


def edit(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.slow
def test_only_chapters_whose_imports_changed_are_executed_again(tmp_path, copied):
    book = tmp_path / "book"
    book.mkdir()
    (book / "conf.py").write_text(CONF)
    for name, code in CHAPTERS.items():
        contents = "\n```{toctree}\nmaps\nsource\n```\n" if name == "index" else ""
        (book / f"{name}.md").write_text(CHAPTER.format(title=name, code=code) + contents)
    times = [build(book, copied)]
    edit(copied / "maps" / "attention_map.py", '"""', '"""Another word. ')
    edit(copied / "maps" / "svg.py", "\n\n\n", "\n\n\n# A comment.\n")
    times.append(build(book, copied))
    assert times[0] == times[1]

    edit(copied / "maps" / "names.py", "HEAD_COLOURS = ", "HEAD_COLOURS = ['#000000'] + ")
    edit(copied / "attention.py", "\nimport ", "\n# A comment that a chapter shows.\nimport ")
    times.append(build(book, copied))
    assert {name for name in CHAPTERS if times[2][name] != times[1][name]} == {"maps", "source"}


def changes(code, path, old, new):
    """Whether an edit changes the digest of a chapter with some code."""
    before = chapter_digest(code)
    edit(path, old, new)
    execution_cache.parsed.cache_clear()
    execution_cache.meaning.cache_clear()
    return chapter_digest(code) != before


def test_what_is_imported_through_others_counts(copied):
    code = "def late():\n    from manyheads import HeadMap"
    assert changes(code, copied / "maps" / "svg.py", "\nimport ", "\nimport this\nimport ")
    assert changes(code, copied / "attention.py", "\nimport ", "\nimport this\nimport ")
    assert not changes(code, copied / "models" / "encoder.py", "MAX_TOKENS = 512", "MAX_TOKENS = 256")
    assert changes("import manyheads.models.encoder", copied / "models" / "encoder.py", "= 256", "= 512")


def test_a_comment_counts_where_its_source_is_shown(copied):
    source, maps = CHAPTERS["source"], CHAPTERS["maps"]
    assert changes(source, copied / "attention.py", "\nimport ", "\n# A comment.\nimport ")
    assert not changes(maps, copied / "attention.py", "# A comment.", "# Another.")
    assert not changes(source, copied / "maps" / "names.py", "HEAD_COLOURS = ", "HEAD_COLOURS = ['#000000'] + ")
    assert changes(maps, copied / "maps" / "names.py", "['#000000'] + ", "['#111111'] + ")


def test_data_beside_a_module_counts(copied):
    data = copied / "maps" / "data"
    data.mkdir()
    (data / "list.txt").write_text("tea")
    assert changes("from manyheads import maps", data / "list.txt", "tea", "coffee")
    assert not changes("import manyheads.attention", data / "list.txt", "coffee", "tea")
    assert not changes("from manyheads import maps", data / "list.txt", "tea", "# A comment.\ntea")
    assert changes("from manyheads import maps", copied / "web" / "names.json", "coffee or tea", "milk or tea")


def test_a_readers_own_results_count(copied, tmp_path, monkeypatch):
    monkeypatch.setattr(execution_cache, "cache_folder", lambda: tmp_path)
    own = tmp_path / "experiments.json"
    own.write_text("{}")
    assert changes("from manyheads.experiments import runs_of", own, "{}", '{"lookups": {}}')
    assert not changes("import manyheads.attention", own, "lookups", "distances")


@pytest.mark.parametrize(
    ("name", "file"),
    [
        ("manyheads", "__init__.py"),
        ("manyheads.attention", "attention.py"),
        ("manyheads.HeadMap", "widgets/head_map.py"),
        ("manyheads.models.focus", "models/focus/__init__.py"),
        ("manyheads.models.focus.held_out.held_out_sentences", "models/focus/held_out.py"),
        ("manyheads.nothing", "__init__.py"),
    ],
)
def test_a_name_is_found_where_it_is_defined(name, file):
    assert source_of(name) == Path(execution_cache.__file__).parent.parent / file


def test_every_chapter_s_imports_are_found():
    for chapter in (ROOT / "book").glob("*.md"):
        for line in re.findall(r"^from manyheads.* import \w.*$", chapter.read_text(encoding="utf-8"), re.MULTILINE):
            assert all(source_of(name) for name in execution_cache.imported(ast.parse(line))), line
