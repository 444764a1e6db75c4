"""gguf.ts reads headers as the package `gguf` writes and reads them, and refuses those that lie, in a sentence and at once."""

import base64
import json
import random
import struct

import gguf
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from node import WEB, ask_node

from manyheads.models.decoder.weights import gguf_file

BLOCKS = json.loads((WEB.parent / "shared" / "gguf.json").read_text(encoding="utf-8"))["blocks"]
GIGABYTES = 5 * 2**30
MOST_MEMORY, MOST_SECONDS = 600 * 2**20, 5  # of Node, for all files of a test; of a processor, for one file

DRIVER = """
import { closeSync, openAsBlob, openSync, readSync, rmSync, statSync } from "node:fs";
import { describe, readGguf } from "./models/gguf.ts";
const plain = (_, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value instanceof Map ? [...value] : value);
const large = (path) => ({ // Node's own Blob takes a size modulo 4 GiB
  size: statSync(path).size,
  slice: (start, end) => ({
    arrayBuffer: async () => {
      const [from, bytes] = [openSync(path), new Uint8Array(end - start)];
      readSync(from, bytes, 0, bytes.length, start);
      closeSync(from);
      return bytes.buffer;
    },
  }),
});
const answers = [];
let memory = 0;
for (const { path, packed, deleted } of given) {
  const file = path ? (statSync(path).size < 2 ** 32 ? await openAsBlob(path) : large(path)) : new Blob([Buffer.from(packed, "base64")]);
  if (deleted) rmSync(path);
  const start = process.cpuUsage();
  const found = await readGguf(file).then(
    (read) => ({ ...read, line: describe(read, file.size) }),
    ({ name, message }) => ({ fault: `${name}: ${message}` }),
  );
  const { user, system } = process.cpuUsage(start); // whatever else the machine does is left out
  answers.push({ ...found, seconds: (user + system) / 1e6 });
  memory = Math.max(memory, process.memoryUsage().rss); // a child's peak begins with its parent's
}
console.log(JSON.stringify({ answers, memory }, plain));
"""


def read_in_node(*files):
    """What readGguf finds in files (paths or bytes): the facts and tensors of each, or its fault."""
    given = [
        {"packed": base64.b64encode(file).decode()} if isinstance(file, bytes) else {"path": str(file)}
        for file in files
    ]
    found = ask_node(DRIVER, given)
    assert found["memory"] < MOST_MEMORY
    for answer in found["answers"]:
        assert answer["seconds"] < MOST_SECONDS
        answer.update({part: dict(answer[part]) for part in ("facts", "tensors") if part in answer})
    return found["answers"]


def faults(*files):
    return [answer.get("fault") for answer in read_in_node(*files)]


def assert_same(found, path):
    """A header is what the package's own reader makes of it."""
    reader = gguf.GGUFReader(path)
    facts = {name: field.contents() for name, field in reader.fields.items() if not name.startswith("GGUF.")}
    assert found["facts"] == facts
    assert found["tensors"] == {
        tensor.name: {
            "name": tensor.name,
            "kind": tensor.tensor_type.name,
            "shape": tensor.shape.tolist()[::-1],
            "start": tensor.data_offset,
            "bytes": tensor.n_bytes,
        }
        for tensor in reader.tensors
    }


TYPES = gguf.GGUFValueType
SAFE = 2**53 - 1
NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=12)
VALUES = {
    **{
        TYPES[f"{sign}INT{bits}"]: st.integers(*span)
        for bits in (8, 16, 32, 64)
        for sign, span in {
            "U": (0, min(2**bits - 1, SAFE)),
            "": (max(-(2 ** (bits - 1)), -SAFE), min(2 ** (bits - 1) - 1, SAFE)),
        }.items()
    },
    TYPES.FLOAT32: st.floats(-(2.0**53), 2.0**53, width=32),
    TYPES.FLOAT64: st.floats(-(2.0**53), 2.0**53),
    TYPES.BOOL: st.booleans(),
    TYPES.STRING: st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.just("\ufeff\0 the"),
}
FACTS = st.one_of(
    *(st.tuples(st.just(type), st.none(), value) for type, value in VALUES.items()),
    *(
        st.tuples(st.just(TYPES.ARRAY), st.just(type), st.lists(value, min_size=1, max_size=5))
        for type, value in VALUES.items()
    ),
)
TENSORS = st.tuples(st.sampled_from(sorted(BLOCKS)), st.integers(1, 3), st.lists(st.integers(1, 5), max_size=3))


