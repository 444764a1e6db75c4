"""AttentionMap.plot and to_csv."""

import csv
import io
import re
import warnings

import numpy as np
import pytest
from matplotlib.figure import Figure

from manyheads.maps import AttentionMap

LAYERS, HEADS, QUERIES, KEYS = 2, 3, 5, 7


@pytest.fixture
def attention():
    weights = np.random.default_rng(0).dirichlet(np.full(KEYS, 0.3), (LAYERS, HEADS, QUERIES))
    return AttentionMap([f"q{i}$" for i in range(QUERIES)], ["a,b", 'say "x"', "é", "##k3", "k4", "\n", "=1"], weights)


def drawn(figure):
    """The weights of the panels that show any, in their order."""
    return [np.asarray(panel.images[0].get_array()) for panel in figure.axes if panel.images]


def labels(axis):
    return [label.get_text().replace(r"\$", "$") for label in axis.get_ticklabels()]


@pytest.mark.parametrize(
    ("chosen", "expected"),
    [
        ({"layer": 1, "head": 2}, [(1, 2)]),
        ({"layer": 1}, [(1, 0), (1, 1), (1, 2)]),
        ({"head": 1}, [(0, 1), (1, 1)]),
        ({}, [(0, 0), (0, 1), (0, 2), (1, 0), (1, 1), (1, 2)]),
    ],
)
def test_a_picture_shows_the_weights_that_were_asked_for(attention, chosen, expected):
    figure = attention.plot(**chosen)
    assert isinstance(figure, Figure)
    for weights, place in zip(drawn(figure), expected, strict=True):
        np.testing.assert_array_equal(weights, attention.weights[place])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        figure.savefig(io.BytesIO(), dpi=50)


def test_one_head_names_its_tokens_and_writes_its_numbers(attention):
    axes = attention.plot(0, 1).axes[0]
    assert labels(axes.yaxis) == attention.query_tokens
    assert labels(axes.xaxis) == attention.key_tokens
    assert axes.get_title() == "layer 1, head 2"
    written = {text.get_position(): text.get_text() for text in axes.texts}
    key, query = max(written, key=lambda place: float(written[place]))
    assert written[key, query] == f"{attention.weights[0, 1].max():.2f}".lstrip("0")
    assert attention.weights[0, 1, query, key] == attention.weights[0, 1].max()


def test_a_long_map_names_as_many_tokens_as_can_be_read_and_loses_no_weight():
    tokens = [f"w{place}" for place in range(2048)]
    weights = np.zeros((1, 1, 2048, 2048), np.float32)
    weights[..., 1] = 1
    figure = AttentionMap(tokens, tokens, weights).plot(layer=0, head=np.int64(0), size=(6, 5))
    axes = figure.axes[0]
    assert 20 < len(axes.get_xticks()) <= 50
    assert labels(axes.xaxis)[0] == "w0"
    assert labels(axes.xaxis) == labels(axes.yaxis)
    (points,) = drawn(figure)
    assert points.shape == (1024, 1024)
    assert (points.max(axis=1) == 1).all(), "the largest weight of each block is drawn"
    assert axes.images[0].get_extent() == [-0.5, 2047.5, 2047.5, -0.5]


def test_a_masked_weight_is_no_number_and_a_named_layer_a_column():
    attention = AttentionMap(["a"], ["a", "b"], [[[[1, 0]]]], mask=[[True, False]], layer_names=["layer, 5"])
    assert attention.to_csv().splitlines()[1:] == ['0,0,0,0,a,a,1.0,"layer, 5"', '0,0,0,1,a,b,,"layer, 5"']


@pytest.mark.parametrize(
    ("write", "name", "instead"),
    [
        ("to_csv", "map.xlsx", "this writes .csv, not .xlsx: call the file 'map.csv'"),
        ("to_csv", "map.html", r"call HeadMap.of(attention).save('map.html') instead"),
        ("to_svg", "map.pdf", "this writes .svg, not .pdf: call attention.plot().savefig('map.pdf') instead"),
    ],
)
def test_a_name_of_another_kind_of_file_is_refused_and_home_is_known(
    attention, tmp_path, monkeypatch, write, name, instead
):
    monkeypatch.setenv("HOME", str(tmp_path))
    with pytest.raises(ValueError, match=re.escape(instead)):
        getattr(attention, write)(tmp_path / name)
    assert not (tmp_path / name).exists()
    for plain in ("~/map", f"~/map.{write.removeprefix('to_').upper()}", "~/layer-0.5"):
        assert getattr(attention, write)(plain) == tmp_path / plain[2:]


def test_csv_has_a_row_for_each_weight_exactly(attention, tmp_path):
    text = attention.to_csv()
    path = attention.to_csv(tmp_path / "map.csv")
    with path.open(encoding="utf-8", newline="") as file:
        assert file.read() == text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert len(rows) == attention.weights.size
    for row in rows:
        place = tuple(int(row[name]) for name in ("layer", "head", "query", "key"))
        assert np.float32(row["weight"]) == attention.weights[place]
        assert row["query_token"] == attention.query_tokens[place[2]]
        assert row["key_token"] == attention.key_tokens[place[3]]
