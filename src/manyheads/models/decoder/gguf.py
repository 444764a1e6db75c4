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
# What a block is made of, in this order, and how many bytes each takes: `d` and `m`, by which codes are multiplied and
# what is added to them; `scales` of parts of a block; codes and their `high` bits, with how far apart the weights of a
# byte are, and how many bits each has.
FIELDS = GGUF["fields"]
# How transformers reads a file or a folder.
ELSEWHERE = """transformers may read it{needs}:

    from manyheads import HeadMap
    from transformers import AutoModelForCausalLM, AutoTokenizer

    model = AutoModelForCausalLM.from_pretrained({given})
    tokenizer = AutoTokenizer.from_pretrained({given})
    HeadMap.of(model, "a text", tokenizer=tokenizer)
"""
MOST_PARTS = 1000  # of a model in several files
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

    Of a model in several files, whose names end in `-00001-of-00003.gguf` and so on, any one finds the others.

    Raises `ValueError` for a file that is none, is cut short or contradicts itself, and for a model of an architecture
    or with weights of kinds that we don't read, which says by which lines transformers may.
    """
    return opened(Path(path), _facts_and_tensors)


def opened(path, read):
    """What a function reads at a path; what it refuses is refused by the path."""
    try:
        return read(path)
    except NotRead as error:
        raise ValueError(f"{path} can't be opened: {error} {_elsewhere(path)}") from error
    except ValueError as error:
        raise ValueError(f"{path} can't be opened: {error}") from error


class NotRead(ValueError):
    """A model that we don't read, though others may."""


def fault(why, /, **values):
    """What is said of a file that can't be opened, with what stands in it."""
    return GGUF["faults"][why].format(**values)


def _elsewhere(path):
    """How transformers reads a file, and who shows what it read."""
    if path.is_dir():
        return ELSEWHERE.format(needs="", given=repr(str(path)))
    needs, whole = ", with the package gguf", re.sub(r"-\d{5}-of-\d{5}", "", path.name)
    if whole != path.name:  # of several files it reads one, and draws what is in the others at random
        first = re.sub(r"-\d{5}-of-", "-00001-of-", path.name)
        needs += f", once its parts are one (`llama-gguf-split --merge {first} {whole}`)"
    return ELSEWHERE.format(needs=needs, given=f"{str(path.parent)!r}, gguf_file={whole!r}")


def _facts_and_tensors(path):
    read = _read(path)
    _, facts, places, _ = read
    judge(facts, places)
    count = facts.get("split.count", 1)
    names = part_names(path.name, count)
    if missing := [name for name in names if not path.with_name(name).exists()]:
        raise ValueError(fault("parts", count=count, names=listed(missing)))
    whole, tensors = facts, {}
    for number, name in enumerate(names):
        try:
            data, facts, places, first = read if name == path.name else _read(path.with_name(name))
            own = facts.get("split.no", 0), facts.get("split.count", 1)
            if own != (number, count) or {*places} & {*tensors}:
                raise ValueError(fault("part", number=number + 1, count=count))
            whole = whole if number else facts
            tensors |= {each: _tensor(data, each, first + offset, *of) for each, (offset, *of) in places.items()}
        except ValueError as error:
            raise type(error)(f"in {name}, {error}" if len(names) > 1 else str(error)) from error
    judge(whole, tensors)
    if not tensors:
        raise ValueError(fault("empty"))
    if not whole.get("general.architecture"):  # which the second of several parts doesn't name
        raise ValueError(fault("unnamed"))
    if len(names) > 1 and len(tensors) != whole.get("split.tensors.count", len(tensors)):
        raise ValueError(fault("others", count=len(tensors), wanted=whole["split.tensors.count"]))
    return whole, tensors


def part_names(name, count):
    """What the files of a model in so many parts are called, after any of them.

    >>> part_names("tea-00002-of-00003.gguf", 3)
    ['tea-00001-of-00003.gguf', 'tea-00002-of-00003.gguf', 'tea-00003-of-00003.gguf']
    """
    if type(count) is not int or not 1 < count < MOST_PARTS:
        return [name]
    before, ending = re.fullmatch(r"(?is)(.*?)(?:-\d{5}-of-\d{5})?(\.gguf)?", name).groups()
    return [f"{before}-{number + 1:05}-of-{count:05}{ending or ''}" for number in range(count)]


def _read(path):
    """A file's bytes, facts and tensors, {name: (offset, kind, sizes)}, and the byte from where these are counted."""
    with open(path, "rb") as file:
        if file.read(4) != b"GGUF":
            raise ValueError("it is not a GGUF file")
        data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    try:
        return data, *_header(_Reader(data))
    except (KeyError, OverflowError, UnicodeDecodeError, struct.error) as error:
        raise ValueError("it is cut short, or damaged") from error


