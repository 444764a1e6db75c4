"""Files that are there whole or not at all."""

import os
from contextlib import contextmanager
from gzip import BadGzipFile
from pathlib import Path
from zipfile import BadZipFile

from safetensors import SafetensorError


@contextmanager
def written_whole(path):
    """A path beside to write to, then renamed: no reader ever sees half a file. Where writing fails, none is left.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with written_whole(Path(folder, "tea.txt")) as beside:
    ...         count = beside.write_text("two sugars")
    ...     Path(folder, "tea.txt").read_text(), beside.exists()
    ('two sugars', False)
    """
    path = Path(path)
    beside = path.with_name(f"{os.getpid()}-{path.name}")
    try:
        yield beside
        beside.replace(path)
    finally:
        beside.unlink(missing_ok=True)


@contextmanager
def read_whole(path, remedy="delete it, and it's made anew"):
    """Say of a file that can't be read where it is and what to do.

    >>> import json
    >>> with read_whole("tea.json"):
    ...     json.loads('{"sugar": ')
    Traceback (most recent call last):
    ValueError: tea.json is damaged (Expecting value: line 1 column 11 (char 10)): delete it, and it's made anew
    """
    try:
        yield
    except (SafetensorError, ValueError, EOFError, BadGzipFile, BadZipFile) as error:
        raise ValueError(f"{path} is damaged ({error}): {remedy}") from error
