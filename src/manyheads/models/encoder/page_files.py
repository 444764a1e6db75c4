"""The default encoder as files for a page: its weights, rounded, its tokenizer, and a list of both.

`encoder.json` says what the model is made of and lists the files, as `decoder.json` does. The weights are a safetensors
file. A matrix is rounded to a whole number of steps, one step for each row, and the whole number is cut in two:
`weight = step * (low + 64 * high)`. All low parts are stored together as bytes and all high parts too, so that gzip's
Huffman code gives each as many bits as it needs: about 9 for both. (Weights of 8 bits and a step for every 32 take 8.5
and err three times as much.)

    low.NAME, high.NAME  int8    [row, column]  of `words`, `positions` and, in layer L, `L.query`, `L.key`, `L.value`,
    step.NAME            float32 [row]          `L.output`, and the feed-forward part's `L.up` and `L.down`
    NAME.bias            float32 [row]          of a layer's matrices
    NAME.weight, .bias   float32 [width]        of the norms: `embeddings_norm`, `L.attention_norm` and `L.mlp_norm`

Every word is of the first of BERT's two types; its vector is in `positions`.
"""

import gzip
import json
import zlib

import numpy as np
import safetensors.numpy

from manyheads.models.encoder.head_model import CONFIG, load_encoder
from manyheads.models.files import cache_folder, key_of, made_once, write_page_file
from manyheads.models.pretrained import SHA256, pretrained_file
from manyheads.whole_files import write_whole

# Steps per root mean square of a row; twice as many cost one more bit a weight. Errors of queries and keys are felt
# most; positions are few and matter always.
STEPS = 90
STEPS_OF = {"query": 200, "key": 200, "positions": 500}
BASE = 64

# What we call the parts of a layer of transformers' BERT.
MATRICES = {
    "query": "attention.self.query",
    "key": "attention.self.key",
    "value": "attention.self.value",
    "output": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
}
NORMS = {"attention_norm": "attention.output.LayerNorm", "mlp_norm": "output.LayerNorm"}

# The version of the files. Raise it when code changes what is in them.
RECIPE = 3


def encoder_page_files():
    """The files that pages fetch to run the encoder, as paths; made once, and kept under a key of all that goes in.

    >>> [path.name for path in encoder_page_files()]
    ['encoder.json', 'encoder.safetensors.gz', 'tokenizer.json.gz']
    """
    folder = cache_folder() / f"encoder-{_key()}"
    folder.mkdir(exist_ok=True)
    made_once(folder / "encoder.json", lambda: _make(folder))  # written last
    return sorted(path for path in folder.iterdir() if path.suffix in (".gz", ".json"))


def rounded(matrix, steps):  # [row, column] -> 2 x [row, column], [row]
    """Round a matrix to two planes of int8 and a float32 step for each row.

    >>> low, high, step = rounded(np.array([[0.3, -0.4], [30.0, 40.0]]), steps=50)
    >>> low.dtype, high.dtype, step.shape
    (dtype('int8'), dtype('int8'), (2,))
    >>> (step[:, None] * (low + 64.0 * high)).round(2)
    array([[ 0.3 , -0.4 ],
           [29.7 , 40.31]])

    Raises `ValueError` for a weight of more than 8000 steps or so.
    """
    step = np.sqrt((matrix**2).mean(axis=1)).astype(np.float32) / steps
    whole = np.rint(matrix / np.where(step == 0, 1, step)[:, None])
    high = np.rint(whole / BASE)
    if np.abs(high).max() > 127:
        raise ValueError(f"a weight is {np.abs(whole).max():.0f} steps large; take fewer than {steps}")
    return (whole - BASE * high).astype(np.int8), high.astype(np.int8), step


def encoder_tensors(encoder):
    """All that is in the weights' file, by name: {name: array}."""
    state = {name: tensor.numpy(force=True) for name, tensor in encoder.model.state_dict().items()}
    words = state["embeddings.word_embeddings.weight"].copy()
    never = [place for token, place in encoder.tokenizer.get_vocab().items() if token.startswith("[unused")]
    words[never] = 0  # no text is read as these, and zeros pack to nothing
    positions = state["embeddings.position_embeddings.weight"] + state["embeddings.token_type_embeddings.weight"][0]
    matrices = {"words": (words, STEPS), "positions": (positions, STEPS_OF["positions"])}
    norms = {"embeddings_norm": "embeddings.LayerNorm"}
    tensors = {}
    for layer in range(encoder.num_layers):
        norms |= {f"{layer}.{name}": f"encoder.layer.{layer}.{theirs}" for name, theirs in NORMS.items()}
        for name, theirs in MATRICES.items():
            theirs = f"encoder.layer.{layer}.{theirs}"
            matrices[f"{layer}.{name}"] = state[f"{theirs}.weight"], STEPS_OF.get(name, STEPS)
            tensors[f"{layer}.{name}.bias"] = state[f"{theirs}.bias"]
    for name, theirs in norms.items():
        tensors |= {f"{name}.{part}": state[f"{theirs}.{part}"] for part in ("weight", "bias")}
    for name, (matrix, steps) in matrices.items():
        tensors |= {f"{part}.{name}": array for part, array in zip(("low", "high", "step"), rounded(matrix, steps))}
    return tensors


def _make(folder):
    encoder = load_encoder()
    weights = safetensors.numpy.save(encoder_tensors(encoder), metadata={"base": str(BASE)})
    tokenizer = pretrained_file("tokenizer.json").read_bytes()
    files = {
        "weights": write_page_file(folder / "encoder.safetensors.gz", _huffman(weights), weights),
        "tokenizer": write_page_file(folder / "tokenizer.json.gz", gzip.compress(tokenizer, 9, mtime=0), tokenizer),
    }
    listed = {
        "name": encoder.name,
        "numLayers": encoder.num_layers,
        "numHeads": encoder.num_heads,
        "headNames": encoder.head_names,
        "maxTokens": encoder.max_tokens,
        "width": encoder.model.config.hidden_size,
        "mlpWidth": encoder.model.config.intermediate_size,
        "normEpsilon": encoder.model.config.layer_norm_eps,
        "files": files,
    }
    with write_whole(folder / "encoder.json") as beside:
        beside.write_text(json.dumps(listed, indent=1), encoding="utf-8")


def _huffman(contents):
    """As gzip, without looking for what repeats: nothing does."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9, zlib.Z_HUFFMAN_ONLY)  # 16: with gzip's header
    return packer.compress(contents) + packer.flush()


def _key():
    """Of all that goes into the files: our recipe, how finely weights are rounded, the weights."""
    rounding = (STEPS, STEPS_OF, BASE)
    return key_of(recipe=RECIPE, rounding=rounding, config=CONFIG, encoder=SHA256)
