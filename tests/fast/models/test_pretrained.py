"""Pretrained files come from the next place when one lacks them or has others, and an error says what was wrong with each."""

import hashlib
import subprocess
import sys
import warnings
from contextlib import contextmanager
from email.message import Message
from importlib import metadata

import huggingface_hub
import pytest
from conftest import ROOT
from huggingface_hub.errors import LocalEntryNotFoundError
from served import serve

from manyheads import repository
from manyheads.models import pretrained
from manyheads.models.pretrained import FILES, PretrainedFile, pretrained_file

RIGHT, DAMAGED = b"two sugars", b"two sug"
PLACES = {  # in their order, and what a warning calls those that had another file
    "folder": None,
    "package": "the package tea-package: ",
    "hub's cache": "the Hugging Face hub's cache: ",
    "own release": None,
    "newest release": None,
    "hub": None,
}
ANOTHER = f"it is not the file it should be: its SHA-256 is {hashlib.sha256(DAMAGED).hexdigest()}"


@pytest.fixture
def places(tmp_path, monkeypatch):
    """A folder for each place, from which `tea.bin` is had; the release page is a server on this machine."""
    folders = {place: tmp_path / place for place in PLACES}
    for folder in folders.values():
        folder.mkdir()
    listed = tmp_path / "packages.txt"
    listed.write_text("tea-package==0.1.0\n")
    tea = PretrainedFile(hashlib.sha256(RIGHT).hexdigest(), "tea-package", "grower/tea", "1f2e")
    monkeypatch.setattr(pretrained, "FILES", {"tea.bin": tea})
    monkeypatch.setattr(pretrained, "PINNED", listed)
    monkeypatch.setenv("MANYHEADS_CACHE", str(tmp_path / "cache"))
    about = folders["package"] / "tea_package-0.1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: tea-package\nVersion: 0.1.0\n")
    (about / "RECORD").write_text("tea.bin,,\n")
    monkeypatch.syspath_prepend(folders["package"])

    def download(hub, name, *, revision, local_files_only=False):
        assert (hub, revision) == ("grower/tea", "1f2e")
        path = folders["hub's cache" if local_files_only else "hub"] / name
        if not path.is_file():
            raise LocalEntryNotFoundError("There is none.\nNor a second line.")
        return str(path)

    monkeypatch.setattr(huggingface_hub, "hf_hub_download", download)
    with serve(tmp_path) as address:
        found = [f"{address}/{part}%20release/tea.bin" for part in ("own", "newest")]
        monkeypatch.setattr(pretrained, "release_addresses", lambda *_: found)
        yield folders


