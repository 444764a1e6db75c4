"""Trains our models anew: `python -m manyheads_recipes.trained [MODEL ...]`, which `make train MODEL=...` calls.

Files go into `kept/`, what is to be known of them into its manifest; old and new metrics are printed side by side. A
training that stops halfway leaves all as it was.
"""

import json
import os
import shutil
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from tempfile import TemporaryDirectory

from manyheads.models.keeping import KEPT, MANIFEST, file_name, manifest, sha256
from manyheads_recipes.drawing import training as drawing
from manyheads_recipes.focus import training as focus
from manyheads_recipes.focus import word_vectors
from manyheads_recipes.induction import training as induction
from manyheads_recipes.translator import training as translator

# Each has RECIPE, recipe_key(), KEPT_JOBS and train_kept(folder, job), and SEED where that isn't 0. Words come first:
# the focus model reads them.
MODELS = {
    "focus-words": word_vectors,
    "focus": focus,
    "translator": translator,
    "induction": induction,
    "drawing": drawing,
}


def train(names):
    """Train the models of these names and keep them; gives the new manifest."""
    before = manifest()
    with TemporaryDirectory() as folder:
        jobs = [partial(trained, name, job, Path(folder)) for name in names for job in MODELS[name].KEPT_JOBS]
        new = {name: entry for entries in side_by_side(jobs) for name, entry in entries.items()}
        for name in new:
            shutil.copyfile(Path(folder, name), KEPT / name)
    others = {name: entry for name, entry in before.items() if entry["model"] not in names}
    MANIFEST.write_text(json.dumps({**others, **new}, indent=1) + "\n", encoding="utf-8")
    print(side_by_side_table(before, new))
    manifest.cache_clear()
    return manifest()


def side_by_side(jobs):
    """What the jobs give, functions without arguments, called in as many processes as there are processors.

    >>> side_by_side([])
    []
    """
    if not jobs:
        return []
    with ProcessPoolExecutor(min(len(jobs), os.cpu_count()), get_context("spawn")) as pool:
        return [called.result() for called in [pool.submit(job) for job in jobs]]


def trained(model, job, folder):
    """Run one training into a folder; gives the entries of the manifest, by file name."""
    module, made = MODELS[model], {}
    recipe = {"version": module.RECIPE, "key": module.recipe_key()}
    for variant, metrics in module.train_kept(folder, job).items():
        name = file_name(model, variant)
        made[name] = {
            "model": model,
            "variant": variant,
            "sha256": sha256(folder / name),
            "recipe": recipe,
            "command": f"make train MODEL={model}",
            "seed": getattr(module, "SEED", 0),
            "metrics": {metric: round(value, 4) for metric, value in metrics.items()},
        }
    return made


def side_by_side_table(before, new):
    """Old and new metrics of each file, in lines.

    >>> old, new = ({"tea.safetensors": {"metrics": {"hot": heat}}} for heat in (0.5, 0.75))
    >>> print(side_by_side_table(old, new))
    tea.safetensors                  hot                                             0.5   ->     0.75
    """
    return "\n".join(
        f"{name:<32} {metric:<40} {before.get(name, {}).get('metrics', {}).get(metric, '-'):>10}   -> {value:>8}"
        for name, entry in new.items()
        for metric, value in entry["metrics"].items()
    )


if __name__ == "__main__":
    chosen = sys.argv[1:] or list(MODELS)
    if unknown := set(chosen) - set(MODELS):
        sys.exit(f"no model is called {', '.join(sorted(unknown))}; there are {', '.join(MODELS)}")
    for stage in (["focus-words"], [name for name in MODELS if name != "focus-words"]):
        if names := [name for name in stage if name in chosen]:
            train(names)
