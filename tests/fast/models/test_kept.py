"""The weights that the package keeps: whole, small, and of the recipes as they stand."""

import json

import pytest

from manyheads.models import keeping
from manyheads.models.encoder import head_cards
from manyheads.models.files import MEASURED, SHA256
from manyheads.models.focus import data
from manyheads.models.focus import training as focus
from manyheads.models.keeping import KEPT, MANIFEST, file_name, kept_file, manifest, sha256
from manyheads.models.senses import measures
from manyheads.models.senses.head_model import senses_path
from manyheads.models.trained import MODELS, train
from manyheads.models.training import SHORT

LARGEST = 12e6  # bytes of all that a clone brings


def test_every_file_is_the_manifests_or_the_encoders_and_together_they_are_small():
    files = {path.name: path for path in KEPT.iterdir() if path != MANIFEST}
    assert set(files) == set(manifest()) | {"tokenizer.json"}
    known = {name: entry["sha256"] for name, entry in manifest().items()} | SHA256
    assert {name: sha256(path) for name, path in files.items()} == {name: known[name] for name in files}
    assert sum(path.stat().st_size for path in files.values()) <= LARGEST


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
    assert MODELS[model].loss_after(40, job) == pytest.approx(learnt, abs=0.01), changed


def test_a_word_that_changes_changes_the_recipe(monkeypatch):
    before = focus.recipe_key()
    focus.recipe_key.cache_clear()
    monkeypatch.setattr(data, "OPENINGS", [*data.OPENINGS, "Hm ,"])
    assert focus.recipe_key() != before
    focus.recipe_key.cache_clear()


def test_what_was_measured_is_what_would_be_measured_now():
    changed = "what is measured of MiniLM has changed: `make book` measures it into .cache; move it to models/measured"
    wanted = {head_cards._path(), measures._path(), senses_path()}
    assert wanted == {path for path in MEASURED.rglob("*.*") if path.is_file()}, changed


@pytest.fixture
def copies(tmp_path, monkeypatch):
    """A folder that stands for `kept/`, with the manifest and one file."""
    name = "induction-step-190.safetensors"
    (tmp_path / name).write_bytes((KEPT / name).read_bytes())
    (tmp_path / MANIFEST.name).write_bytes(MANIFEST.read_bytes())
    monkeypatch.setattr(keeping, "KEPT", tmp_path)
    return tmp_path


def test_a_file_with_one_bit_flipped_is_refused_by_name(copies):
    path = kept_file("induction", "step-190")
    content = bytearray(path.read_bytes())
    content[-1] ^= 1
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"induction-step-190\.safetensors is damaged .*install manyheads again"):
        kept_file("induction", "step-190")


def test_a_missing_file_and_an_unknown_variant_are_told(copies):
    with pytest.raises(ValueError, match=r"induction\.safetensors is missing: install manyheads again"):
        kept_file("induction")
    with pytest.raises(ValueError, match="no such variant: 'step-7'; there are step-0, step-100"):
        kept_file("induction", "step-7")


def test_a_training_that_fails_leaves_all_as_it_was(copies, monkeypatch):
    def fails(_folder, _job):
        raise RuntimeError("out of tea")

    monkeypatch.setattr("manyheads.models.trained.side_by_side", lambda jobs: [job() for job in jobs])
    monkeypatch.setattr(MODELS["induction"], "train_kept", fails)
    with pytest.raises(RuntimeError, match="out of tea"):
        train(["induction"])
    assert json.loads(MANIFEST.read_text(encoding="utf-8")) == manifest()
