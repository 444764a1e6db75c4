"""gguf-decoder.ts: the page's engine reads small random GGUF files as transformers reads the same weights."""

import base64
import json
import re
from dataclasses import dataclass, field

import numpy as np
import pytest
import torch
from close import assert_close
from ggufs import (
    ARCHITECTURES,
    REFUSED,
    REFUSED_FOLDERS,
    SPOILT,
    STRAIGHT,
    spoil,
    write_folder,
    write_gguf,
    write_older,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from node import WEB, ask_node

from manyheads import HeadMap, load_decoder, score_parts
from manyheads.shared.texts import TEXTS

TABLE = json.loads((WEB.parent / "shared" / "gguf.json").read_text(encoding="utf-8"))
KINDS, EXACT = list(TABLE["blocks"]), TABLE["exact"]  # the others are rounded to eight bits
# The page rounds what it multiplies to 16 bits.
LARGEST_ERROR = 1e-4  # of a weight, for scores that differ by one at most
LARGEST_SHIFT = 1e-3  # of a logit, of the largest
LARGEST_ROUNDING = 0.05  # of a weight, by what eight bits do to the others
LLAMA_3 = {"rope_type": "llama3", "factor": 8.0, "low_freq_factor": 1.0, "high_freq_factor": 4.0}
LLAMA_3["original_max_position_embeddings"] = 4
LINEAR = {"rope_type": "linear", "factor": 4.0}
TEXT = "The capital of Italy is Rome, and the other"
FILES = """
import { openAsBlob, readdirSync, statSync } from "node:fs";
import { basename } from "node:path";
import { readFiles } from "./models/folder.ts";
// A file, or all of a folder.
const filesIn = async (path) => {
  const names = statSync(path).isDirectory() ? readdirSync(path).map((name) => `${path}/${name}`) : [path];
  return Promise.all(names.map(async (name) => new File([await openAsBlob(name)], basename(name))));
};
"""
DRIVER = """
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { DecoderFile } from "./models/gguf-decoder.ts";
import { DecoderReader, decoderFlow } from "./models/decoder-model.ts";
import { DecoderEngine } from "./models/decoder-engine.ts";
import { DecoderTokens } from "./models/decoder-tokens.ts";
import { tokenizerOf } from "./models/gguf-tokens.ts";
import { arithmetic } from "./figures/attention-flow/arithmetic.ts";
const code = readFileSync("models/kernel.wasm");
const cellOf = (flow, name) => [
  flow[name].values[2 * flow[name].shape[1] + 1],
  ...arithmetic(flow, name, 2, 1).results.map(([, value]) => value),
];
const bytes = (numbers) => Buffer.from(Float32Array.from(numbers).buffer).toString("base64");
const found = [];
for (const [path, text, edge, mask] of given) {
  const { gguf, file } = await readFiles(await filesIn(path));
  const written = tokenizerOf(gguf.facts);
  const model = new DecoderFile(gguf, "file/small");
  const progress = [];
  const weights = await model.load(file, code, (...bytes) => progress.push(bytes));
  const tokens = new DecoderTokens(new Tokenizer(written.json, {}), model.facts, written);
  const reader = new DecoderReader(weights, tokens);
  const { ids, logits, map } = reader.answer({ text, norms: true }).result;
  const why = reader.answer({ text, edge }).result;
  const flow = decoderFlow(new DecoderEngine(weights), weights, tokens, { sentence: text, ...edge, causal: false, padding: false, unscaled: false });
  const { ledger } = reader.answer({ ledger: { sentence: text, answer: "", head: 0 } }).result;
  const off = reader.answer({ text, headMask: mask }).result;
  found.push({ ids, progress, logits: bytes(logits), shape: map.shape, weights: bytes(map.weights), norms: map.valueNorms ? bytes(map.valueNorms) : null,
    why: { score: why.score, pairs: [...why.pairs] }, flow: bytes(flow.weights.values),
    cells: Object.fromEntries(["Q", "K", "V", "scores", "context", "output"].map((name) => [name, cellOf(flow, name)])),
    sums: ledger.labels.map((_, label) => ledger.parts.values[(label + 1) * ledger.parts.shape[1] - 1]), labels: ledger.labels.map(([, word]) => tokens.words.indexOf(word)),
    parts: [...ledger.parts.values], off: bytes(off.logits), facts: model.facts });
}
answer(found);
"""


@dataclass
class Case:
    """A small model of an architecture, its kind of blocks, and what else it has."""

    architecture: str
    kind: str
    options: dict = field(default_factory=dict)


def numbers(packed, *shape):
    return np.frombuffer(base64.b64decode(packed), "<f4").reshape(shape or (-1,))


def rounded(weights):  # [row, column] -> the same
    """Weights as the page holds those that it holds in eight bits."""
    blocks = weights.numpy().reshape(-1, 32)
    steps = np.abs(blocks).max(-1, keepdims=True).astype(np.float64) / 127
    codes = np.trunc(blocks * (1 / np.where(steps == 0, 1, steps)) + 128.5) - 128  # halves as the page rounds them
    return torch.from_numpy((codes * steps.astype(np.float32)).astype(np.float32).reshape(weights.shape))


@torch.no_grad()
def read(model, ids):
    """transformers' logits after the last token and all its maps: [token], [layer, head, query, key]."""
    output = model(torch.tensor([ids]), output_attentions=True)
    return output.logits[0, -1].numpy(), torch.stack(output.attentions)[:, 0].numpy()


def run(folder, cases, seed=0):
    """Each case in the page's code, its model in transformers, and the edge that was asked for: [(found, model, edge), ...]."""
    models, asked = [], []
    for number, case in enumerate(cases):
        path = folder / f"{number}.gguf"
        models.append(write_gguf(path, case.architecture, case.kind, seed=seed + number, **case.options))
        config = models[-1].config
        mask = np.ones((config.num_hidden_layers, config.num_attention_heads), bool)
        mask[0, 1] = mask[-1, 0] = False
        edge = {"layer": config.num_hidden_layers - 1, "head": config.num_attention_heads - 1, "query": 6, "key": 2}
        asked.append([str(path), TEXT, edge, mask.tolist()])
    edges = [edge for _, _, edge, _ in asked]
    return list(zip(ask_node(FILES + DRIVER, asked), models, edges, strict=True))


def compare(found, model, exact):
    """How far the page is from transformers in weights and logits, as above, and by how much its rounding moved the weights."""
    shape = found["shape"]
    weights = numbers(found["weights"], *shape)
    moved = 0.0
    if not exact:
        moved = np.abs(weights - read(model, found["ids"])[1]).max()
        for name, parameter in model.named_parameters():
            if parameter.ndim == 2 and "wpe" not in name:  # positions are held as they are
                is_turned = name.startswith("transformer.h.")  # GPT-2's matrices are [in, out]
                data = parameter.data.T if is_turned else parameter.data
                data.copy_(rounded(data.contiguous()))
    logits, maps = read(model, found["ids"])
    spread = np.log(maps.max() / maps[maps > 1e-9].min())  # of scores
    shift = np.abs(numbers(found["logits"]) - logits).max() / np.abs(logits).max()
    return np.abs(weights - maps).max() / spread, shift, moved


CASES = [Case(architecture, "Q8_0") for architecture in ARCHITECTURES]
CASES += [Case("llama", kind) for kind in KINDS if kind != "Q8_0"]
CASES += [Case("llama", "Q4_0", {"scaling": LLAMA_3}), Case("llama", "Q4_1", {"scaling": LINEAR})]
CASES += [Case("qwen2", "Q4_0", {"tied": False, "kv_heads": 1})]
CASES += [Case("qwen3", "Q8_0", {"head_dim": 40, "heads": 4, "tied": False}), Case("llama", "Q8_0", {"kv_heads": 4})]


def check(found, model, exact, edge):
    weight, logit, moved = compare(found, model, exact)
    assert weight < LARGEST_ERROR
    assert logit < LARGEST_SHIFT
    assert moved < LARGEST_ROUNDING
    logits, weights = numbers(found["logits"]), numbers(found["weights"], *found["shape"])
    why, tokens = found["why"], found["shape"][-1]
    assert_close(
        sum(why["pairs"]), why["score"], summed=why["pairs"], part=1e-3
    )  # what a head reads is rounded, its parts aren't
    own = weights[edge["layer"], edge["head"]]
    assert numbers(found["flow"], tokens, tokens) == pytest.approx(own, abs=2e-3)
    for value, *results in found["cells"].values():  # the arithmetic of numbers ends where they are
        assert_close(results[-1], value, summed=results, part=1e-4)
    _, product, divided, *bent = found["cells"]["scores"]
    assert_close(product / found["facts"]["headDim"] ** 0.5, divided, part=1e-4)
    if cap := found["facts"]["scoreCap"]:
        assert_close(cap * np.tanh(divided / cap), bent[0], part=1e-4)
    assert_close(found["sums"], logits[found["labels"]], part=LARGEST_SHIFT)
    assert np.abs(numbers(found["off"]) - logits).max() > 1e-3  # heads that are off are missed
    assert found["progress"][-1][0] == found["progress"][-1][1]


def test_each_architecture_and_kind_is_read_as_transformers_reads_it(tmp_path):
    for case, (page, model, edge) in zip(CASES, run(tmp_path, CASES), strict=True):
        check(page, model, case.kind in EXACT, edge)


def test_a_files_tensors_may_be_of_several_kinds(tmp_path):
    [(page, model, _)] = run(tmp_path, [Case("llama", "Q4_K_M", {"tied": False})])
    logits, maps = read(model, page["ids"])
    assert numbers(page["weights"], *page["shape"]) == pytest.approx(maps, abs=LARGEST_ROUNDING)
    assert_close(numbers(page["logits"]), logits, part=LARGEST_ROUNDING)


def test_a_folder_and_a_model_in_several_files_are_read_as_its_file_is(tmp_path):
    """Of the same weights, which the page rounds alike."""
    for number, architecture in enumerate(ARCHITECTURES):
        options = {"scaling": None if architecture in STRAIGHT else LLAMA_3, "tied": bool(number % 2), "kv_heads": 2}
        whole, parts, folder = (tmp_path / f"{number}{ending}" for ending in (".gguf", " parts", " folder"))
        model = write_gguf(whole, architecture, "F32", **options)
        parts.mkdir()
        write_gguf(parts / "tea.gguf", architecture, "F32", each=10, **options)
        write_folder(folder, model, max_shard_size="100KB")
        assert min(len([*parts.iterdir()]), len([*folder.glob("*.safetensors")])) > 1
        edge = {"layer": 1, "head": 3, "query": 6, "key": 2}
        asked = [[str(path), TEXT, edge, np.ones((5, 4), bool).tolist()] for path in (whole, parts, folder)]
        one, several, saved = ask_node(FILES + DRIVER, asked)
        for name in ("ids", "logits", "weights", "why"):
            assert several[name] == one[name]
        assert saved["ids"] == one["ids"]
        for name in (
            "logits",
            "weights",
            *(["norms"] if one["norms"] else []),
        ):  # what slows a rotation is computed anew, and rounded elsewhere
            assert_close(numbers(saved[name]), numbers(one[name]), part=3e-4)


def test_a_folder_of_the_first_years_is_read_as_well(tmp_path):
    folders = [tmp_path / architecture for architecture in ("gpt2", "gemma3")]
    models = []
    for folder in folders:
        scaling = {"rope_type": "linear", "factor": 3.0} if folder.name == "gemma3" else None
        models.append(write_gguf(tmp_path / "model.gguf", folder.name, "Q8_0", hidden=4 * 96, scaling=scaling))
        write_folder(folder, models[-1])
        write_older(folder, folder.name)
    edge = {"layer": 1, "head": 3, "query": 6, "key": 2}
    asked = [[str(folder), TEXT, edge, np.ones((7, 4), bool).tolist()] for folder in folders]
    for page, model in zip(ask_node(FILES + DRIVER, asked), models, strict=True):
        weight, logit, moved = compare(page, model, exact=False)
        assert weight < LARGEST_ERROR
        assert logit < LARGEST_SHIFT
        assert moved < LARGEST_ROUNDING


def test_python_opens_the_same_files_and_finds_the_same(tmp_path):
    cases = [Case("qwen2", "Q8_0", {"tied": False}), Case("qwen3", "Q5_0"), Case("smollm3", "Q4_K")]
    cases += [Case(architecture, "Q8_0") for architecture in ARCHITECTURES[5:]]
    for number, (page, _, edge) in enumerate(run(tmp_path, cases)):
        decoder = load_decoder(tmp_path / f"{number}.gguf")
        attention = decoder(TEXT)
        assert decoder.read(TEXT)[0] == page["ids"]
        assert decoder.max_tokens == page["facts"]["maxTokens"]
        assert numbers(page["weights"], *page["shape"]) == pytest.approx(attention.weights, abs=1e-3)
        norms, why = attention.value_norms, score_parts(decoder, TEXT, **edge)
        assert (page["norms"] is None) == (norms is None)
        if norms is not None:
            assert_close(numbers(page["norms"], *norms.shape), norms, part=3e-3)
        assert_close(page["why"]["pairs"], why.pairs.ravel(), part=3e-3)
        ledger = decoder.head_ledger(TEXT)
        assert page["labels"] == [decoder.vocabulary.index(word) for _, word in ledger["labels"]]
        assert_close(page["parts"], ledger["parts"].ravel(), part=3e-3)


READERS = """
import { openAsBlob } from "node:fs";
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { readGguf } from "./models/gguf.ts";
import { DecoderFile } from "./models/gguf-decoder.ts";
import { DecoderReader } from "./models/decoder-model.ts";
import { DecoderTokens } from "./models/decoder-tokens.ts";
import { tokenizerOf } from "./models/gguf-tokens.ts";
const code = readFileSync("models/kernel.wasm");
const [readers, sizes] = [[], []];
for (const path of given.paths) {
  const file = await openAsBlob(path);
  const gguf = await readGguf(file);
  const [written, model] = [tokenizerOf(gguf.facts), new DecoderFile(gguf, "file/small")];
  const weights = await model.load(file, code, () => {});
  readers.push(new DecoderReader(weights, new DecoderTokens(new Tokenizer(written.json, {}), model.facts, written)));
  sizes.push([model.bytes, weights.places.layout.size]);
}
"""
APART = """
import { apartOf, averageOf } from "./math/compared.ts";
const apart = given.texts.map((text) => apartOf(...readers.map((reader) => reader.answer({ text }).result.map)));
answer({ moved: apart.map(({ heads }) => heads), average: averageOf(apart), sizes });
"""


def test_how_far_the_heads_of_two_files_are_apart_is_the_same_in_python(tmp_path):
    paths = [tmp_path / f"{kind}.gguf" for kind in ("Q8_0", "Q4_0")]
    for path in paths:
        write_gguf(path, "qwen3", path.stem, layers=3, heads=6, kv_heads=2, width=96)
    texts = TEXTS[:3]
    found = ask_node(READERS + APART, {"paths": [str(path) for path in paths], "texts": texts})
    first, second = (load_decoder(path) for path in paths)
    moved = np.array([first(text).moved(second(text)) for text in texts])  # [text, layer, head]
    assert moved.max() > 0.05
    assert np.array(found["moved"]).reshape(moved.shape) == pytest.approx(moved, abs=1e-3)
    assert np.array(found["average"]) == pytest.approx(moved.mean(0).ravel(), abs=1e-3)
    for told, taken in found["sizes"]:
        assert told == taken


WITHOUT = """
import { Decoder } from "./models/decoder.ts";
import { sourcesOf } from "./math/sources.ts";
const [reader] = readers;
const asked = [];
const worker = { postMessage(question) {
  asked.push(question);
  setImmediate(() => worker.onmessage({ data: { result: reader.answer(question).result } }));
} };
const model = new Decoder(worker, { endTokens: [], words: [] });
const found = [];
for (const [text, mask] of given.asked) {
  const map = await model.attend(text, mask);
  const sources = sourcesOf(map);
  const mattered = await Promise.all(map.withoutEach(sources));
  const again = reader.answer({ text, headMask: mask }).result;
  found.push({ places: sources.map(({ places }) => places), mattered, again: again.map.predictions["next word"][mattered[0].answer] });
}
answer(found);
"""
PARAGRAPHS = [
    "The capital of Italy is Rome.",
    "Tea 🍵",
    "هذا شاي ساخن.",
    "It was hot, and then it was cold, and nobody knew why.",
]


def test_what_a_paragraph_is_for_is_told_as_python_tells_it(tmp_path):
    """Of texts that follow each other, of which the engine keeps what no masked token has changed."""
    path = tmp_path / "small.gguf"
    write_gguf(path, "qwen3", "Q8_0", layers=3, heads=6, kv_heads=2, width=96)
    decoder = load_decoder(path)
    mask = np.ones((3, 6), bool)
    mask[1, 2] = False
    sources = [PARAGRAPHS, PARAGRAPHS[1:], PARAGRAPHS, PARAGRAPHS[:1]]
    masks = [None, None, mask.tolist(), None]
    texts = ["\n \n\n".join([*each, "What is the capital"]) for each in sources]
    pages = ask_node(READERS + WITHOUT, {"paths": [str(path)], "asked": list(zip(texts, masks))})
    for page, text, named, head_mask in zip(pages, texts, sources, masks, strict=True):
        shown = HeadMap.of(decoder, text, sources=named)
        shown.head_mask = head_mask
        assert page["places"] == [list(one.places) for one in shown.attention.sources.values()]
        table = shown.by_source(mattered=True)
        assert {one["answer"] for one in page["mattered"]} == {table.answer}
        for one, without in zip(page["mattered"], table.without, strict=True):
            assert_close(one["probability"], table.probability, part=LARGEST_SHIFT)
            assert_close(one["without"], without, part=LARGEST_SHIFT)
        assert max(abs(np.log(table.without) - np.log(table.probability))) > 0.1
        assert page["again"] == page["mattered"][0]["probability"], "what is masked is masked no longer"
        typed = HeadMap(text, model=decoder, head_mask=head_mask)  # a notebook's page names paragraphs by their places
        assert typed._mattered(page["places"]) == shown._mattered([])


@st.composite
def small_models(draw):
    """Models of unequal axes: no two of their sizes need be alike."""
    architecture = draw(st.sampled_from(ARCHITECTURES))
    more = 2 if architecture == "gemma3" else 0
    kv_heads, of_each = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    heads = max(2, kv_heads * of_each)
    head_dim = draw(st.sampled_from([each for each in (8, 16, 24, 32, 64) if heads * each % 32 == 0]))
    sizes = {"heads": heads, "kv_heads": kv_heads, "head_dim": head_dim, "width": heads * head_dim}
    sizes |= {
        "hidden": 32 * draw(st.integers(1, 7)),
        "layers": draw(st.integers(1, 5)) + more,
        "tied": draw(st.booleans()),
    }
    sizes |= {
        "rope_base": draw(st.sampled_from([100.0, 10_000.0, 500_000.0])),
        "epsilon": draw(st.sampled_from([1e-6, 1e-3])),
    }
    return Case(
        architecture,
        draw(st.sampled_from([kind for kind, block in TABLE["blocks"].items() if block["weights"] <= 32])),
        sizes,
    )


@settings(max_examples=4, deadline=None)
@given(case=small_models(), seed=st.integers(0, 999))
def test_sizes_are_whatever_the_file_says(tmp_path_factory, case, seed):
    [(page, model, _)] = run(tmp_path_factory.mktemp("ggufs"), [case], seed)
    weight, logit, moved = compare(page, model, case.kind in EXACT)
    assert weight < LARGEST_ERROR
    assert logit < LARGEST_SHIFT
    assert moved < 2 * LARGEST_ROUNDING


REFUSING = """
import { tokenizerOf } from "./models/gguf-tokens.ts";
import { DecoderFile } from "./models/gguf-decoder.ts";
const code = readFileSync("models/kernel.wasm");
const faults = [];
for (const path of given) {
  try {
    const { gguf, file } = await readFiles(await filesIn(path));
    await new DecoderFile(gguf, "file/small").load(file, code, () => {});
    tokenizerOf(gguf.facts);
    faults.push("read");
  } catch ({ name, message }) {
    faults.push(`${name}: ${message}`);
  }
}
answer(faults);
"""
ON_THE_PAGE = {  # which its kernel doesn't take
    "it has matrices of 80 columns, and this page reads them in blocks of 32.": {"width": 80, "heads": 4},
    "its heads have 2 columns, and this page reads them by fours.": {"head_dim": 2, "heads": 16},
}


def test_what_would_be_computed_wrong_is_refused_as_in_python(tmp_path):
    refused = {**REFUSED, **ON_THE_PAGE}
    paths = [tmp_path / f"{number}.gguf" for number in range(len(refused))]
    for path, options in zip(paths, refused.values(), strict=True):
        write_gguf(path, **({"architecture": "llama", "kind": "F32"} | options))
    for sentence, fault in zip(refused, ask_node(FILES + REFUSING, [str(path) for path in paths]), strict=True):
        assert fault.startswith(f"Fault: {sentence}")


def test_folders_and_parts_that_would_be_read_wrong_are_refused_as_in_python(tmp_path):
    folders = [tmp_path / str(number) for number in range(len(REFUSED_FOLDERS))]
    for folder, (architecture, change) in zip(folders, REFUSED_FOLDERS.values(), strict=True):
        model = write_gguf(tmp_path / "model.gguf", architecture, "F32")
        write_folder(folder, model)
        change(folder)
    for sentence, fault in zip(REFUSED_FOLDERS, ask_node(FILES + REFUSING, [*map(str, folders)]), strict=True):
        assert fault.startswith(f"Fault: {sentence}")


def test_weights_that_are_no_numbers_are_refused_by_the_name_of_their_tensor(tmp_path):
    cases = [(kind, *spoilt) for kind in KINDS for spoilt in SPOILT]
    paths = [tmp_path / f"{number}.gguf" for number in range(len(cases))]
    for path, (kind, *spoilt) in zip(paths, cases, strict=True):
        write_gguf(path, "llama", kind)
        spoil(path, *spoilt)
    for (_, tensor, *_), fault in zip(cases, ask_node(FILES + REFUSING, [str(path) for path in paths]), strict=True):
        assert fault.startswith(f"Fault: its {tensor} has weights that aren’t finite numbers")


def test_the_chapter_that_a_refusal_names_has_the_lines(tmp_path):
    write_gguf(tmp_path / "model.gguf", "llama", "TQ1_0")
    (fault,) = ask_node(FILES + REFUSING, [str(tmp_path / "model.gguf")])
    title = re.search("chapter “(.+?)” has the lines", fault)[1]
    chapters = (WEB.parents[2] / "book").glob("*.md")
    chapter = next(text for text in (path.read_text(encoding="utf-8") for path in chapters) if f"\n# {title}\n" in text)
    assert "AutoModelForCausalLM.from_pretrained(folder, gguf_file=name)" in chapter
