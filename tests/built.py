"""The pages of the built book as they were written, before any script ran."""

import functools
import re

from bs4 import BeautifulSoup
from served import HTML, ROOT

CHAPTERS = re.findall(r"(?:root|file): (\S+)", (ROOT / "_toc.yml").read_text())  # in their order


@functools.cache
def written(path):
    """A page, given by its path below the built book, as BeautifulSoup reads it; nobody may change it."""
    return BeautifulSoup((HTML / path).read_text(encoding="utf-8"), "html.parser")


@functools.cache
def scripts():
    """Where this build's scripts and models lie, below the built book: "_static/manyheads/<version>"."""
    (folder,) = (path for path in (HTML / "_static" / "manyheads").iterdir() if path.is_dir())
    return folder.relative_to(HTML).as_posix()
