"""Readers' GGUF files: unpacked as llama.cpp's own package does, computed as transformers does, refused in a sentence."""

import math
import re
import struct

import numpy as np
import pytest
import torch
from ggufs import ARCHITECTURES, write_gguf
from gguf import GGMLQuantizationType, quants
from hypothesis import given, settings
from hypothesis import strategies as st

from manyheads import AttentionFlow, HeadLedger, HeadMap, NextWord, attribution, load_decoder
from manyheads.models.decoder.gguf import BLOCKS, GGUF, Tensor, read_gguf
from manyheads.models.decoder.weights import gguf_file

TEXT = "The cup of tea isn't cold: 12 🍵"
LLAMA_3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 64,
}


def assert_equals(decoder, reference, ids):
    scores, maps, _ = decoder.run(ids, need_weights=True)
    with torch.inference_mode():
        output = reference(torch.tensor([ids]), output_attentions=True)
    torch.testing.assert_close(maps, torch.cat(output.attentions), atol=1e-4, rtol=0)
    torch.testing.assert_close(scores, output.logits[0], atol=1e-4, rtol=0)


@pytest.mark.parametrize("kind", BLOCKS)
@settings(max_examples=10)
@given(st.data())
def test_blocks_are_unpacked_as_llama_cpps_package_does(kind, data):
    weights, size = BLOCKS[kind]["weights"], BLOCKS[kind]["bytes"]
    shape = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 3)) * size
    seed = data.draw(st.integers(0, 2**32))
    packed = np.random.default_rng(seed).integers(0, 256, shape, np.uint8)
    tensor = Tensor(kind, packed)
    with np.errstate(invalid="ignore"):  # some scales are no numbers
        found, expected = tensor.unpacked(), quants.dequantize(packed, GGMLQuantizationType[kind])
    assert found.shape == tensor.shape == (shape[0], shape[1] // size * weights)
    np.testing.assert_array_equal(found, expected)


@pytest.mark.parametrize("kind", [*BLOCKS, "Q4_K_M"])
@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_maps_and_logits_are_transformers_for_each_architecture_and_kind(tmp_path, architecture, kind):
    reference = write_gguf(tmp_path / "model.gguf", architecture, kind)
    decoder, ids = load_decoder(tmp_path / "model.gguf"), [*range(3, 40)]
    assert_equals(decoder, reference, ids)
    assert decoder.run(ids, need_weights=True)[1][..., -1, :].max() > 0.1  # heads choose, so that they could be wrong


@settings(max_examples=40)
@given(st.data())
def test_maps_and_logits_are_transformers_for_any_sizes(tmp_path_factory, data):
    path = tmp_path_factory.mktemp("gguf") / "model.gguf"
    architecture = data.draw(st.sampled_from(ARCHITECTURES))
    groups, shared, half = (data.draw(st.integers(1, most)) for most in (3, 3, 9))
    scalings = [None, {"rope_type": "linear", "factor": 3.0}, LLAMA_3]
    sizes = {
        "kv_heads": groups,
        "heads": groups * shared,
        "head_dim": 2 * half,
        "width": groups * shared * data.draw(st.integers(2, 7)),
        "hidden": data.draw(st.integers(1, 40)),
        "layers": data.draw(st.integers(1, 5)),
        "tied": data.draw(st.booleans()),
        "rope_base": data.draw(st.sampled_from([100.0, 10_000.0, 5e5])),
        "epsilon": data.draw(st.sampled_from([1e-6, 1e-5, 1e-2])),
        "scaling": None if architecture == "phi3" else data.draw(st.sampled_from(scalings)),
        "seed": data.draw(st.integers(0, 99)),
    }
    reference, decoder = write_gguf(path, architecture, "F32", **sizes), load_decoder(path)
    ids = data.draw(st.lists(st.integers(0, 356), min_size=1, max_size=40))
    assert_equals(decoder, reference, ids)
    assert decoder.max_tokens == min(256, math.isqrt(GGUF["mostWeights"] // (decoder.num_layers * decoder.num_heads)))


def test_the_books_own_file_is_the_books_own_decoder(decoder):
    opened = load_decoder(gguf_file())
    for (name, tensor), theirs in zip(decoder.model.state_dict().items(), opened.model.state_dict().values()):
        assert torch.equal(tensor, theirs), name
    text = "The capital of Italy is"
    np.testing.assert_array_equal(opened(text).weights, decoder(text).weights)
    assert opened(text).predictions == decoder(text).predictions
    assert (opened.max_tokens, opened.page_name, opened.head_lists) == (512, None, {})
    assert opened.read(text) == decoder.read(text)
