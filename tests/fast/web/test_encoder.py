"""The page's encoder in Node against `load_encoder()`, which computes in float32."""

import base64

import numpy as np
import pytest
from close import assert_close
from mixed_sentences import sentences
from node import ask_node

from manyheads.models.encoder.page_files import encoder_page_files
from manyheads.models.senses import load_senses, senses_file
from manyheads.widgets.attention_flow import flow_steps
from manyheads_recipes.senses.sentences import labelled_sentences

BANK = "I went to the bank of the river."
OFF = [[(layer, head) not in ((0, 3), (2, 0), (2, 11)) for head in range(12)] for layer in range(6)]
PUSHED = [(BANK, "bank", None, []), (BANK, "bank", OFF, [8]), ("Her dog barks all night.", "bark", None, [2])]
ODD = (
    *("", " \t\u3000", "\ud83d", "a\udfffb", "\x00\x07\ufffd", "[MASK] [SEP][CLS] [nothing]", "x" * 101, "'" * 40),
    *("ΟΔΟΣ Σ", "𠀀𪚥x𫝀", "ﬁ ſ ẞ ǅ", "a\u200bb\u200dc\ufeff\u00ad", "tea " * 513, "a\nb\u2028c\u0085d"),
)
DRIVER = """
import { gunzipSync } from "node:zlib";
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { EncoderEngine } from "./models/encoder-engine.ts";
import { encoderFlow } from "./models/encoder-model.ts";
import { encoderTokens } from "./models/tokens.ts";
import { readSafetensors } from "./models/files.ts";
import { SenseAxes, shareOf, wordPlaces } from "./math/senses.ts";
const { folder, senses, cases, texts, asked, pushed } = given;
const facts = JSON.parse(readFileSync(`${folder}/encoder.json`, "utf8"));
const unpacked = (part) => new Uint8Array(gunzipSync(readFileSync(`${folder}/${facts.files[part].name}`)));
const engine = await EncoderEngine.create(facts, readFileSync("models/kernel.wasm"));
engine.put(unpacked(Object.keys(facts.files).find((part) => part !== "tokenizer")));
const tokenizer = new Tokenizer(JSON.parse(new TextDecoder().decode(unpacked("tokenizer"))), {});
const bytes = ({ values }) => Buffer.from(values.buffer).toString("base64");
const read = (text) => encoderTokens(tokenizer, text, facts.maxTokens);
const maps = cases.map(({ text, mask }) => {
  const { weights, states } = engine.pass(read(text).ids, mask);
  return { shape: weights.shape, weights: bytes(weights), states: bytes(states) };
});
const axes = new SenseAxes(readSafetensors(new Uint8Array(readFileSync(senses))));
const shares = asked.map(([text, word]) => {
  const { ids, tokens } = read(text);
  return axes.scores({ queryTokens: tokens, states: engine.pass(ids).states }, axes.known(word)).map(shareOf);
});
const followed = pushed.map(({ text, word, mask, masked }) => {
  const { ids, tokens } = read(text);
  const known = axes.known(word);
  const [{ directions }] = axes.followed(known);
  const { states, weights, pushes } = engine.pass(ids, mask, masked, { places: wordPlaces(tokens, known.tokens), directions });
  const map = { queryTokens: tokens, keyTokens: tokens, shape: weights.shape, weights: weights.values, states, pushes };
  return { scores: axes.scores(map, known), ...axes.pushes(map, known) };
});
const state = { layer: 2, head: 9, causal: false, padding: false, unscaled: false };
const flow = Object.fromEntries(Object.entries(encoderFlow(engine, read(texts.at(-1)).ids, { ...read(texts.at(-1)), headNames: facts.headNames }, state))
  .map(([name, value]) => [name, value?.shape ? { shape: value.shape, values: bytes(value) } : value]));
answer({ flow, maps, shares, followed, layer: axes.layer, read: texts.map((text) => { const { tokens, notes } = read(text); return { tokens, notes }; }) });
"""


