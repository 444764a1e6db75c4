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
