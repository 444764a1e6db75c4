"""Who wrote how much of an answer: parts that sum to the logit, and vectors that are what the model's parts added."""

import numpy as np
import pytest
import torch
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st

from manyheads import attribution, load_decoder, load_focus_model, load_induction
from manyheads.attention import contributions
from manyheads.models.attributing import value_weighted

pytestmark = pytest.mark.xdist_group("decoder")


@settings(max_examples=15)
@given(st.text(min_size=1, max_size=70))
def test_the_parts_of_the_induction_model_sum_to_the_logit(induction, text):
    model = induction
    parts, attention = model.logit_parts(text), model(text)
    known = [label for _, label in parts["labels"]]
    chances = [attention.predictions["next character"][character] for character in known]
    scores = parts["parts"][:, -1]
    odds = np.log(np.divide(chances, chances[0]))  # all but what the softmax takes away
    assert_close(scores - scores[0], odds, summed=parts["parts"], part=1e-4)


def test_each_part_is_what_was_added_to_the_vector():
    """Read with hooks, by another way: what comes out of each layer's W^O and MLP, through the norm and the readout."""
    decoder, added = load_decoder(), []
    hooks = []
    for layer in decoder.model.layers:
        for module in (layer.attention.output, layer.mlp):
            hooks.append(module.register_forward_hook(lambda _, __, output: added.append(output[-1])))
    try:
        decoder.run(decoder.read("The capital of Italy is")[0])
    finally:
        for hook in hooks:
            hook.remove()
    by_layer = attribution(decoder, "The capital of Italy is", "next word:  Rome", unit="layer")
    parts = decoder.logit_parts("The capital of Italy is")
    row = decoder.model.embedding.weight[parts["ids"][0]]
    last = torch.stack(added).sum(0) + decoder.model.embedding(torch.tensor(decoder.read(" is")[0]))[-1]
    spread = (last.square().mean() + decoder.model.norm.eps).sqrt()
    expected = (torch.stack(added) * decoder.model.norm.weight / spread) @ row
    names = [f"layer {layer + 1}, {part}" for layer in range(30) for part in ("heads", "MLP")]
    assert_close([by_layer.parts[name] for name in names], expected, terms=1000)


def test_the_likeliest_answer_is_meant_where_none_is_named():
    assert attribution(load_decoder(), "The capital of France is").answer == "next word:  Paris"
    assert attribution(load_focus_model(), "I hate this tea.", "sentiment").answer == "sentiment: negative"
    top = attribution(load_induction(), "a7kq3xwma7kq3x", "next character: w").top(2)
    assert list(top) == ["layer 2, head 2", "layer 2, head 1"]


@pytest.mark.parametrize(
    ("error", "message", "arguments"),
    [
        (ValueError, "unit is one of head, layer", {"unit": "word"}),
        (ValueError, "isn't one token but 4", {"answer": "next word: elephantine trunk"}),
        (ValueError, "no answer is called 'weather'", {"answer": "weather"}),
    ],
)
def test_bad_arguments_get_a_sentence(error, message, arguments):
    with pytest.raises(error, match=message):
        attribution(load_decoder(), "The capital of Italy is", **arguments)


@pytest.mark.parametrize("load", [load_focus_model, load_induction])
def test_a_value_weighted_map_has_the_lengths_of_what_is_written(load):
    model, text = load(), "tea or tea"
    attention, lengths = value_weighted(model, text), []
    modules = [model.first, model.attention] if load is load_focus_model else list(model.network.layers)
    hooks = [
        module.register_forward_pre_hook(
            lambda module, inputs, options: lengths.append(
                contributions(module, inputs[-1], mask=options["mask"], by_key=True).norm(dim=-1)
            ),
            with_kwargs=True,
        )
        for module in modules
    ]
    try:
        with torch.no_grad():
            model(text)
    finally:
        for hook in hooks:
            hook.remove()
    expected = torch.cat([length.reshape(1, *attention.shape[1:]) for length in lengths]).numpy()
    assert_close(attention.weights, expected)
    assert attention.kind == "amounts"
