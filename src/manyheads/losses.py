"""How well the focus model does with one head or many of the same total width: several trainings each, kept.

`python -m manyheads.losses` measures it unless it has been measured.
"""

import json
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import torch

from manyheads.focus import HEAD_COUNTS, focus_folder, train_focus_model, validation_loss

SEEDS, STEPS, NUM_SENTENCES = 5, 200, 6_000


def head_count_losses(seeds=SEEDS, steps=STEPS, num_sentences=NUM_SENTENCES):
    """The losses of models that differ in their number of heads alone: {heads: {"seen": [...], "unseen": [...]}}.

    >>> losses = head_count_losses(seeds=1, steps=1, num_sentences=300)
    >>> [len(losses[heads]["unseen"]) for heads in losses]
    [1, 1, 1, 1]

    Each seed draws its own sentences and its own first weights; the same for every number of heads. *Seen* is the loss
    on sentences the model was trained on, *unseen* on others of the same grammar; both are cross-entropies, summed over
    the four facts. Nobody tells these models where to look.
    """
    path = focus_folder() / f"losses-{seeds}-{steps}-{num_sentences}.json"
    if not path.exists():
        runs = [(heads, seed, steps, num_sentences) for heads in HEAD_COUNTS for seed in range(seeds)]
        # One thread each: these matrices are too small to share out.
        pool = ProcessPoolExecutor(2, get_context("spawn"), torch.set_num_threads, (1,))
        with pool:
            found = list(pool.map(_losses, runs))
        losses = {heads: {"seen": [], "unseen": []} for heads in HEAD_COUNTS}
        for (heads, *_), (seen, unseen) in zip(runs, found):
            losses[heads]["seen"].append(seen)
            losses[heads]["unseen"].append(unseen)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(losses))
    return {int(heads): losses for heads, losses in json.loads(path.read_text()).items()}


def _losses(run):
    heads, seed, steps, num_sentences = run
    options = {"steps": steps, "seed": seed, "num_sentences": num_sentences, "progress": False}
    model = train_focus_model(f"heads-{heads}", **options)
    return validation_loss(model, min(1000, num_sentences), seed), validation_loss(model)


if __name__ == "__main__":
    print(head_count_losses())