@settings(max_examples=12)
@given(
    st.dictionaries(NAMES, FACTS, max_size=12),
    st.dictionaries(NAMES, TENSORS, min_size=1, max_size=6),
    st.sampled_from([None, 1, 8, 64, 4096]),
)
def test_headers_are_read_as_they_are_written(tmp_path_factory, facts, tensors, alignment):
    path = tmp_path_factory.mktemp("headers") / "model.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    if alignment:
        writer.add_custom_alignment(alignment)
    for name, (type, member, value) in facts.items():
        writer.add_key_value(name, value, type, member)
    for name, (kind, blocks, axes) in tensors.items():
        data = np.zeros((*axes, blocks * BLOCKS[kind]["bytes"]), np.uint8)
        writer.add_tensor(name, data, raw_dtype=gguf.GGMLQuantizationType[kind])
    write(writer)
    assert_same(*read_in_node(path), path)


def write(writer):
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def test_a_models_own_file_is_read_and_described():
    (found,) = read_in_node(gguf_file())
    assert_same(found, gguf_file())
    name, sizes = "Smollm2 135M 8k Lc100K Mix1 Ep2", "30 layers of 9 heads on 3 keys and values"
    assert found["line"] == f"{name}: llama, {sizes}, mostly Q4_1, 98.4 MB."


def test_what_strangers_wrote_is_described():
    sizes = [number(f"llama.{name}", size) for name, size in [("block_count", 7), ("attention.head_count", 12)]]
    half = tensor("half", (64, 2), BLOCKS["F16"]["number"], offset=256)
    lines = {
        file(*sizes, tensors=[tensor(), half], data=512): "llama, 7 layers of 12 heads, mostly F16, 0.768 kB.",
        file(): "llama, mostly F32, 0.384 kB.",
        file(words("general.name", " a\0\n\u202eb" + "x" * 99)): f"a b{'x' * 77}: llama, mostly F32, 0.512 kB.",
        file(
            listed(TYPES.STRING, 1, text("tea")), number("general.name", 3), sizes[0]
        ): "3: llama, mostly F32, 0.48 kB.",
    }
    assert [answer["line"] for answer in read_in_node(*lines)] == [*lines.values()]


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def fact(name, type, *packed):
    return text(name) + struct.pack("<I", type) + b"".join(packed)


def number(name, value):
    return fact(name, TYPES.UINT32, struct.pack("<I", value))


def words(name, value):
    return fact(name, TYPES.STRING, text(value))


def listed(member, count, content=b""):
    return fact("list", TYPES.ARRAY, struct.pack("<IQ", member, count), content)


def tensor(name="weights", shape=(32, 2), kind=0, offset=0, axes=None):
    axes = len(shape) if axes is None else axes
    return text(name) + struct.pack(f"<I{len(shape)}QIQ", axes, *shape, kind, offset)


def file(*facts, tensors=None, counts=None, magic=b"GGUF", version=3, data=256):
    """A Llama's file of such facts and tensors, else of one, and so many bytes of data."""
    tensors = [tensor()] if tensors is None else tensors
    facts = [words("general.architecture", "llama"), *facts]
    header = (
        magic + struct.pack("<IQQ", version, *(counts or (len(tensors), len(facts)))) + b"".join([*facts, *tensors])
    )
    return header + bytes(-len(header) % 32 + data)


