"""Where kept files are looked for."""

import os
import re
import subprocess
import sys

import pytest
from conftest import ROOT

from manyheads.experiments import kept
from manyheads.models.files import _default_cache
from manyheads.models.focus import FocusModel
from manyheads.models.focus.word_vectors import read_words


def test_a_clone_has_its_own_cache_and_an_installed_package_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    package = tmp_path / "clone" / "src" / "manyheads"
    package.mkdir(parents=True)
    users = tmp_path / "home" / ".cache" / "manyheads"
    assert _default_cache(package) == users
    (tmp_path / "clone" / "pyproject.toml").touch()
    assert _default_cache(package) == tmp_path / "clone" / ".cache"
    assert _default_cache(tmp_path / "site-packages" / "manyheads") == users


def test_a_script_run_without_make_finds_what_make_has_trained():
    environment = {name: value for name, value in os.environ.items() if name != "MANYHEADS_CACHE"}
    environment["PYTHONPATH"] = str(ROOT / "src")
    code = "from manyheads.models.files import cache_folder; print(cache_folder())"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(ROOT / ".cache")


@pytest.mark.parametrize(
    "read",
    [lambda path: FocusModel.load(path), read_words, lambda path: kept.read(path)],
    ids=["model", "words", "results"],
)
def test_a_damaged_file_is_named_with_what_to_do(tmp_path, read):
    path = tmp_path / "kept.safetensors"
    path.write_bytes(b"\x00\x01 half a file")
    with pytest.raises(ValueError, match=f"{re.escape(str(path))} is damaged .*: delete it, and it's made anew"):
        read(path)
