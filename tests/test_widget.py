import ipywidgets
import numpy as np
import pytest
import torch

from manyheads.bertvizpage import SITE
from manyheads.encoder import load_encoder
from manyheads.focus import load_focus_model, train_focus_model
from manyheads.formula import FormulaSteps
from manyheads.maps import AttentionMap
from manyheads.widget import HeadMap

COFFEE = "Which do you like better, coffee or tea?"


def uniform(sentence, head_mask=None):
    """A head model of somebody's own: two layers, three heads, attention to all words alike."""
    tokens = sentence.split() or ["[CLS]"]
    n = len(tokens)
    return AttentionMap(tokens, tokens, np.full((2, 3, n, n), 1 / n))


def test_python_computes_when_the_sentence_changes():
    map = HeadMap(COFFEE)
    assert map.attention.query_tokens[1:3] == ["which", "do"]
    map.sentence = "Hello."
    assert map.attention.query_tokens == ["[CLS]", "hello", ".", "[SEP]"]
    assert map._attention["queryTokens"] == map.attention.query_tokens
    sent = np.frombuffer(map._attention["weights"], np.float32).reshape(map._attention["shape"])
    np.testing.assert_array_equal(sent, map.attention.weights)


def test_a_head_turned_off_changes_the_predictions():
    map = HeadMap(COFFEE)
    before = map.attention.predictions["sentiment"]
    map.head_mask = [[True, True, True, False]]
    assert map.attention.predictions["sentiment"] != before
    map.head_mask = None
    assert map.attention.predictions["sentiment"] == before


def test_a_second_sentence_is_compared_when_asked_for():
    map = HeadMap(COFFEE)
    assert map._compared is None
    map.compare = "Tea!"
    assert map._compared["queryTokens"] == ["[CLS]", "tea", "!", "[SEP]"]


def test_the_slider_chooses_the_model():
    models = [load_focus_model("taught"), load_focus_model("untaught")]
    map = HeadMap(COFFEE, models=models)
    map.model_index = 1
    np.testing.assert_array_equal(map.attention.weights, models[1](COFFEE).weights)


@pytest.mark.parametrize("widget", [HeadMap, FormulaSteps])
def test_its_traits_observe_and_link(widget):
    """`link` makes two widgets of ours, or ours and another, read one sentence; `interactive_output` sets it."""
    one, two, seen = widget("Tea?"), widget(""), []
    one.observe(lambda change: seen.append((change.old, change.new)), "sentence")
    ipywidgets.link((one, "sentence"), (two, "sentence"))
    assert two.sentence == "Tea?"
    two.sentence = "Coffee?"
    assert seen == [("Tea?", "Coffee?")]
    text = ipywidgets.Text("Water?")
    ipywidgets.interactive_output(lambda words: setattr(one, "sentence", words), {"words": text})
    text.value = "Milk?"
    assert two.sentence == "Milk?"
    slider = ipywidgets.IntSlider(max=3)
    ipywidgets.link((slider, "value"), (one, "head"))
    slider.value = 2
    assert one.head == 2
    tokens = one.attention.query_tokens if widget is HeadMap else one.steps["tokens"]
    assert tokens == ["[CLS]", "milk", "?", "[SEP]"], "it computed what it was told"


def test_any_head_model_will_do():
    map = HeadMap("a b c", model=uniform)
    assert map.attention.shape == (2, 3, 3, 3)
    html = map._repr_mimebundle_()[0]["text/html"]
    assert html.startswith("<head-map")
    assert "model=" not in html.split(">")[0], "the page cannot compute a stranger's model"


def test_the_static_html_names_the_models_a_page_can_run():
    html = HeadMap(COFFEE, model=load_focus_model("untaught"), view="matrix")._repr_mimebundle_()[0]["text/html"]
    assert html.startswith("<head-map")
    assert ' model="focus/untaught"' in html
    assert ' view="matrix"' in html


def test_the_pretrained_encoder_is_live_on_a_page():
    map = HeadMap("Tea?", model=load_encoder(), view="grid", special="remove")
    html = map._repr_mimebundle_()[0]["text/html"]
    assert map.attention.key_tokens == ["[CLS]", "tea", "?", "[SEP]"]
    opening = html.split(">")[0]
    assert ' model="encoder"' in opening
    assert ' special="remove"' in opening
    assert " heads=" not in opening, "what is usual is not written"


def test_a_model_trained_just_now_is_not_taken_for_the_pages():
    mine = train_focus_model(steps=1, num_sentences=50, progress=False)
    html = HeadMap(COFFEE, model=mine)._repr_mimebundle_()[0]["text/html"]
    assert "model=" not in html.split(">")[0]


def test_attentions_come_as_bertviz_takes_them():
    layers = tuple(torch.rand(1, 3, 5, 5).softmax(-1) for _ in range(2))
    map = HeadMap.from_attentions(layers, list("abcde"))
    np.testing.assert_allclose(map.attention.weights, torch.cat(layers).numpy())
    with pytest.raises(ValueError, match=r"\(3, 5, 5\), \(3, 4, 5\)"):
        HeadMap.from_attentions([torch.rand(3, 5, 5), torch.rand(3, 4, 5)], list("abcde"))


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"sentence": 7}, TypeError, "got int"),
        ({"model": "focus"}, TypeError, "must be callable"),
        ({"view": "pie"}, ValueError, "pie"),
        ({"special": "hide"}, ValueError, "hide"),
        ({"layer": -1}, ValueError, "-1"),
        ({"model": uniform, "models": [uniform]}, ValueError, "not both"),
    ],
)
def test_bad_arguments_are_named(arguments, error, says):
    with pytest.raises(error, match=says):
        HeadMap(**arguments)


@pytest.mark.parametrize("figure", [HeadMap, FormulaSteps])
def test_a_figure_brings_its_style_but_for_the_pages_of_the_book(figure, monkeypatch):
    shown = figure("Tea?")
    monkeypatch.delenv(SITE, raising=False)
    assert shown._repr_mimebundle_()[0]["text/html"].count("<style>") == 1
    monkeypatch.setenv(SITE, "_static")
    assert "<style>" not in shown._repr_mimebundle_()[0]["text/html"]
