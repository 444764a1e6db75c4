"""Tokens in the page are Python's: of each character, of hostile texts, of thousands of random ones; in one process of Node."""

import json
import os

import pytest
from node import ask_node
from odd_texts import HOSTILE, fuzzed

from manyheads.models.focus import tokenize
from manyheads.models.pretrained import pretrained_file

FUZZED = int(os.environ.get("MANYHEADS_FUZZ", 1_000))  # random texts
CONFIG = {"max_words": 64, "max_tokens": 128}

DRIVER = """
import { Tokenizer } from "./node_modules/@huggingface/tokenizers/dist/tokenizers.min.mjs";
import * as functions from "./models/tokens.ts";
const { texts, whose, limit, file } = given;
const tokenizer = new Tokenizer(JSON.parse(readFileSync(file, "utf8")), {});
answer(texts.map((text) => functions[whose](tokenizer, text, limit)).map(({ ids, notes }) => [ids, notes]));
"""


def read_in_node(texts, whose, limit):
    """The ids and notes of texts in Node: [text, ...] -> [(ids, notes), ...]; `whose`: "focusTokens" or "encoderTokens"."""
    given = {"texts": texts, "whose": whose, "limit": limit, "file": str(pretrained_file("tokenizer.json"))}
    return [(ids, tuple(notes)) for ids, notes in ask_node(DRIVER, given)]


def differing(texts, ours, theirs):
    assert len(texts) == len(ours) == len(theirs)
    return [(ascii(text), own, other) for text, own, other in zip(texts, ours, theirs) if own != other][:5]


@pytest.fixture(scope="module")
def texts():
    return json.loads(json.dumps([*HOSTILE, *fuzzed(FUZZED)]))  # two halves of a character become one


def test_the_focus_model_reads_as_python_does(texts):
    assert differing(texts, [tokenize(text) for text in texts], read_in_node(texts, "focusTokens", CONFIG)) == []


def test_the_encoder_reads_as_python_does(encoder, texts):
    encodings = [encoder._encode(text) for text in texts]
    ours = [(encoding["input_ids"], encoding["notes"]) for encoding in encodings]
    assert differing(texts, ours, read_in_node(texts, "encoderTokens", encoder.max_tokens)) == []


def test_every_character_is_read_as_python_does():
    """All of the alphabets, and some of what is one like the other."""
    ranges = (0x3400,), (0x3400, 0xD800, 97), (0xF900, 0x20000, 17), (0x20000, 0x32000, 997)
    characters = [chr(code) for each in ranges for code in range(*each)]
    texts = [f"a{character}b" for character in characters]
    assert differing(texts, [tokenize(text) for text in texts], read_in_node(texts, "focusTokens", CONFIG)) == []
