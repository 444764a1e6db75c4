"""One file to send: a saved map in a browser that has no network."""

import numpy as np
import pytest

from manyheads.widgets import HeadMap


def test_a_file_that_could_not_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    map = HeadMap.of(np.full((1, 1, 80, 80), 1 / 80))
    path = map.save(tmp_path / "map.html")
    before = path.read_bytes()

    def full(map):
        yield "AAAA"
        raise OSError("No space left on device")

    monkeypatch.setattr("manyheads.widgets.head_map.digits_of", full)
    with pytest.raises(OSError, match="No space left"):
        map.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]
