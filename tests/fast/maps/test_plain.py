"""A map without scripts: small, in words, in the page's colours."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from manyheads import load_focus_model, load_translator
from manyheads.maps import AttentionMap
from manyheads.maps.plain import plain_html
from manyheads.maps.wire import map_json


def random_map(layers, heads, tokens, **options):
    names = [f"token{place}" for place in range(tokens)]
    weights = np.random.default_rng(0).dirichlet(np.full(tokens, 0.3), (layers, heads, tokens))
    return AttentionMap(names, names, weights, **options)


class Tags(HTMLParser):
    def __init__(self, html):
        super().__init__()
        self.names, self.attributes = set(), set()
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.names.add(tag)
        self.attributes |= {name for name, _ in attributes}


@pytest.mark.parametrize("shape", [(1, 4, 12), (6, 12, 12), (6, 12, 64), (1, 4, 64), (2, 2, 300)])
def test_it_has_no_control_and_no_script(shape):
    html = plain_html(random_map(*shape))
    tags = Tags(html)
    assert not tags.names & {"script", "button", "input", "select", "a", "style"}
    assert not {name for name in tags.attributes if name == "id" or name.startswith("on")}
    assert "#fff" not in html, "no paper of its own"


def test_it_is_small():
    assert len(plain_html(random_map(1, 4, 12))) < 60_000
    assert len(plain_html(random_map(1, 4, 12), random_map(1, 4, 12))) < 60_000
    large = random_map(6, 12, 64)
    assert len(plain_html(large)) + len(str(map_json(large))) < 12_000_000 / 25


def test_it_says_what_the_model_concludes_and_writes():
    assert "sentence type: choice question, " in plain_html(load_focus_model()("Which is better, coffee or tea?"))
    assert "<div>Le chat dort.</div>" in plain_html(load_translator()("The cat sleeps."))


def test_deeper_weights_are_deeper_cells_and_no_weight_is_none():
    html = plain_html(AttentionMap(["a", "b"], ["a", "b"], [[[[1, 0], [0.2, 0.8]]]]))
    cells = dict(re.findall(r'<path d="([^"]+)" fill-opacity="([^"]+)"', html))
    assert len(cells) == 2
    assert float(cells["M0 1h1v1h-1z"]) < float(cells["M0 0h1v1h-1zM1 1h1v1h-1z"])


def test_texts_are_escaped():
    evil = "<img src=x onerror=alert(1)>"
    html = plain_html(AttentionMap([evil], [evil], [[[[1.0]]]], [evil], {evil: {evil: 1.0}}, (evil,), written=evil))
    assert "<img" not in html
    assert "control" not in plain_html(AttentionMap(["\x07"], ["\x07"], [[[[1.0]]]]))
