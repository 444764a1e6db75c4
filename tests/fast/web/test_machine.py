"""A whole model in the page against Python's: norms, answers so far, answers with parts off, and a layer's heads."""

import numpy as np
import pytest
import torch
from close import assert_close
from ggufs import ARCHITECTURES, write_gguf
from node import ask_node

from manyheads import load_decoder, load_focus_model, load_induction
from manyheads.attention import causal_mask, contributions
from manyheads.models.encoder.page_files import encoder_page_files
from manyheads.models.focus import tokenize
from manyheads.models.keeping import kept_file
from manyheads.models.machine import machine_data, walked, without_parts
from manyheads.models.pretrained import pretrained_file
from manyheads.reading.value_norms import held

TRAIN = "My tired boss hates the noisy train to Berlin."
NURSE = "The nurse is not happy with the new boss."
REPEATS = "a7kq3xwma7kq3x"
DRIVER = """
import { gunzipSync } from "node:zlib";
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { EncoderEngine } from "./models/encoder-engine.ts";
import { encoderAnswer } from "./models/encoder-model.ts";
import { FocusModel } from "./models/focus.ts";
import { flowOf } from "./models/formula-model.ts";
import { InductionModel } from "./models/induction.ts";
import { answerIn, partMaskOf, soFar } from "./math/machine.ts";
import { readSafetensors } from "./models/files.ts";
const bytes = (path) => new Uint8Array(readFileSync(path));
const { encoder: folder, focus, words, induction, tokenizer: table, asked } = given;
const tokenizer = new Tokenizer(JSON.parse(readFileSync(table, "utf8")), {});
const facts = JSON.parse(readFileSync(`${folder}/encoder.json`, "utf8"));
const engine = await EncoderEngine.create(facts, readFileSync("models/kernel.wasm"));
const part = Object.keys(facts.files).find((name) => name !== "tokenizer");
engine.put(new Uint8Array(gunzipSync(readFileSync(`${folder}/${facts.files[part].name}`))));
const models = {
  focus: new FocusModel(readSafetensors(bytes(focus)), readSafetensors(bytes(words)), tokenizer),
  induction: new InductionModel(readSafetensors(bytes(induction))),
  encoder: {
    machine: (sentence, headMask, { layer }) =>
      encoderAnswer(engine, tokenizer, facts, { sentence, headMask, whole: { layer } }).result,
    flow: (flow, { headMask }) =>
      encoderAnswer(engine, tokenizer, facts, { sentence: flow.sentence, headMask, flow }).result,
  },
};
const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
answer(JSON.parse(JSON.stringify(asked.map(({ name, text, off, layers, layer, answer }) => {
  const { numHeads } = models[name].machine(text, null, { layer: null });
  const headMask = partMaskOf(off, layers, numHeads);
  const machine = models[name].machine(text, headMask, { layer });
  const below = name === "focus" && layer === 0 && { answer: "sentiment" };
  const { maps, layer: at } = flowOf(models[name])({ sentence: text, layer, head: 1, ...below }, { headMask });
  return {
    journey: { maps: maps.values, layer: at ?? layer }, machine, standings: soFar(machine, answerIn(machine, answer)).map(({ standing }) => standing) };
}), plain)));
"""
DECODER = """
import { openAsBlob } from "node:fs";
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { readGguf } from "./models/gguf.ts";
import { DecoderFile } from "./models/gguf-decoder.ts";
import { DecoderReader } from "./models/decoder-model.ts";
import { DecoderTokens } from "./models/decoder-tokens.ts";
import { tokenizerOf } from "./models/gguf-tokens.ts";
import { partMaskOf } from "./math/machine.ts";
const file = await openAsBlob(given.path);
const gguf = await readGguf(file);
const written = tokenizerOf(gguf.facts);
const model = new DecoderFile(gguf, "file/small");
const weights = await model.load(file, readFileSync("models/kernel.wasm"), () => {});
const reader = new DecoderReader(weights, new DecoderTokens(new Tokenizer(written.json, {}), model.facts, written));
const { numLayers, numHeads } = model.facts;
const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
answer(JSON.parse(JSON.stringify(given.asked.map(([text, off, whole = { layer: 1 }]) => {
  const headMask = partMaskOf(off, numLayers, numHeads);
  const machine = reader.answer({ text, headMask, whole }).result;
  const flow = { sentence: text, layer: 1, head: 0 };
  return { ...machine, journey: reader.answer({ flow, headMask }).result.maps };
}), plain)));
"""
FEED_FORWARD, ATTENTION = -1, -2  # as partMaskOf names them
PARTS = {FEED_FORWARD: "feed-forward", ATTENTION: "attention"}
ASKED = [
    ("focus", NURSE, [], 0, "sentiment"),
    ("focus", NURSE, [[0, FEED_FORWARD]], 1, "sentiment"),
    ("focus", TRAIN, [[0, ATTENTION], [1, 2]], 1, "object"),
    ("focus", "", [[0, 3]], 0, None),
    ("encoder", "", [], 5, None),
    ("induction", REPEATS, [], 1, ""),
    ("induction", REPEATS, [[0, ATTENTION], [1, 0]], 0, ""),
    ("encoder", TRAIN, [], 2, ""),
    ("encoder", TRAIN, [[0, FEED_FORWARD], [2, 7], [4, ATTENTION]], 5, "topic: travel"),
]


