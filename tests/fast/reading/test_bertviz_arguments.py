"""HeadMap.from_attentions beside bertviz.head_view: the same arguments, and the same numbers from them."""

import inspect
import json
import re

import bertviz
import pytest
import torch
from close import assert_close

from manyheads.widgets import HeadMap

pytestmark = pytest.mark.filterwarnings("ignore:unclosed file:ResourceWarning")  # BertViz's own
LAYERS, HEADS, QUERIES, KEYS = 4, 3, 5, 7  # queries: the decoder's tokens; keys: the encoder's
ENCODER, DECODER = [f"Ġe{i}" for i in range(KEYS)], [f"▁d{i}" for i in range(QUERIES)]


def random_layers(queries, keys):
    torch.manual_seed(queries * keys)
    return tuple(torch.rand(1, HEADS, queries, keys).softmax(-1) for _ in range(LAYERS))


SELF = {"attention": random_layers(QUERIES, QUERIES), "tokens": DECODER}
BOTH = {"encoder_tokens": ENCODER, "decoder_tokens": DECODER}
CALLS = {
    "plain": SELF,
    "a pair": {**SELF, "sentence_b_start": 2},
    "some layers": {**SELF, "include_layers": [1, 3], "layer": 3},
    "one head": {**SELF, "heads": [2]},
    "two heads": {**SELF, "heads": [0, 2], "layer": 1},
    "cross alone": {"cross_attention": random_layers(QUERIES, KEYS), **BOTH},
    "all three": {
        "encoder_attention": random_layers(KEYS, KEYS),
        "decoder_attention": random_layers(QUERIES, QUERIES),
        "cross_attention": random_layers(QUERIES, KEYS),
        **BOTH,
    },
}


def theirs(**arguments):
    """What BertViz hands to its script."""
    html = bertviz.head_view(**arguments, html_action="return").data
    return json.loads(re.search(r"const params = (\{.*\});", html).group(1))


def test_the_arguments_are_those_of_head_view_in_their_order():
    wanted = inspect.signature(bertviz.head_view).parameters
    ours = inspect.signature(HeadMap.from_attentions).parameters
    assert list(ours)[: len(wanted)] == list(wanted)
    for name, parameter in wanted.items():
        assert ours[name].default == parameter.default, name


@pytest.mark.parametrize("call", CALLS.values(), ids=list(CALLS))
def test_what_bertviz_shows_we_show(call):
    expected = theirs(**call)
    shown = HeadMap.from_attentions(**call)
    views = expected["attention"][:1] if "sentence_b_start" in call else expected["attention"]  # without the parts
    assert len(views) == len(shown.models)
    for index, view in enumerate(views):
        shown.model_index = index
        assert_close(shown.attention.weights, view["attn"])
        assert shown.attention.query_tokens == view["left_text"]
        assert shown.attention.key_tokens == view["right_text"]
        assert shown.model.name == (view["name"].lower() if len(views) > 1 or "cross_attention" in call else "")
    layers = expected["include_layers"]
    assert layers[shown.attention.opened(shown.layer)] == (expected["layer"] or layers[0])
    if expected["heads"] == [2]:
        assert shown.head == 2
    elif expected["heads"]:
        assert shown.head_mask == [[True, False, True]] * LAYERS


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"cross_attention": SELF["attention"]}, "leave it out, or leave out cross_attention"),
        ({"attention": None}, "give attention, or at least one of encoder_attention"),
        ({"heads": [3]}, "heads must name heads from 0 to 2"),
        ({"heads": []}, "heads must name heads"),
        ({"include_layers": [4]}, r"layers must be among 0, 1, 2, 3, counted from 0, got \[4\]"),
        ({"include_layers": [1, 3], "layer": 2}, r"layer 2 is not in include_layers: \[1, 3\]"),
        ({"layer": 7}, "layer must be from 0 to 3 for this map, got 7"),
        ({"sentence_b_start": 5}, "sentence_b_start must be from 1 to 4"),
        ({"sentence_b_start": 2, "tokens": None}, "sentence_b_start is for attention and its tokens"),
        ({"attention": [None] * 4}, "output_attentions=True"),
        ({"html_action": "save"}, "'view' or 'return', got 'save'"),
    ],
)
def test_what_does_not_fit_is_named(change, says):
    with pytest.raises(ValueError, match=says):
        HeadMap.from_attentions(**{**SELF, **change})
