"""The default encoder as files for a page: a graph without its weights, the weights rounded, and a list of the files.

A weight is rounded to a whole number of steps, one step for each row of its matrix, and the whole number is cut in two:
`weight = step * (low + 64 * high)`. All low parts are stored together as bytes and all high parts too, so that gzip's
Huffman code gives each as many bits as it needs: about 9 for both. (Weights of 8 bits and a step for every 32 take 8.5
and err more than twice as much.) The page puts the matrices together again once, as float32, and so computes as fast as
with the whole 90 MB. The rows of the word embeddings it puts together as sentences need them.
"""

import hashlib
import json
import logging
import warnings
import zlib
from contextlib import contextmanager

import numpy as np
import safetensors.numpy
import torch
from torch import nn

from manyheads.models.encoder import CONFIG, MAX_TOKENS, heads_off, load_encoder
from manyheads.models.files import SHA256, cache_folder, encoder_file, key_of
from manyheads.widgets.web_files import WEB

RUNTIME = WEB / "node_modules" / "onnxruntime-web" / "dist"
RUNTIME_WASM = "ort-wasm-simd-threaded.wasm"  # the plain CPU build; the .mjs below holds its loader

# Steps per root mean square of a row; twice as many cost one more bit a weight. Positions are few and matter always.
STEPS, WORD_STEPS, POSITION_STEPS = 120, 140, 500
BASE = 64
LARGE = 100_000  # smaller tensors stay in the graph as they are

# The version of the export. Raise it when code changes what is in the files: the graph, the rounding, the list; and
# when a new torch or onnx makes a better graph than the one that is kept.
RECIPE = 2


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


class PageEncoder(nn.Module):
    """What a page runs for one sentence: the encoder from the words' embeddings on.

    >>> encoder = load_encoder()
    >>> attentions, states = PageEncoder(encoder)(torch.zeros(5, 384), torch.ones(6, 12))
    >>> attentions.shape, states.shape  # [layer, head, query, key], [layer + 1, query, width]
    (torch.Size([6, 12, 5, 5]), torch.Size([7, 5, 384]))
    """

    def __init__(self, encoder):
        super().__init__()
        self.model = encoder.model

    def forward(self, words, head_mask):  # [q, d], [layer, h] -> [layer, h, q, k], [layer + 1, q, d]
        with heads_off(self.model, head_mask):
            output = self.model(inputs_embeds=words[None], output_attentions=True, output_hidden_states=True)
        return torch.cat(output.attentions), torch.cat(output.hidden_states)


def export_encoder(encoder):
    """The ONNX graph of a `PageEncoder`, and the matrices it leaves out, by name: bytes, {name: float32 [row, column]}.

    The graph takes `words` and `head_mask`, gives `attentions` and `states`, and holds for sentences of any length up
    to `MAX_TOKENS`. It names each matrix as a file of external data.
    """
    import onnx
    import onnxscript

    example = torch.zeros(7, encoder.model.config.hidden_size), torch.ones(encoder.num_layers, encoder.num_heads)
    with _quiet():
        program = torch.onnx.export(
            PageEncoder(encoder),
            example,
            dynamo=True,  # tracing would be silently wrong at every other length
            dynamic_shapes=({0: torch.export.Dim("tokens", min=2, max=MAX_TOKENS)}, None),
            input_names=["words", "head_mask"],
            output_names=["attentions", "states"],
            verbose=False,
        )
        limits = {"input_size_limit": 2**30, "output_size_limit": 2**30}
        model = onnxscript.optimizer.optimize(program.model_proto, **limits)  # turns the matrices round, once
    for node in model.graph.node:
        del node.metadata_props[:]  # where in our code each came from: a megabyte
    matrices = {}
    for tensor in model.graph.initializer:
        if len(tensor.raw_data) >= 4 * LARGE:
            matrices[tensor.name] = onnx.numpy_helper.to_array(tensor)
            onnx.external_data_helper.set_external_data(tensor, location=tensor.name)
            tensor.ClearField("raw_data")
    return model.SerializeToString(), matrices


