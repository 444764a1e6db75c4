"""translator.ts, the twin: the French of held-out sentences, the weights, and what is said to what it cannot read."""

import re

import numpy as np
import pytest
from close import assert_close
from node import ask_node

from manyheads import load_translator
from manyheads.models.keeping import kept_file
from manyheads.models.translator import ATTENTIONS, NotTranslated
from manyheads_recipes.translator.training import held_out_sentences

REFUSED = (
    "",
    "The\ufeffcat sleeps.",
    "The girl sees the appel.",
    "a xylophone",
    "x" * 200_000,
    "Girl the sees apple the.",
    "They gave it to him.",
    "The girls who see the cat in the garden that my mother likes eats an apple",
    "The girls who see the cat in the garden eats an apple",
    "The coffee is cold and good.",
    "the cat " * 30,
    "the cat " * 125_000,
    "The cat sleeps." + " " * 3_000 + "The dog sings.",
)

HINT = re.compile(" Near ones that it knows: ")  # each language has its own way to find them

DRIVER = """
import { Translator } from "./models/translator.ts";
import { readSafetensors } from "./models/files.ts";
import { completions } from "./figures/head-map/suggestions.ts";
const weights = readSafetensors(new Uint8Array(readFileSync(given.file)));
const write = ({ weights, ...map }) => ({ ...map, weights: Array.from(weights, String) });
const results = given.calls.map(([attention, sentence, headMask]) => {
  try {
    return write(new Translator(weights, attention).attend(sentence, headMask));
  } catch (error) {
    return { error: error.message, word: error.word, near: error.near };
  }
});
const { vocabulary } = new Translator(weights);
const begun = ["The girl se", "the ".repeat(250_000) + "se", "se".repeat(500_000)].map((text) => completions(text, vocabulary));
answer({ results, completions: begun });
"""


def compute(calls):
    """Maps of the twin: [(attention, sentence, head mask), ...] -> them, or {"error": ...}."""
    return ask_node(DRIVER, {"file": str(kept_file("translator", "taught")), "calls": calls})


def assert_same(found, attention):
    assert found["written"] == attention.written
    assert (found["queryTokens"], found["keyTokens"]) == (attention.query_tokens, attention.key_tokens)
    assert found["headNames"] == attention.head_names
    assert found["shape"] == list(attention.shape)
    assert found.get("causal", False) == attention.causal
    assert "mask" not in found
    assert attention.mask is None
    assert_close(np.reshape(found["weights"], attention.shape), attention.weights)


def test_held_out_sentences_have_the_same_french_and_the_same_weights():
    translator = load_translator()
    sentences = [" ".join(sentence.english) for sentence in held_out_sentences()[::60]]
    found = compute([("cross", sentence, None) for sentence in sentences])["results"]
    for sentence, attention in zip(sentences, found, strict=True):
        assert_same(attention, translator(sentence))


def test_every_attention_with_and_without_heads():
    translators = {attention: load_translator(attention=attention) for attention in ATTENTIONS}
    sentences = [*(" ".join(sentence.english) for sentence in held_out_sentences()[:2]), "She WON'T cry!"]
    cases = []
    for attention, translator in translators.items():
        off = np.ones((translator.num_layers, translator.num_heads), bool)
        off[-1, 1] = False
        cases += [(attention, sentence, mask) for sentence in sentences for mask in (None, off.tolist())]
    for (attention, sentence, mask), attention_map in zip(cases, compute(cases)["results"], strict=True):
        assert_same(attention_map, translators[attention](sentence, mask))


def test_it_refuses_in_the_same_words():
    translator = load_translator()
    found = compute([("cross", sentence, None) for sentence in REFUSED])
    for sentence, answer in zip(REFUSED, found["results"], strict=True):
        with pytest.raises(NotTranslated) as refusal:
            translator(sentence)
        assert answer["word"] == refusal.value.word
        assert HINT.split(answer["error"])[0] == HINT.split(str(refusal.value))[0]
        assert set(answer["near"]) <= set(translator.vocabulary)
        assert bool(HINT.search(answer["error"])) == bool(answer["near"])
    begun = [word for word in translator.vocabulary if word.startswith("se") and word != "se"]
    assert found["completions"] == [begun[:8], begun[:8], []]


def test_a_word_with_a_slip_in_it_is_offered_as_it_should_be():
    slips = {"appel": "apple", "gril": "girl", "coffe": "coffee", "beeter": "better"}
    found = compute([("cross", f"The {slip}", None) for slip in slips])["results"]
    for (slip, meant), answer in zip(slips.items(), found, strict=True):
        assert answer["near"][0] == meant
        with pytest.raises(NotTranslated) as refusal:
            load_translator()(f"The {slip}")
        assert refusal.value.near[0] == meant, "the word that Python offers first"
    assert compute([("cross", "a xylophone", None)])["results"][0]["near"] == []
