"""What is kept was made by the recipes as they stand."""

import gzip
import json

import pytest

from manyheads.models.decoder import head_scores
from manyheads.models.encoder import head_cards as cards
from manyheads.models.files import MEASURED
from manyheads.models.focus import data
from manyheads.models.keeping import MANIFEST, file_name, manifest
from manyheads.models.senses.head_model import senses_path
from manyheads_recipes import SHORT
from manyheads_recipes.encoder.head_cards import cards_key
from manyheads_recipes.focus import training as focus
from manyheads_recipes.senses import measures
from manyheads_recipes.trained import MODELS, train


@pytest.mark.parametrize("model", MODELS)
def test_the_weights_are_of_the_recipe_as_it_stands(model):
    module = MODELS[model]
    now = {"version": module.RECIPE, "key": module.recipe_key()}
    kept = [entry["recipe"] for entry in manifest().values() if entry["model"] == model]
    changed = f"the recipe of {model} has changed since its weights were trained: run `make train MODEL={model}`"
    assert kept, changed
    assert all(recipe == now for recipe in kept), changed


@pytest.mark.parametrize(("model", "job"), [("focus", "taught"), ("translator", "taught")])  # the others each night
def test_forty_steps_of_a_recipe_learn_what_they_learnt(model, job):
    changed = f"{model} no longer learns as it did when its weights were trained: run `make train MODEL={model}`"
    learnt = manifest()[file_name(model, job)]["metrics"][SHORT]
    assert MODELS[model].loss_after(40, job) == pytest.approx(learnt, rel=0.01), changed


def test_a_word_that_changes_changes_the_recipe(monkeypatch):
    before = focus.recipe_key()
    focus.recipe_key.cache_clear()
    monkeypatch.setattr(data, "OPENINGS", [*data.OPENINGS, "Hm ,"])
    assert focus.recipe_key() != before
    focus.recipe_key.cache_clear()


def test_what_was_measured_is_what_would_be_measured_now():
    changed = "what is measured of MiniLM has changed: `make book` measures it into .cache; move it from there"
    assert {cards.FILE, head_scores.FILE, senses_path()} == {
        path for path in MEASURED.rglob("*.*") if path.is_file()
    }, changed
    assert [measures._path()] == [*measures.DATA.glob("*.npz")], changed
    kept = json.loads(gzip.decompress(cards.FILE.read_bytes()))["key"]
    assert kept == cards_key(), "what a head card says has changed: run `python -m manyheads_recipes.encoder`"


def test_a_training_that_fails_leaves_all_as_it_was(monkeypatch):
    before = MANIFEST.read_bytes()

    def fails(_folder, _job):
        raise RuntimeError("out of tea")

    monkeypatch.setattr("manyheads_recipes.trained.side_by_side", lambda jobs: [job() for job in jobs])
    monkeypatch.setattr(MODELS["induction"], "train_kept", fails)
    with pytest.raises(RuntimeError, match="out of tea"):
        train(["induction"])
    assert MANIFEST.read_bytes() == before
