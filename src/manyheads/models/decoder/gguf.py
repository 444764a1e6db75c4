"""Files in llama.cpp's format GGUF, version 3: facts by name, then tensors.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md describes it. The PyPI package `gguf` reads such files as
well, but takes seconds for the hundred thousand words of a tokenizer.
"""

import mmap
import struct

import numpy as np

# The types of values, by number: a letter of `struct` each.
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
# The types of tensors that we read: how many weights make a block, and the bytes it takes.
BLOCKS = {"F32": (0, 1, 4), "Q4_1": (3, 32, 20), "Q8_0": (8, 32, 34)}


def read_gguf(path):
    """The facts and the tensors of a file: {name: value}, {name: uint8 [row, byte]}.

    Raises `ValueError` for a file that is none of version 3, and for tensors of types that we don't read.
    """
    with open(path, "rb") as file:
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    reader = _Reader(data)
    magic, version, tensor_count, fact_count = reader.numbers("4sIQQ")
    if (magic, version) != (b"GGUF", 3):
        raise ValueError(f"{path} is no GGUF file of version 3")
    facts = {reader.string(): reader.value(*reader.numbers("I")) for _ in range(fact_count)}
    places = [reader.place() for _ in range(tensor_count)]
    align = facts.get("general.alignment", 32)
    start = -(-reader.at // align) * align
    return facts, {name: _bytes(data, start + offset, *of) for name, offset, *of in places}


class _Reader:
    """Reads one thing after another."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def numbers(self, letters):
        found = struct.unpack_from(f"<{letters}", self.data, self.at)
        self.at += struct.calcsize(f"<{letters}")
        return found

    def string(self):
        (length,) = self.numbers("Q")
        self.at += length
        return self.data[self.at - length : self.at].decode()

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind != ARRAY:
            return self.numbers(NUMBERS[kind])[0]
        kind, count = self.numbers("IQ")
        return [self.string() for _ in range(count)] if kind == STRING else list(self.numbers(count * NUMBERS[kind]))

    def place(self):
        """A tensor's name, offset, type and sizes, the fastest axis first."""
        name, (axes,) = self.string(), self.numbers("I")
        sizes = self.numbers(axes * "Q")
        kind, offset = self.numbers("IQ")
        return name, offset, kind, sizes


def _bytes(data, start, kind, sizes):
    known = {number: block for number, *block in BLOCKS.values()}
    if kind not in known:
        raise ValueError(f"tensors of type {kind} are not read, only {', '.join(BLOCKS)}")
    weights, length = known[kind]
    rows, columns = int(np.prod(sizes[1:], dtype=int)), sizes[0] // weights * length
    return np.frombuffer(data, np.uint8, rows * columns, start).reshape(rows, columns)
