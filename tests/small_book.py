"""A small book for a known address, with all examples of the authors' page, built with warnings as errors."""

import os
import re
import subprocess
import sys
from pathlib import Path

from manyheads.sphinxext import publishing

ROOT = Path(__file__).parent.parent
ADDRESS = "https://example.org/some/prefix/"
AUTHORS = (ROOT / "book" / "authors.md").read_text(encoding="utf-8")
EXAMPLES = re.findall(r"^~~~md\n(.*?)^~~~$", AUTHORS, re.DOTALL | re.MULTILINE)


def build_small_book(folder):
    """Builds the book in a folder; gives where its pages are."""
    (folder / "conf.py").write_text(
        'extensions = ["myst_nb", "manyheads.sphinxext"]\nproject = "Many Heads"\nhtml_copy_source = False\n'
    )
    for place, example in enumerate(EXAMPLES):
        (folder / f"example-{place}.md").write_text(
            example if "# " in example else f"# Example\n\n{example}", encoding="utf-8"
        )
    examples = "\n".join(f"example-{place}" for place in range(len(EXAMPLES)))
    (folder / "index.md").write_text(
        f"# First\n\nThe first page says *this*.\n\n```{{toctree}}\n:hidden:\ndeeper/second\n{examples}\n```\n"
    )
    (folder / "deeper").mkdir()
    (folder / "deeper" / "second.md").write_text('---\ndescription: Told "in person".\n---\n# Second\n\nNot this.\n')
    command = [sys.executable, "-m", "sphinx", "-W", "-n", "-q", str(folder), str(folder / "html")]
    done = subprocess.run(
        command, env=os.environ | {publishing.ADDRESS: ADDRESS}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder / "html"


def tags_of(page):
    """The tags of a page's preview: {"og:title": ...}."""
    return dict(re.findall(r'<meta property="(og:[\w:]+)" content="([^"]*)"', page.read_text(encoding="utf-8")))
