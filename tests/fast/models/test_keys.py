"""What is kept is made again when its data, its config or its recipe changes; not for a comment, a version, a move."""

import os
import shutil
import subprocess
import sys
from dataclasses import fields, replace

import pytest
import torch
from conftest import ROOT

from manyheads.models import encoder_page_files, head_cards
from manyheads.models.files import SHA256
from manyheads.models.focus import FocusConfig, focus_key, grammar, kept, sentences, word_vectors
from manyheads.models.senses import measures, senses_file
from manyheads.models.senses.model import senses_path

KEYS = """
from manyheads.models.focus import focus_key
from manyheads.models.head_cards import _key as cards_key
from manyheads.models.encoder_page_files import _key as files_key
print(focus_key(), cards_key(), files_key())
"""
COMMENTED = (
    *("attention.py", "models/head_cards.py", "models/encoder.py", "models/encoder_page_files.py"),
    *("models/focus/model.py", "models/focus/sentences.py", "models/focus/training.py", "models/focus/data/nouns.txt"),
)


def forget():
    for name in ("read_sections", "forms", "lexicon", "phrases", "templates"):
        getattr(grammar, name).cache_clear()
    focus_key.cache_clear()


@pytest.fixture
def forgotten():
    """What was read in a test is forgotten after it."""
    yield
    forget()


@pytest.fixture
def data(forgotten, tmp_path, monkeypatch):
    """The folder of a copy of the word lists and templates, which is read instead of them."""
    monkeypatch.setattr(grammar, "DATA", shutil.copytree(grammar.DATA, tmp_path / "data"))
    return grammar.DATA


def keys():
    focus_key.cache_clear()
    return [focus_key(), head_cards._key(), encoder_page_files._key()]


@pytest.mark.slow
def test_a_comment_changes_no_key(tmp_path):
    shutil.copytree(ROOT / "src", tmp_path / "src", ignore=shutil.ignore_patterns("node_modules"))
    modules = (ROOT / "src" / "manyheads" / "web" / "node_modules").resolve()
    (tmp_path / "src" / "manyheads" / "web" / "node_modules").symlink_to(modules)
    for name in COMMENTED:
        with (tmp_path / "src" / "manyheads" / name).open("a", encoding="utf-8") as file:
            file.write("# A comment.\n")
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "src")}
    done = subprocess.run([sys.executable, "-c", KEYS], env=environment, capture_output=True, text=True, check=False)
    assert done.stdout.split() == keys(), done.stderr


def test_another_torch_changes_no_key(monkeypatch):
    before = keys()
    monkeypatch.setattr(torch, "__version__", "9.9")
    assert keys() == before


def replaced(path, old, new):
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    forget()


def test_how_data_is_written_changes_no_key(data):
    before = keys()
    replaced(data / "nouns.txt", "ant bat", "ant\nbat")
    replaced(data / "templates.txt", "[statement, action]\n", "# A comment.\n\n[statement, action]\n")
    assert keys() == before


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("other_words.txt", "Zoe", "Zoe Zora"),
        ("nouns.txt", "alligator ant", "ant alligator"),  # other sentences are drawn
        ("other_words.txt", "[good/S+]", "[good/S-]"),
        ("forms.txt", "wolf wolves", "wolf wolfs"),
        ("phrases.txt", "<adverb>", "<adverb> | <adverb> <adverb>"),
        ("templates.txt", "<who> <v.X.past> <X>* <tail>", "<who> <v.X.past> <X>*"),
        ("templates.txt", "[statement, action, luck]", "[statement, feeling, luck]"),
    ],
)
def test_a_word_a_label_a_form_a_phrase_and_a_template_change_the_key(data, name, old, new):
    before = keys()
    replaced(data / name, old, new)
    after = keys()
    assert after[0] != before[0]
    assert after[1:] == before[1:]


@pytest.mark.parametrize(
    "changed", [{"SHARES": {"statement": 0.41}}, {"OPENINGS": ["Hm ,"]}, {"HEADS": {**sentences.HEADS, "W": "time"}}]
)
def test_what_sentences_are_labelled_with_changes_the_key(changed, forgotten, monkeypatch):
    before = focus_key()
    for name, value in changed.items():
        monkeypatch.setattr(sentences, name, value)
    assert keys()[0] != before


@pytest.mark.parametrize("name", [field.name for field in fields(FocusConfig)])
def test_every_field_of_the_config_changes_the_key(name):
    changed = replace(FocusConfig(), **{name: getattr(FocusConfig(), name) * 2})
    assert focus_key(changed) != focus_key()


def test_a_new_recipe_and_other_weights_change_the_key(forgotten, monkeypatch):
    seen = [keys()]
    for module in (kept, head_cards, encoder_page_files):
        monkeypatch.setattr(module, "RECIPE", module.RECIPE + 1)
    seen.append(keys())
    monkeypatch.setitem(SHA256, "model.safetensors", "another")
    seen.append(keys())
    for of_one in zip(*seen):
        assert len(set(of_one)) == 3


def test_other_word_vectors_change_the_key(forgotten, monkeypatch):
    before = keys()
    monkeypatch.setattr(word_vectors, "RECIPE", word_vectors.RECIPE + 1)
    assert keys()[0] != before[0]


def test_a_held_out_sentence_changes_the_head_cards_and_no_training(monkeypatch):
    before = keys()
    monkeypatch.setattr("manyheads.models.head_cards.LONGER", ("One more.", *head_cards.LONGER))
    after = keys()
    assert after[1] != before[1]
    assert after[::2] == before[::2]


def test_a_finer_rounding_changes_the_files_for_pages(monkeypatch):
    before = keys()
    monkeypatch.setitem(encoder_page_files.STEPS_OF, "query", 280)
    assert keys()[2] != before[2]


def test_nothing_is_made_where_all_is_there_and_else_what_is_missing(tmp_path, monkeypatch):
    senses, measured = senses_path(), measures._path()
    assert measures.senses_jobs() == head_cards.cards_jobs() == []
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path))
    assert head_cards.cards_jobs() == [head_cards.head_cards]
    assert measures.senses_jobs() == [measures.measure_senses]
    (tmp_path / measured.name).symlink_to(measured)
    assert measures.senses_jobs() == [senses_file]
    (tmp_path / senses.parent.name).symlink_to(senses.parent)
    assert measures.senses_jobs() == []
