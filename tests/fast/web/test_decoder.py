"""The page's decoder in Node against `load_decoder()`, which computes in float32."""

import base64
import json

import numpy as np
import pytest
from node import WEB, run_node

from manyheads import load_decoder
from manyheads.models.decoder.head_cards import decoder_cards
from manyheads.models.decoder.measures import prompts
from manyheads.models.decoder.page_files import decoder_page_files

LARGEST_ERROR = 2e-3  # of a weight
LARGEST_ERROR_OF_A_NORM = 3e-3  # of it: the page rounds vectors to 16 bits
LARGEST_SHIFT = 1.5e-3  # of a next token's probability; 1e-3 holds on all but one of the texts
PROMPTS = (
    "The capital of France is",
    "When Mary and John went to the store, John gave a drink to",
    "The wizard Zorblat met the elf Quenlin. The wizard Z",
    "Roses are red, violets are",
    "x = [3, 14, 159]\nfor n in x:\n    print(",
    "Übung macht den Meister – 猫 и 🐱!",
    "Tea",
    "I have fed my cat twice today, once at noon and once after a very long walk along the bank of the river, where "
    "the water is cold even in summer; and still she sits in front of the fridge and looks at me as if she had not "
    "been fed for a week, for a month, or ever since she came to live with us, which was in the",
)
ODD = (
    *(
        "",
        " ",
        "\n\n",
        "\ud83d",
        "a\udfffb",
        "\x00\x04\x7f",
        "<|im_end|> [nothing]",
        "مرحبا بالعالم",
        "😀👍🏽",
        "I drink 🍵 or 茶",
        "𠀀𪚥x",
    ),
    *("a\u200bb\ufeffc\u00ad", "1234567", "don't WON'T 'll", "word " * 600, "  two   spaces  ", "\u0306é e\u0301"),
)
DRIVER = """
import { readFileSync, writeFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
const [web, folder, input, output] = process.argv.slice(2);
const { Tokenizer } = await import(`${web}/node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs`);
const { DecoderWeights } = await import(`${web}/models/decoder-weights.ts`);
const { DecoderEngine } = await import(`${web}/models/decoder-engine.ts`);
const { DecoderTokens } = await import(`${web}/models/decoder-tokens.ts`);
const { ledgerOf, nextWord } = await import(`${web}/models/decoder-model.ts`);
const facts = JSON.parse(readFileSync(`${folder}/decoder.json`, "utf8"));
const weights = await DecoderWeights.create(facts, readFileSync(new URL(`${web}/models/kernel.wasm`)));
for (const [part, { name }] of Object.entries(facts.files))
  if (part !== "tokenizer") weights.put(part, new Uint8Array(readFileSync(`${folder}/${name}`)));
const packed = readFileSync(`${folder}/${facts.files.tokenizer.name}`);
const tokens = new DecoderTokens(new Tokenizer(JSON.parse(gunzipSync(packed)), {}), facts);
const { texts, cases, ledgers } = JSON.parse(readFileSync(input, "utf8"));
const kept = new DecoderEngine(weights);
const bytes = (numbers) => Buffer.from(numbers.buffer).toString("base64");
const results = cases.map(({ text, headMask, keep }) => {
  const { ids, logits, map } = nextWord(keep ? kept : new DecoderEngine(weights), tokens, facts, text, headMask);
  return { ids, logits: bytes(logits), map: { ...map, weights: bytes(map.weights), valueNorms: bytes(map.valueNorms) } };
});
const arrays = (ledger) => Object.fromEntries(Object.entries(ledger).map(([name, value]) => [name, value.shape ? { ...value, values: bytes(value.values) } : value]));
const taken = ledgers.map((state) => arrays(ledgerOf(kept, tokens, facts, state)));
writeFileSync(output, JSON.stringify({ results, ledgers: taken, read: texts.map((text) => tokens.read(text)), words: tokens.words }));
"""


