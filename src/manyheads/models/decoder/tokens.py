"""The decoder's tokens: pieces of words, and bytes for whatever no piece spells.

Text is cut into digits, words and signs; each is spelled in bytes; then pairs of pieces are joined, the pair that was
most frequent in training first (byte-pair encoding, Sennrich et al. 2016, arXiv:1508.07909).
"""

import json

from tokenizers import Tokenizer

CONTROL = 3  # the type of tokens that mark a place, in GGUF


def tokenizer_json(weights):
    """The tokenizer as the `tokenizer.json` that the libraries of Hugging Face read, here and in pages."""
    tokens, types = weights.metadata["tokenizer.ggml.tokens"], weights.metadata["tokenizer.ggml.token_type"]
    merges = [pair.split(" ") for pair in weights.metadata["tokenizer.ggml.merges"]]
    marks = [
        {"id": number, "content": token, "special": True}
        | dict.fromkeys(("single_word", "lstrip", "rstrip", "normalized"), False)
        for number, (token, kind) in enumerate(zip(tokens, types))
        if kind == CONTROL
    ]
    bytewise = {"type": "ByteLevel", "add_prefix_space": False, "trim_offsets": True, "use_regex": True}
    digits = {"type": "Digits", "individual_digits": True}
    model = {
        "type": "BPE",
        "dropout": None,
        "unk_token": None,
        "continuing_subword_prefix": None,
        "end_of_word_suffix": None,
        "fuse_unk": False,
        "byte_fallback": False,
        "ignore_merges": False,
        "vocab": {token: number for number, token in enumerate(tokens)},
        "merges": merges,
    }
    parts = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": marks,
        "normalizer": None,
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [digits, bytewise]},
        "post_processor": None,
        "decoder": bytewise,
        "model": model,
    }
    return json.dumps(parts, ensure_ascii=False)


def load_tokenizer(weights):
    """The tokenizer of the weights' file."""
    return Tokenizer.from_str(tokenizer_json(weights))
