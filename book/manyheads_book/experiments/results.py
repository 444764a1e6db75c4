"""Results of the experiments: a reader's own, where there are any, else those that came with the book.

Both are JSON: {experiment: {"recipe", "key", "command", "date", "machine", "seconds", "seeds", "runs"}}; seconds are
those that processors worked. A reader's own result is used where its key fits: it changes with all that the numbers
follow from, the words included. One that came with the book is used where its recipe's version fits, so that a book
with words of its own is built soon. Where none fits, it is measured.
"""

import os
import platform
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from datetime import date
from multiprocessing import get_context

import torch
from filelock import FileLock
from tqdm.auto import tqdm

from manyheads.models.files import key_of
from manyheads_book.experiments import (
    distances,
    drawing_seeds,
    lookups,
    overfitting,
    parallel,
    pruning,
    short_trainings,
    untaught_translator,
)
from manyheads_book.measured import DATA, own_path, read, rounded, write

COMMAND = "python -m manyheads_book.experiments"  # an hour on two processors, most of it for drawings
FIRST_SEED = 10  # those before it served to settle what counts as evidence
EXPERIMENTS = {  # the longest first
    "drawing_seeds": drawing_seeds,
    "untaught_translator": untaught_translator,
    "short_trainings": short_trainings,
    "overfitting": overfitting,
    "lookups": lookups,
    "distances": distances,
    "pruning": pruning,
    "parallel": parallel,
}
SHIPPED = DATA / "results.json"


def result_of(name):
    """A kept result that fits, the reader's own first; measured now where there is none.

    >>> sorted(result_of("lookups"))
    ['command', 'date', 'key', 'machine', 'recipe', 'runs', 'seconds', 'seeds']

    Raises `ValueError` for a name that is none of `EXPERIMENTS`.
    """
    if name not in EXPERIMENTS:
        raise ValueError(f"no experiment is called {name!r}; there are {', '.join(EXPERIMENTS)}")
    own, shipped = (read(path).get(name) for path in (own_path(), SHIPPED))
    if own and own["key"] == key(name):
        return own
    if shipped and shipped["recipe"] == EXPERIMENTS[name].RECIPE:
        return shipped
    run([name])
    return read(own_path())[name]


def runs_of(name):
    """What each seed of an experiment gave, as its `measure` returns it.

    >>> len(runs_of("lookups")) == len(result_of("lookups")["seeds"])
    True
    """
    return result_of(name)["runs"]


def key(name):
    """What a result must be made of to be used.

    >>> key("lookups") == key("lookups") != key("distances")
    True
    """
    module = EXPERIMENTS[name]
    return key_of(recipe=module.RECIPE, **module.parts())


def run(names=tuple(EXPERIMENTS), seeds=None, command=COMMAND):
    """Measure experiments anew and keep what they give, as the reader's own; it shows its progress.

    `seeds` is how many each gets, else as many as it says itself. Each processor has a process with one thread, which
    takes one seed after the other; `parallel`, which takes times, runs last and alone.
    """
    seeds_of = {name: range(FIRST_SEED, FIRST_SEED + (seeds or EXPERIMENTS[name].SEEDS)) for name in names}
    alone = [name for name in names if name == "parallel"]
    together = [name for name in names if name not in alone]
    found = {name: {} for name in names}
    with tqdm(total=sum(map(len, seeds_of.values())), unit="run") as bar:
        for group, workers in ((together, os.cpu_count()), (alone, 1)):
            with ProcessPoolExecutor(workers, get_context("spawn"), torch.set_num_threads, (1,)) as pool:
                jobs = [pool.submit(_measure, name, seed) for name in group for seed in seeds_of[name]]
                for job in as_completed(jobs):
                    name, seed, numbers, seconds = job.result()
                    found[name][seed] = (numbers, seconds)
                    bar.update()
                    bar.set_postfix_str(name)
                    if len(found[name]) == len(seeds_of[name]):
                        keep(name, command, {seed: found[name][seed] for seed in seeds_of[name]})


def _measure(name, seed):
    began = time.process_time()
    return name, seed, EXPERIMENTS[name].measure(seed), time.process_time() - began


def keep(name, command, found):
    """Write a reader's own result beside the others; `found` is {seed: (what it gave, seconds)}."""
    runs, seconds = zip(*found.values())
    result = {
        "recipe": EXPERIMENTS[name].RECIPE,
        "key": key(name),
        "command": command,
        "date": date.today().isoformat(),
        "machine": {"processors": os.cpu_count(), "torch": torch.__version__, "python": platform.python_version()},
        "seconds": round(sum(seconds)),
        "seeds": list(found),
        "runs": rounded(runs),
    }
    path = own_path()
    with FileLock(f"{path}.lock"):
        write(path, read(path) | {name: result})
