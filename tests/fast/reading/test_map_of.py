"""AttentionMap.of: the map that HeadMap.of shows, for who wants its numbers alone."""

import gc
import inspect
import re
import weakref

import numpy as np
import pytest
import torch
from ipywidgets import Widget
from libraries import CAT, LLAMA, T5, SentenceEncoder, bert, made, padding

from manyheads import AttentionMap, HeadMap
from manyheads.maps import AttentionMap as SameMap

IDS = torch.arange(3, 17)[None]
BOTH = {"input_ids": IDS, "decoder_input_ids": IDS[:, :3]}
WEIGHTS = np.full((2, 3, 4, 4), 1 / 4)
SOURCES = {
    "a model": (lambda: made("LlamaModel", LLAMA), {"inputs": IDS, "predictions": lambda output: {"it": {"is": 1}}}),
    "its tokenizer": (bert, {"tokens": [CAT, "the soup"], "tokenizer": padding(), "batch": 1}),
    "a sentence encoder": (SentenceEncoder, {"tokens": CAT, "layers": [1]}),
    "one of several parts": (lambda: made("T5Model", T5), {"inputs": BOTH, "part": "cross"}),
    "an array": (lambda: WEIGHTS, {"tokens": list("abcd"), "layer_names": ["low", "high"], "key_value_heads": 3}),
    "numbers that aren't shares": (lambda: WEIGHTS - 1, {"tokens": list("abcd"), "normalised": False}),
    "a map": (lambda: AttentionMap(["tea"], ["tea"], [[[[1]]]]), {}),
}


@pytest.mark.parametrize(("make", "options"), SOURCES.values(), ids=SOURCES)
def test_it_is_the_map_that_a_widget_shows_and_no_widget(make, options):
    torch.manual_seed(0)
    source = make()
    widgets = []
    Widget.on_widget_constructed(widgets.append)
    found = AttentionMap.of(source, **options)
    Widget.on_widget_constructed(None)
    assert widgets == []
    shown = HeadMap.of(source, **options).attention
    np.testing.assert_array_equal(found.weights, shown.weights)
    for name in ("query_tokens", "key_tokens", "notes", "kind", "predictions", "layer_names", "head_names"):
        assert getattr(found, name) == getattr(shown, name)
    assert AttentionMap is SameMap


def test_it_keeps_no_model():
    model = made("LlamaModel", LLAMA)
    held = weakref.ref(model)
    found = AttentionMap.of(model, inputs=IDS)
    del model
    gc.collect()
    assert held() is None
    assert found.shape[2:] == (14, 14)


def test_it_takes_what_head_map_of_takes_without_the_traits():
    theirs, own = (inspect.signature(of).parameters for of in (HeadMap.of, AttentionMap.of))
    shows = ("compare",)  # and all traits
    named = [one for one in theirs.values() if one.kind is not one.VAR_KEYWORD and one.name not in shows]
    kept = [(one.name, one.kind, one.default) for one in named]
    assert [(one.name, one.kind, one.default) for one in own.values()] == kept


def test_a_long_text_is_held_whole_or_refused():
    model, ids = bert(), torch.randint(3, 20, (1, 200))
    assert AttentionMap.of(model, inputs=ids).shape[2:] == (200, 200)
    says = (
        "this map has 320,000 weights, more than max_weights=1,000: layers=[0] makes a map of one layer, max_weights="
    )
    with pytest.raises(ValueError, match=re.escape(says)):
        AttentionMap.of(model, inputs=ids, max_weights=1000)
    assert AttentionMap.of(np.full((2048, 2048), 1 / 2048)).shape == (1, 1, 2048, 2048)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"source": {"before": WEIGHTS, "after": WEIGHTS}}, "this makes several maps, before, after: part= names one"),
        ({"source": WEIGHTS, "view": "grid"}, "AttentionMap.of has no argument 'view'; HeadMap.of has it"),
        ({"source": WEIGHTS, "tokns": list("abcd")}, "AttentionMap.of has no argument 'tokns'; did you mean 'tokens'?"),
        ({"source": WEIGHTS, "layers": "rollout"}, "layers must be whole numbers, counted from 0, got 'rollout'"),
    ],
)
def test_what_is_no_one_map_says_what_to_do(arguments, says):
    with pytest.raises((TypeError, ValueError), match=re.escape(says)):
        AttentionMap.of(**arguments)
