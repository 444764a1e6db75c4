"""The core of the pages in Firefox: type, switch the view, compare, follow the formula, ask the encoder, write, train."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from close import assert_close
from node import WEB, run_node

from manyheads import load_decoder
from manyheads.models.focus import load_focus_model

SENTENCE = "The soup was not good."
TOKENS = ["[CLS]", "the", "soup", "was", "not", "good", ".", "[SEP]"]
PUPPETEER = WEB / "node_modules" / "puppeteer-core" / "lib" / "esm" / "puppeteer" / "puppeteer-core.js"
FIREFOX = shutil.which("firefox") or shutil.which("firefox-esr")


@pytest.fixture(scope="module")
def told(site):
    """What `firefox.mjs` saw."""
    assert FIREFOX, "there is no Firefox: run `make firefox`, or put one on the path"
    walk = Path(__file__).with_name("firefox.mjs")
    return json.loads(run_node(walk, PUPPETEER.as_uri(), FIREFOX, site, timeout=250))


def test_firefox_has_nothing_to_complain_of(told):
    assert told["version"].lower().startswith("firefox")
    assert told["faults"] == []


def test_firefox_computes_what_python_does(told):
    assert told["typed"]["queryTokens"] == TOKENS
    ours = load_focus_model()(SENTENCE)
    assert_close(told["typed"]["weights"], ours.weights.ravel())
    for name, labels in ours.predictions.items():
        assert told["typed"]["predictions"][name] == pytest.approx(labels, abs=1e-5)


def test_firefox_switches_the_view_and_compares(told):
    assert told["matrices"] >= 4
    assert told["compared"] == 4


def test_firefox_follows_the_formula(told):
    assert told["tokens"] == TOKENS
    assert "The weight that" in told["step"]


def test_firefox_asks_the_encoder(told):
    assert told["encoder"]["queryTokens"] == TOKENS
    weights = np.array(told["encoder"]["weights"]).reshape(told["encoder"]["shape"])
    assert weights.shape == (6, 12, len(TOKENS), len(TOKENS))
    np.testing.assert_allclose(weights.sum(axis=-1), 1, atol=1e-3)


def test_firefox_writes(told):
    expected = load_decoder().next_words("🍵🍵🍵🍵")
    shared = set(expected) & set(told["next"])
    assert len(shared) >= 8
    assert [told["next"][word] for word in shared] == pytest.approx([expected[word] for word in shared], abs=2e-3)
    assert told["written"] == "🍵🍵🍵🍵🍵"


def test_firefox_trains_as_node_does(told):
    assert told["losses"] == pytest.approx(told["wanted"], rel=1e-9)
