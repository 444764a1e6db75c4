"""`MultiHeadAttention` against `torch.nn.MultiheadAttention`: how long ours takes for each second that theirs takes.

    python bench/attention.py [threads]

Both in eval() with the same weights, one weight map per head (theirs with average_attn_weights=False). "forward" is
under inference_mode, where theirs runs as one fused C++ call, its fast path; "forward+backward" goes down to the input
and all parameters. A sample is a block of calls of 5 ms or more, the two take turns in random order, and a process
gives the median, over the pairs of samples, of the ratio. How the memory of a process happens to lie moves that by 0.05
either way, so a cell is the median over several processes, and over many where it is close to 1. The last column is our
time for a call, in ms.

Predicted before the first measurement: without weights 0.9 (no checks in Python that theirs makes), forward+backward
0.95, forward with weights 1.1 to 1.3 in the small cells, because three Linear modules stand against one C++ call.
Found, and brought down (what is named is in shortcuts.py):
- 1.9 at width 64, length 512: softmax wrote to fresh memory, and most of the time went into getting it. In inference it
  now writes over the scores.
- 1.4 at length 16: one projection instead of three; the scale as the alpha of baddbmm; heads and batch on one axis, so
  that one copy serves all products; parameters taken without the detours of nn.Module.
- 1.2, 1.09 and 1.05 without weights at 64/128/8, 384/16/8 and 64/128/1 (width, length, batch): the fused kernel of
  scaled_dot_product_attention takes longer there than two products and a softmax. `is_small` leaves it to longer texts.
- 1.07 at 384/128/8 and up to 1.8 at 64/512/8, by chance: page faults, 8000 in one call and none in another, as glibc
  gave memory back or not. Now it keeps it, for both.
- 1.01 to 1.03 where nearly all the time is one product (384/128/8, 384/512/1, 512/128/8, 512/512/8): 0.88 to 0.97 since
  `linear` leaves large layers to oneDNN in inference.
- 1.01 at 64/512/8 with weights, a map of 33 MB that left the cache between product, softmax and product: 0.85 since
  `by_pieces` makes a few heads at a time.
- 1.00 to 1.02 at 384/16/1 and 512/16/1: 0.95 and 0.88 (predicted: 0.88 both) since `linear` makes the products of few
  words in eight parts. MKL by itself gains little from a second thread there, and below eight words nothing.
- 1.00 to 1.01 at 64/128/8, and up to 1.09 in minutes when every access to memory was slow: 0.99 to 1.00, and 0.96 in
  such minutes, since `project` lays queries, keys and values side by side for each text. Laid out one after the other
  for all texts, one thread wrote all queries, and the products, which threads share text by text, had to fetch them
  from its cache.

There 64/128/8 forward is still nearer to a tie than to a win. Products, copies and a softmax, which both leave to the
same kernels, take 0.95 of their time, since ours overwrites its scores; the other 0.04 is Python, which costs there
several times what it costs in a loop, probably because 2 MB of scores drive it from the cache. Tried there in vain:
pieces of other sizes, with one buffer of scores for all pieces too (1.02 to 1.09), oneDNN (1.06), queries scaled
beforehand, softmax over the middle axis, each head's or each text's projection for itself, so that heads need not be
brought together (0.9 in a process that had done other work, 1.0 in a fresh one), contexts made upright, so that joining
them copies nothing (0.98 there, 1.02 to 1.05 in wider layers and single texts), and asking `is_plain` once for all
shorter ways (0.98 to 1.00).
"""

import ctypes
import itertools
import random
import statistics
import sys
import time
from functools import partial
from multiprocessing import get_context

import torch
from torch import nn

from manyheads.attention import MultiHeadAttention

HEADS = {64: 4, 384: 12, 512: 8}  # as in the focus model, the encoder, the paper
LENGTHS, BATCHES = (16, 128, 512), (1, 8)
PROCESSES, CLEAR, MORE = 7, 0.98, 18  # as many more where the ratio is not clearly below 1
SECONDS, BLOCK, FEWEST = 0.4, 5e-3, 7


