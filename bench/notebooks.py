"""What a map of 12 x 12 heads costs a notebook: bytes of HTML and the time to make them, beside BertViz, Inspectus and
CircuitsVis, at 32, 128 and 512 tokens, of the same random attentions.

    pip install -e ".[bench]" && python bench/notebooks.py

Predicted before the first measurement: BertViz tens of times larger than ours, since it writes each weight as a number
of some twenty characters; CircuitsVis, too; Inspectus, which sends bytes, larger at 32 tokens, where its script of
0.3 MB counts, and smaller at 512. Found: 28 to 41 times and 14 to 20 times, but Inspectus five times at every length:
float32 in base64 takes five characters and a third where ours takes one or two.

Whoever is not installed is said to be missing. Where all layers would take a peer gigabytes, it gets fewer, and the
table says how many. The HTML of BertViz and of CircuitsVis calls scripts of other hosts, which are not counted.
"""

import time
import warnings
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import torch

from manyheads.widgets import HeadMap

LAYERS, HEADS = 12, 12
LENGTHS = (32, 128, 512)
MOST = 4_000_000  # weights that are handed to a peer that writes each as text


def ours(layers, tokens):
    return HeadMap.of(layers, tokens)._repr_mimebundle_()[0]["text/html"]


def our_file(layers, tokens):
    with TemporaryDirectory() as folder:
        return HeadMap.of(layers, tokens).save(Path(folder) / "map.html").read_text(encoding="utf-8")


def bertviz(layers, tokens):
    from bertviz import head_view

    return head_view(layers, tokens, html_action="return").data


def inspectus(layers, tokens):
    import inspectus

    shown = []
    with patch("IPython.display.display", shown.append):
        inspectus.attention(tuple(layers), tokens)
    return "".join(part.data for part in shown)


def circuitsvis(layers, tokens):
    from circuitsvis.attention import attention_heads

    return attention_heads(torch.cat([layer[0] for layer in layers]), tokens).show_code()


WAYS = {
    "HeadMap, in a notebook": (ours, False),
    "HeadMap.save, a file": (our_file, False),
    "BertViz head_view": (bertviz, True),
    "Inspectus": (inspectus, False),
    "CircuitsVis": (circuitsvis, True),
}


def measure(way, layers, tokens):
    """Bytes and seconds, or what is missing. A first, small call loads what there is to load."""
    try:
        way([torch.full((1, 2, 2, 2), 1 / 2)], tokens[:2])
    except ImportError as error:
        return None, f"missing ({error.name})"
    start = time.perf_counter()
    html = way(layers, tokens)
    seconds = time.perf_counter() - start
    return len(html.encode()), f"{seconds:.2f} s"


def main():
    warnings.simplefilter("ignore")  # of the peers, about themselves
    torch.set_num_threads(1)
    torch.manual_seed(0)
    for length in LENGTHS:
        layers = [torch.randn(1, HEADS, length, length).mul(2).softmax(-1) for _ in range(LAYERS)]
        tokens = [f"word{place}" for place in range(length)]
        print(f"\n{length} tokens, {LAYERS} x {HEADS} heads")
        least = None
        for name, (way, as_text) in WAYS.items():
            given = layers
            if as_text:
                given = layers[: max(1, MOST // layers[0].numel())]
            size, told = measure(way, given, tokens)
            part = "" if len(given) == LAYERS else f", {len(given)} of {LAYERS} layers"
            least = least or size
            written = "" if size is None else f"{size / 1e6:9.2f} MB"
            times = "" if size is None or part else f"{size / least:.1f} x"
            print(f"    {name:24}{written:12}{times:>8}  {told}{part}", flush=True)


if __name__ == "__main__":
    main()