@pytest.fixture(scope="module")
def asked():
    return [(one.text, one.word) for one in labelled_sentences()][::8]


@pytest.fixture(scope="module")
def cases():
    return [(sentence, None) for sentence in [*sentences()][::16]] + [(BANK, None), (BANK, OFF)]


@pytest.fixture(scope="module")
def found(asked, cases):
    """What the page's code makes of all that is compared here."""
    pushed = [dict(zip(("text", "word", "mask", "masked"), one)) for one in PUSHED]
    given = {"texts": ODD, "asked": asked, "pushed": pushed}
    given["cases"] = [{"text": text, "mask": mask} for text, mask in cases]
    files = {"folder": str(encoder_page_files()[0].parent), "senses": str(senses_file())}
    return ask_node(DRIVER, given | files)


def floats(text, *shape):
    return np.frombuffer(base64.b64decode(text), np.float32).reshape(shape)


def test_the_journey_in_the_page_goes_through_the_numbers_of_torch(encoder, found):
    ours, flow = flow_steps(encoder, ODD[-1], head=9, layer=2), found["flow"]
    assert (flow["tokens"], flow["head"], flow["layer"], flow["layers"]) == (ours["tokens"], 9, 2, 6)
    for name in ("X", "Q", "K", "V", "scores", "weights", "context", "concat", "output", "maps", "below"):
        theirs = floats(flow[name]["values"], *flow[name]["shape"])
        assert_close(theirs, ours[name], part=0.03, name=name)


def test_attention_in_the_page_is_attention_in_torch(encoder, found, cases):
    means = []
    for page, (text, mask) in zip(found["maps"], cases, strict=True):
        expected = encoder(text, mask).weights
        assert page["shape"] == list(expected.shape)
        weights = floats(page["weights"], *expected.shape)
        np.testing.assert_allclose(weights.sum(-1), 1, atol=1e-5)
        assert np.abs(weights - expected).max() <= 0.03, text
        means.append(np.abs(weights - expected).mean())
    states = floats(page["states"], 7, expected.shape[2], 384)  # of the last, with heads off
    assert_close(states, encoder.hidden_states(text, mask), part=0.01)
    assert max(means) <= 0.001
    assert np.abs(encoder(*cases[-1]).weights - encoder(BANK).weights).max() > 0.1, "the mask changes a lot"


def test_odd_text_is_read_as_python_reads_it(encoder, found):
    for text, page in zip(ODD, found["read"], strict=True):
        expected = encoder(text)
        assert (page["tokens"], page["notes"]) == (expected.query_tokens, list(expected.notes)), ascii(text)


def test_the_page_reads_a_word_in_the_sense_that_python_does(found, asked):
    senses = load_senses()
    assert found["layer"] == senses.layer
    shares, expected = np.array(found["shares"]), np.array([senses.by_layer(*one) for one in asked])
    np.testing.assert_array_equal(shares[:, senses.layer] > 0.5, expected[:, senses.layer] > 0.5)
    assert np.abs(shares - expected).max() < 0.1


def test_what_pushes_a_word_in_the_page_sums_to_its_scores_and_is_what_python_finds(found):
    for page, (text, word, mask, masked) in zip(found["followed"], PUSHED, strict=True):
        ours = load_senses().pushes(text, word, mask, masked)
        pushes, weights = (np.array([layer[name] for layer in page["layers"]]) for name in ("pushes", "weights"))
        rest = np.array([layer["rest"] for layer in page["layers"]])
        assert_close(pushes.sum((1, 2)) + rest, page["scores"][1:], summed=pushes, part=1e-3)  # rounded to 14 bits
        assert page["places"] == ours.places
        assert_close(page["scores"], ours.scores, part=0.03)
        assert_close(pushes, ours.pushes, part=0.03)
        np.testing.assert_allclose(weights, ours.weights, atol=0.03)
        assert_close(rest, ours.rest, part=0.03)
        assert np.abs(weights[..., masked]).max(initial=0) == 0
