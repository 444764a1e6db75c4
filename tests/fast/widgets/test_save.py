"""One file to send: a saved map in a browser that has no network."""

import json
import re

import numpy as np
import pytest
from close import assert_close

from manyheads.shared.numbers import percent
from manyheads.widgets import HeadMap


def test_a_file_that_could_not_be_written_leaves_the_one_before(tmp_path, monkeypatch):
    attention = HeadMap.of(np.full((1, 1, 80, 80), 1 / 80))
    path = attention.save(tmp_path / "map.html")
    before = path.read_bytes()

    def full(attention):
        yield "AAAA"
        raise OSError("No space left on device")

    monkeypatch.setattr("manyheads.widgets.saving.digits_of", full)
    with pytest.raises(OSError, match="No space left"):
        attention.save(path)
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


def data_of(html):
    """What the figure of a page is told."""
    return json.loads(re.search(r'<script type="application/json">(.*?)</script>', html)[1])


def test_only_the_tokens_that_are_shown_are_written_as_they_were(tmp_path):
    weights = np.random.default_rng(0).dirichlet(np.full(90, 0.3), (2, 3, 90)).astype(np.float32)
    tokens = [f"w{place}" for place in range(90)]
    attention = HeadMap.of(weights, tokens, first=np.int64(40), last=49, query=np.int64(42), layer=1)
    html = attention.save(tmp_path / "map.html").read_text(encoding="utf-8")
    data = data_of(html)
    assert data["keyTokens"] == data["queryTokens"] == tokens[40:50]
    assert_close(np.reshape(data["weights"], data["shape"]), weights[:, :, 40:50, 40:50])
    outside = 1 - weights[:, :, 40:50, 40:50].sum() / weights[:, :, 40:50].sum()
    assert [note.format() for note in data["notes"]] == [
        f"Tokens 41 to 50 of 90 are shown. Weights are as they were: {percent(outside)} of what is looked at here lies outside.",
        "Only these tokens are in this page: for all of them, leave out first and last before you write it.",
    ]
    assert re.search(r"<head-map[^>]*>", html)[0] == '<head-map layer="1" query="2">'
    for query, written in (((38, 42), "0-2"), ((45, 99), "5-9"), ("w41 w42 w43", "1-3"), ((10, 20), None)):
        attention.query = query
        assert re.search(' query="(.*?)"', attention._element()[:60] + ' query="None"')[1] == str(written)
    assert data_of(attention._element())["keyTokens"] == tokens[40:50], "nor is more baked into a book"
    attention.special = "remove"
    assert len(data_of(attention._element())["keyTokens"]) == 90, "rows without special tokens are told from whole rows"


def test_what_is_said_of_a_large_file_makes_it_fit(tmp_path, monkeypatch):
    weights = np.random.default_rng(0).dirichlet(np.full(256, 0.3), (4, 3, 256)).astype(np.float32)
    path, attention = tmp_path / "map.html", HeadMap.of(weights, layer=2)
    size = attention.save(path).stat().st_size
    monkeypatch.setattr("manyheads.widgets.file_size.MAIL", size // 2)
    with pytest.warns(UserWarning, match=f"^map.html takes {size / 1e6:.0f} MB, more than a mail carries") as said:
        attention.save(path)
    last = int(re.search(r"fits: first=0, last=(\d+), or HeadMap.of\(..., layers=\[2\]\)", str(said[0].message))[1])
    assert 0.4 * size < HeadMap.of(weights, first=0, last=last).save(path).stat().st_size <= size / 2
    assert HeadMap.of(weights, layers=[2]).save(path).stat().st_size <= size / 2
    attention.special = "remove"  # which is told from whole rows
    with pytest.warns(UserWarning, match=r"\). What fits: HeadMap.of\(..., layers=\[2\]\)."):
        attention.save(path)


def test_of_a_decoder_that_looks_elsewhere_the_keys_are_written(tmp_path):
    attention = HeadMap.of(np.full((2, 5), 0.2), list("abcde"), list("xy"), first=1, last=2, query=1)
    data = data_of(attention.save(tmp_path / "map.html").read_text(encoding="utf-8"))
    assert (data["queryTokens"], data["keyTokens"]) == (["x", "y"], ["b", "c"])


def test_a_widget_writes_its_map_and_refuses_names_of_other_files(tmp_path, monkeypatch):
    monkeypatch.setenv("HOME", str(tmp_path))
    attention = HeadMap.of([[0.25, 0.75], [0.5, 0.5]], ["hot", "tea"])
    assert attention.to_csv() == attention.attention.to_csv()
    assert attention.to_svg("~/map.svg").read_text(encoding="utf-8") == attention.attention.to_svg()
    assert attention.plot(0, 0).axes[0].get_title() == "layer 1, head 1"
    assert attention.save("~/map") == tmp_path / "map"
    with pytest.raises(ValueError, match=r"writes .html, not .png: call attention.plot\(\).savefig\('x.png'\) instead"):
        attention.save(tmp_path / "x.png")
