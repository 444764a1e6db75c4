"""The page's decoder in Node against `load_decoder()`, which computes in float32."""

import base64
from itertools import islice

import numpy as np
import pytest
from close import assert_close
from gguf import GGUFReader, GGUFWriter
from gguf.quants import dequantize
from node import ask_node

from manyheads import load_decoder, score_parts
from manyheads.models.decoder.page_files import decoder_page_files
from manyheads.models.decoder.weights import gguf_file
from manyheads.widgets.attention_flow import flow_steps
from manyheads_recipes.decoder import measures

pytestmark = pytest.mark.xdist_group("decoder")

LARGEST_ERROR = 2e-3  # of a weight, and of what else is told of a model, relative to the largest
LARGEST_ERROR_OF_A_NORM = 3e-3  # of it: the page rounds vectors to 16 bits
LARGEST_ERROR_OF_A_PAIR = 2e-3  # of the largest, for the same reason
LARGEST_ROUNDING = 2e-3  # of the largest pair, named as such: what a head reads is rounded once more, its pairs aren't
LARGEST_SHIFT = 1.5e-3  # of a next token's probability; 1e-3 holds on all but one of the texts
PROMPTS = (
    "The capital of France is",
    "The wizard Zorblat met the elf Quenlin. The wizard Z",
    "I have fed my cat twice today, once at noon and once after a long walk along the bank of the river; and still she "
    "sits in front of the fridge and looks at me as if she had not been fed for a week, or ever since",
)
ODD = (
    *("", " ", "\n\n", "\ud83d", "a\udfffb", "\x00\x04\x7f", "<|im_end|> [nothing]", "مرحبا بالعالم", "😀👍🏽"),
    *("I drink 🍵 or 茶", "𠀀𪚥x", "a\u200bb\ufeffc\u00ad", "1234567", "don't WON'T 'll", "word " * 600),
    *("  two   spaces  ", "\u0306é e\u0301"),
)
DRIVER = """
import { openAsBlob } from "node:fs";
import { gunzipSync } from "node:zlib";
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { DecoderEngine } from "./models/decoder-engine.ts";
import { DecoderTokens } from "./models/decoder-tokens.ts";
import { decoderFlow, DecoderReader, nextWord, whyThere } from "./models/decoder-model.ts";
import { Decoder } from "./models/decoder.ts";
import { readGguf, readHeader } from "./models/gguf.ts";
import { DecoderFile } from "./models/gguf-decoder.ts";
import { tokenizerOf } from "./models/gguf-tokens.ts";
const { gguf, folder, texts, cases, ledgers, cells, journeys } = given;
const [[, { name }], ...pieces] = Object.entries(JSON.parse(readFileSync(`${folder}/decoder.json`, "utf8")).files);
const header = new Uint8Array(gunzipSync(readFileSync(`${folder}/${name}`)));
let size = header.length;
const starts = pieces.map(([, { bytes }]) => (size += bytes) - bytes);
const { facts: said, tensors } = readHeader(header, size);
const model = new DecoderFile({ facts: said, tensors }, "decoder");
await model.makeRoom(readFileSync("models/kernel.wasm"));
pieces.forEach(([, { name }], at) => model.put(starts[at], new Uint8Array(readFileSync(`${folder}/${name}`))));
const [facts, weights, written] = [model.facts, model.finish(), tokenizerOf(said)];
const tokens = new DecoderTokens(new Tokenizer(written.json, {}), facts, written);
const kept = new DecoderEngine(weights);
const bytes = (numbers) => Buffer.from(numbers.buffer).toString("base64");
const results = cases.map(({ text, headMask, keep, masked }) => {
  const { ids, logits, map } = nextWord(keep ? kept : new DecoderEngine(weights), tokens, facts, text, headMask, masked, true);
  return { ids, logits: bytes(logits), map: { ...map, weights: bytes(map.weights), valueNorms: bytes(map.valueNorms) } };
});
const arrays = (ledger) => Object.fromEntries(Object.entries(ledger).map(([name, value]) => [name, value?.shape ? { ...value, values: bytes(value.values) } : value]));
const reader = new DecoderReader(weights, tokens);
const worker = { postMessage: (question) => setImmediate(() => worker.onmessage({ data: { result: reader.answer(question).result } })) };
const decoder = new Decoder(worker, { ...facts, words: tokens.words });
const taken = [];
for (const state of ledgers) taken.push(arrays(await decoder.headLedger(state)));
const why = cells.map(([text, headMask, cell]) => {
  const { map: { shape, weights } } = nextWord(kept, tokens, facts, text, headMask);
  const row = weights.subarray(((cell.layer * shape[1] + cell.head) * shape[2] + cell.query) * shape[3]);
  const [{ parts, pairs, score }, first] = [cell.key, 0].map((key) => whyThere(kept, tokens, text, { ...cell, key }, headMask));
  return { parts, pairs: bytes(Float32Array.from(pairs)), score, further: score - first.score, shown: Math.log(row[cell.key] / row[0]) };
});
const flows = journeys.map(([state, headMask]) => arrays(decoderFlow(kept, weights, tokens, state, headMask)));
const file = await openAsBlob(gguf);
const opened = new DecoderFile(await readGguf(file), "file/smollm2");
const openedWeights = await opened.load(file, readFileSync("models/kernel.wasm"), () => {});
const [own, other] = [weights, openedWeights].map((held) =>
  cases.filter(({ headMask, masked }) => !headMask && !masked.length).map(({ text }) => {
    const { ids, logits, map } = new DecoderReader(held, tokens).answer({ text, norms: true }).result;
    return JSON.stringify([ids, bytes(logits), bytes(map.weights), bytes(map.valueNorms), map.notes, map.queryTokens]);
  }),
);
const alike = own.map((each, place) => each === other[place]);
answer({ flows, results, alike,  ledgers: taken, why, read: texts.map((text) => tokens.read(text)), words: tokens.words });
"""

