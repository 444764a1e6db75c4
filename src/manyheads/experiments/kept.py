"""Results of the experiments: a reader's own, where there are any, else those that came with the package.

Both are JSON: {experiment: {"recipe", "key", "command", "date", "machine", "seconds", "seeds", "runs"}}; seconds are
those that processors worked. A reader's own result is used where its key fits: it changes with all that the numbers
follow from, the words included. One that came with the package is used where its recipe's version fits, so that a book
with words of its own is built soon; `shown.made` says so then. Where none fits, `results.py` measures.
"""

import json
import os
import platform
from datetime import date
from pathlib import Path

import torch
from filelock import FileLock

from manyheads.experiments import (
    distances,
    lookups,
    overfitting,
    parallel,
    pruning,
    short_trainings,
    untaught_translator,
)
from manyheads.models.files import cache_folder, key_of
from manyheads.whole_files import read_whole, written_whole

FIRST_SEED = 10  # those before it served to settle what counts as evidence
EXPERIMENTS = {  # the longest first; what takes times last, when nothing else runs
    "untaught_translator": untaught_translator,
    "short_trainings": short_trainings,
    "overfitting": overfitting,
    "lookups": lookups,
    "distances": distances,
    "pruning": pruning,
    "parallel": parallel,
}
SHIPPED = Path(__file__).parent / "data" / "results.json"
DIGITS = 5  # of a kept number


def own_path():
    """Where a reader's own results are kept."""
    return cache_folder() / "experiments.json"


def key(name):
    """What a result must be made of to be used.

    >>> key("lookups") == key("lookups") != key("distances")
    True
    """
    module = EXPERIMENTS[name]
    return key_of(recipe=module.RECIPE, **module.parts())


def fitting(name):
    """A kept result that fits, the reader's own first; None where there is none.

    >>> sorted(fitting("lookups"))
    ['command', 'date', 'key', 'machine', 'recipe', 'runs', 'seconds', 'seeds']

    Raises `ValueError` for a name that is none of `EXPERIMENTS`.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"no experiment is called {name!r}; there are {', '.join(EXPERIMENTS)}")
    own, shipped = (read(path).get(name) for path in (own_path(), SHIPPED))
    if own and own["key"] == key(name):
        return own
    return shipped if shipped and shipped["recipe"] == EXPERIMENTS[name].RECIPE else None


def read(path):
    if not path.exists():
        return {}
    with read_whole(path):
        return json.loads(path.read_text(encoding="utf-8"))


def keep(name, seeds, runs, seconds, command):
    """Write a reader's own result beside the others, then put the new file in its place."""
    path = own_path()
    result = {
        "recipe": EXPERIMENTS[name].RECIPE,
        "key": key(name),
        "command": command,
        "date": date.today().isoformat(),
        "machine": {"processors": os.cpu_count(), "torch": torch.__version__, "python": platform.python_version()},
        "seconds": round(seconds),
        "seeds": list(seeds),
        "runs": rounded(runs),
    }
    with FileLock(f"{path}.lock"):
        others = {other: found for other, found in read(path).items() if other != name}
        lines = [
            f"{json.dumps(other)}: {json.dumps(found)}" for other, found in sorted({**others, name: result}.items())
        ]
        with written_whole(path) as beside:
            beside.write_text("{\n" + ",\n".join(lines) + "\n}\n", encoding="utf-8")


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