def _header(reader):
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
    align = facts.get("general.alignment", 32)
    if not isinstance(align, int) or align < 1:
        raise ValueError(f"it aligns its tensors at {align} bytes")
    return facts, places, -(-reader.at // align) * align


def judge(facts, names):
    """Refuse what is no model, or none that we read, before its kinds of weights: no other kind of it would do."""
    architecture = str(facts.get("general.architecture", ""))
    for row in GGUF["noModels"]:
        is_called_so = facts.get("general.type") == row["type"] or architecture in row["architectures"]
        if is_called_so or any(re.search(row["tensors"], name) for name in names):
            raise ValueError(row["says"])
    if architecture and architecture not in GGUF["architectures"]:
        known = ", ".join(GGUF["architectures"])
        raise NotRead(fault("architecture", architecture=architecture[:40], known=known))


def listed(names, most=4):
    """The first of some names, and how many more there are."""
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


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
        raise NotRead(fault("kind", kind=OTHER_KINDS.get(number, f"number {number}")))
    weights, length = (BLOCKS[KINDS[number]][part] for part in ("weights", "bytes"))
    if not 1 <= len(sizes) <= 2 or 0 in sizes or sizes[0] % weights:
        raise ValueError(f"it has a tensor of a shape that we don't read, {name}: {list(sizes)} of {KINDS[number]}")
    rows, columns = math.prod(sizes[1:]), sizes[0] // weights * length
    if start + rows * columns > len(data):
        raise ValueError(f"it is cut short: {name} ends at byte {start + rows * columns}, the file at {len(data)}")
    packed = np.frombuffer(data, np.uint8, rows * columns, start).reshape(rows, columns)
    return Tensor(KINDS[number], packed, start)


def _weights(kind, blocks):  # uint8 [block, byte] -> float32 [block, weight]
    ends = np.cumsum([length for length, *_ in FIELDS[kind].values()])
    field = dict(zip(FIELDS[kind], np.split(blocks, ends[:-1], axis=1)))
    d, m = (field[name].copy().view(f"<f{field[name].shape[1]}") if name in field else None for name in "dm")
    if kind == "MXFP4":
        d = np.ldexp(np.float32(1), field["exponent"].astype(int) - 128)
    scales, least = _scales(kind, field.get("scales"))
    d = d.astype(np.float32) * scales  # [block, part]
    codes = _codes(kind, field)
    values = GGUF["values"].get(kind.split("_")[0])
    codes = codes.view(np.int8) - np.int8(GGUF["middles"].get(kind, 0)) if values is None else np.int8(values)[codes]
    weights = d[..., None] * codes.reshape(*d.shape, -1)  # [block, part, weight]
    return (weights if m is None else weights + (m.astype(np.float32) * least)[..., None]).reshape(len(blocks), -1)


def _parts(packed, apart, bits):  # uint8 [block, byte] -> uint8 [block, byte * 8 / bits]
    """The numbers of so many bits, several of which are in a byte, the lowest first, and stand so far apart."""
    shifts = np.arange(0, 8, bits, np.uint8)[:, None]
    return (
        (packed.reshape(len(packed), -1, 1, apart) >> shifts & (2**bits - 1)).reshape(len(packed), -1).astype(np.uint8)
    )


def _codes(kind, field):  # {name: uint8 [block, byte]} -> uint8 [block, weight]
    (_, *low), (_, *high) = FIELDS[kind]["low"], FIELDS[kind].get("high", [0])
    codes = _parts(field["low"], *low)
    return codes | (_parts(field["high"], *high) << low[1]) if high else codes


def _scales(kind, packed):  # uint8 [block, byte] -> 2 x [block, part]
    """The scales of a block's parts, and by what the least value is multiplied."""
    if packed is None:
        return np.int8(1), np.int8(1)
    if kind == "Q6_K":
        return packed.view(np.int8), None
    if kind == "Q2_K":
        return packed & 15, -(packed >> 4).view(np.int8)
    if kind in ("Q3_K", "IQ4_XS"):  # of six bits, the upper two of which stand apart
        lower, upper = (packed[:, :8], packed[:, 8:]) if kind == "Q3_K" else (packed[:, 2:], packed[:, :2])
        apart = (8, 4) if kind == "Q3_K" else (1, 1)
        return (_parts(lower, apart[0], 4) | _parts(upper, apart[1], 2) << 4).view(np.int8) - np.int8(32), None
    first, second, rest = packed.reshape(-1, 3, 4).swapaxes(0, 1)  # the last four have two bits elsewhere
    halves = ((first, rest & 15), (second, rest >> 4))
    scales, least = (np.concatenate([whole & 63, below | (whole >> 6 << 4)], axis=1) for whole, below in halves)
    return scales, -least.view(np.int8)
