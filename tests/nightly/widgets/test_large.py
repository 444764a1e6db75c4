"""Maps too large to be sent at once: what goes to the page, and what a page without a kernel has of them."""

import json
import re

import numpy as np
import pytest
from live_maps import eventually, shows
from playwright.sync_api import expect

from manyheads.maps import AttentionMap
from manyheads.maps.wire import WHOLE
from manyheads.widgets import HeadMap

TOKENS = [f"w{place}" for place in range(160)]
LAYERS = 4


@pytest.fixture(scope="module")
def large():
    """4 layers x 12 heads x 160 tokens."""
    weights = np.random.default_rng(0).random((LAYERS, 12, 160, 160), dtype=np.float32)
    map = AttentionMap(TOKENS, TOKENS, weights / weights.sum(-1, keepdims=True))
    assert map.weights.size > WHOLE
    return map


def test_a_page_that_would_be_too_large_has_the_layer_that_is_shown_and_says_so(large, monkeypatch, opened, tmp_path):
    monkeypatch.setattr("manyheads.widgets.head_map.BAKED", WHOLE)
    html = HeadMap.of(large, layer=2)._element()
    data = json.loads(re.search(r'<script type="application/json">(.*)</script>', html).group(1))
    assert data["present"] == [2]
    assert "Of its 4 layers, layer 3 is in this page" in html
    whole = HeadMap.of(large, layer=2)
    page = opened(whole)
    figure = page.locator("head-map")
    eventually(lambda: figure.evaluate("(el) => el.attention.present ?? null"), lambda present: present is None)
    page.evaluate("""(html) => { document.body.innerHTML = html }""", html)
    expect(figure.get_by_role("status")).to_contain_text("Of its 4 layers, layer 3 is in this page")
    choices = figure.get_by_role("combobox", name="Layer", exact=True)
    expect(choices).to_have_value("2")
    expect(choices.locator("option:disabled")).to_have_count(3)
    shows(figure, large.weights[2, :, 0], ".hm-paint td[data-weight]")
    figure.get_by_role("radio", name="Grid").check(force=True)
    expect(figure.get_by_text("Layers that were not looked at yet are small pictures")).to_be_visible()
    drawn = """(canvas) => { const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let filled = 0; for (let at = 3; at < data.length; at += 4) filled += data[at] > 0; return filled / (data.length / 4) }"""
    eventually(lambda: figure.locator("canvas").first.evaluate(drawn), lambda filled: filled > 0.7)