def encoder_weights(encoder, matrices):
    """The rounded matrices and word embeddings as a safetensors file, in bytes: `low.*`, `high.*` and `step.*`."""
    embeddings = encoder.model.get_input_embeddings().weight.detach().numpy().copy()
    never = [place for token, place in encoder.tokenizer.get_vocab().items() if token.startswith("[unused")]
    embeddings[never] = 0  # no text is read as these, and zeros pack to nothing
    tensors = {}
    for name, matrix in {**matrices, "words": embeddings}.items():
        steps = WORD_STEPS if name == "words" else POSITION_STEPS if len(matrix) == MAX_TOKENS else STEPS
        tensors |= {f"{part}.{name}": array for part, array in zip(("low", "high", "step"), rounded(matrix, steps))}
    return safetensors.numpy.save(tensors, metadata={"base": str(BASE)})


def encoder_page_files():
    """The files that pages fetch to run the encoder, as paths; made once, and kept under a key of all that goes in.

    >>> [path.name for path in encoder_page_files()]  # doctest: +NORMALIZE_WHITESPACE
    ['encoder.json', 'encoder.onnx.gz', 'encoder.safetensors.gz', 'ort-wasm-simd-threaded.wasm.gz', 'tokenizer.json.gz']

    `encoder.json` says which layers and heads there are and, for each file, its size as sent (`packed`) and as unpacked
    (`bytes`), and the SHA-256 of what is unpacked. Raises `FileNotFoundError` where npm has not brought
    onnxruntime-web.
    """
    if not (RUNTIME / RUNTIME_WASM).is_file():
        raise FileNotFoundError(f"{RUNTIME / RUNTIME_WASM} is missing: run `npm ci` in {WEB}, as `make book` does")
    folder = cache_folder() / f"encoder-{_key()}"
    if not (folder / "encoder.json").is_file():  # written last
        folder.mkdir(exist_ok=True)
        _make(folder)
    return sorted(path for path in folder.iterdir() if path.suffix in (".gz", ".json"))


def _make(folder):
    encoder = load_encoder()
    graph, matrices = export_encoder(encoder)
    contents = {
        "graph": ("encoder.onnx", graph),
        "weights": ("encoder.safetensors", encoder_weights(encoder, matrices)),
        "runtime": (RUNTIME_WASM, (RUNTIME / RUNTIME_WASM).read_bytes()),
        "tokenizer": ("tokenizer.json", encoder_file("tokenizer.json").read_bytes()),
    }
    files = {}
    for part, (name, unpacked) in contents.items():
        packed = _gzipped(unpacked, zlib.Z_HUFFMAN_ONLY if part == "weights" else zlib.Z_DEFAULT_STRATEGY)
        (folder / f"{name}.gz").write_bytes(packed)
        sha256 = hashlib.sha256(unpacked).hexdigest()
        files[part] = {"name": f"{name}.gz", "packed": len(packed), "bytes": len(unpacked), "sha256": sha256}
    manifest = {
        "name": encoder.name,
        "numLayers": encoder.num_layers,
        "numHeads": encoder.num_heads,
        "headNames": encoder.head_names,
        "maxTokens": encoder.max_tokens,
        "files": files,
    }
    (folder / "encoder.json").write_text(json.dumps(manifest, indent=1), encoding="utf-8")


def _gzipped(contents, strategy):
    packer = zlib.compressobj(9, zlib.DEFLATED, 16 + zlib.MAX_WBITS, 9, strategy)  # 16: with gzip's header
    return packer.compress(contents) + packer.flush()


def _key():
    """Of all that goes into the files: our recipe, how finely weights are rounded, the weights, the runtime."""
    package = json.loads((RUNTIME.parent / "package.json").read_text(encoding="utf-8"))
    rounding = (STEPS, WORD_STEPS, POSITION_STEPS, BASE, LARGE)
    return key_of(recipe=RECIPE, rounding=rounding, config=CONFIG, encoder=SHA256, runtime=package["version"])


@contextmanager
def _quiet():
    """The exporter names operators of libraries that we do not use, and warns about its own insides."""
    logger = logging.getLogger("torch.onnx")
    level = logger.level
    logger.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.setLevel(level)