@pytest.fixture(scope="module")
def models(encoder):
    return {"focus": load_focus_model(), "induction": load_induction(), "encoder": encoder}


@pytest.fixture(scope="module")
def found(models):
    files = {
        "encoder": encoder_page_files()[0].parent,
        "focus": kept_file("focus", "taught"),
        "words": kept_file("focus-words"),
        "induction": kept_file("induction", ""),
        "tokenizer": pretrained_file("tokenizer.json"),
    }
    names = ("name", "text", "off", "layer", "answer")
    asked = [dict(zip(names, one)) | {"layers": models[one[0]].num_layers} for one in ASKED]
    return ask_node(DRIVER, {name: str(path) for name, path in files.items()} | {"asked": asked})


@pytest.mark.parametrize("case", range(len(ASKED)), ids=[f"{name}-{off}" for name, _, off, *_ in ASKED])
def test_a_whole_model_in_the_page_is_pythons(models, found, case):
    (name, text, off, layer, answer), page = ASKED[case], found[case]["machine"]
    model = models[name]
    mask = without_parts(model, [(at, PARTS.get(part, part)) for at, part in off])
    machine = model.machine(text, mask)
    ours = machine_data(machine)
    bound = {"part": 0.03} if name == "encoder" else {"part": 1e-5}
    for each in ("adds", "scores"):
        theirs = np.reshape(page[each]["values"], page[each]["shape"])
        assert_close(theirs, ours.pop(each), name=each, **bound)
    assert {each: page[each] for each in ours} == ours
    if answer is None:
        assert page["labels"] == found[case]["standings"] == []
    elif name != "encoder" or not off:
        assert found[case]["standings"] == machine.standings(answer).tolist()
    inside = page["inside"]
    assert inside["layer"] == found[case]["journey"]["layer"] == layer
    assert_close(found[case]["journey"]["maps"], inside["weights"]["values"], part=1e-3 if name == "encoder" else 1e-6)
    weights = np.reshape(inside["weights"]["values"], inside["weights"]["shape"])
    adds = np.reshape(inside["adds"]["values"], inside["adds"]["shape"])
    expected = heads_of(name, model, text, layer, torch.tensor(mask))
    for theirs, heads in zip((weights, adds), expected, strict=True):
        assert_close(theirs, heads, **bound)
    assert ("neurons" in inside) == ((layer, name) in {(0, "focus"), (2, "encoder"), (5, "encoder")})
    if "neurons" in inside:
        neurons_are_pythons(inside["neurons"], model.neurons(text, layer, part_mask=mask), **bound)


def neurons_are_pythons(page, ours, most=3, **bound):
    """The strongest are, as far as they can be told apart, and what each raises most."""
    assert page["count"] == len(ours.adds)
    assert len(page["strongest"]) == min(5, np.count_nonzero(ours.adds))
    assert_close(
        [each["adds"] for each in page["strongest"]], np.sort(ours.adds)[::-1][: len(page["strongest"])], **bound
    )
    for each in page["strongest"]:
        if each["neuron"] not in ours.raises:
            continue
        gains, by_question = ours.raises[each["neuron"]], {}
        for (question, label), gain in gains.items():
            by_question.setdefault(question, []).append((label, gain))
        for question, labels in by_question.items():
            raised = [label for of, label in each["raises"] if of == question]
            assert most >= len(raised) >= sum(gain > 0.002 for _, gain in labels[:most])
            assert_close(
                [gains[question, label] for label in raised], [gain for _, gain in labels[: len(raised)]], part=0.05
            )


