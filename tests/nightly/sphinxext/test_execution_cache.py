"""All chapters are executed again when the package changed, and none when it did not."""

import os
import re
import subprocess
import sys

CONF = 'extensions = ["myst_nb", "manyheads.sphinxext.execution_cache"]\nnb_execution_mode = "cache"\n'
CHAPTER = """---
jupytext: {{text_representation: {{extension: .md, format_name: myst}}}}
kernelspec: {{name: python3, display_name: Python 3}}
---
# {name}

```{{code-cell}} python
import time
print("executed", time.time_ns())
```
"""
CHAPTERS = ("index", "second")


def build(book, package):
    """Builds the book; gives for each chapter when it was executed."""
    html = book.parent / "html"
    command = [sys.executable, "-m", "sphinx", "-q", "-W", str(book), str(html)]
    environment = os.environ | {"PYTHONPATH": str(package.parent)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    pages = {name: (html / f"{name}.html").read_text(encoding="utf-8") for name in CHAPTERS}
    return {name: re.search(r"executed (\d+)", page)[1] for name, page in pages.items()}


def test_chapters_are_executed_again_when_the_package_changed(tmp_path, copied):
    book = tmp_path / "book"
    book.mkdir()
    (book / "conf.py").write_text(CONF)
    (book / "index.md").write_text(CHAPTER.format(name="index") + "\n```{toctree}\nsecond\n```\n")
    (book / "second.md").write_text(CHAPTER.format(name="second"))
    first = build(book, copied)
    with (book / "second.md").open("a") as chapter:
        chapter.write("\nMore words, the same code.\n")
    assert build(book, copied) == first
    with (copied / "attention.py").open("a") as module:
        module.write("# A comment.\n")
    again = build(book, copied)
    assert all(again[name] != first[name] for name in CHAPTERS)
