import dataclasses
import inspect
import re

import ipywidgets
import numpy as np
import pytest
import torch
from close import assert_close
from traitlets import TraitError

from manyheads.drawing.element import BUILDING
from manyheads.maps import AttentionMap
from manyheads.reading.request import ARGUMENTS, Request
from manyheads.shared.options import OPTIONS
from manyheads.widgets import HeadMap
from manyheads.widgets.attention_flow import AttentionFlow

COFFEE = "Which do you like better, coffee or tea?"


def uniform(sentence, head_mask=None):
    """A head model of somebody's own: two layers, three heads, attention to all words alike."""
    tokens = sentence.split() or ["[CLS]"]
    n = len(tokens)
    return AttentionMap(tokens, tokens, np.full((2, 3, n, n), 1 / n))


def test_its_docstring_says_what_each_option_does():
    said = {"sentence", *re.findall(r"`(\w+)", HeadMap.__doc__)}
    assert OPTIONS.keys() - said == set(), "say in the docstring of HeadMap what these do"


def html_of(figure):
    return figure._repr_mimebundle_()[0]["text/html"]


@pytest.fixture
def on_a_page(monkeypatch):
    """As while a book is built."""
    monkeypatch.setenv(BUILDING, "_static")


def test_python_computes_when_the_sentence_changes():
    attention = HeadMap(COFFEE)
    assert attention.attention.query_tokens[1:3] == ["which", "do"]
    attention.sentence = "Hello."
    assert attention.attention.query_tokens == ["[CLS]", "hello", ".", "[SEP]"]
    assert attention._attention["queryTokens"] == attention.attention.query_tokens
    sent = np.reshape(attention._attention["weights"], attention._attention["shape"])
    assert_close(sent, attention.attention.weights)


def test_a_head_turned_off_changes_the_predictions():
    attention = HeadMap(COFFEE)
    before = attention.attention.predictions["sentiment"]
    attention.head_mask = [[True] * 4, [True, True, True, False]]
    assert attention.attention.predictions["sentiment"] != before
    attention.head_mask = None
    assert attention.attention.predictions["sentiment"] == before


@pytest.mark.parametrize("widget", [HeadMap, AttentionFlow])
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


def test_any_head_model_will_do(on_a_page):
    attention = HeadMap("a b c", model=uniform)
    assert attention.attention.shape == (2, 3, 3, 3)
    html = html_of(attention)
    assert html.startswith("<head-map")
    assert "model=" not in html.split(">")[0], "the page cannot compute a stranger's model"


def test_the_pretrained_encoder_is_live_on_a_page(encoder, on_a_page):
    attention = HeadMap("Tea?", model=encoder, view="grid", special="remove")
    html = html_of(attention)
    assert attention.attention.key_tokens == ["[CLS]", "tea", "?", "[SEP]"]
    opening = html.split(">")[0]
    assert ' model="encoder"' in opening
    assert ' special="remove"' in opening
    assert " heads=" not in opening, "what is usual is not written"


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"sentence": 7}, TypeError, "got int"),
        ({"model": 7}, TypeError, "must be callable"),
        (
            {"model": torch.nn.Linear(2, 2)},
            TypeError,
            r"a Linear reads no sentence by itself: HeadMap.of\(model, sentence, tok",
        ),
        ({"model": "teapot"}, ValueError, "no model is called 'teapot'; the families are focus"),
        ({"model": "focus/bug-axis"}, ValueError, "runs only in pages"),
        ({"view": "pie"}, ValueError, "pie"),
        ({"special": "hide"}, ValueError, "hide"),
        ({"layer": -1}, ValueError, "-1"),
        ({"model": uniform, "models": [uniform]}, ValueError, "not both"),
        ({"models": []}, ValueError, "models must name one model at least"),
        ({"models": [uniform, uniform], "model_index": 2}, ValueError, "model_index must be from 0 to 1, got 2"),
    ],
)
def test_bad_arguments_are_named(arguments, error, says):
    with pytest.raises(error, match=says):
        HeadMap(**arguments)


def test_layers_are_whole_numbers():
    assert HeadMap.of(np.eye(2)[None, None].repeat(2, 0), layers=[np.int64(1)]).attention.layer_names == ["layer 2"]
    with pytest.raises(TypeError, match=r"layers must be whole numbers, counted from 0, got \[1.0\]"):
        HeadMap.of(np.eye(2)[None, None].repeat(2, 0), layers=[1.0])
    with pytest.raises(TypeError, match=r"got 'rollout'; a HeadMap that is made shows it by map\.layers = 'rollout'"):
        HeadMap.of(np.eye(2), layers="rollout")
    with pytest.raises(TypeError, match=r"got 'average'; a HeadMap that is made shows it by map\.heads = 'average'"):
        one_map(heads="average")


