"""The pages of the built book as they were written, before any script ran."""

import functools

from bs4 import BeautifulSoup
from served import HTML


@functools.cache
def written(path):
    """A page, given by its path below the built book, as BeautifulSoup reads it; nobody may change it."""
    return BeautifulSoup((HTML / path).read_text(encoding="utf-8"), "html.parser")
