"""Files in llama.cpp's format GGUF, versions 2 and 3: facts by name, then tensors, most of them in blocks of few bits.

https://github.com/ggml-org/ggml/blob/master/docs/gguf.md describes it. The PyPI package `gguf` reads such files as
well, but takes seconds for the hundred thousand words of a tokenizer.
"""

import json
import math
import mmap
import re
import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

# What pages know of such files as well: kinds of blocks, architectures, what their facts must be, how much is read, and
# why a file can't be.
GGUF = json.loads((Path(__file__).parents[2] / "shared" / "gguf.json").read_text(encoding="utf-8"))
BLOCKS = GGUF["blocks"]
KINDS = {block["number"]: kind for kind, block in BLOCKS.items()}
OTHER_KINDS = {number: kind for kind, number in GGUF["otherBlocks"].items()}
# The types of values, by number: a letter of `struct` each.
NUMBERS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
STRING, ARRAY = 8, 9
MOST = GGUF["mostCount"]  # values in a list: tokenizers have fewer than a million
# What a block is made of, in this order: scales, codes and their highest bits, and how many bytes each takes.
FIELDS = {
    "Q4_0": {"d": 2, "low": 16},
    "Q4_1": {"d": 2, "m": 2, "low": 16},
    "Q5_0": {"d": 2, "high": 4, "low": 16},
    "Q5_1": {"d": 2, "m": 2, "high": 4, "low": 16},
    "Q8_0": {"d": 2, "whole": 32},
    "Q4_K": {"d": 2, "m": 2, "scales": 12, "low": 128},
    "Q5_K": {"d": 2, "m": 2, "scales": 12, "high": 32, "low": 128},
    "Q6_K": {"low": 128, "high": 64, "scales": 16, "d": 2},
}
# The bits of a number's exponent, all of which are set in what is infinite or no number; in blocks, scales are F16.
EXPONENTS = {"F32": (np.uint32, 0x7F80_0000), "BF16": (np.uint16, 0x7F80), "F16": (np.uint16, 0x7C00)}
MIDDLES = {"Q4_0": 8, "Q5_0": 16, "Q6_K": 32}  # the codes that stand for 0, where no least value is given
# How transformers reads a file.
LOADERS = {"model": "AutoModelForCausalLM", "tokenizer": "AutoTokenizer"}
AT_ONCE = 4096  # blocks, so that what is in between stays small