DAMAGED, TOO_LONG = "it’s damaged: ", "its header is longer than that of any model we know"
CUT, FOREIGN = "it’s damaged: it ends before its header does", "it isn’t a GGUF file"
SHAPE, PLACE, LARGE = (
    f"{DAMAGED}a {what}"
    for what in ("tensor in it has an impossible shape", "tensor in it begins", "number in it is impossibly large")
)
KIND = "it has weights of a kind that isn’t read here"
HUGE = 2**60
SENTENCES = (
    DAMAGED,
    TOO_LONG,
    KIND,
    "it ends in the middle: ",
    "it’s in version ",
    "its numbers are written",
    "it holds no weights",
    "its architecture is “",
    "it doesn’t say of which architecture",
)
HOSTILE = [
    (b"", "it’s empty"),
    (b"GGU", FOREIGN),
    (b"PK\3\4" + bytes(1000), FOREIGN),
    (struct.pack("<Q", 20) + b'{"a":{"dtype":"F32"}}', FOREIGN),
    (file(magic=b"ggml"), FOREIGN),
    (file(version=1), "it’s in version 1 of the format"),
    (file(version=2**31 + 1), "it’s in version 2147483649 of the format"),
    (file(version=3 << 24), "its numbers are written the other way round"),
    (b"GGUF\3\0", CUT),
    (file(tensors=()), "it holds no weights"),
    *((file(counts=counts), CUT) for counts in [(1, 2**30), (2**30, 0), (1, 2**52)]),
    *((file(counts=counts), LARGE) for counts in [(1, HUGE), (HUGE, 0), (2**64 - 1, 0), (1, 2**53)]),
    (file(struct.pack("<Q", HUGE)), LARGE),
    (file(struct.pack("<Q", 2**40)), CUT),
    (file(fact("text", TYPES.STRING, struct.pack("<Q", 2**40))), CUT),
    (file(fact("text", TYPES.STRING, struct.pack("<Q", 2**64 - 8))), LARGE),
    *((file(listed(type, 2**40)), CUT) for type in TYPES if type != TYPES.ARRAY),
    *((file(listed(type, HUGE)), LARGE) for type in TYPES if type != TYPES.ARRAY),
    (
        file(listed(TYPES.ARRAY, 1, struct.pack("<IQ", TYPES.UINT8, 0))),
        "it’s damaged: a fact in it is of an unknown type (9)",
    ),
    *((file(fact("what", type, bytes(8))), f"{DAMAGED}a fact in it is of an unknown type") for type in (13, 2**32 - 1)),
    *((file(fact("what", type, b"\xff" * 7 + b"\x7f")), LARGE) for type in (TYPES.UINT64, TYPES.INT64)),
    (file(fact("what", TYPES.INT64, bytes(7) + b"\x80")), LARGE),
    (file(number("a", 1), number("a", 2)), f"{DAMAGED}a name in it stands twice"),
    (file(tensors=[tensor(), tensor(offset=256)], data=512), f"{DAMAGED}a name in it stands twice"),
    (
        file(number("split.count", 3)),
        "its model is in 3 parts, of which these are missing: model-00002-of-00003.gguf, model-00003-of-00003.gguf.",
    ),
    *(
        (file(tensors=[tensor(shape=(32,), axes=axes)]), f"{DAMAGED}a tensor in it has {axes} axes")
        for axes in (0, 5, 2**32 - 1)
    ),
    *(
        (file(tensors=[tensor(shape=shape)]), SHAPE)
        for shape in [(0,), (32, 0), (2**27, 2**27), (2**32, 2**32, 2**32, 2**32), (2**53 - 1, 2)]
    ),
    (file(tensors=[tensor(shape=(2**63, 2))]), LARGE),
    *(
        (file(tensors=[tensor(shape=(width, 2), kind=kind)]), SHAPE)
        for width, kind in [(31, 2), (33, 8), (255, 12), (128, 14)]
    ),
    *((file(tensors=[tensor(kind=kind)]), f"{KIND} (number {kind})") for kind in (4, 5, 27, 99, 2**32 - 1)),
    *((file(tensors=[tensor(offset=offset)]), LARGE) for offset in (2**64 - 32, 2**63, HUGE)),
    *((file(tensors=[tensor(offset=offset)], data=512), PLACE) for offset in (1, 16, 33)),
    (file(tensors=[tensor(offset=2**40)]), "it ends in the middle: 1100 GB are missing"),
    (file(tensors=[tensor(shape=(2**51,))]), "it ends in the middle: "),
    (file(data=255), "it ends in the middle: 0.001 kB are missing"),
    (file(tensors=[tensor("a"), tensor("b")]), f"{DAMAGED}tensors in it overlap"),
    *(
        (file(number("general.alignment", each)), f"{DAMAGED}its alignment is impossible")
        for each in (0, 3, 2**17, 2**31)
    ),
    *(
        (file(given), f"{DAMAGED}its alignment is impossible")
        for given in (
            words("general.alignment", "x"),
            fact("general.alignment", TYPES.FLOAT32, struct.pack("<f", 0.5)),
            fact("general.alignment", TYPES.FLOAT32, struct.pack("<f", float("nan"))),
        )
    ),
]


def test_files_that_lie_are_refused_in_a_sentence():
    for (content, start), fault in zip(HOSTILE, faults(*(content for content, _ in HOSTILE))):
        assert str(fault).startswith(f"Fault: {start}"), content[:200]
        assert fault.endswith(".")


def test_kinds_that_the_page_cannot_read_are_named():
    kinds = [kind for kind in gguf.GGMLQuantizationType if kind.name not in BLOCKS]
    for kind, fault in zip(kinds, faults(*(file(tensors=[tensor(kind=kind)]) for kind in kinds))):
        in_models = kind.name not in ("Q8_1", "F64") and not kind.name[1:].isdigit()  # no F64, I8, I16 ...
        assert fault.startswith(f"Fault: {KIND} ({kind.name if in_models else f'number {kind}'}). ")


def test_a_file_that_is_gone_or_a_folder(tmp_path):
    path = tmp_path / "model.gguf"
    path.write_bytes(file())
    found = ask_node(DRIVER, [{"path": str(path), "deleted": True}])
    assert found["answers"][0]["fault"].startswith("Fault: the browser can’t read it. It’s a folder, or was moved")