OPENED = """
import { openAsBlob } from "node:fs";
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import { DecoderReader } from "./models/decoder-model.ts";
import { DecoderTokens } from "./models/decoder-tokens.ts";
import { readGguf } from "./models/gguf.ts";
import { DecoderFile } from "./models/gguf-decoder.ts";
import { tokenizerOf } from "./models/gguf-tokens.ts";
const file = await openAsBlob(given.gguf);
const header = await readGguf(file);
const [written, model] = [tokenizerOf(header.facts), new DecoderFile(header, "file/f16")];
const weights = await model.load(file, readFileSync("models/kernel.wasm"), () => {});
const reader = new DecoderReader(weights, new DecoderTokens(new Tokenizer(written.json, {}), model.facts, written));
const bytes = (numbers) => Buffer.from(numbers.buffer).toString("base64");
answer(given.texts.map((text) => {
  const { logits, map } = reader.answer({ text }).result;
  return { logits: bytes(logits), weights: bytes(map.weights) };
}));
"""


def case(text, headMask=None, keep=False, masked=()):
    return {"text": text, "headMask": headMask, "keep": keep, "masked": list(masked)}


def off(*places):
    mask = np.ones((30, 9), bool)
    mask[tuple(zip(*places))] = False
    return mask.tolist()


MASK, ONE_OFF = off((18, 6), (17, 3), (23, 4), (2, 0)), off((5, 5))
ITALY = "The capital of Italy is"
# Written on, cut back, changed in its middle, heads off and on again.
STEPS = [
    *[(PROMPTS[1], None), (f"{PROMPTS[1]}orblat said", None), (PROMPTS[1][:30], None), ("Tea", None)],
    *[("The capital of France is", None), (ITALY, None), (ITALY, ONE_OFF), (f"{ITALY} Rome", ONE_OFF), (ITALY, None)],
]
TEA = "I drink 🍵"
CELL = ("layer", "head", "query", "key")
LEDGERS = [(ITALY, "next word:  Rome")]
# Layer, head, query and key: of the first layer and the last, and of an induction head that looks at what followed Z before.
CELLS = [
    (PROMPTS[1], None, (17, 3, 18, 4)),
    (PROMPTS[1], MASK, (18, 6, 18, 4)),
    (ITALY, None, (0, 8, 4, 2)),
    (PROMPTS[2], None, (29, 5, 40, 7)),
]
JOURNEYS = [(PROMPTS[1], 17, 3, None), (ITALY, 0, 8, None), (ITALY, 23, 4, None), (ITALY, 23, 4, MASK)]  # layer, head


