"""Maps weighted by how long the vectors are that heads write; test_heads_of_families.py has the lengths by hand."""

from types import SimpleNamespace

import numpy as np
import pytest
import torch
from close import assert_close
from libraries import bert

from manyheads import HeadMap, value_norms

HEADS, LAYERS, WIDTH = 4, 2, 24
TEXT = {"input_ids": torch.tensor([[5, 6, 7], [9, 8, 7]]), "attention_mask": torch.ones(2, 3, dtype=int)}


def test_a_map_takes_them_and_shows_what_is_written():
    model = bert()
    norms = value_norms(model, TEXT, batch=1)
    shown = HeadMap.of(model, ["hot", "black", "tea"], inputs=TEXT, batch=1, value_norms=norms, layers=[1])
    np.testing.assert_array_equal(shown.attention.value_norms, norms[[1]])
    weights = shown.attention.value_weighted().weights
    assert_close(weights, shown.attention.weights * norms[1, :, None])


def test_a_cache_of_transformer_lens_knows_its_model():
    rng = np.random.default_rng(0)
    W_O = torch.tensor(rng.normal(size=(LAYERS, HEADS, 6, WIDTH)))
    values = torch.tensor(rng.normal(size=(LAYERS, 1, 5, HEADS, 6)))  # [layer, b, t, h, d_v]

    class Cache:
        model = SimpleNamespace(cfg=SimpleNamespace(n_layers=LAYERS), W_O=W_O)

        def __getitem__(self, key):
            name, layer = key
            assert name == "v"
            return values[layer]

    expected = np.linalg.norm(np.einsum("lbthd,lhde->lhte", values, W_O), axis=-1)
    assert_close(value_norms(Cache()), expected)


def test_others_are_told_what_is_missing():
    with pytest.raises(ValueError, match="there is no attention to be seen in Linear"):
        value_norms(torch.nn.Linear(2, 2), torch.ones(1, 2))
    weights = np.full((1, 2, 3, 3), 1 / 3)
    with pytest.raises(ValueError, match=r"value_norms must have shape \[layer, head, key\] = \[1, 2, 3\]"):
        HeadMap.of(weights, list("abc"), value_norms=np.ones((1, 2, 4)))
    with pytest.raises(ValueError, match="value_norms are of one map; this makes 2: before, after"):
        HeadMap.of({"before": weights, "after": weights}, list("abc"), value_norms=np.ones((1, 2, 3)))