@dataclass(frozen=True)
class Tensor:
    """A tensor as its file holds it, from `start` on: `kind` is of `shared/gguf.json`, `packed` uint8 [row, byte]."""

    kind: str
    packed: np.ndarray
    start: int = 0

    @property
    def shape(self):
        """Rows and columns; a vector is one row."""
        return len(self.packed), self.packed.shape[1] // BLOCKS[self.kind]["bytes"] * BLOCKS[self.kind]["weights"]

    def is_finite(self):
        """Whether all weights are finite numbers: those of a block are if its scales `d` and `m` are.

        >>> Tensor("Q8_0", np.array([[0, 60, *range(32)]], np.uint8)).is_finite()  # d = 1.0
        True
        >>> Tensor("Q8_0", np.array([[0, 126, *range(32)]], np.uint8)).is_finite()  # d is no number
        False
        """
        numbers = self.packed
        if fields := FIELDS.get(self.kind):
            names = [*fields]
            start = sum(fields[name] for name in names[: names.index("d")])
            scales = slice(start, start + fields["d"] + fields.get("m", 0))  # `m` comes after `d`
            numbers = numbers.reshape(-1, BLOCKS[self.kind]["bytes"])[:, scales]
        dtype, exponent = EXPONENTS.get(self.kind, EXPONENTS["F16"])
        return not ((np.ascontiguousarray(numbers).view(dtype) & exponent) == exponent).any()

    def unpacked(self):  # -> float32 [row, column]
        """The weights, exactly.

        >>> Tensor("Q8_0", np.array([[0, 60, *range(32)]], np.uint8)).unpacked()[0, :4]  # d = 1.0
        array([0., 1., 2., 3.], dtype=float32)
        """
        kind, packed = self.kind, self.packed
        if kind == "BF16":
            return (packed.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
        if kind not in FIELDS:
            return packed.view({"F32": np.float32, "F16": np.float16}[kind]).astype(np.float32)
        blocks = packed.reshape(-1, BLOCKS[kind]["bytes"])
        weights = np.empty((len(blocks), BLOCKS[kind]["weights"]), np.float32)
        for start in range(0, len(blocks), AT_ONCE):
            weights[start : start + AT_ONCE] = _weights(kind, blocks[start : start + AT_ONCE])
        return weights.reshape(len(packed), -1)


def read_gguf(path):
    """The facts and the tensors of a file: {name: value}, {name: `Tensor`}. Tensors are read where they're used.

    Raises `ValueError` for a file that is none, is cut short or contradicts itself, and for a model of an architecture
    or with weights of kinds that we don't read, which says by which lines transformers may.
    """
    with open(path, "rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError(f"{path} can't be opened: it is not a GGUF file")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        return _facts_and_tensors(data)
    except (KeyError, OverflowError, UnicodeDecodeError, struct.error) as error:
        raise ValueError(f"{path} can't be opened: it is cut short, or damaged") from error
    except _NotRead as error:
        raise ValueError(f"{path} can't be opened: {error} {_elsewhere(Path(path))}") from error
    except ValueError as error:
        raise ValueError(f"{path} can't be opened: {error}") from error


class _NotRead(ValueError):
    """A model that we don't read, though others may."""


def fault(why, /, **values):
    """What is said of a file that can't be opened, with what stands in it."""
    return GGUF["faults"][why].format(**values)


def _elsewhere(path):
    """How transformers reads a file, and who shows what it read."""
    given = f"({str(path.parent)!r}, gguf_file={path.name!r})"
    lines = (f"`{name} = {loader}.from_pretrained{given}`" for name, loader in LOADERS.items())
    return f'transformers may read it: {", ".join(lines)}, then `HeadMap.of(model, "a text", tokenizer=tokenizer)`.'


def _facts_and_tensors(data):
    reader = _Reader(data)
    _, version, tensor_count, fact_count = reader.numbers("4sIQQ")
    if version not in (2, 3):
        raise ValueError(f"it is a GGUF file of version {version}; we read versions 2 and 3")
    facts, places = {}, {}
    for _ in range(fact_count):
        name = reader.unlike(facts)
        facts[name] = reader.value(*reader.numbers("I"))
    for _ in range(tensor_count):
        name = reader.unlike(places)
        places[name] = reader.place()
    _judge(facts, places)
    align = facts.get("general.alignment", 32)
    if not isinstance(align, int) or align < 1:
        raise ValueError(f"it aligns its tensors at {align} bytes")
    start = -(-reader.at // align) * align
    return facts, {name: _tensor(data, name, start + offset, *of) for name, (offset, *of) in places.items()}


def _judge(facts, names):
    """Refuse what is no model, or none that we read, before its kinds of weights: no other kind of it would do."""
    architecture, parts = str(facts.get("general.architecture", "")), facts.get("split.count", 1)
    for row in GGUF["noModels"]:
        is_called_so = facts.get("general.type") == row["type"] or architecture in row["architectures"]
        if is_called_so or any(re.search(row["tensors"], name) for name in names):
            raise ValueError(row["says"])
    if architecture and architecture not in GGUF["architectures"]:
        known = ", ".join(GGUF["architectures"])
        raise _NotRead(fault("architecture", architecture=architecture[:40], known=known))
    if isinstance(parts, int) and parts > 1:
        raise ValueError(fault("parts", count=parts))
    if not names:
        raise ValueError(fault("empty"))
    if not architecture:  # which the second of several parts doesn't name
        raise ValueError(fault("unnamed"))


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
        (found,) = self.numbers(f"{length}s")
        return found.decode()

    def value(self, kind):
        if kind == STRING:
            return self.string()
        if kind != ARRAY:
            return self.numbers(NUMBERS[kind])[0]
        kind, count = self.numbers("IQ")
        if count > MOST:
            raise ValueError(f"it has a list of {count} values; we read at most {MOST}")
        return (
            [self.string() for _ in range(count)] if kind == STRING else list(self.numbers(f"{count}{NUMBERS[kind]}"))
        )

    def unlike(self, known):
        """A name that isn't known yet."""
        name = self.string()
        if name in known:
            raise ValueError(f"it has two values or two tensors called {name!r}")
        return name

    def place(self):
        """A tensor's offset, type and sizes, the fastest axis first."""
        (axes,) = self.numbers("I")
        sizes = self.numbers(f"{axes}Q")
        kind, offset = self.numbers("IQ")
        return offset, kind, sizes


def _tensor(data, name, start, number, sizes):
    if number not in KINDS:
        raise _NotRead(fault("kind", kind=OTHER_KINDS.get(number, f"number {number}")))
    weights, length = (BLOCKS[KINDS[number]][part] for part in ("weights", "bytes"))
    if not 1 <= len(sizes) <= 2 or 0 in sizes or sizes[0] % weights:
        raise ValueError(f"it has a tensor of a shape that we don't read, {name}: {list(sizes)} of {KINDS[number]}")
    rows, columns = math.prod(sizes[1:]), sizes[0] // weights * length
    if start + rows * columns > len(data):
        raise ValueError(f"it is cut short: {name} ends at byte {start + rows * columns}, the file at {len(data)}")
    packed = np.frombuffer(data, np.uint8, rows * columns, start).reshape(rows, columns)
    return Tensor(KINDS[number], packed, start)


def _weights(kind, blocks):  # uint8 [block, byte] -> float32 [block, weight]
    ends = np.cumsum([*FIELDS[kind].values()])
    field = dict(zip(FIELDS[kind], np.split(blocks, ends[:-1], axis=1)))
    d, m = (field[name].copy().view(np.float16).astype(np.float32) if name in field else None for name in "dm")
    if kind == "Q6_K":
        d = d * field["scales"].view(np.int8)  # [block, 16]
    elif "scales" in field:
        d, m = (one * some for one, some in zip((d, -m), _scales(field["scales"])))  # [block, 8]
    codes = field["whole"].view(np.int8) if "whole" in field else _codes(kind, field["low"], field.get("high"))
    weights = d[..., None] * codes.reshape(*d.shape, -1)  # [block, part, weight]
    return (weights if m is None else weights + m[..., None]).reshape(len(blocks), -1)


def _codes(kind, low, high):  # uint8 [block, byte] -> int8 [block, weight]
    """Two codes a byte, of weights that stand 16 apart, 32 or 64; and the bits above, where there are any."""
    apart = {"Q4_K": 32, "Q5_K": 32, "Q6_K": 64}.get(kind, 16)
    pairs = low.reshape(len(low), -1, 1, apart) >> np.array([[0], [4]], np.uint8)
    codes = (pairs & 15).reshape(len(low), -1)
    if kind == "Q6_K":  # two bits a code, of weights 32 apart
        pairs = high.reshape(len(high), 2, 1, 32) >> np.array([[0], [2], [4], [6]], np.uint8)
        codes |= (pairs & 3).reshape(codes.shape) << 4
    elif high is not None:  # a bit: of Q5_K first the lowest of all bytes, else all of the first byte
        bits = np.unpackbits(high, axis=1, bitorder="little")
        if kind == "Q5_K":
            bits = bits.reshape(-1, 32, 8).swapaxes(1, 2).reshape(codes.shape)
        codes |= bits << 4
    return codes.view(np.int8) - np.int8(MIDDLES.get(kind, 0))


def _scales(packed):  # uint8 [block, 12] -> 2 x uint8 [block, 8]
    """The scales and least values of a block's eight parts, of six bits: the last four have two of these elsewhere."""
    first, second, rest = packed.reshape(-1, 3, 4).swapaxes(0, 1)
    halves = ((first, rest & 15), (second, rest >> 4))
    return [np.concatenate([whole & 63, below | (whole >> 6 << 4)], axis=1) for whole, below in halves]