@pytest.fixture(scope="module")
def compute(tmp_path_factory):
    """What the page's code makes of texts, and how it reads others."""
    folder = tmp_path_factory.mktemp("decoder")

    def call(cases=(), texts=(), ledgers=()):
        driver, given, results = (folder / name for name in ("driver.mjs", "cases.json", "results.json"))
        driver.write_text(DRIVER, encoding="utf-8")
        given.write_text(json.dumps({"cases": cases, "texts": texts, "ledgers": ledgers}), encoding="utf-8")
        run_node(driver, WEB.as_uri(), decoder_page_files()[0].parent, given, results)
        found = json.loads(results.read_text(encoding="utf-8"))
        for each in found["results"]:
            each["logits"] = floats(each["logits"])
            each["map"]["valueNorms"] = floats(each["map"]["valueNorms"]).reshape(*each["map"]["shape"][:2], -1)
            each["map"]["weights"] = floats(each["map"]["weights"]).reshape(each["map"]["shape"])
        return found

    return call


def floats(text):
    return np.frombuffer(base64.b64decode(text), np.float32)


def probabilities(logits):
    powers = np.exp(logits.astype(np.float64) - logits.max())
    return powers / powers.sum()


def case(text, headMask=None, keep=False):
    return {"text": text, "headMask": headMask, "keep": keep}


def assert_same(found, text, head_mask=None):
    """Compares tokens, weights and next tokens with Python's; gives the largest differences."""
    decoder = load_decoder()
    expected, ids = decoder(text, head_mask), decoder.read(text)[0]
    scores = decoder.run(ids, head_mask=head_mask)[0][-1].numpy()
    map = found["map"]
    assert found["ids"] == ids
    assert map["queryTokens"] == map["keyTokens"] == expected.query_tokens
    assert map["shape"] == list(expected.shape)
    assert map["headNames"] == expected.head_names
    assert map["causal"]
    assert map["notes"] == list(expected.notes)
    error = np.abs(map["weights"] - expected.weights).max()
    norms = np.abs(map["valueNorms"] - expected.value_norms) / expected.value_norms
    print(f"largest error of a norm {norms.max():.5f} of it, {norms.mean():.6f} on average")
    assert norms.max() <= LARGEST_ERROR_OF_A_NORM
    shift = np.abs(probabilities(found["logits"]) - probabilities(scores)).max()
    words, ours = map["predictions"]["next word"], expected.predictions["next word"]
    assert ours[max(words, key=words.get)] >= max(ours.values()) - LARGEST_SHIFT, "the likeliest, or as likely"
    for word, probability in words.items():
        assert probability == pytest.approx(ours.get(word, probability), abs=LARGEST_SHIFT)
    return error, shift


def test_the_page_sees_and_foresees_what_python_does(compute):
    """On sixty texts and more: those above, the chapter's labelled prompts, and the texts of the head cards."""
    examples = {example.sentence for card in decoder_cards() for found in card.strongest.values() for example in found}
    texts = [*dict.fromkeys([*PROMPTS, *(prompt.text for prompt in prompts()), *sorted(examples)])]
    assert len(texts) >= 60
    results = compute([case(text) for text in texts])["results"]
    differences = [assert_same(found, text) for found, text in zip(results, texts, strict=True)]
    error, shift = np.max(differences, axis=0)
    print(f"largest error of a weight {error:.5f}, of a probability {shift:.5f}; {differences}")
    assert error <= LARGEST_ERROR
    assert shift <= LARGEST_SHIFT


def test_heads_that_are_off_add_nothing_and_are_shown(compute):
    off = np.ones((30, 9), bool)
    off[[18, 17, 23, 2], [6, 3, 4, 0]] = False
    text = PROMPTS[2]
    [found] = compute([case(text, off.tolist())])["results"]
    error, shift = assert_same(found, text, off)
    assert error <= LARGEST_ERROR
    assert shift <= LARGEST_SHIFT
    assert np.abs(found["map"]["weights"] - load_decoder()(text).weights).max() > 0.05, "the mask changes a lot"


