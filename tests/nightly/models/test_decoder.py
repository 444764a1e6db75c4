"""The decoder's weights, against another reader of its file."""

import numpy as np
import pytest
from gguf import GGUFReader, dequantize

from manyheads.models.decoder import load_decoder, weights

pytestmark = pytest.mark.xdist_group("decoder")  # one worker holds the model, half a gigabyte


def test_the_weights_are_those_that_llama_cpps_own_reader_makes():
    tensors = {tensor.name: tensor for tensor in GGUFReader(weights.gguf_file()).tensors}
    state = load_decoder().model.state_dict()
    assert len(tensors) == len(state) == 272
    for name, theirs in (
        ("norm.weight", "output_norm.weight"),
        ("layers.0.mlp.gate.weight", "blk.0.ffn_gate.weight"),
        ("layers.17.attention.value.weight", "blk.17.attn_v.weight"),
        ("layers.29.mlp.down.weight", "blk.29.ffn_down.weight"),
        ("layers.29.mlp_norm.weight", "blk.29.ffn_norm.weight"),
    ):
        tensor = tensors[theirs]
        np.testing.assert_array_equal(state[name].numpy(), dequantize(tensor.data, tensor.tensor_type), err_msg=name)
    # llama.cpp has the two columns side by side that turn together.
    tensor = tensors["blk.3.attn_k.weight"]
    rows = dequantize(tensor.data, tensor.tensor_type).reshape(3, 32, 2, 576).transpose(0, 2, 1, 3).reshape(192, 576)
    np.testing.assert_array_equal(state["layers.3.attention.key.weight"].numpy(), rows)