@contextmanager
def warned(sentences):
    """These are warned of, in one warning, where there are any."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    messages = [str(warning.message) for warning in caught]
    assert len(messages) == bool(sentences)
    assert all(sentence in messages[0] for sentence in sentences)


@pytest.mark.parametrize("state", ["missing", "damaged"])
@pytest.mark.parametrize("place", PLACES)
def test_the_next_place_is_taken_when_one_fails(places, place, state):
    before = [*PLACES][: [*PLACES].index(place)]
    for each, folder in places.items():
        if each not in before:
            (folder / "tea.bin").write_bytes(RIGHT)
        elif state == "damaged":
            (folder / "tea.bin").write_bytes(DAMAGED)
    unexpected = [f"{places['folder']}: "] if "folder" in before else []
    if state == "damaged":
        unexpected += [PLACES[each] + ANOTHER for each in before if PLACES[each]]
    with warned(unexpected):
        path = pretrained_file("tea.bin", places["folder"])
    folder = places["folder"].parent / "cache" / "pretrained" if place.endswith("release") else places[place]
    assert path == folder / "tea.bin"
    assert path.read_bytes() == RIGHT


def test_without_a_folder_the_package_comes_first_and_nothing_is_warned_of(places):
    for folder in places.values():
        (folder / "tea.bin").write_bytes(RIGHT)
    with warned([]):
        assert pretrained_file("tea.bin") == places["package"] / "tea.bin"


def test_what_a_release_brought_is_kept_until_it_is_damaged(places):
    (places["own release"] / "tea.bin").write_bytes(RIGHT)
    path = pretrained_file("tea.bin")
    (places["own release"] / "tea.bin").unlink()
    assert pretrained_file("tea.bin") == path
    path.write_bytes(DAMAGED)
    (places["newest release"] / "tea.bin").write_bytes(RIGHT)
    assert pretrained_file("tea.bin").read_bytes() == RIGHT


def test_where_no_place_has_a_file_the_error_says_what_is_wrong_with_each_and_what_to_do(places):
    (places["own release"] / "tea.bin").write_bytes(DAMAGED)
    with pytest.raises(FileNotFoundError) as refused:
        pretrained_file("tea.bin", places["folder"])
    message = str(refused.value)
    for reason in (
        f"{places['folder']}: [Errno 2] No such file or directory",
        "the package tea-package: it lacks the file",
        "the Hugging Face hub's cache: There is none.",
        f"/own%20release/tea.bin: {ANOTHER}",
        "/newest%20release/tea.bin: HTTP Error 404",
        "the Hugging Face hub: There is none.",
        "run `pip install --no-deps tea-package==0.1.0`, or name a folder that holds it",
    ):
        assert reason in message
    assert "second line" not in message
    assert [*(places["folder"].parent / "cache").rglob("*.*")] == []  # nothing of what was damaged is kept


def test_a_package_that_is_not_installed_and_a_file_that_no_model_has_are_named(places, monkeypatch):
    tea = pretrained.FILES["tea.bin"]._replace(package="no-such-package")
    monkeypatch.setattr(pretrained, "FILES", {"tea.bin": tea, "milk.bin": tea._replace(package="tea-package")})
    pretrained.PINNED.write_text("no-such-package==1\ntea-package==1\n")
    with pytest.raises(FileNotFoundError, match="the package no-such-package: it isn't installed"):
        pretrained_file("tea.bin")
    with pytest.raises(FileNotFoundError, match="the package tea-package: it lacks the file"):
        pretrained_file("milk.bin")
    with pytest.raises(ValueError, match=r"no pretrained model has a file 'lemon\.bin'; there are tea\.bin, milk\.bin"):
        pretrained_file("lemon.bin")


def test_an_installed_package_knows_its_repository_and_a_clone_its_remote(tmp_path, monkeypatch):
    address, about = "https://github.com/somebody/many-heads", Message()
    about["Project-URL"] = "Documentation, https://example.org/"
    monkeypatch.setattr(metadata, "metadata", lambda _: about)
    monkeypatch.setattr(repository, "PACKAGE", tmp_path / "site-packages" / "manyheads")
    monkeypatch.setenv("MANYHEADS_REPOSITORY", "https://example.org/another/book")  # of the reader's own book
    assert repository.own_repository() == ""
    about["Project-URL"] = f"Repository, {address}"
    assert repository.own_repository() == address
    (tmp_path / "pyproject.toml").touch()
    monkeypatch.setattr(repository, "PACKAGE", tmp_path / "src" / "manyheads")
    monkeypatch.setenv("MANYHEADS_REPOSITORY", f"{address}.git")
    assert repository.own_repository() == address


def test_a_release_has_the_very_files(tmp_path):
    """By the command of its workflow, which puts them on its page."""
    workflow = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")
    command = next(line for line in workflow.splitlines() if "manyheads.models.pretrained" in line)
    *words, folder = command.partition("python ")[2].split()
    assert f"{folder}/*" in workflow
    subprocess.run([sys.executable, *words, tmp_path], check=True, capture_output=True)
    found = {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in tmp_path.iterdir()}
    assert found == {name: file.sha256 for name, file in FILES.items()}
