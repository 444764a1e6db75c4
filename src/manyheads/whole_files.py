"""Files that are there whole or not at all."""

import os
from contextlib import contextmanager
from pathlib import Path


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
