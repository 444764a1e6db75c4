"""Bytes of a map with all its weights, and of its plain picture, beside BertViz's `head_view`: 6 x 12 heads of MiniLM.

    python bench/html_size.py

Predicted before the first measurement: 1/28 at 64 tokens, since BertViz writes each weight as a number of some twenty
characters; ours are one digit, or two above 0.1. Found: 1/38 (0.35 MB for 13.2 MB), at 128 tokens 1/43.
"""

import warnings

import torch

from manyheads.models.encoder import load_encoder
from manyheads.widgets import HeadMap

GOAL = 25  # times smaller, at 64 tokens
TEXT = (
    "The old librarian would rather read a long novel by the fire than walk her two happy dogs through the rain, but "
    "the dogs, who had waited since noon, looked at the door, then at her, and then at the door again until she closed "
    "the book, took her coat, and went out into the dark with them. "
)


def main():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about its own use of deprecated names
        from bertviz import head_view
    encoder = load_encoder()
    words = (TEXT * 9).split()
    for wanted in (12, 64, 128, 512):
        counts = range(wanted - 2, 0, -1)
        attention = next(
            attention
            for attention in (encoder(" ".join(words[:count])) for count in counts)
            if attention.shape[-1] <= wanted
        )
        layers = [torch.tensor(layer)[None] for layer in attention.weights]  # each [1, head, query, key]
        ours = HeadMap.from_attentions(layers, attention.query_tokens)
        sizes = {"ours": len(ours._element().encode()), "its plain picture alone": len(ours._plain().encode())}
        if wanted <= 128:  # beyond, BertViz takes gigabytes
            sizes["BertViz"] = len(head_view(layers, attention.query_tokens, html_action="return").data.encode())
        listed = ", ".join(f"{name} {size / 1e6:.3f} MB" for name, size in sizes.items())
        times = f": {sizes['BertViz'] / sizes['ours']:.1f} times smaller" if "BertViz" in sizes else ""
        goal = f" (goal {GOAL})" if wanted == 64 else ""
        print(f"{attention.shape[-1]} tokens: {listed}{times}{goal}")


if __name__ == "__main__":
    main()
