"""Claim: heads bring better parallelisation. Timed: a loop over heads against all at once, and many heads against one.

All have the same weights. Beside the times there is what they come from: multiplications, and calls of torch's
operators. Times depend on the machine; the ratios are kept with its number of processors.
"""

import os
import random
import time

import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.flop_counter import FlopCounterMode

from manyheads.attention import LoopedMultiHeadAttention, MultiHeadAttention
from manyheads_book.experiments.evidence import clearly

RECIPE = 1
SEEDS = 10
WIDTH, HEADS, LENGTHS = 256, (1, 2, 8, 16), (16, 128, 512)
THREADS = (1, 2)
MANY = 8
BLOCK, BLOCKS = 4e-3, 4  # seconds of a sample, at least; samples


def statements(runs):
    """Whether heads at once are faster than one after another, and than one head of the same total width."""
    gains = {
        "one after another": lambda run, length: ratio(run, length) - 1,
        "one of the same total width": lambda run, length: 1 - against_one(run, length),
    }
    return {
        f"Eight heads at once are faster than {other}, on {length} words": clearly([gain(run, length) for run in runs])
        for other, gain in gains.items()
        for length in LENGTHS
    }


def ratio(run, length, heads=MANY, threads=1):
    """How long the loop takes for each second that all heads at once take."""
    seconds = run["seconds"][str(threads)][str(length)][str(heads)]
    return seconds["loop"] / seconds["at once"]


def against_one(run, length, heads=MANY, threads=1):
    """How long many heads at once take for each second of one head of the same total width."""
    of_length = run["seconds"][str(threads)][str(length)]
    return of_length[str(heads)]["at once"] / of_length["1"]["at once"]


def parts():
    return {"sizes": (WIDTH, HEADS, LENGTHS, THREADS, BLOCK, BLOCKS)}


def measure(seed, heads=HEADS, lengths=LENGTHS, threads=THREADS):
    """How long a forward pass takes: {"seconds": {threads: {length: {heads: {"loop", "at once"}}}}, "cores", "counts"}.

    >>> found = measure(0, heads=(2,), lengths=(4,), threads=(1,))
    >>> sorted(found["seconds"]["1"]["4"]["2"])
    ['at once', 'loop']

    With one thread it is the processor's time, with more that of the clock, the shortest of several samples.
    """
    rng, before = random.Random(seed), torch.get_num_threads()
    found = {}
    try:
        with torch.inference_mode():
            for count in threads:
                torch.set_num_threads(count)
                counted = heads if count == 1 else [number for number in heads if number in (1, MANY)]
                found[str(count)] = {str(length): _of_length(length, counted, count, rng) for length in lengths}
    finally:
        torch.set_num_threads(before)
    return {"seconds": found, "cores": os.cpu_count(), "counts": counts(lengths[-1], heads)}


def _of_length(length, heads, threads, rng):
    X = torch.randn(length, WIDTH)
    modules = [((count, name), module) for count in heads for name, module in pair(count).items()]
    rng.shuffle(modules)  # what runs first on a warm or a busy machine is left to chance
    clock = time.process_time if threads == 1 else time.perf_counter
    seconds = {names: _seconds(module, X, clock) for names, module in modules}
    return {str(count): {name: seconds[count, name] for name in ("loop", "at once")} for count in heads}


def pair(heads):
    """A loop over heads, and all at once with the same weights.

    >>> X = torch.randn(3, WIDTH)
    >>> loop, at_once = (module(X)[0] for module in pair(2).values())
    >>> torch.allclose(loop, at_once, atol=1e-5)
    True
    """
    loop = LoopedMultiHeadAttention(WIDTH, heads).eval()
    return {"loop": loop, "at once": MultiHeadAttention.from_loop(loop).eval()}


def _seconds(module, X, clock):
    module(X)
    started = clock()
    module(X)
    number = max(1, round(BLOCK / (clock() - started)))
    blocks = []
    for _ in range(BLOCKS):
        started = clock()
        for _ in range(number):
            module(X)
        blocks.append((clock() - started) / number)
    return min(blocks)  # what else the machine does can only add to a time


class OperatorCalls(TorchDispatchMode):
    """Counts the calls of torch's operators while it lasts."""

    count = 0

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        self.count += 1
        return function(*args, **(kwargs or {}))


def counts(length, heads=HEADS):
    """Multiplications (as torch counts them: two operations each) and operator calls, {heads: {name: {...}}}.

    >>> found = counts(8, heads=(4,))["4"]
    >>> found["loop"]["multiplications"] == found["at once"]["multiplications"]
    True
    >>> found["loop"]["calls"] > found["at once"]["calls"]
    True
    """
    X = torch.randn(length, WIDTH)
    return {str(count): {name: _counted(module, X) for name, module in pair(count).items()} for count in heads}


def _counted(module, X):
    with torch.no_grad(), FlopCounterMode(display=False) as flops, OperatorCalls() as calls:
        module(X)
    return {"multiplications": flops.get_total_flops() // 2, "calls": calls.count}
