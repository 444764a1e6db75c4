"""Maps too large to be sent at once: what goes to the page, and what a page without a kernel has of them."""

import json
import re

import numpy as np
import pytest

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
    assert figure.evaluate("(el) => el.attention.present ?? null") is None, "a file to send has all"
    page.evaluate("""(html) => { document.body.innerHTML = html }""", html)
    figure.get_by_role("status").get_by_text("Of its 4 layers, layer 3 is in this page").wait_for()
    choices = figure.get_by_role("combobox", name="Layer", exact=True)
    assert choices.input_value() == "2"
    assert choices.locator("option").evaluate_all("(all) => all.map((one) => one.disabled)") == [
        True,
        True,
        False,
        True,
    ]
    shown = (
        figure.locator(".hm-paint tbody")
        .nth(5)
        .locator("td")
        .evaluate_all("(all) => all.map((one) => +one.dataset.weight)")
    )
    np.testing.assert_allclose(shown, large.weights[2, 5, 0], atol=0.0008)
    figure.get_by_role("radio", name="Grid").check(force=True)
    drawn = """(canvas) => { const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
        let filled = 0; for (let at = 3; at < data.length; at += 4) filled += data[at] > 0; return filled / (data.length / 4) }"""
    assert figure.locator("canvas").first.evaluate(drawn) > 0.7, "small pictures of the other layers"
    figure.get_by_text("Layers that were not looked at yet are small pictures").wait_for()