@torch.no_grad()
def heads_of(name, model, text, layer, on):  # -> weights [h, q, k], norms of what the heads add [h, t]
    """What the heads of a layer look at and add, by the modules themselves."""
    if name == "induction":
        symbols = [list(dict.fromkeys(text)).index(each) for each in text]
        x, mask = model.network.embed(torch.tensor(symbols)), causal_mask(len(text))
        for at, (norm, attention) in enumerate(zip(model.network.norms, model.network.layers)):
            added = contributions(attention, norm(x), mask=mask, head_mask=on[at, :-1])
            if at == layer:
                return model(text, on[:, :-1].numpy()).weights[layer], added.norm(dim=-1)
            x = x + added.sum(0)
    if name == "focus":
        ids, _ = tokenize(text)
        words = model.word_vectors(torch.tensor(ids))
        _, (_, above), _ = model.added(words, head_mask=on[0, :-1], mixes=on[0, -1])
        attention, read = (model.attention, above) if layer else (model.first, words)
        _, weights = attention(read, mask=torch.ones(1, len(ids), dtype=torch.bool))
        return weights, contributions(attention, read, head_mask=on[layer, :-1]).norm(dim=-1)
    _, streams = model._walked(model._encode(text), on)
    attention = model.attention_layer(layer)
    _, weights = attention(streams[2 * layer])
    return weights, contributions(attention, streams[2 * layer], head_mask=on[layer, :-1]).norm(dim=-1)


@pytest.mark.parametrize("architecture", ARCHITECTURES)
def test_a_whole_decoder_in_the_page_is_pythons(tmp_path, architecture):
    path = tmp_path / "small.gguf"
    write_gguf(path, architecture, "Q8_0", seed=3)
    model = load_decoder(path)
    text = "The capital of Italy is Rome, and the other"
    asked = [(text, []), (text[:-6], []), (text, [[0, FEED_FORWARD], [1, 0]]), (text, [[1, ATTENTION]]), (text, [])]
    for (text, off), page in zip(asked, ask_node(DECODER, {"path": str(path), "asked": asked}), strict=True):
        mask = without_parts(model, [(at, PARTS.get(part, part)) for at, part in off])
        ours = machine_data(model.machine(text, mask))
        for each in ("adds", "scores", "ranks"):
            theirs = np.reshape(page[each]["values"], page[each]["shape"])
            assert_close(theirs, ours.pop(each), name=each, part=1e-3 if each != "ranks" else 0.01)
        assert {each: page[each] for each in ours} == ours
        layer = model.attention_layer(1)
        read = in_layer(model, text, mask, 1)
        heads = contributions(layer, read, mask=causal_mask(len(read)), head_mask=torch.tensor(mask[1, :-1]))
        heads = heads * held(layer.output, heads.sum(0))
        adds = np.reshape(page["inside"]["adds"]["values"], page["inside"]["adds"]["shape"])
        assert_close(adds, heads.norm(dim=-1), part=1e-3)
        neurons_are_pythons(page["inside"]["neurons"], model.neurons(text, 1, part_mask=mask), part=1e-3)
        assert_close(page["journey"]["values"], page["inside"]["weights"]["values"], part=1e-4)


def test_a_deep_decoder_reads_its_answer_where_the_page_shows_it(tmp_path):
    path = tmp_path / "deep.gguf"
    write_gguf(path, "llama", "Q8_0", seed=5, layers=9)
    text = "The capital of Italy is"
    whole = {"ahead": [4, 6]}, {"layer": 2}, {"layer": None, "soFar": False}, {"layer": None}
    _, opened, quick, folded = ask_node(DECODER, {"path": str(path), "asked": [(text, [], each) for each in whole]})
    machine = load_decoder(path).machine(text)
    after = [0, *range(2, 19, 2)]  # the embedding, and each layer's last part
    for page, rows in (opened, sorted([*after, 5])), (quick, [18]), (folded, after):
        labels = [machine.labels.index(tuple(label)) for label in page["labels"]]
        scores = machine.scores[:, labels]
        ranks = 1 + (machine.scores[:, :, None] > scores[:, None]).sum(1)
        for name, ours in ("scores", scores), ("ranks", ranks):
            theirs = np.array(page[name]["values"], float).reshape(page[name]["shape"])
            assert np.flatnonzero(~np.isnan(theirs).any(1)).tolist() == rows
            assert_close(theirs[rows], ours[rows], name=name, part=1e-3 if name != "ranks" else 0.01)
        assert set(machine.scores[rows].argmax(1)) <= set(labels)


@torch.no_grad()
def in_layer(model, text, mask, layer):  # -> [t, d]
    """What the heads of a decoder's layer read, with parts off."""
    ids = torch.tensor(model.read(text)[0])
    _, streams = walked(sum(model.model.words(ids).values()), model._layers()[:layer], torch.tensor(mask))
    return model.model.layers[layer].attention_norm(streams[-1])