@pytest.fixture(scope="module")
def found():
    """What the page's code makes of all texts, in one process: {kind: [result, ...]}."""
    whole = load_decoder().read(TEA)[0]
    cases = {
        "plain": [case(text) for text in PROMPTS],
        "masked": [case(PROMPTS[1], MASK)],
        "first": [case(ITALY, keep=True), case(ITALY, keep=True, masked=[0]), case(ITALY, keep=True)],
        "kept": [case(*step, keep=True) for step in STEPS],
        "fresh": [case(*step) for step in STEPS],
        "bytes": [case({"text": "I drink", "tail": whole[2:4]}), case(TEA)],
    }
    ledgers = [{"sentence": text, "answer": answer, "head": 212} for text, answer in LEDGERS]
    journeys = [{"sentence": text, "layer": layer, "head": head} for text, layer, head, _ in JOURNEYS]
    asked = {"cases": [each for kind in cases.values() for each in kind], "texts": [*ODD, *PROMPTS], "ledgers": ledgers}
    flags = {"causal": False, "padding": False, "unscaled": False}
    asked["journeys"] = [(journey | flags, mask) for journey, (*_, mask) in zip(journeys, JOURNEYS)]
    asked["cells"] = [(text, mask, dict(zip(CELL, cell))) for text, mask, cell in CELLS]
    asked |= {"folder": str(decoder_page_files()[0].parent), "gguf": str(gguf_file())}
    answer = ask_node(DRIVER, asked)
    for each in answer["results"]:
        each["logits"] = floats(each["logits"])
        each["map"]["valueNorms"] = floats(each["map"]["valueNorms"]).reshape(*each["map"]["shape"][:2], -1)
        each["map"]["weights"] = floats(each["map"]["weights"]).reshape(each["map"]["shape"])
    all_of_them = iter(answer["results"])
    return {name: list(islice(all_of_them, len(kind))) for name, kind in cases.items()} | answer


def floats(text):
    return np.frombuffer(base64.b64decode(text), np.float32)


def probabilities(logits):
    powers = np.exp(logits.astype(np.float64) - logits.max())
    return powers / powers.sum()


def assert_same(found, text, head_mask=None):
    """Compares tokens, weights and next tokens with Python's."""
    decoder = load_decoder()
    expected, ids = decoder(text, head_mask), decoder.read(text)[0]
    scores = decoder.run(ids, head_mask=head_mask)[0][-1].numpy()
    head_map = found["map"]
    assert found["ids"] == ids
    assert head_map["queryTokens"] == head_map["keyTokens"] == expected.query_tokens
    assert head_map["shape"] == list(expected.shape)
    assert head_map["headNames"] == expected.head_names
    assert head_map["causal"]
    assert head_map["notes"] == list(expected.notes)
    assert np.abs(head_map["weights"] - expected.weights).max() <= LARGEST_ERROR
    norms = np.abs(head_map["valueNorms"] - expected.value_norms) / expected.value_norms
    assert norms.max() <= LARGEST_ERROR_OF_A_NORM
    assert np.abs(probabilities(found["logits"]) - probabilities(scores)).max() <= LARGEST_SHIFT
    words, ours = head_map["predictions"]["next word"], expected.predictions["next word"]
    assert ours[max(words, key=words.get)] >= max(ours.values()) - LARGEST_SHIFT, "the likeliest, or as likely"
    for word, probability in words.items():
        assert probability == pytest.approx(ours.get(word, probability), abs=LARGEST_SHIFT)


