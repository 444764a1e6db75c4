"""gguf-blocks.ts: the weights are those of the package `gguf`, and codes are those weights, exactly or within half a step."""

import base64
import json

import gguf
import numpy as np
from ggufs import dequantized
from hypothesis import given, settings
from hypothesis import strategies as st
from node import WEB, ask_node

TABLE = json.loads((WEB.parent / "shared" / "gguf.json").read_text(encoding="utf-8"))
BLOCKS, EXACT = TABLE["blocks"], TABLE["exact"]
# Where float16 begin, else at 0; of MXFP4 a block's exponent of 2 stands there alone, of Q8_K a float32.
HALVES = {
    "Q2_K": (80, 82),
    "Q3_K": (108,),
    "Q4_1": (0, 2),
    "Q5_1": (0, 2),
    "Q4_K": (0, 2),
    "Q5_K": (0, 2),
    "Q6_K": (208,),
}

DRIVER = """
import { bitsOf, codesOf, unpack } from "./models/gguf-blocks.ts";
const pack = (array) => array && Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
answer(given.map(([kind, packed]) => {
  const bytes = new Uint8Array(Buffer.from(packed, "base64"));
  const { bits, codes, d, m } = codesOf(kind, bytes);
  return { weights: pack(unpack(kind, bytes)), bits, promised: bitsOf(kind), codes: pack(codes), d: pack(d), m: pack(m) };
}));
"""


def random_blocks(kind, count, chance):
    """The bytes of at least `count` blocks of 32 weights, of random codes and of all finite scales."""
    _, weights, size = BLOCKS[kind].values()
    data = chance.integers(0, 256, (max(1, count * 32 // weights), size), np.uint8)
    if kind == "F32":
        return chance.standard_normal(len(data)).astype(np.float32).view(np.uint8)
    if kind == "BF16":
        return (
            (chance.standard_normal(len(data)).astype(np.float32).view(np.uint32) >> 16)
            .astype(np.uint16)
            .view(np.uint8)
        )
    if kind == "MXFP4":
        data[:, 0] = chance.integers(0, 250, len(data))
        return data.ravel()
    if kind == "Q8_K":
        data[:, :4] = chance.standard_normal(len(data)).astype("<f4")[:, None].view(np.uint8)
        return data.ravel()
    for at in HALVES.get(kind, (0,)):
        halves = chance.integers(0, 0x7C00, len(data)) | chance.choice([0, 0x8000], len(data))
        data[:, at : at + 2] = halves.astype("<u2")[:, None].view(np.uint8)
    return data.ravel()


def read_back(text, kind):
    return np.frombuffer(base64.b64decode(text), kind)


@settings(max_examples=8)
@given(st.integers(1, 5), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_blocks_are_read_as_ggml_reads_them(rows, blocks, seed):
    chance = np.random.default_rng(seed)
    given = {kind: random_blocks(kind, rows * blocks * 8, chance) for kind in BLOCKS}
    found = ask_node(DRIVER, [(kind, base64.b64encode(data).decode()) for kind, data in given.items()])
    for (kind, data), answer in zip(given.items(), found):
        weights = dequantized(data.reshape(rows, -1), gguf.GGMLQuantizationType[kind]).ravel()
        np.testing.assert_array_equal(read_back(answer["weights"], "<f4"), weights, kind)
        assert answer["bits"] == answer["promised"] == (4 if kind.startswith("Q4") else 8)
        step = np.repeat(read_back(answer["d"], "<f4"), 32).astype(np.float64)
        if answer["bits"] == 4:
            halves = read_back(answer["codes"], np.uint8).reshape(-1, 1, 16) >> np.array([[0], [4]], np.uint8) & 15
            computed = step * halves.ravel() + np.repeat(read_back(answer["m"], "<f4"), 32)
        else:
            computed = step * read_back(answer["codes"], np.int8)
        if kind in EXACT:
            np.testing.assert_array_equal(computed.astype(np.float32), weights, kind)
        else:
            largest = np.repeat(abs(weights).reshape(-1, 32).max(axis=1), 32).astype(np.float64)
            assert (abs(computed - weights) <= largest / 127 / 2 * (1 + 1e-5)).all(), kind


def test_the_table_of_blocks_is_ggmls():
    for kind, (number, weights, size) in ((kind, block.values()) for kind, block in BLOCKS.items()):
        assert gguf.GGMLQuantizationType[kind] == number
        assert gguf.GGML_QUANT_SIZES[number] == (weights, size)
