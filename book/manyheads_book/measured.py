"""Files of what was measured, JSON with a line for each name, and the times that chapters show."""

import json
from pathlib import Path

from manyheads.drawing.element import is_building
from manyheads.models.files import cache_folder
from manyheads.whole_files import read_whole, write_whole

DATA = Path(__file__).parent / "data"
TIMES = DATA / "times.json"
DIGITS = 5  # of a kept number


def own_path():
    """Where a reader's own results of experiments are kept."""
    return cache_folder() / "experiments.json"


def read(path):
    """What a file has, by name; nothing where there is no file."""
    if not path.exists():
        return {}
    with read_whole(path):
        return json.loads(path.read_text(encoding="utf-8"))


def write(path, found):
    """Write a file, in the order of the names, whole or not at all."""
    lines = [f"{json.dumps(name)}: {json.dumps(value)}" for name, value in sorted(found.items())]
    with write_whole(path) as beside:
        beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


def measured_once(name, measure):
    """What `measure()` gives, JSON values: measured now, but while a book is built, when it is measured once and kept.

    >>> measured_once("a second", lambda: {"ms": 1000.001})
    {'ms': 1000.0}

    Times differ at each measurement. Delete a line of `data/times.json`, and the next build measures it anew.
    """
    if not is_building():
        return rounded(measure())
    times = read(TIMES)
    if name not in times:
        times[name] = rounded(measure())
        write(TIMES, times)
    return times[name]


def rounded(value):
    """Numbers with five digits that count, in lists and dictionaries too.

    >>> rounded({"loss": [1.23456789, 8]})
    {'loss': [1.2346, 8]}
    """
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [rounded(one) for one in value]
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value
