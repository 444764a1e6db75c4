"""induction.ts, the twin: the same weights, guesses and losses for any text, with and without heads, from every checkpoint."""

import numpy as np
import pytest
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from node import ask_node

from manyheads import load_induction, score_parts
from manyheads.models.keeping import kept_file, kept_variants

TEXTS = (
    "",
    " ",
    "a",
    "a7kq3xwma7kq3xwm",
    "hello world, hello world",
    "مرحبا مرحبا",
    "🦊🐻🐼🦊🐻🐼",
    "e\u0301\u00e9\u0000\n\t\u2028",
    "0123456789" * 1000,
    "🦊a\n" * 300_000,
    "".join(map(chr, range(0x4E00, 0x4E40))),
)

DRIVER = """
import { InductionModel } from "./models/induction.ts";
import { readSafetensors } from "./models/files.ts";
import { topPairs, writerOfKey } from "./math/score-parts.ts";
const models = {};
const plain = (numbers) => Array.from(numbers, String);
const results = given.map(([file, text, headMask, ledger, cell]) => {
  models[file] ??= new InductionModel(readSafetensors(new Uint8Array(readFileSync(file))));
  try {
    if (ledger) return JSON.parse(JSON.stringify(models[file].headLedger({ sentence: text, headMask }), (_, value) => ArrayBuffer.isView(value) ? plain(value) : value));
    if (cell) {
      const found = models[file].attend(text, headMask).scoreParts(cell);
      return { parts: found.parts, pairs: plain(found.pairs), ...topPairs(found, 4), writer: writerOfKey(found) };
    }
    const { weights, losses, ...map } = models[file].attend(text, headMask);
    return { ...map, valueNorms: plain(map.valueNorms), weights: plain(weights), losses: plain(losses), name: models[file].name };
  } catch (error) {
    return { error: error.message, word: error.word };
  }
});
answer(results);
"""


def compute(calls):
    """Maps of the twin: [(variant, text, head mask), ...] -> them, or {"error": ...}."""
    return ask_node(DRIVER, [(str(kept_file("induction", variant)), *call) for variant, *call in calls])


def assert_same(found, model, text, mask=None):
    if not text:
        with pytest.raises(ValueError, match="Type a few") as refusal:
            model(text)
        assert found == {"error": str(refusal.value), "word": None}
        return
    attention, guesses = model(text, mask), model.guesses(text, mask)
    assert found["name"] == model.name
    assert (found["queryTokens"], found["keyTokens"]) == (attention.query_tokens, attention.key_tokens)
    assert (found["headNames"], tuple(found["notes"]), found["causal"]) == (attention.head_names, attention.notes, True)
    assert found["shape"] == list(attention.shape)
    assert_close(np.reshape(found["weights"], attention.shape), attention.weights, terms=1000)
    assert_close(np.reshape(found["valueNorms"], attention.value_norms.shape), attention.value_norms)
    assert_close(found["losses"], guesses.losses, terms=1000)
    for name, labels in attention.predictions.items():
        assert found["predictions"][name] == pytest.approx(labels, abs=1e-4)
    assert found["guesses"] == guesses.characters


def test_texts_of_every_kind_from_every_checkpoint():
    cases = [("", text, None) for text in TEXTS] + [(variant, TEXTS[3], None) for variant in kept_variants("induction")]
    for (variant, text, _), found in zip(cases, compute(cases), strict=True):
        assert_same(found, load_induction(variant), text)


characters = st.text(st.characters(exclude_categories=("Cs",)), min_size=1, max_size=40)
masks = st.none() | st.lists(st.lists(st.booleans(), min_size=2, max_size=2), min_size=2, max_size=2)


@settings(max_examples=2)  # each a process with as many texts
@given(st.lists(st.tuples(characters, st.integers(1, 3), masks), min_size=20, max_size=30))
def test_random_texts_said_again_and_heads_off(induction, drawn):
    cases = [("", text * times, mask) for text, times, mask in drawn]
    for (_, text, mask), found in zip(cases, compute(cases), strict=True):
        assert_same(found, induction, text, mask)


@pytest.mark.parametrize("mask", [None, [[True, False], [True, True]]])
def test_who_wrote_what_a_head_compares_in_the_page_is_as_in_python(mask):
    cells = [(0, 1, 3, 3), (0, 0, 9, 2), (1, 0, 8, 1), (1, 1, 8, 1), (1, 1, 13, 6), (1, 0, 0, 0)]
    names = ("layer", "head", "query", "key")
    cases = [(variant, TEXTS[3], mask, False, dict(zip(names, cell))) for variant in ("", "step-0") for cell in cells]
    for (variant, text, _, _, cell), page in zip(cases, compute(cases), strict=True):
        ours = score_parts(load_induction(variant), text, **cell, head_mask=mask)
        assert page["parts"] == list(ours.parts)
        assert_close(np.reshape(page["pairs"], ours.pairs.shape), ours.pairs, part=1e-5, name=cell)
        assert_close(page["score"], ours.score, summed=ours.pairs)
        top = [((pair["query"], pair["key"]), pair["value"]) for pair in page["top"]]
        if not variant:  # where nothing was learned, several may be as large
            assert [pair for pair, _ in top] == list(ours.top(4))
        assert_close(sum(value for _, value in top) + page["rest"], page["score"], summed=ours.pairs)
        assert page["others"] == ours.pairs.size - 4
        assert_close(page["writer"]["value"], ours.pairs.sum(0).max(), summed=ours.pairs)


@pytest.mark.parametrize("mask", [None, [[True, False], [True, True]]])
def test_a_ledger_in_the_page_is_pythons(mask):
    texts = [text for text in TEXTS if text]
    for text, page in zip(texts, compute([("", text, mask, True) for text in texts]), strict=True):
        ours = load_induction().head_ledger(text, head_mask=mask)
        for name in ("tokens", "labels", "headNames", "others", "notes", "answered"):
            assert page[name] == ours[name], name
        for name in ("parts", "without", "weights", "says"):
            array = np.reshape(page[name]["values"], page[name]["shape"])
            assert_close(array, ours[name], part=1e-5, name=f"{name} of {text[:20]!r}")
