"""A map of a reader's own model: seconds and memory of `HeadMap.of`, beside the model's own passes.

Each figure is measured in a process of its own, on as many threads as the machine has; memory is what the process needs
more, at most, than before the call.
"""

import argparse
import json
import resource
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

TOKENS = (64, 512, 1024)
WAYS = ("eager pass", "its own pass", "whole", "as it comes", "one layer")
LONG = 8192  # tokens, by sentences
LONG_WAYS = ("its own pass", "as it comes")


def gpt2(kernel):  # 12 layers x 12 heads
    import torch
    from transformers import GPT2Config, GPT2Model

    torch.manual_seed(0)
    return GPT2Model._from_config(GPT2Config(n_positions=max(TOKENS)), attn_implementation=kernel).eval()


def llama(kernel):  # 4 layers x 8 heads
    import torch
    from transformers import LlamaConfig, LlamaModel

    sizes = {"hidden_size": 256, "num_hidden_layers": 4, "num_attention_heads": 8, "intermediate_size": 688}
    torch.manual_seed(0)
    config = LlamaConfig(**sizes, vocab_size=50_000, max_position_embeddings=LONG)
    return LlamaModel._from_config(config, attn_implementation=kernel).eval()


def measure(way, tokens):
    """Seconds, and bytes more at the most, of one way to read a text of so many tokens."""
    import torch

    from manyheads import HeadMap

    warnings.simplefilter("ignore")
    ids = torch.randint(5, 50_000, (1, tokens), generator=torch.Generator().manual_seed(0))
    names = ["." if at % 20 == 19 else f" w{at}" for at in range(tokens)]
    model = (llama if tokens == LONG else gpt2)("eager" if way == "eager pass" else "sdpa")
    calls = {
        "eager pass": lambda: model(ids, output_attentions=True),
        "its own pass": lambda: model(ids),
        "whole": lambda: HeadMap.of(model, names, inputs=ids, max_weights=2**30),
        "as it comes": lambda: HeadMap.of(model, names, inputs=ids),
        "one layer": lambda: HeadMap.of(model, names, inputs=ids, layers=[3], max_weights=2**30),
    }
    HeadMap.of(model, inputs=ids[:, :8])  # imports
    before, peak = resident(), [0]
    done = threading.Event()

    def look():
        while not done.wait(0.002):
            peak[0] = max(peak[0], resident())

    watcher = threading.Thread(target=look)
    watcher.start()
    start = time.perf_counter()
    with torch.no_grad():
        kept = calls[way]()
    took = time.perf_counter() - start
    done.set()
    watcher.join()
    del kept
    return took, max(peak[0], resident()) - before


def resident():
    """Bytes of memory that this process has."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize()


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--one", nargs=2, metavar=("WAY", "TOKENS"))
    arguments = parser.parse_args()
    if arguments.one:
        print(json.dumps(measure(arguments.one[0], int(arguments.one[1]))))
        return
    for tokens in TOKENS:
        found = measure_each(WAYS, tokens)
        map_bytes = 4 * 12 * 12 * tokens**2
        for way, (seconds, more) in found.items():
            passes = seconds / found["eager pass"][0]
            print(
                f"12 x 12 x {tokens:5,}, {way:13} {seconds:6.2f} s, {passes:5.2f} eager passes; "
                f"{more / 1e6:7.0f} MB more, {more / map_bytes:5.2f} maps"
            )
    found = measure_each(LONG_WAYS, LONG)
    for way, (seconds, more) in found.items():
        passes = seconds / found["its own pass"][0]
        print(f"4 x 8 x {LONG:,}, {way:13} {seconds:6.2f} s, {passes:5.2f} of its passes; {more / 1e6:7.0f} MB more")


def measure_each(ways, tokens):
    """What each way takes, in a process of its own: seconds, bytes."""
    found = {}
    for way in ways:
        command = [sys.executable, __file__, "--one", way, str(tokens)]
        found[way] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout.splitlines()[-1])
    return found


if __name__ == "__main__":
    main()