def forward(layer, inputs, **options):
    return layer(*inputs, **options)


def both(layer, inputs, **options):
    output, _ = layer(*inputs, **options)
    output.sum().backward()


def measure(calls):
    """Seconds for each call in each round: [(ours, theirs), ...]."""
    seconds = []
    for call in calls:
        call()
        start = time.perf_counter()
        call()
        seconds.append(time.perf_counter() - start)
    number = max(1, round(BLOCK / max(seconds)))
    rounds = []
    end = time.perf_counter() + SECONDS
    while time.perf_counter() < end or len(rounds) < FEWEST:
        taken = [0.0, 0.0]
        for which in random.sample(range(2), 2):
            calls[which]()  # so that neither pays for what the other left in the caches
            start = time.perf_counter()
            for _ in range(number):
                calls[which]()
            taken[which] = (time.perf_counter() - start) / number
        rounds.append(taken)
    return rounds


def keep_memory():
    """Let glibc keep what is freed, as allocators made for such work do; others have no `mallopt`.

    Called before the first thread: the pool forks from one, and a thread's own arena gives large pieces back.
    """
    libc = ctypes.CDLL(None)
    if hasattr(libc, "mallopt"):
        libc.mallopt(-8, 1)  # M_ARENA_MAX: one for all threads
        libc.mallopt(-4, 0)  # M_MMAP_MAX: no memory of its own for a large tensor
        libc.mallopt(-1, 2**31 - 1)  # M_TRIM_THRESHOLD: nothing goes back


def measure_cell(width, length, batch, direction, need_weights, threads):
    """Our seconds for a call, and the median ratio of ours to theirs."""
    torch.set_num_threads(threads)
    random.seed()  # processes fork with one state
    theirs = nn.MultiheadAttention(width, HEADS[width], batch_first=True).eval()
    ours = MultiHeadAttention.from_torch(theirs)
    X = torch.randn(batch, length, width)
    for a, b in zip(ours(X), theirs(X, X, X, average_attn_weights=False), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-5)
    X.requires_grad_(direction is both)
    calls = (
        partial(direction, ours, (X,), need_weights=need_weights),
        partial(direction, theirs, (X, X, X), need_weights=need_weights, average_attn_weights=False),
    )
    with torch.inference_mode(direction is forward):
        rounds = measure(calls)
    return statistics.median(a for a, _ in rounds), statistics.median(a / b for a, b in rounds)


def main(threads):
    keep_memory()
    print(f"MultiHeadAttention / nn.MultiheadAttention, torch {torch.__version__}, CPU, {threads} threads; goal 1.0")
    columns = [(direction, need) for direction in (forward, both) for need in (True, False)]
    names = {forward: "forward", both: "forward+backward"}
    titles = [f"{names[direction]}, {'with' if need else 'no'} weights" for direction, need in columns]
    print("width length batch  " + "  ".join(f"{title:>28}" for title in titles))
    above = []
    with get_context("fork").Pool(1, maxtasksperchild=1) as process:  # a fresh one for each task
        for shape in itertools.product(HEADS, LENGTHS, BATCHES):
            cells = []
            for title, column in zip(titles, columns, strict=True):
                cell = partial(process.apply, measure_cell, (*shape, *column, threads))
                found = [cell() for _ in range(PROCESSES)]
                if statistics.median(ratio for _, ratio in found) > CLEAR:
                    found += [cell() for _ in range(MORE)]
                seconds, ratio = map(statistics.median, zip(*found, strict=True))
                cells.append(f"{ratio:17.2f}{seconds * 1e3:11.3f}")
                if round(ratio, 2) > 1:
                    processes = " ".join(f"{ratio:.2f}" for _, ratio in found)
                    above.append(f"{title}, width {shape[0]}, length {shape[1]}, batch {shape[2]}: {processes}")
            print("{:5} {:6} {:5}  ".format(*shape) + "  ".join(cells), flush=True)
    print("\n".join(["Above 1.00:", *above]) if above else "No cell is above 1.00.")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else torch.get_num_threads())