@pytest.mark.parametrize(("figure", "name"), [(HeadMap, "head-map"), (AttentionFlow, "attention-flow")])
def test_a_figure_is_a_plain_picture_but_for_the_pages_of_the_book(figure, name, monkeypatch):
    shown = figure("Tea?")
    monkeypatch.delenv(BUILDING, raising=False)
    plain = html_of(shown)
    assert plain.startswith("<figure")
    assert not re.search("<(script|style|button|select|input)|_static", plain)
    monkeypatch.setenv(BUILDING, "_static")
    element = html_of(shown)
    assert element.startswith(f"<{name} ")
    assert plain in element, "what stands in it until it is drawn"
    assert "<style" not in element


class Choosy:
    """A head model of one layer that knows sentences of words only, and so many heads."""

    name, num_layers = "choosy", 1

    def __init__(self, num_heads):
        self.num_heads = num_heads

    def __call__(self, sentence, head_mask=None):
        if "7" in sentence:
            raise LookupError("7 is no word")
        tokens = sentence.split() or ["[CLS]"]
        n = len(tokens)
        return AttentionMap(tokens, tokens, np.full((1, self.num_heads, n, n), 1 / n))


def from_page(attention, **state):
    """What the page's widget manager sends; what is raised then, a notebook shows in its log."""
    attention.set_state(state)


def test_a_mask_that_does_not_fit_the_next_model_is_reset():
    attention = HeadMap("a b", models=[Choosy(2), Choosy(8)], head_mask=[[True, False]])
    from_page(attention, model_index=1)
    assert attention.head_mask is None
    assert attention.attention.shape == (1, 8, 2, 2)
    attention.head_mask = [[False] + [True] * 7]
    attention.models.append(Choosy(8))
    attention.model_index = 2
    assert attention.head_mask == [[False] + [True] * 7], "it fits this one"


def test_a_wrong_mask_is_refused_said_and_forgotten():
    attention = HeadMap("tea", model=Choosy(2), head_mask=[[True, False]])
    sent = attention._attention
    with pytest.raises(ValueError, match="head_mask must"):
        from_page(attention, head_mask=[[False]])
    assert attention.head_mask == [[True, False]], "what was there"
    assert attention._status.startswith("The map could not be computed: head_mask must")
    assert attention._attention is sent
    from_page(attention, sentence="hot tea")
    assert "hot" in attention._attention["queryTokens"]
    assert attention._status == "Ready: Python computes as you type."


def test_a_map_that_is_as_before_is_sent_again_for_the_page_waits_for_it():
    attention, sent = HeadMap("hot tea", model=Choosy(2)), []
    attention.observe(lambda change: sent.append(change.new["computed"]), "_attention")
    from_page(attention, head_mask=[[True, False]])
    from_page(attention, head_mask=None)
    assert sent == [2, 3]
    still = one_map()
    still.observe(lambda change: sent.append(change.new), "_attention")
    from_page(still, head_mask=[[False]])
    assert len(sent) == 2, "nobody waits where nothing is computed"


def test_python_says_when_it_has_dealt_with_what_the_page_sent():
    attention = HeadMap("hot tea", model=Choosy(2))
    from_page(attention, _asked=3, sentence="hot milk")
    assert (attention._answered, attention.attention.query_tokens[1]) == (3, "milk")
    with pytest.raises(LookupError):
        from_page(attention, _asked=4, sentence="hot 7")
    assert attention._answered == 4, "that it can't is an answer"


def test_the_page_asks_python_for_what_it_computes_and_for_nothing_else():
    calls = []

    def counted(sentence, head_mask=None):
        calls.append(sentence)
        return uniform(sentence)

    attention = HeadMap("hot tea", model=counted)
    from_page(attention, query=1, layer=1, view="grid")
    assert calls == ["hot tea"], "another asking word needs no other map"
    assert set(attention._asks) == {"sentence", "compare", "head_mask", "model_index"}
    assert one_map()._asks == []
    assert HeadMap.of({"one": np.eye(2), "two": np.eye(2)})._asks == ["model_index"]
    layer = torch.nn.MultiheadAttention(embed_dim=6, num_heads=2)
    assert HeadMap.of(layer, ["hot", "tea"], inputs=[torch.ones(2, 6)] * 3)._asks == ["head_mask"]
    assert HeadMap.of(np.full((1, 2100, 2100), 1 / 2100), ["The", "cat", "sat."] * 700)._asks == ["query"]