def test_the_page_sees_and_foresees_what_python_does(found):
    for page, text in zip(found["plain"], PROMPTS, strict=True):
        assert_same(page, text)


def test_its_file_opened_as_a_readers_is_the_same_model_bit_by_bit(found):
    assert len(found["alike"]) > 10
    assert all(found["alike"])


def test_heads_that_are_off_add_nothing_and_are_shown(found):
    [page] = found["masked"]
    assert_same(page, PROMPTS[1], np.array(MASK))
    assert np.abs(page["map"]["weights"] - load_decoder()(PROMPTS[1]).weights).max() > 0.05, "the mask changes a lot"


def test_a_first_token_that_is_masked_is_looked_at_by_itself_alone(found):
    """Also where the same text was read before, and again afterwards."""
    decoder = load_decoder()
    ids = decoder.read(ITALY)[0]
    for page, hidden in zip(found["first"], [(), (0,), ()], strict=True):
        scores, weights, _ = decoder.run(ids, hidden=hidden, need_weights=True)
        assert np.abs(page["map"]["weights"] - weights.numpy()).max() <= LARGEST_ERROR
        assert np.abs(probabilities(page["logits"]) - probabilities(scores[-1].numpy())).max() <= LARGEST_SHIFT


def test_what_is_kept_of_the_last_text_changes_nothing(found):
    """As if each text were the first."""
    for one, other in zip(found["kept"], found["fresh"], strict=True):
        assert one["ids"] == other["ids"]
        assert_close(one["logits"], other["logits"])
        assert_close(one["map"]["weights"], other["map"]["weights"])
        assert_close(one["map"]["valueNorms"], other["map"]["valueNorms"])


def test_bytes_that_are_written_after_a_text_are_read_with_it(found):
    """A page keeps them apart until they make a character; then they are read as part of the text, as the same tokens."""
    decoder = load_decoder()
    whole, _ = decoder.read(TEA)
    begun, read = found["bytes"]
    assert (begun["ids"], read["ids"]) == (whole[:4], whole)
    assert begun["map"]["queryTokens"][2:] == [" <F0 9F>", "<8D>"]
    scores = decoder.run(whole[:4])[0][-1].numpy()
    assert np.abs(probabilities(begun["logits"]) - probabilities(scores)).max() <= LARGEST_SHIFT


def test_every_text_becomes_the_tokens_that_python_makes(found):
    decoder = load_decoder()
    for text, read in zip([*ODD, *PROMPTS], found["read"], strict=True):
        ids, notes = decoder.read(text)
        assert (read["ids"], read["notes"]) == (ids, list(notes)), ascii(text)
    assert found["words"] == decoder.tokens(range(len(found["words"])))


def test_a_ledger_in_the_page_is_pythons(found):
    """The parts of each logit, what the last token looks at, what words say, logits without heads, and extreme tokens."""
    for (text, answer), page in zip(LEDGERS, found["ledgers"], strict=True):
        ours = load_decoder().head_ledger(text, answer)
        for name in ("tokens", "labels", "headNames", "others", "answered"):
            assert page[name] == ours[name], name
        names = ("parts", "without", "weights", "says")
        arrays = {name: floats(page[name]["values"]).reshape(page[name]["shape"]) for name in names}
        assert_close(arrays["parts"][:, :-1].sum(1), arrays["parts"][:, -1], summed=arrays["parts"])
        assert not np.isnan(arrays["without"][0]).all()
        for name, array in arrays.items():
            both = ~np.isnan(array) & ~np.isnan(np.asarray(ours[name]))
            assert_close(array[both], np.asarray(ours[name])[both], part=LARGEST_ERROR, name=name)
        if 212 in ours["extremes"]:
            assert page["extremes"]["212"] == ours["extremes"][212]


