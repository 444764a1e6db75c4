"""The experiments' kept results: fitting, small, told how they came about, the same when measured again, replaceable."""

import os
import subprocess
import sys

import numpy as np
import pytest
from conftest import ROOT

from manyheads import load_drawing
from manyheads.models.files import cache_folder
from manyheads.models.keeping import manifest
from manyheads_book import measured
from manyheads_book.experiments import CLAIMS, drawing_seeds, pruning, results, runs_of


@pytest.fixture
def shipped():
    return measured.read(results.SHIPPED)


PARTS = {  # a part of each experiment, and how far it may be off: another processor trains a little differently
    "short_trainings": ({"heads": (1,)}, lambda run: [run["1"]["validation loss"], run["1"]["held-out words"]], 0.1),
    "overfitting": ({"heads": (8,)}, lambda run: run["8"]["validation loss"], 0.3),
    "lookups": ({"lookups": (2,), "heads": (1, 2)}, lambda run: [run["blind"]["2"][heads] for heads in "12"], 0.02),
    "distances": ({"tried": (64,)}, lambda run: [*run["untaught"], *run["encoder"], run["right"]["64"]], 0.2),
    "untaught_translator": ({}, lambda run: [run["exact"], *run["right"].values()], 0.03),
    "pruning": ({"pruned": pruning.PRUNED[:5]}, lambda run: [run[name]["cosine"][:5] for name in pruning.ORDERS], 0.01),
}


@pytest.mark.parametrize("name", PARTS)
def test_a_part_measured_again_gives_what_is_kept(name, shipped):
    options, numbers, near = PARTS[name]
    seed = shipped[name]["seeds"][-1]
    again = measured.rounded(results.EXPERIMENTS[name].measure(seed, **options))
    np.testing.assert_allclose(numbers(again), numbers(shipped[name]["runs"][-1]), rtol=0, atol=near)


def test_the_kept_drawing_model_is_one_of_the_five(shipped):
    """Trained anew, each takes a quarter of an hour; its weights are kept in 16 bits."""
    result = shipped["drawing_seeds"]
    kept = result["runs"][result["seeds"].index(manifest()["drawing.safetensors"]["seed"])]
    again = measured.rounded(drawing_seeds.found_in(load_drawing().network))
    assert (again["gap head"], again["carrier"]) == (kept["gap head"], kept["carrier"])
    assert again["new"] == pytest.approx(kept["new"], abs=0.01)
    for kind, numbers in kept["claims"].items():
        assert again["claims"][kind] == pytest.approx(numbers, abs=0.02), kind


def test_the_command_measures_keeps_and_judges(tmp_path):
    """In a cache of its own that has what is trained already."""
    for file in cache_folder().iterdir():
        if not file.name.startswith("experiments.json"):  # nor its lock, which is never opened through a link
            (tmp_path / file.name).symlink_to(file)
    command = [sys.executable, "-m", "manyheads_book.experiments", "lookups", "--seeds", "4"]
    environment = os.environ | {"MANYHEADS_CACHE": str(tmp_path)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    assert {line.split()[0] for line in done.stdout.splitlines()} == set(CLAIMS)
    assert "4/4" in done.stderr, "progress is told"
    found = measured.read(tmp_path / "experiments.json")["lookups"]
    assert found["seeds"] == [*range(results.FIRST_SEED, results.FIRST_SEED + 4)]
    assert found["command"] == "python -m manyheads_book.experiments lookups --seeds 4"
    np.testing.assert_allclose(found["runs"][0]["blind"]["2"]["1"], runs_of("lookups")[0]["blind"]["2"]["1"], atol=0.02)


def test_too_few_seeds_for_a_verdict_are_refused_before_anything_is_measured():
    command = [sys.executable, "-m", "manyheads_book.experiments", "lookups", "--seeds", "3"]
    refused = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert refused.returncode == 2
    assert "--seeds 4 or more" in refused.stderr
