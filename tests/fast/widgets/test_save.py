"""One file to send: a saved map in a browser that has no network."""

import re
import subprocess
import sys

import numpy as np
import pytest

from manyheads.widgets import HeadMap


def test_what_is_no_data_is_small(tmp_path):
    tokens = [str(place) for place in range(64)]
    map = HeadMap.of(np.full((6, 12, 64, 64), 1 / 64), tokens, view="matrix")
    whole = map.save(tmp_path / "large.html").read_text(encoding="utf-8")
    figure = re.search(r"<head-map .*?</head-map>", whole, re.DOTALL)[0]
    assert len(whole.encode()) - len(figure.encode()) < 150_000
    assert not re.search(r"(?:src|href)=[\"']?https?:", whole)
    assert whole.index('<meta charset="utf-8">') < 200


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


LARGE = """
import resource
import numpy as np
from manyheads.widgets import HeadMap
peak = lambda: 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
weights = np.full((8, 12, 448, 448), 1 / 448, np.float32)
map = HeadMap.of(weights)
before = peak()
size = map.save("map.html").stat().st_size
print(peak() - before, size, len(map._repr_mimebundle_()[0]["text/html"]), weights.nbytes)
"""


def test_a_large_map_is_saved_with_less_memory_than_it_has(tmp_path):
    done = subprocess.run([sys.executable, "-c", LARGE], cwd=tmp_path, capture_output=True, text=True, check=True)
    more, size, html, weights = map(int, done.stdout.split())
    assert more < weights
    assert size < weights
    assert html < 10e6


def test_a_token_that_no_file_can_hold_is_replaced(tmp_path):
    map = HeadMap.of([[1.0]], ["\ud800tea"])
    assert map.attention.key_tokens == ["\ufffdtea"]
    assert "\ufffdtea" in map.save(tmp_path / "map.html").read_text(encoding="utf-8")