def test_who_wrote_what_a_head_compares_in_the_page_is_as_in_python(found):
    for (text, mask, cell), page in zip(CELLS, found["why"], strict=True):
        ours = score_parts(load_decoder(), text, *cell, head_mask=mask)
        assert page["parts"] == list(ours.parts)
        pairs = floats(page["pairs"]).reshape(ours.pairs.shape)
        assert_close(pairs, ours.pairs, part=LARGEST_ERROR_OF_A_PAIR)
        assert_close(page["score"], ours.score, summed=pairs, part=LARGEST_ERROR_OF_A_PAIR)
        assert_close(pairs.sum(dtype=float), page["score"], summed=pairs, part=LARGEST_ROUNDING)
        assert_close(page["further"], page["shown"], summed=pairs, name="the score that the map's weights are made of")
    first = floats(found["why"][0]["pairs"]).reshape(-1, len(found["why"][0]["parts"]))
    assert found["why"][0]["parts"][first.sum(0).argmax()] == "layer 17, head 1", "the previous-token head"


def test_a_heads_journey_in_the_page_goes_through_the_numbers_of_python(found):
    """Those of its map, too: the journey multiplies the same weights, without rounding vectors."""
    for (text, layer, head, mask), page in zip(JOURNEYS, found["flows"], strict=True):
        maps = floats(page["maps"]["values"]).reshape(page["maps"]["shape"])
        assert np.abs(maps - load_decoder()(text, mask).weights[layer]).max() <= LARGEST_ERROR
        if mask:
            continue
        ours = flow_steps(load_decoder(), text, head, layer=layer)
        told = ("tokens", "notes", "head", "headNames", "layer", "layers", "biased", "rotaryBase", "kvHeads", "decodes")
        assert {name: page[name] for name in told} == {name: ours[name] for name in told}
        matrices = [name for name, value in ours.items() if isinstance(value, np.ndarray)]
        assert {"XWq", "XWk", "Q", "V", "masked", "maps", "concat", "output"} <= {*matrices}
        assert ("below" in matrices) == (layer > 0)
        for name in matrices:
            theirs = floats(page[name]["values"]).reshape(page[name]["shape"])
            assert_close(theirs, ours[name], part=LARGEST_ERROR, name=name)


def test_rounding_to_eight_bits_moves_little(tmp_path):
    """The book's model, written in a kind that the page rounds: what *Open your own model* says of it."""
    path = tmp_path / "f16.gguf"
    write_in_f16(path)
    texts = [prompt.text for prompt in measures.prompts()]
    found = ask_node(OPENED, {"gguf": str(path), "texts": texts})
    decoder, moved = load_decoder(path), []
    for text, page in zip(texts, found, strict=True):
        scores, maps, _ = decoder.run(decoder.read(text)[0], need_weights=True)
        moved.append(np.abs(floats(page["weights"]).reshape(maps.shape) - maps.numpy()))
        assert floats(page["logits"]).argmax() == scores[-1].argmax()
    assert np.mean([each.mean() for each in moved]) < 1e-3
    assert 0.01 < max(each.max() for each in moved) < 0.065


def write_in_f16(path):
    """The book's file, with its matrices unpacked."""
    reader, writer = GGUFReader(gguf_file()), GGUFWriter(path, "llama")
    for name, field in reader.fields.items():
        if not name.startswith("GGUF.") and name != "general.architecture":
            part = field.types[-1] if len(field.types) > 1 else None
            writer.add_key_value(name, field.contents(), field.types[0], sub_type=part)
    for tensor in reader.tensors:
        weights = dequantize(tensor.data, tensor.tensor_type)
        writer.add_tensor(tensor.name, weights.astype(np.float32 if weights.ndim == 1 else np.float16))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
