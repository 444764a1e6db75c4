import base64
import json
import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from close import assert_close

from manyheads.maps import AttentionMap
from manyheads.maps.wire import map_dict
from manyheads.shared.options import OPTIONS

LAYERS, HEADS, QUERIES, KEYS = 2, 3, 5, 7


@pytest.fixture
def attention():
    weights = np.random.default_rng(0).dirichlet(np.full(KEYS, 0.3), (LAYERS, HEADS, QUERIES))
    return AttentionMap([f"q{i}" for i in range(QUERIES)], [f"k{i}" for i in range(KEYS)], weights)


def test_a_wrong_shape_is_refused_by_name(attention):
    with pytest.raises(ValueError, match=re.escape("[*, *, 7, 5] for these tokens, got [2, 3, 5, 7]")):
        AttentionMap(attention.key_tokens, attention.query_tokens, attention.weights)


def test_rows_must_sum_to_one_or_nothing(attention):
    weights = attention.weights.copy()
    weights[1, 2, 3] = 0
    AttentionMap(attention.query_tokens, attention.key_tokens, weights)
    with pytest.raises(ValueError, match="sum to 1"):
        AttentionMap(attention.query_tokens, attention.key_tokens, weights * 2)


@pytest.mark.parametrize(
    ("norms", "message"),
    [
        (np.ones((LAYERS, HEADS, QUERIES)), "[layer, head, key] = [2, 3, 7] for these weights, got [2, 3, 5]"),
        (np.full((LAYERS, HEADS, KEYS), -1.0), "value_norms must be finite numbers, 0 or more"),
        (np.full((LAYERS, HEADS, KEYS), np.nan), "value_norms must be finite numbers, 0 or more"),
    ],
)
def test_norms_that_do_not_fit_are_refused(attention, norms, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        replace(attention, value_norms=norms)


def test_what_is_written_is_weights_times_norms_and_only_where_these_are_known(attention):
    norms = np.random.default_rng(1).random((LAYERS, HEADS, KEYS))
    known = replace(attention, value_norms=norms)
    written = known.value_weighted()
    assert_close(written.weights, attention.weights * norms[:, :, None])
    assert (written.kind, written.value_norms) == ("amounts", None)
    assert written.notes == (OPTIONS["weigh"]["values"]["written"]["note"],)
    words = replace(known, key_tokens=[*attention.key_tokens[:-1], "[SEP]"]).without_special()
    assert_close(words.value_norms, norms[..., :-1])
    for other in (attention, known.average(), written):
        with pytest.raises(ValueError, match=r"no value_norms|got parts"):
            other.value_weighted()


def test_a_map_stays_as_it_was_checked():
    weights = np.full((1, 1, 2, 2), 0.5, np.float32)
    attention = AttentionMap(["a", "b"], ["a", "b"], weights)
    weights[:] = 7
    assert (attention.weights == 0.5).all()
    with pytest.raises(ValueError, match="read-only"):
        attention.weights[0, 0, 0, 0] = 7
    assert replace(attention, notes=("Once.",)).weights is attention.weights, "what cannot change is not copied again"


def test_a_causal_mask_is_a_flag_and_another_one_stays_a_mask():
    tokens, weights = list("abc"), np.eye(3)[None, None]
    lower = np.tri(3, dtype=bool)
    for attention in (
        AttentionMap(tokens, tokens, weights, mask=lower),
        AttentionMap(tokens, tokens, weights, causal=True),
    ):
        assert attention.causal
        assert attention.mask is None
        assert (attention.allowed == lower).all()
    band = lower & ~np.tri(3, k=-2, dtype=bool)
    attention = AttentionMap(tokens, tokens, weights, mask=band)
    assert not attention.causal
    assert (attention.allowed == band).all()
    band[:] = False
    assert attention.mask.any()
    with pytest.raises(ValueError, match="not both"):
        AttentionMap(tokens, tokens, weights, mask=band, causal=True)
    with pytest.raises(ValueError, match="as many queries as keys, got 2 and 3"):
        AttentionMap(["a", "b"], tokens, weights[:, :, :2], causal=True)


def test_a_mask_travels_as_a_flag_or_as_bits():
    tokens = [str(place) for place in range(512)]
    weights = np.eye(512)[None, None]
    written = map_dict(AttentionMap(tokens, tokens, weights, causal=True))
    assert written["causal"] is True
    assert "mask" not in written
    mask = np.random.default_rng(0).random((512, 512)) < 0.5
    written = map_dict(AttentionMap(tokens, tokens, weights, mask=mask))
    assert "causal" not in written
    assert len(written["mask"]) < 45_000
    bits = np.unpackbits(np.frombuffer(base64.b64decode(written["mask"]), np.uint8), count=mask.size)
    assert (bits.reshape(mask.shape) == mask).all()


@pytest.mark.parametrize("tokens", ["tea", [1, 2]])
def test_tokens_must_be_strings(tokens):
    with pytest.raises(TypeError, match="query_tokens must be a list of strings"):
        AttentionMap(tokens, ["a"], np.ones((1, 1, 1, 1)))


def square(layers=3):
    weights = np.random.default_rng(1).dirichlet(np.full(4, 0.5), (layers, HEADS, 4))
    tokens = ["[CLS]", "tea", "pot", "[SEP]"]
    return AttentionMap(tokens, tokens, weights)


def test_rollout_is_the_product_of_what_each_layer_passes_on():
    attention = square()
    expected = np.eye(4)
    for layer in range(3):
        expected = (0.5 * attention.weights[layer].mean(0) + 0.5 * np.eye(4)) @ expected
        assert_close(attention.rollout().weights[layer, 0], expected)
    assert attention.rollout().head_names == ["rollout"]


def test_the_average_leaves_out_heads_that_are_off():
    attention = AttentionMap(["a"], ["a", "b"], [[[[1, 0]], [[0, 1]]]])
    off = attention.average([False, True])
    assert off.weights.ravel().tolist() == [0, 1]
    assert off.head_names == ["mean of the heads that are on"]
    assert attention.average([[False, False]]).weights.ravel().tolist() == [0, 0]
    amounts = replace(attention, weights=[[[[2, 4]], [[6, 8]]]], kind="amounts")
    assert amounts.average([True, False]).weights.ravel().tolist() == [2, 4]
    for mask in ([False], [[True], [False]], True):
        with pytest.raises(ValueError, match=r"must have shape \[head\] = \[2\] or \[layer, head\] = \[1, 2\]"):
            attention.average(mask)


@pytest.mark.parametrize("axis", ["head", "layer"])
def test_names_are_a_list_of_strings_that_nobody_else_holds(axis):
    names = ["left", "right"]
    attention = AttentionMap(["a"], ["a"], np.ones((2, 2, 1, 1)), **{f"{axis}_names": names})
    names.append("another")
    assert getattr(attention, f"{axis}_names") == ["left", "right"]
    array = replace(attention, **{f"{axis}_names": np.array(["on", "off"])})
    assert json.dumps(getattr(array, f"{axis}_names")) == '["on", "off"]'
    for wrong in ("ab", [1, 2]):
        with pytest.raises(TypeError, match=f"{axis}_names must be a list of strings"):
            replace(attention, **{f"{axis}_names": wrong})
    with pytest.raises(ValueError, match=f"3 {axis} names for 2 {axis}s"):
        replace(attention, **{f"{axis}_names": names})


def test_special_tokens_are_taken_out_and_rows_scaled():
    attention = square().without_special()
    assert attention.query_tokens == attention.key_tokens == ["tea", "pot"]
    words = square().weights[:, :, 1:3, 1:3]
    assert_close(attention.weights, words / words.sum(-1, keepdims=True))


def read_svg(text):
    """{(layer, head, query, key): weight} of a picture."""
    root = ElementTree.fromstring(text)
    groups = [group for group in root.iter() if group.get("data-head")]
    return {
        (
            *(int(group.get(f"data-{name}")) for name in ("layer", "head")),
            *(int(cell.get(f"data-{name}")) for name in ("query", "key")),
        ): np.float32(cell.get("data-weight"))
        for group in groups
        for cell in group
    }


@pytest.mark.parametrize(("layer", "head"), [(None, None), (1, None), (None, 2), (1, 2)])
def test_a_picture_holds_the_weights_it_shows(attention, tmp_path, layer, head):
    text = attention.to_svg(layer=layer, head=head)
    path = attention.to_svg(tmp_path / "map.svg", layer=layer, head=head)
    assert path.read_text(encoding="utf-8") == text
    assert read_svg(text) == {
        place: weight
        for place, weight in np.ndenumerate(attention.weights)
        if layer in (None, place[0]) and head in (None, place[1])
    }


def test_a_picture_of_many_weights_has_the_strongest_and_says_so():
    weights = np.random.default_rng(0).dirichlet(np.full(64, 0.1), (4, 3, 64)).astype(np.float32)
    tokens = [str(place) for place in range(64)]
    text = AttentionMap(tokens, tokens, weights).to_svg()
    assert len(text) < 10e6
    drawn = read_svg(text)
    assert len(drawn) == 40_000
    assert min(drawn.values()) >= np.sort(weights, axis=None)[-40_000]
    assert text.count("The 40,000 strongest of 49,152 weights are drawn.") == 2, "for eyes and for screen readers"
    assert "strongest" not in AttentionMap(tokens, tokens, weights).to_svg(layer=0)


def test_a_picture_takes_any_token():
    tokens = ["<b>&\"'", "\x00\x1b", "مرحبا", "\ud800"]
    attention = AttentionMap(tokens, tokens, np.full((1, 1, 4, 4), 0.25))
    shown = [node.text for node in ElementTree.fromstring(attention.to_svg()).iter("{http://www.w3.org/2000/svg}text")]
    assert shown[1:5] == ["<b>&\"'", "\ufffd\ufffd", "\u2068مرحبا\u2069", "\ufffd"]


def test_layers_that_are_not_the_first_keep_their_names_everywhere():
    weights = np.full((2, 2, 1, 2), 0.5)
    attention = AttentionMap(["tea"], ["hot", "tea"], weights, layer_names=["layer 5", "layer 9"])
    assert all(name in attention.to_svg() for name in ("layer 5, head 1", "layer 9, head 2"))
    assert attention.plot(layer=1).axes[0].get_title() == "layer 9, head 1"
    assert [line.split(",")[-1] for line in attention.to_csv().splitlines()[::4]] == [
        "layer_name",
        "layer 5",
        "layer 9",
    ]
    assert map_dict(attention)["layerNames"] == ["layer 5", "layer 9"]
    assert attention.average().layer_names == ["layer 5", "layer 9"]
    with pytest.raises(ValueError, match="1 layer names for 2 layers"):
        AttentionMap(["tea"], ["hot", "tea"], weights, layer_names=["layer 5"])
