"""Where derived files are looked for, and what is said of damaged ones."""

import re

import pytest

from manyheads.models.files import _default_cache
from manyheads.models.focus import FocusModel, load_focus_model
from manyheads.models.focus.word_vectors import read_words
from manyheads_book import measured


def test_a_clone_has_its_own_cache_and_an_installed_package_the_users(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    package = tmp_path / "clone" / "src" / "manyheads"
    package.mkdir(parents=True)
    users = tmp_path / "home" / ".cache" / "manyheads"
    assert _default_cache(package) == users
    (tmp_path / "clone" / "pyproject.toml").touch()
    assert _default_cache(package) == tmp_path / "clone" / ".cache"
    assert _default_cache(tmp_path / "site-packages" / "manyheads") == users


@pytest.mark.parametrize(
    ("read", "remedy"),
    [
        (FocusModel.load, "take another copy"),
        (read_words, "take another copy"),
        (measured.read, "delete it, and it's made"),
    ],
    ids=["model", "words", "results"],
)
def test_a_damaged_file_is_named_with_what_to_do(tmp_path, read, remedy):
    path = tmp_path / "kept.safetensors"
    path.write_bytes(b"\x00\x01 half a file")
    with pytest.raises(ValueError, match=f"{re.escape(str(path))} is damaged .*: {remedy}"):
        read(path)


def test_home_is_known_where_a_model_is_kept(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    load_focus_model("untaught").save("~/mine.safetensors")
    assert FocusModel.load("~/mine.safetensors").num_heads == 4
    assert (tmp_path / "mine.safetensors").is_file()
