"""The decoder as files for a page, in parts of a layer each, so that a page can show how far it is.

`decoder.json` says what the model is made of and lists the files:

    {"name": "SmolLM2-135M-Instruct", "numLayers": 30, "numHeads": 9, "numKvHeads": 3, "headDim": 64, "width": 576,
     "mlpWidth": 1536, "vocabularySize": 49152, "normEpsilon": 1e-05, "rotaryBase": 100000.0, "maxTokens": 512,
     "headNames": ["head 1", ...], "endTokens": [0, 1, 2],
     "files": {"tokenizer": FILE, "embedding": FILE, "layer-0": FILE, ..., "layer-29": FILE},
     "planes": {"layer": {"qkv.codes": [offset, bytes], ...}, "embedding": {"codes": [offset, bytes], ...}}}

where FILE is {"name", "packed", "bytes", "sha256"}: the file's name beside `decoder.json`, its size as sent and as
unpacked, and the SHA-256 of what is unpacked, as in `encoder.json`. `decoder-tokenizer.json.gz` is packed by gzip;
`decoder-embedding.bin` and `decoder-layer-0.bin` to `decoder-layer-29.bin` are sent as they are. A part is planes one
after the other, little-endian, each row by row and each beginning at a multiple of 16 bytes:

    decoder-layer-L.bin    for each matrix, `qkv`, `o`, `gu` and `down` in this order:
                             NAME.codes  uint8   [row, column / 32, 16]  4-bit codes of a block of 32 columns: byte i
                                                                         has column i below and column 16 + i above
                             NAME.d      float16 [row, column / 32]      weight = d * code + m
                             NAME.m      float16 [row, column / 32]
                           attention_norm, mlp_norm   float32 [576]      before the attention, before the MLP
    decoder-embedding.bin  codes  int8    [token, 576]                   weight = d * code, in blocks of 32 columns
                           d      float16 [token, 18]
                           norm   float32 [576]                          after the last layer

    qkv   [960, 576]    rows: 9 heads of queries, 3 of keys, 3 of values, 64 each, ordered as `rotate` wants them:
                        columns i and 32 + i of a head turn together
    o     [576, 576]
    gu    [3072, 576]   rows: 1536 of the gate, 1536 of `up`; the MLP is down(silu(gate(x)) * up(x))
    down  [576, 1536]

The scores of a token that may come next are its row of the embedding times the last state, normed.
"""

import gzip
import json

import numpy as np

from manyheads.models.decoder.tokens import tokenizer_json, tokenizer_of
from manyheads.models.decoder.weights import open_weights
from manyheads.models.files import cache_folder, key_of, made_once, write_page_file
from manyheads.models.pretrained import DECODER_FILE, FILES
from manyheads.whole_files import write_whole

MATRICES = {
    "qkv": ("attention.query", "attention.key", "attention.value"),
    "o": ("attention.output",),
    "gu": ("mlp.gate", "mlp.up"),
    "down": ("mlp.down",),
}
NORMS = ("attention_norm", "mlp_norm")

# The version of the files. Raise it when code changes what is in them.
RECIPE = 1


def decoder_page_files():
    """The paths of the files that pages fetch to run the decoder; made once, and kept under a key of all that goes in.

    >>> [path.name for path in decoder_page_files()][:3], len(decoder_page_files())
    (['decoder-embedding.bin', 'decoder-layer-0.bin', 'decoder-layer-1.bin'], 33)
    >>> sum(path.stat().st_size for path in decoder_page_files()) <= 98_000_000
    True
    """
    folder = cache_folder() / f"decoder-{key_of(recipe=RECIPE, gguf=FILES[DECODER_FILE].sha256)}"
    folder.mkdir(exist_ok=True)
    made_once(folder / "decoder.json", lambda: _make(folder))  # written last
    return sorted(path for path in folder.iterdir() if path.suffix in (".gz", ".json", ".bin"))


def pack4(codes):  # uint8 [row, block, 32], each below 16 -> uint8 [row, block, 16]
    """Put two codes into each byte.

    >>> pack4(np.arange(32, dtype=np.uint8).reshape(1, 1, 32) % 16)[0, 0, :3].tolist()  # 0 and 16 % 16, 1 and 17 % 16
    [0, 17, 34]
    """
    return codes[..., :16] | (codes[..., 16:] << 4)


def layer_planes(weights, layer):
    """The planes of a layer's file, by name, in their order: {name: array}."""
    planes = {}
    for name, parts in MATRICES.items():
        codes, d, m = (np.concatenate(plane) for plane in zip(*(weights.codes(layer, part) for part in parts)))
        planes |= {f"{name}.codes": pack4(codes), f"{name}.d": d, f"{name}.m": m}
    return planes | {name: weights.norm(layer, name) for name in NORMS}


def embedding_planes(weights):
    """The planes of the embedding's file, by name, in their order: {name: array}."""
    codes, d = weights.embedding_codes()
    return {"codes": codes, "d": d, "norm": weights.norm(None, "norm")}


def _make(folder):
    weights = open_weights()
    tokenizer = tokenizer_json(weights).encode()
    packed = gzip.compress(tokenizer, 9, mtime=0)
    files = {"tokenizer": write_page_file(folder / "decoder-tokenizer.json.gz", packed, tokenizer)}
    places = {}
    parts = {"embedding": embedding_planes(weights)}
    parts |= {f"layer-{layer}": layer_planes(weights, layer) for layer in range(weights.num_layers)}
    for part, planes in parts.items():
        contents = [np.ascontiguousarray(plane).tobytes() for plane in planes.values()]
        offsets = np.cumsum([0, *map(len, contents)]).tolist()
        places[part.split("-")[0]] = {name: [at, len(plane)] for name, at, plane in zip(planes, offsets, contents)}
        whole = b"".join(contents)
        files[part] = write_page_file(folder / f"decoder-{part}.bin", whole, whole)
    index = {**weights.facts(), "endTokens": tokenizer_of(weights.metadata).ends, "maxTokens": weights.max_tokens()}
    index |= {"files": files, "planes": places}
    with write_whole(folder / "decoder.json") as beside:
        beside.write_text(json.dumps(index, indent=1), encoding="utf-8")
