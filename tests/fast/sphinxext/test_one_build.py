"""A build is one thing: what its pages fetch lies in one folder, named by a hash of what is in it."""

import gzip
import hashlib
import json
from pathlib import Path
from types import SimpleNamespace

import pytest

from manyheads.sphinxext import assets

FILES = {
    "head-map.js": b"export default 1;",
    "models/focus-taught.safetensors": b"weights",
    "models/tokenizer.json.gz": gzip.compress(b"words", mtime=0),
    "models/decoder.json": b"{}",
    "models/decoder-layer-0.bin": b"large",
}


@pytest.fixture
def sources(tmp_path, monkeypatch):
    """Files of a site; gives the function that writes one anew."""
    folder = tmp_path / "sources"

    def write(place, contents):
        path = folder / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents)

    for place, contents in FILES.items():
        write(place, contents)
    monkeypatch.setattr(assets, "site_files", lambda more: {place: folder / place for place in FILES})
    return write


@pytest.fixture
def build(tmp_path, sources):
    """Builds a site's scripts and models once more; gives their folder."""

    def build():
        app = SimpleNamespace(
            outdir=tmp_path / "html",
            builder=SimpleNamespace(format="html"),
            config=SimpleNamespace(manyheads_version="", manyheads_files={}),
        )
        assets.note_version(app, app.config)
        assets.copy_files(app)
        assets.finish_files(app)
        return Path(app.outdir, "_static", assets.version_folder(app.config))

    return build


@pytest.mark.parametrize("place", [place for place in FILES if not place.endswith(assets.LARGE)])
def test_another_byte_anywhere_is_another_version(build, sources, place):
    first = build()
    sources(place, FILES[place][:-1] + b"?" if "gz" not in place else gzip.compress(b"other", mtime=0))
    second = build()
    assert first.name != second.name
    assert not first.exists(), "nothing of an earlier build is left to meet this one"


def test_the_same_files_are_the_same_version_and_are_not_copied_again(build):
    folder = build()
    (folder / "bertviz").mkdir()  # where frames of pages that are not written again lie
    assert build() == folder
    assert (folder / "bertviz").is_dir()


def test_the_list_tells_what_each_packed_file_holds(build):
    folder = build()
    listed = json.loads((folder / assets.LIST).read_text())
    assert sorted(listed) == ["focus-taught.safetensors.gz", "tokenizer.json.gz"]
    for name, file in listed.items():
        packed = (folder / "models" / name).read_bytes()
        contents = gzip.decompress(packed)
        expected = {"name": name, "packed": len(packed), "bytes": len(contents)}
        assert file == {**expected, "sha256": hashlib.sha256(contents).hexdigest()}
