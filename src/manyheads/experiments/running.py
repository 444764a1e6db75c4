"""Runs experiments: a process for each processor, one thread each, one seed after the other; it shows its progress."""

import os
import time
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing import get_context

import torch
from tqdm.auto import tqdm

from manyheads.experiments import kept, parallel

BUDGET = {  # seconds of a processor's work: a quarter of an hour on two of them, `parallel` being alone
    "untaught_translator": 700,
    "short_trainings": 480,
    "overfitting": 240,
    "lookups": 120,
    "distances": 100,
    "pruning": 35,
    "parallel": 50,
}


def run(names=tuple(kept.EXPERIMENTS), seeds=None, command="python -m manyheads.experiments"):
    """Measure experiments anew and keep what they give, as the reader's own.

    `seeds` is how many each gets, else as many as it says itself. Those that take times run last and alone.
    """
    counts = {name: seeds or kept.EXPERIMENTS[name].SEEDS for name in names}
    together = [name for name in names if kept.EXPERIMENTS[name] is not parallel]
    alone = [name for name in names if name not in together]
    found = {name: {} for name in names}

    def seeds_of(name):
        return range(kept.FIRST_SEED, kept.FIRST_SEED + counts[name])

    with tqdm(total=sum(counts.values()), unit="run") as bar:

        def take(name, seed, runs, seconds):
            found[name][seed] = (runs, seconds)
            bar.update()
            bar.set_postfix_str(name)
            if len(found[name]) == counts[name]:
                runs, seconds = zip(*(found[name][seed] for seed in seeds_of(name)))
                kept.keep(name, seeds_of(name), runs, sum(seconds), command)

        for names, workers in ((together, os.cpu_count()), (alone, 1)):
            jobs = [(name, seed) for name in names for seed in seeds_of(name)]
            if jobs:
                with ProcessPoolExecutor(workers, get_context("spawn"), torch.set_num_threads, (1,)) as pool:
                    for answer in _as_they_come(pool, jobs):
                        take(*answer)


def _as_they_come(pool, jobs):
    for future in as_completed([pool.submit(_measure, *job) for job in jobs]):
        yield future.result()


def _measure(name, seed):
    began = time.process_time()
    return name, seed, kept.EXPERIMENTS[name].measure(seed), time.process_time() - began
