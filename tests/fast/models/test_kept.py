"""The weights that the package keeps: whole, and small."""

import pytest

from manyheads.models import keeping
from manyheads.models.keeping import KEPT, MANIFEST, kept_file, manifest, sha256
from manyheads.models.pretrained import SHA256

LARGEST = 12e6  # bytes of all that a clone brings


def test_every_file_is_the_manifests_or_the_encoders_and_together_they_are_small():
    files = {path.name: path for path in KEPT.iterdir() if path != MANIFEST}
    assert set(files) == set(manifest()) | {"tokenizer.json"}
    known = {name: entry["sha256"] for name, entry in manifest().items()} | SHA256
    assert {name: sha256(path) for name, path in files.items()} == {name: known[name] for name in files}
    assert sum(path.stat().st_size for path in files.values()) <= LARGEST


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
