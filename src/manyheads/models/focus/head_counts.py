"""How well the focus model does with one head or many of the same total width: several trainings each, kept.

`python -m manyheads.models.focus.head_counts` measures it unless it has been measured.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from statistics import mean

import torch

from manyheads.models.files import cache_folder, key_of
from manyheads.models.focus.held_out import held_out_sentences
from manyheads.models.focus.kept import HEAD_COUNTS, focus_key
from manyheads.models.focus.metrics import accuracies
from manyheads.models.focus.training import train_focus_model, validation_loss

SEEDS, STEPS, NUM_SENTENCES = 5, 200, 6_000


def measure_head_counts(seeds=SEEDS, steps=STEPS, num_sentences=NUM_SENTENCES):
    """How models do that differ in their number of heads alone: {heads: {"training loss": [...], ...}}, one per seed.

    >>> found = measure_head_counts(seeds=1, steps=1, num_sentences=300)
    >>> [len(found[heads]["validation loss"]) for heads in found]
    [1, 1, 1, 1]

    Each seed draws its own sentences and its own first weights; the same for every number of heads. "training loss" is
    on sentences that the model was trained on, "validation loss" on others of the same grammar; both are
    cross-entropies, summed over the four facts. "held-out accuracy" is the share of right answers to the four questions
    about the held-out sentences whose judging words are whole tokens. Nobody tells these models where to look.
    """
    sizes = (seeds, steps, num_sentences)
    path = cache_folder() / f"head-counts-{key_of(focus=focus_key(), sizes=sizes, held_out=held_out_sentences())}.json"
    if not path.exists():
        runs = [(heads, seed, steps, num_sentences) for heads in HEAD_COUNTS for seed in range(seeds)]
        # One thread each: these matrices are too small to share out.
        pool = ProcessPoolExecutor(2, get_context("spawn"), torch.set_num_threads, (1,))
        with pool:
            measured = list(pool.map(_measure, runs))
        found = {heads: {name: [] for name in measured[0]} for heads in HEAD_COUNTS}
        for (heads, *_), numbers in zip(runs, measured):
            for name, number in numbers.items():
                found[heads][name].append(number)
        path.write_text(json.dumps(found))
    return {int(heads): found for heads, found in json.loads(path.read_text()).items()}


def _measure(run):
    heads, seed, steps, num_sentences = run
    options = {"steps": steps, "seed": seed, "num_sentences": num_sentences, "progress": False}
    model = train_focus_model(f"heads-{heads}", **options)
    return {
        "training loss": validation_loss(model, min(1000, num_sentences), seed),
        "validation loss": validation_loss(model),
        "held-out accuracy": mean(accuracies(model, held_out_sentences()).values()),
    }


if __name__ == "__main__":
    print(measure_head_counts())
