"""Files that are there whole or not at all."""

import os
import stat
from contextlib import contextmanager
from gzip import BadGzipFile
from pathlib import Path
from uuid import uuid4
from zipfile import BadZipFile

from safetensors import SafetensorError

PACKAGE = Path(__file__).resolve().parent


@contextmanager
def write_whole(path):
    """A path beside to write to, then renamed: no reader ever sees half a file. Where writing fails, none is left.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     with write_whole(Path(folder, "tea.txt")) as beside:
    ...         count = beside.write_text("two sugars")
    ...     Path(folder, "tea.txt").read_text(), beside.exists()
    ('two sugars', False)

    Otherwise it is as if `open` had written: a link leads to what is written, and a file that was there keeps its mode.
    `~` is the reader's own folder. What is no file, such as `/dev/stdout`, is written to directly.

    Raises `OSError` of the path where it cannot be written, such as `FileNotFoundError` where its folder is missing.
    """
    path = Path(path).expanduser()
    if path.is_dir():
        raise IsADirectoryError(f"{path} is a folder: name a file in it")
    if not path.parent.is_dir():
        raise FileNotFoundError(f"{path} cannot be written: there is no folder {path.parent}. Make it first.")
    if path.exists() and not path.is_file():
        yield path
        return
    target = Path(os.path.realpath(path))
    ending = target.suffix if len(target.suffix) < 20 else ""  # by which NumPy tells a file that needs no other
    beside = target.with_name(f".{uuid4().hex}{ending}")
    try:
        beside.touch(exist_ok=False)
        yield beside
        if target.exists():
            beside.chmod(stat.S_IMODE(target.stat().st_mode))
        beside.replace(target)
    except OSError as error:
        if error.filename not in (beside, str(beside)):
            raise
        raise OSError(error.errno, error.strerror, str(path)) from error  # the name that its reader knows
    finally:
        beside.unlink(missing_ok=True)


def write_texts(path, texts):
    """Write texts one after the other into a file, whole or not at all; returns its path."""
    with write_whole(path) as beside, beside.open("w", encoding="utf-8", newline="") as file:
        file.writelines(texts)
    return path


@contextmanager
def read_whole(path, remedy=None):
    """Say of a file that can't be read where it is and what to do: by `remedy_of`, unless another remedy is given.

    >>> import json
    >>> with read_whole("tea.json"):
    ...     json.loads('{"sugar": ')
    Traceback (most recent call last):
    ValueError: tea.json is damaged (Expecting value: line 1 column 11 (char 10)): delete it, and it's made anew
    """
    try:
        yield
    except (SafetensorError, ValueError, EOFError, BadGzipFile, BadZipFile) as error:
        raise ValueError(f"{path} is damaged ({error}): {remedy or remedy_of(path)}") from error


def remedy_of(path):
    """What brings back a damaged file: what came with the package is installed again, all else is made anew.

    >>> remedy_of("tea.json")
    "delete it, and it's made anew"
    """
    ours = Path(path).resolve().is_relative_to(PACKAGE)
    return remedy_by_installing(path) if ours else "delete it, and it's made anew"


def remedy_by_installing(path):
    """What brings back a file that came with the package.

    >>> remedy_by_installing("tea.json")
    'install manyheads again with `pip install --force-reinstall`, or in a clone run `git checkout -- tea.json`'
    """
    return f"install manyheads again with `pip install --force-reinstall`, or in a clone run `git checkout -- {path}`"
