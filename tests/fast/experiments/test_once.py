"""Times that chapters show are measured once for the book, and anew in a reader's notebook."""

import json

import pytest

from manyheads.drawing.element import BUILDING
from manyheads_book import measured
from manyheads_book.measured import measured_once


@pytest.fixture
def kept(tmp_path, monkeypatch):
    path = tmp_path / "times.json"
    path.write_text('{"other": 1}')
    monkeypatch.setattr(measured, "TIMES", path)
    return path


def test_a_book_measures_once_and_keeps_it(kept, monkeypatch):
    monkeypatch.setenv(BUILDING, "1")
    assert [measured_once("mine", lambda ms=ms: {"ms": ms}) for ms in (1.2345678, 2)] == [{"ms": 1.2346}] * 2
    assert json.loads(kept.read_text()) == {"other": 1, "mine": {"ms": 1.2346}}


def test_a_notebook_measures_each_time(kept, monkeypatch):
    monkeypatch.delenv(BUILDING, raising=False)
    assert [measured_once("other", lambda found=found: found) for found in (3, 4)] == [3, 4]
    assert json.loads(kept.read_text()) == {"other": 1}
