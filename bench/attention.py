"""The rungs of attention.py against `torch.nn.MultiheadAttention`: how long each takes for a second that theirs takes.

    python bench/attention.py [threads]

All have the same weights and give one map per head (theirs with average_attn_weights=False). "forward" is eval() under
inference_mode, where theirs runs as one fused C++ call, its fast path; "forward+backward" is train(), down to the input
and all parameters. A sample is a block of calls of 4 ms or more; the peers take turns in random order; a process gives
the median, over its rounds, of the ratio; a cell is the median over three fresh processes. Memory, threads and
settings are as they come.

Goals: a geometric mean of at most 1.0 without weights and 1.15 with them, and no cell above 1.4.

Predicted: 0.95 without weights, 1.15 with, 1.5 in the largest cell, where four modules stand against one C++ call.
Measured on two cores, torch 2.13.0: 0.94 without weights, 1.10 with. Training is 0.94 and 0.99 in the mean; no cell
of it is above 1.20. Five cells of the forward pass with weights are above 1.4 (width/length/batch):
- 2.26 at 64/512/8. In a profile of an earlier run softmax took 54 ms against their 13 ms. A likely cause is that ours
  writes a map of 33 MB to fresh memory; writing over the scores would be the trick that this module does without.
- 1.78 at 512/16/1, 1.72 at 64/128/1, 1.67 at 384/16/8, 1.58 at 512/128/1. Each is a call of 0.2 to 3 ms; theirs
  makes one product of the three projections. Ours makes three: each is a module that hooks and adapters reach.
Which cells are above differs from run to run. A later one had means of 0.94 and 1.04, and three such cells: 2.00 at
64/512/8, 1.77 at 384/512/8, 1.49 at 64/128/8.
"""

import itertools
import random
import statistics
import sys
import time
from functools import partial
from multiprocessing import get_context

import torch
from torch import nn

from manyheads.attention import LoopedMultiHeadAttention, MultiHeadAttention, multi_head_attention

HEADS = {64: 4, 384: 12, 512: 8}  # as in the focus model, the encoder, the paper
LENGTHS, BATCHES = (16, 128, 512), (1, 8)
PROCESSES = 3
SECONDS, BLOCK, FEWEST = 0.3, 4e-3, 3


def forward(layer, inputs, **options):
    return layer(*inputs, **options)


def both(layer, inputs, **options):
    output, _ = layer(*inputs, **options)
    output.sum().backward()


COLUMNS = {
    "forward": (forward, True),
    "forward, no weights": (forward, False),
    "forward+backward": (both, True),
    "forward+backward, no weights": (both, False),
}
BESIDE = ("loop", "NumPy")  # with weights, forward


def measure(calls):
    """Seconds for each call in each round: [{name: seconds}, ...]."""
    longest = 0
    for call in calls.values():
        call()
        start = time.perf_counter()
        call()
        longest = max(longest, time.perf_counter() - start)
    number = max(1, round(BLOCK / longest))
    rounds, end = [], time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(rounds) < FEWEST:
        rounds.append({})
        for name in random.sample(list(calls), len(calls)):
            start = time.perf_counter()
            for _ in range(number):
                calls[name]()
            rounds[-1][name] = (time.perf_counter() - start) / number
    return rounds


def peers(width, length, batch, direction, need_weights):
    """The calls to compare, by name, all with the same weights."""
    loop = LoopedMultiHeadAttention(width, HEADS[width])
    for name, parameter in loop.named_parameters():
        if name.endswith("bias"):
            nn.init.zeros_(parameter)  # as theirs are at first; NumPy's rung has none
    loop.train(direction is both)
    ours = MultiHeadAttention.from_loop(loop)
    theirs = ours.to_torch()
    X = torch.randn(batch, length, width, requires_grad=direction is both)
    options = {"need_weights": need_weights}
    calls = {
        "theirs": partial(direction, theirs, (X, X, X), average_attn_weights=False, **options),
        "ours": partial(direction, ours, (X,), **options),
    }
    if direction is forward and need_weights:
        matrices = [layer.weight.detach().numpy().T.copy() for layer in (ours.query, ours.key, ours.value, ours.output)]
        calls["loop"] = partial(forward, loop, (X,))
        calls["NumPy"] = partial(multi_head_attention, X.numpy(), *matrices, HEADS[width])
        expected, weights = calls["theirs"]()
        for call in calls.values():
            output, own = call()
            torch.testing.assert_close(torch.as_tensor(output), expected, rtol=0, atol=1e-5)
            torch.testing.assert_close(torch.as_tensor(own), weights, rtol=0, atol=1e-5)
    return calls


def measure_cell(shape, direction, need_weights, threads):
    """Seconds that theirs take for a call, and the median ratio of each peer to it."""
    torch.set_num_threads(threads)
    random.seed()  # processes fork with one state
    torch.seed()
    with torch.inference_mode(direction is forward):
        rounds = measure(peers(*shape, direction, need_weights))
    theirs = statistics.median(taken["theirs"] for taken in rounds)
    names = [name for name in rounds[0] if name != "theirs"]
    return theirs, {name: statistics.median(taken[name] / taken["theirs"] for taken in rounds) for name in names}


def in_a_fresh_process(function, *arguments):
    context = get_context("fork")  # torch is imported already
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=lambda: sender.send(function(*arguments)))
    process.start()
    sender.close()
    result = receiver.recv()
    process.join()
    return result


def main(threads):
    print(f"Time for each second of nn.MultiheadAttention, torch {torch.__version__}, CPU, {threads} threads")
    titles = [*COLUMNS, *BESIDE]
    print("width length batch  " + "  ".join(f"{title:>28}" for title in COLUMNS) + "    loop   NumPy")
    cells = {title: {} for title in titles}
    for shape in itertools.product(HEADS, LENGTHS, BATCHES):
        line = "{:5} {:6} {:5}  ".format(*shape)
        for title, column in COLUMNS.items():
            found = [in_a_fresh_process(measure_cell, shape, *column, threads) for _ in range(PROCESSES)]
            theirs = statistics.median(seconds for seconds, _ in found)
            for name in found[0][1]:
                place = title if name == "ours" else name
                cells[place][shape] = statistics.median(ratios[name] for _, ratios in found)
            line += f"{cells[title][shape]:8.2f} of {1e3 * theirs:9.3f} ms     "
        print(line + "  ".join(f"{cells[name][shape]:6.2f}" for name in BESIDE), flush=True)
    for title, ratios in cells.items():
        print(
            f"{title:>28}: geometric mean {statistics.geometric_mean(ratios.values()):.2f}, largest {largest(ratios)}"
        )
    for kind, goal in (("with", 1.15), ("no", 1.0)):
        ratios = [
            r for title in COLUMNS for r in cells[title].values() if title.endswith("no weights") == (kind == "no")
        ]
        print(f"{kind} weights: geometric mean {statistics.geometric_mean(ratios):.2f}, goal {goal}")
    worst = {(title, *shape): r for title in COLUMNS for shape, r in cells[title].items()}
    print(f"largest cell: {largest(worst)}, goal 1.4")


def largest(ratios):
    return "{:.2f} at {}".format(*max((ratio, "/".join(map(str, shape))) for shape, ratio in ratios.items()))


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else torch.get_num_threads())
