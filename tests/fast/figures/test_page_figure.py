"""The pages' figures in Python: what they take, the files that they bring, and what a reader has made of them."""

import inspect
import json
from hashlib import sha256

import numpy as np
import pytest

import manyheads
from manyheads import DrawingBoard, PageFigure, ResultSlider
from manyheads.drawing.element import BUILDING
from manyheads.figures import FIGURES, PAGE_FIGURES
from manyheads.figures.elements import make, maker
from manyheads.figures.files import LIST, SHARED, site_file
from manyheads.sphinxext.directives import figure_directive


@pytest.mark.parametrize(
    ("arguments", "options", "told"),
    [
        (["teapot"], {}, "no figure is called 'teapot'; there are head-map, first-look"),
        (["drawing-board", "teapot"], {}, "the ready drawings are open ring"),
        (["drawing-board", "ring"], {"gaol": "two"}, "drawing-board has no argument 'gaol'; did you mean 'goal'"),
        (["museum-piece", "a bug"], {"bug": "axis"}, "it needs sentence"),
        (["head-map", "Tea?"], {"veiw": "grid"}, "head-map has no argument 'veiw'; did you mean 'view'"),
        (["head-map", "Tea?"], {"view": "teapot"}, "view may be paint, .*, got 'teapot'"),
        (["head-map", "Tea?"], {"head": -1}, "head counts from 0, got -1"),
        (["one-step", "rate"], {}, "dials may be weight, weight step, weight step rate, got 'rate'"),
        (["attention-flow", "Tea?"], {"station": "tea"}, "station may be words, .*, got 'tea'"),
    ],
)
def test_what_a_figure_does_not_take_is_refused_in_words(arguments, options, told):
    with pytest.raises((TypeError, ValueError), match=told):
        PageFigure(*arguments, **options)


def test_each_figure_that_python_does_not_compute_has_a_class_that_says_what_it_takes():
    assert {"DrawingBoard", "MuseumPiece", "WordSense", "SoftmaxScale"} <= PAGE_FIGURES.keys()
    assert "HeadMap" not in PAGE_FIGURES
    for name, element in PAGE_FIGURES.items():
        assert issubclass(getattr(manyheads, name), PageFigure)
        assert inspect.getdoc(getattr(manyheads, name)) == inspect.getdoc(maker(element)).strip()
        assert "partial" not in inspect.getdoc(getattr(manyheads, name))


def test_a_directive_takes_what_its_figure_takes_in_python():
    spec = figure_directive("drawing-board").option_spec
    assert {"off", "goal", "guess", "query", "exercise"} <= spec.keys()
    assert spec["query"]("3") == 3
    with pytest.raises(ValueError, match="argument required but none supplied"):
        spec["goal"](None)
    assert "for" in figure_directive("attention-flow").option_spec
    written = make("drawing-board", "ring", {"off": "gap", "query": spec["query"]("3")})
    assert DrawingBoard("ring", off="gap", query=3, id=None).html == written


@pytest.fixture
def sent(monkeypatch):
    """What figures send to the page."""
    messages = []
    monkeypatch.setattr(PageFigure, "send", lambda _, content, buffers=(): messages.append((content, *buffers)))
    return messages


def test_a_figure_brings_what_its_page_would_fetch_and_says_what_it_has_not(sent):
    figure = PageFigure("softmax-scale")
    figure._give(None, {"file": "softmax-scale.js"}, [])
    figure._give(None, {"file": LIST}, [])
    (script, text), (_, listed) = sent
    assert script == {"file": "softmax-scale.js"}
    assert b"softmax-scale" in text
    row = json.loads(listed)["drawing.safetensors.gz"]
    model = site_file("models/drawing.safetensors.gz")
    assert (row["bytes"], row["sha256"]) == (len(model), sha256(model).hexdigest())
    for place in ("nobody.js", "models/nobody.gz", "../pyproject.toml", "models/../../__init__.py"):
        figure._give(None, {"file": place}, [])
        assert sent[-1] == ({"file": place, "missing": f"the figures have no file {place!r}"},)


def test_the_first_figure_of_a_kind_brings_its_scripts_along_and_no_other(monkeypatch):
    monkeypatch.setattr("manyheads.figures.page_figure._BROUGHT", set())
    first, second, other = (PageFigure(name) for name in ("softmax-scale", "softmax-scale", "rotary-positions"))
    assert first._brought.keys() == {"head-map.css", SHARED, "softmax-scale.css", "softmax-scale.js"}
    assert second._brought == {}
    assert other._brought.keys() == {"rotary-positions.css", "rotary-positions.js"}
    monkeypatch.setenv(BUILDING, "1")
    assert PageFigure("open-model")._brought == {}


def test_a_value_comes_with_arrays_and_can_be_observed():
    figure, seen = PageFigure("softmax-scale"), []
    figure.observe(lambda change: seen.append(change.new), "value")
    bytes_ = np.arange(4, dtype="float32").tobytes()
    weights = {"shape": [1, 2, 2], "dtype": "float32", "bytes": memoryview(bytes_)}
    figure.set_state({"_value": {"answer": {"places": 1}, "attention": {"weights": weights}, "strokes": [[1, 2]]}})
    (value,) = seen
    assert value["answer"] == {"places": 1}
    assert value["strokes"] == [[1, 2]]
    np.testing.assert_array_equal(value["attention"]["weights"], [[[0, 1], [2, 3]]])


def test_what_is_inside_a_figure_is_there_before_it():
    figure = DrawingBoard("ring")
    assert figure._elements == ["head-map", "drawing-board"]
    assert not any(f"<{name}" in figure._plain() for name in FIGURES)


def test_without_a_script_results_are_a_table_of_means():
    figure = ResultSlider("heads", steps=[1, 2], series={"missed": [[50.4, 49.8], [0.7, 1.1]]}, unit="%")
    assert "<tr><th>missed</th><td>50 %</td><td>1 %</td></tr>" in figure._plain()
