"""A map without scripts: small, in words, in the page's colours."""

from html.parser import HTMLParser

import numpy as np
import pytest

from manyheads.drawing.plain import plain_html
from manyheads.maps import AttentionMap


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
