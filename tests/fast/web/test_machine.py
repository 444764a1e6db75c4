"""A whole model in the page against Python's: norms, answers so far, answers with parts off, and a layer's heads."""

import numpy as np
import pytest
import torch
from close import assert_close
from node import ask_node

from manyheads import load_focus_model, load_induction
from manyheads.attention import causal_mask, contributions
from manyheads.models.encoder.page_files import encoder_page_files
from manyheads.models.focus import tokenize
from manyheads.models.keeping import kept_file
from manyheads.models.machine import machine_data, without_parts
from manyheads.models.pretrained import pretrained_file

TRAIN = "My tired boss hates the noisy train to Berlin."
NURSE = "The nurse is not happy with the new boss."
REPEATS = "a7kq3xwma7kq3x"
DRIVER = """
import { gunzipSync } from "node:zlib";
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { EncoderEngine } from "./models/encoder-engine.ts";
import { encoderAnswer } from "./models/encoder-model.ts";
import { FocusModel } from "./models/focus.ts";
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
  },
};
const plain = (_, value) => (ArrayBuffer.isView(value) ? [...value] : value);
answer(JSON.parse(JSON.stringify(asked.map(({ name, text, off, layers, layer, answer }) => {
  const { numHeads } = models[name].machine(text, null, { layer: null });
  const machine = models[name].machine(text, partMaskOf(off, layers, numHeads), { layer });
  return { machine, standings: soFar(machine, answerIn(machine, answer)).map(({ standing }) => standing) };
}), plain)));
"""
FEED_FORWARD, ATTENTION = -1, -2  # as partMaskOf names them
PARTS = {FEED_FORWARD: "feed-forward", ATTENTION: "attention"}
ASKED = [
    ("focus", NURSE, [], 0, "sentiment"),
    ("focus", NURSE, [[0, FEED_FORWARD]], 1, "sentiment"),
    ("focus", TRAIN, [[0, ATTENTION], [1, 2]], 1, "object"),
    ("focus", "", [[0, 3]], 0, ""),
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
    if name != "encoder" or not off:
        assert found[case]["standings"] == machine.standings(answer).tolist()
    inside = page["inside"]
    assert inside["layer"] == layer
    weights = np.reshape(inside["weights"]["values"], inside["weights"]["shape"])
    adds = np.reshape(inside["adds"]["values"], inside["adds"]["shape"])
    expected = heads_of(name, model, text, layer, torch.tensor(mask))
    for theirs, heads in zip((weights, adds), expected, strict=True):
        assert_close(theirs, heads, **bound)


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