def test_what_is_kept_of_the_last_text_changes_nothing(compute):
    """Written on, cut back, changed in its middle, heads off and on again: as if it were the first text each time."""
    off = np.ones((30, 9), bool)
    off[5, 5] = False
    steps = [
        *[(PROMPTS[7], None), (PROMPTS[7] + " spring of that year", None), (PROMPTS[7][:90], None), ("Tea", None)],
        *[
            ("The capital of France is", None),
            ("The capital of Italy is", None),
            ("The capital of Italy is", off.tolist()),
        ],
        *[("The capital of Italy is Rome", off.tolist()), ("The capital of Italy is Rome", None)],
    ]
    kept = compute([case(text, mask, keep=True) for text, mask in steps])["results"]
    fresh = compute([case(text, mask) for text, mask in steps])["results"]
    for one, other in zip(kept, fresh, strict=True):
        assert one["ids"] == other["ids"]
        assert np.abs(one["logits"] - other["logits"]).max() <= 1e-4
        assert np.abs(one["map"]["weights"] - other["map"]["weights"]).max() <= 1e-5
        np.testing.assert_allclose(one["map"]["valueNorms"], other["map"]["valueNorms"], rtol=1e-4)


def test_bytes_that_are_written_after_a_text_are_read_with_it(compute):
    """A page keeps them apart until they make a character; then they are read as part of the text, with the same tokens."""
    decoder = load_decoder()
    whole, _ = decoder.read("I drink 🍵")
    begun, read = compute([case({"text": "I drink", "tail": whole[2:4]}), case("I drink 🍵")])["results"]
    assert (begun["ids"], read["ids"]) == (whole[:4], whole)
    assert begun["map"]["queryTokens"][2:] == [" <F0 9F>", "<8D>"]
    scores = decoder.run(whole[:4])[0][-1].numpy()
    assert np.abs(probabilities(begun["logits"]) - probabilities(scores)).max() <= LARGEST_SHIFT


def test_every_text_becomes_the_tokens_that_python_makes(compute):
    decoder, found = load_decoder(), compute(texts=[*ODD, *PROMPTS])
    for text, read in zip([*ODD, *PROMPTS], found["read"], strict=True):
        ids, notes = decoder.read(text)
        assert (read["ids"], read["notes"]) == (ids, list(notes)), ascii(text)
    assert found["words"] == decoder.tokens(range(len(found["words"])))


def test_a_ledger_in_the_page_is_pythons(compute):
    """The parts of each logit, what the last token looks at, what words say, logits without heads, and extreme tokens."""
    texts = [
        ("The capital of Italy is", "next word:  Rome"),
        (PROMPTS[2], ""),
        (PROMPTS[5], "next word: a"),
        ("", ""),
        (PROMPTS[0], "next word: <8D>"),
    ]
    found = compute(ledgers=[{"sentence": text, "answer": answer, "head": 212} for text, answer in texts])["ledgers"]
    for (text, answer), page in zip(texts, found, strict=True):
        ours = load_decoder().head_ledger(text, answer)
        for name in ("tokens", "labels", "headNames", "others", "answered"):
            assert page[name] == ours[name], name
        arrays = {
            name: floats(page[name]["values"]).reshape(page[name]["shape"])
            for name in ("parts", "without", "weights", "says")
        }
        np.testing.assert_allclose(arrays["parts"][:, :-1].sum(1), arrays["parts"][:, -1], atol=1e-3)
        off = [name for name in range(270) if not np.isnan(arrays["without"][0, name])]
        assert len(off) >= 1
        for name, array in arrays.items():
            both = ~np.isnan(array) & ~np.isnan(np.asarray(ours[name]))
            difference = np.abs(array - np.asarray(ours[name]))[both].max()
            print(f"{name} of {text[:20]!r}: largest difference {difference:.4f}")
            assert difference <= 0.01
        if 212 in ours["extremes"]:
            assert page["extremes"]["212"] == ours["extremes"][212]
