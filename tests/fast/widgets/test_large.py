"""Maps too large to be sent at once: what goes to the page, and what a page without a kernel has of them."""

import json
import re
import tracemalloc

import numpy as np
import pytest

from manyheads.maps import AttentionMap
from manyheads.maps.wire import WHOLE, digits_of, map_message
from manyheads.widgets import HeadMap

TOKENS = [f"w{place}" for place in range(160)]
LAYERS = 4


@pytest.fixture(scope="module")
def large():
    """4 layers x 12 heads x 160 tokens."""
    weights = np.random.default_rng(0).random((LAYERS, 12, 160, 160), dtype=np.float32)
    attention = AttentionMap(TOKENS, TOKENS, weights / weights.sum(-1, keepdims=True))
    assert attention.weights.size > WHOLE
    return attention


def test_a_kernel_sends_one_layer_and_others_when_they_are_asked_for(large, monkeypatch):
    attention = HeadMap.of(large, layer=1)
    sent = attention._attention
    assert sent["present"] == [1]
    assert sent["weights"] == "".join(digits_of(large, [1]))
    assert len(sent["weights"]) + len(sent["pictures"]["tints"]) < large.weights.nbytes / LAYERS
    sends = []
    monkeypatch.setattr(attention, "send", sends.append)
    attention._handle_custom_msg({"of": sent["computed"], "layers": [0, 3]}, [])
    layers = [{"weights": "".join(digits_of(large, [layer]))} for layer in (0, 3)]
    assert sends == [{"of": 1, "layer": layer, "maps": [one]} for layer, one in zip((0, 3), layers)]
    attention._handle_custom_msg({"of": sent["computed"] - 1, "layers": [2]}, [])
    assert len(sends) == 2, "layers of a map that is gone are not sent"


def test_a_page_that_would_be_too_large_has_the_layer_that_is_shown_and_says_so(large, monkeypatch):
    monkeypatch.setattr("manyheads.widgets.saving.BAKED", WHOLE)
    html = HeadMap.of(large, layer=2)._element()
    assert json.loads(re.search(r'<script type="application/json">(.*)</script>', html)[1])["present"] == [2]
    assert "Of its 4 layers, layer 3 is in this page" in html


def test_a_long_map_is_copied_once_and_looked_at_in_little_memory():
    weights = np.full((1, 2, 1024, 1024), 1 / 1024, np.float32)
    tokens = [f"w{place}" for place in range(1024)]
    tracemalloc.start()
    attention = AttentionMap(tokens, tokens, weights)
    assert tracemalloc.get_traced_memory()[1] < 1.2 * weights.nbytes
    tracemalloc.reset_peak()
    sent = map_message(attention)
    held = attention.weights.nbytes + len(sent["weights"])
    assert tracemalloc.get_traced_memory()[1] < held + 0.8 * weights.nbytes
    tracemalloc.stop()