def test_what_python_raises_is_said_and_what_was_shown_stays():
    attention = HeadMap("hot tea", model=Choosy(2))
    before = attention.attention
    with pytest.raises(LookupError):
        from_page(attention, sentence="hot 7")
    assert attention._status == "The map could not be computed: LookupError: 7 is no word. What you see stays."
    assert attention.sentence == "hot 7", "nothing that was typed is lost"
    assert attention.attention is before
    from_page(attention, sentence="hot milk")
    with pytest.raises(LookupError):
        attention.compare = "7"
    from_page(attention, compare="cold milk")
    assert attention._compared["queryTokens"] == ["cold", "milk"]
    assert attention._attention["queryTokens"] == ["hot", "milk"]
    assert attention._status == "Ready: Python computes as you type."


@pytest.mark.parametrize(("place", "count"), [("layer", 2), ("head", 3), ("query", 4)])
def test_a_place_that_is_not_there_is_refused_at_once(place, count):
    HeadMap("one two three four", model=uniform, **{place: count - 1})
    with pytest.raises(ValueError, match=f"{place} must be from 0 to {count - 1} for this map, got {count}"):
        HeadMap("one two three four", model=uniform, **{place: count})


def test_several_words_ask_as_one_wherever_they_come_from():
    figure = HeadMap("one two three four", uniform, query=(np.int64(2), 1))
    assert figure.query == (1, 2)
    assert figure.to_csv().splitlines()[1].startswith("0,0,0,0,two three,one,")
    assert figure.plot(layer=0, head=0).axes[0].get_yticklabels()[0].get_text() == "two three"
    from_page(figure, query=[1, 3])
    assert figure.query == (1, 3)
    figure.query = "THREE four"
    assert figure.query == (2, 3)
    figure.sentence = "five six seven"
    assert figure.to_csv() == figure.attention.to_csv(), "of the span one word is left, which asks as any other"
    from_page(figure, sentence="hot tea or cold tea", query="cold tea")  # as a phrase of a notebook's text sets it
    assert figure.query == (3, 4), "found in the sentence that came with it"
    assert re.search("<head-map[^>]*>", figure._element())[0] == '<head-map query="3-4" sentence="hot tea or cold tea">'
    with pytest.raises(ValueError, match="“tea” stands there 2 times, at 1, 4"):
        figure.query = "tea"
    assert figure.query == (3, 4), "nothing is lost"


@pytest.mark.parametrize(
    ("query", "says"),
    [("two", "“two” stands there 2 times"), ("tw", "“tw” can’t ask"), ((0, 4), "query must be from 0 to 3"), (-1, "0")],
)
def test_who_cant_ask_is_refused_at_once(query, says):
    with pytest.raises(ValueError, match=says):
        HeadMap("one two three two", uniform, query=query)


@pytest.mark.parametrize(("widget", "name"), [(HeadMap, "attention"), (AttentionFlow, "steps")])
def test_what_was_computed_can_be_observed(widget, name):
    figure, seen = widget("Tea?"), []
    figure.observe(lambda change: seen.append(change.new), name)
    figure.sentence = "Hot tea?"
    assert seen == [getattr(figure, name)]
    with pytest.raises(TraitError, match="read-only"):
        setattr(figure, name, None)


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: HeadMap("a", uniform, veiw="grid"), "HeadMap has no argument 'veiw'; did you mean 'view'?"),
        (lambda: one_map(quary=1), "HeadMap.from_attentions has no argument 'quary'; did you mean 'query'?"),
        (lambda: one_map(compare="b"), "HeadMap.from_attentions takes no compare: attentions that are given"),
    ],
)
def test_unknown_arguments_are_refused_by_name(call, says):
    with pytest.raises(TypeError, match=says.replace("?", r"\?")):
        call()


def one_map(**arguments):
    return HeadMap.from_attentions([np.ones((1, 1, 1, 1))], ["a"], **arguments)


def test_the_arguments_of_a_request_are_those_of_the_method_that_makes_it():
    """A person reads them in the signature of `of`, the pipeline in `Request`: names, order and what is usual."""
    named = inspect.signature(HeadMap.of).parameters
    theirs = {one.name: one.default for one in dataclasses.fields(Request) if one.name in ARGUMENTS}
    assert [*named] == [*theirs, "compare", "traits"]
    for name, default in theirs.items():
        usual = named[name].default
        assert usual == default or (usual is inspect.Parameter.empty and default is dataclasses.MISSING), name