def mutated(content, chance):
    """A header of which some bytes, or some numbers of 64 bits, are others."""
    content = bytearray(content)
    for _ in range(chance.choice([1, 1, 2, 5, 40])):
        at = chance.randrange(4, len(content) - 8)
        if chance.random() < 0.5:
            content[at] = chance.randrange(256)
        else:
            content[at : at + 8] = struct.pack(
                "<Q", chance.choice([0, 1, 9, 2**31, 2**32 - 1, 2**53, 2**63, 2**64 - 1])
            )
    return bytes(content[: chance.choice([len(content), chance.randrange(4, len(content))])])


def test_no_header_stops_the_reader():
    chance = random.Random(58)
    facts = [words("general.name", "A"), number("general.alignment", 32), fact("yes", TYPES.BOOL, b"\1")]
    facts += [fact("tea", TYPES.INT64, bytes(8)), listed(TYPES.STRING, 2, text("tea") + text("is"))]
    whole = file(*facts, tensors=[tensor("a"), tensor("b", (32, 3, 2), BLOCKS["Q4_0"]["number"], 256)], data=512)
    headers = [mutated(whole, chance) for _ in range(400)]
    headers += [b"GGUF" + struct.pack("<I", 3) + chance.randbytes(chance.randrange(300)) for _ in range(100)]
    read = 0
    for header, answer in zip(headers, read_in_node(*headers)):
        if "fault" in answer:
            assert answer["fault"].startswith(tuple(f"Fault: {start}" for start in SENTENCES)), answer
        else:
            read += 1
            for found in answer["tensors"].values():
                assert 0 < found["start"] < found["start"] + found["bytes"] <= len(header)
    assert 20 < read < 400


def test_files_cut_short(tmp_path):
    path = tmp_path / "model.gguf"
    writer = gguf.GGUFWriter(path, "llama")
    writer.add_array("words", ["tea", "coffee"] * 200)
    for name in "abc":
        writer.add_tensor(name, np.ones((5, 96), np.float32))
    write(writer)
    whole = path.read_bytes()
    start = read_in_node(whole)[0]["tensors"]["a"]["start"]
    cuts = [len(whole) * part // 20 for part in range(1, 20)]
    assert min(cuts) < start < max(cuts)
    for cut, fault in zip(cuts, faults(*(whole[:cut] for cut in cuts))):
        if cut < start:
            assert fault.startswith(f"Fault: {CUT}")
        else:
            missing = f"{(len(whole) - cut) / 1000:.3g} kB are missing. Download it again."
            assert fault == f"Fault: it ends in the middle: {missing}"


def test_files_of_five_gigabytes(tmp_path):
    """They are sparse. What is claimed is there, so it is only bounded by what headers may hold."""
    cases = {
        "zeros": (b"", FOREIGN),
        "whole": (file(tensors=[tensor("a", (2**20, 2**10)), tensor("b", (32,), offset=2**32)]), None),
        "short": (file(tensors=[tensor("a", (2**20, 2**11))]), "it ends in the middle: "),
        "overlapping": (
            file(tensors=[tensor(f"{each}", (2**20, 2**10)) for each in range(3)]),
            f"{DAMAGED}tensors in it overlap",
        ),
        "tensors": (file(counts=(2**27, 0)), TOO_LONG),
        "facts": (file(counts=(1, 2**28)), TOO_LONG),
        "empty facts": (file(counts=(1, 2**21), tensors=()), f"{DAMAGED}a name in it stands twice"),
        "text": (file(struct.pack("<Q", 2**32)), TOO_LONG),
        **{
            f"list of {type.name}": (file(listed(type, count), tensors=()), TOO_LONG)
            for type, count in [(TYPES.BOOL, 2**32), (TYPES.BOOL, 2**24), (TYPES.STRING, 2**29), (TYPES.UINT64, 2**23)]
        },
        "list of 2 million texts": (
            file(listed(TYPES.STRING, 2**21), counts=(1, 2), tensors=()),
            f"{DAMAGED}a tensor in it has 0 axes",
        ),
        "list of 4 million booleans": (
            file(listed(TYPES.BOOL, 2**22 - 3), counts=(1, 2), tensors=()),
            f"{DAMAGED}a tensor in it has 0 axes",
        ),
    }
    for name, (content, _) in cases.items():
        with (tmp_path / name).open("wb") as sparse:
            sparse.write(content)
            sparse.truncate(GIGABYTES)
    for name, fault in zip(cases, faults(*(tmp_path / name for name in cases))):
        _, start = cases[name]
        assert str(fault).startswith(f"Fault: {start}" if start else "None"), name
