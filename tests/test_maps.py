import json
import re

import numpy as np
import pytest

from manyheads import baked, maps
from manyheads.maps import HEAD_COLOURS, AttentionMap

LAYERS, HEADS, QUERIES, KEYS = 2, 3, 5, 7


@pytest.fixture
def map():
    weights = np.random.default_rng(0).dirichlet(np.full(KEYS, 0.3), (LAYERS, HEADS, QUERIES))
    return AttentionMap([f"q{i}" for i in range(QUERIES)], [f"k{i}" for i in range(KEYS)], weights)


def test_a_map_knows_its_shape_and_keeps_float32(map):
    assert map.shape == (LAYERS, HEADS, QUERIES, KEYS)
    assert map.weights.dtype == np.float32
    assert map.head_names == ["head 1", "head 2", "head 3"]


def test_a_wrong_shape_is_refused_by_name(map):
    with pytest.raises(ValueError, match=re.escape("[*, *, 7, 5] for these tokens, got [2, 3, 5, 7]")):
        AttentionMap(map.key_tokens, map.query_tokens, map.weights)


def test_rows_must_sum_to_one_or_nothing(map):
    weights = map.weights.copy()
    weights[1, 2, 3] = 0
    AttentionMap(map.query_tokens, map.key_tokens, weights)
    with pytest.raises(ValueError, match="sum to 1"):
        AttentionMap(map.query_tokens, map.key_tokens, weights * 2)


@pytest.mark.parametrize("tokens", ["tea", [1, 2]])
def test_tokens_must_be_strings(tokens):
    with pytest.raises(TypeError, match="query_tokens must be a list of strings"):
        AttentionMap(tokens, ["a"], np.ones((1, 1, 1, 1)))


def test_the_baked_table_holds_the_weights(map):
    html = baked.head_map_html(map, layer=1, query=4)
    found = [float(weight) for weight in re.findall(r'data-weight="([\d.]+)"', html)]
    np.testing.assert_allclose(found, map.weights[1, :, 4].ravel(), atol=5e-5)


def test_the_baked_data_holds_all_weights_exactly_or_in_bytes(map, monkeypatch):
    exact = baked.map_json(map)["weights"]
    np.testing.assert_allclose(exact, map.weights.ravel(), atol=5e-6)
    monkeypatch.setattr(baked, "SMALL", 0)
    assert isinstance(baked.map_json(map)["weights"], str)


def test_baked_markup_is_never_the_readers():
    evil = "<img src=x onerror=alert(1)>"
    map = AttentionMap([evil], [evil], [[[[1.0]]]], [evil], {evil: {evil: 1.0}}, (evil,))
    html = baked.head_map_html(map, sentence=evil, model='"><script>', status=evil)
    assert "<img" not in html
    assert html.count("<script") == 1
    data = re.search(r'<script type="application/json">(.*)</script>', html).group(1)
    assert json.loads(data)["queryTokens"] == [evil]


def test_colours_are_the_renderers():
    from manyheads.widget import WEB

    palette = re.search(r"HEAD_COLOURS = \[(.*?)\]", (WEB / "head-map.js").read_text(), re.DOTALL).group(1)
    assert tuple(re.findall(r'"(#\w+)"', palette)) == HEAD_COLOURS == maps.HEAD_COLOURS
