"""Why a head looks there: pairs that sum to the score which the model itself computes."""

import pytest
import torch
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import nn

from manyheads import load_decoder, load_focus_model, load_induction, score_parts
from manyheads.attention import MultiHeadAttention, attention_scores, share_heads
from manyheads.models.composing import added_parts, pairs_of, through
from manyheads.models.decoder.network import LanguageModel

pytestmark = pytest.mark.xdist_group("decoder")


def scores_of(model, layers, run):
    """The scores of all heads as the model computes them, read with hooks: [layer, h, t, t]."""
    read = []
    hooks = [layer.register_forward_pre_hook(lambda _, inputs: read.append(inputs[0])) for layer in layers]
    try:
        with torch.no_grad():
            run()
            found = []
            for attention, words in zip(layers, read, strict=True):
                queries, keys, _ = attention.project(words, words, words)
                found.append(attention_scores(queries, share_heads(keys, attention.num_heads)))
    finally:
        for hook in hooks:
            hook.remove()
    return torch.stack([each.reshape(each.shape[-3:]) for each in found]).numpy()


def layers_of(model):
    if hasattr(model, "network"):
        return model.network.layers
    if hasattr(model, "model"):
        return [layer.attention for layer in model.model.layers]
    return [model.first, model.attention]


cells = st.tuples(*[st.integers(0, 2**16)] * 4)
some_cells, texts = st.lists(cells, min_size=3, max_size=3), st.text(min_size=1, max_size=70)


def assert_sums(model, text, drawn, head_mask=None):
    scores = scores_of(model, layers_of(model), lambda: model(text, head_mask))
    for cell in drawn:
        layer, head, query, key = (number % size for number, size in zip(cell, scores.shape))
        key = key if isinstance(model, nn.Module) and hasattr(model, "first") else min(query, key)
        why = score_parts(model, text, layer, head, query, key, head_mask)
        assert_close(why.score, scores[layer, head, query, key], summed=why.pairs, terms=1000)


@settings(max_examples=15)
@given(texts, some_cells, st.none() | st.just([[True, False], [True] * 2]))
def test_the_pairs_sum_to_the_induction_models_score(induction, text, drawn, mask):
    assert_sums(induction, text, drawn, mask)


@settings(max_examples=3)
@given(texts, some_cells)
def test_the_pairs_sum_to_the_decoders_score(text, drawn):
    assert_sums(load_decoder(), text, drawn)


@settings(max_examples=10)
@given(st.text(st.characters(codec="ascii"), min_size=1, max_size=70), some_cells)
def test_the_pairs_sum_to_the_focus_models_score(text, drawn):
    assert_sums(load_focus_model(), text, drawn, [[True, False, True, True], [True] * 4])
    assert_sums(load_focus_model("heads-2"), text, drawn)


@settings(max_examples=10)
@given(st.integers(0, 2**32 - 1))
def test_grouped_heads_of_another_shape(seed):
    """Four heads on two of keys, three layers, five tokens: no two axes are of one size."""
    torch.manual_seed(seed)
    sizes = {"width": 24, "heads": 4, "kv_heads": 2, "hidden": 7, "rotary_base": 10.0, "epsilon": 1e-5}
    model = LanguageModel(tokens=10, layers=3, **sizes).requires_grad_(False)
    ids = torch.randint(10, (5,))
    attentions = [layer.attention for layer in model.layers]
    scores = scores_of(model, attentions, lambda: model(ids))
    layers = [(layer.attention_norm, layer.attention, layer.feed_forward) for layer in model.layers]
    for layer, head, query, key in [(0, 3, 4, 0), (1, 1, 3, 3), (2, 0, 4, 1), (2, 2, 2, 1), (2, 3, 4, 2)]:
        parts = through(
            layers[layer][0], added_parts({"embedding": model.embedding(ids)}, layers[:layer], (query, key))
        )
        pairs = pairs_of(attentions[layer], parts, head, query, key)
        assert pairs.shape == (1 + 5 * layer,) * 2
        assert_close(pairs.sum(), scores[layer, head, query, key], summed=pairs, terms=1000)


def test_a_part_is_what_its_head_wrote_and_nothing_else():
    """What is written into the key is compared by its own: twice as much of it adds twice as much."""
    attention = MultiHeadAttention(6, 3)
    parts = {"embedding": torch.randn(2, 6), "layer 1, head 1": torch.randn(2, 6), "biases": torch.zeros(2, 6)}
    once = pairs_of(attention, parts, 1, 4, 2)
    parts["layer 1, head 1"] = parts["layer 1, head 1"] * torch.tensor([[1.0], [2.0]])
    twice = pairs_of(attention, parts, 1, 4, 2)
    assert_close(twice, once * [1, 2, 1])


@pytest.mark.parametrize("text", ["a7kq3xwma7kq3xwm", "tea or not, tea or not", "مرحبا!مرحبا!"])
def test_the_induction_heads_key_was_written_by_the_previous_token_head(text):
    model = load_induction()
    half = len(text) // 2
    for query in range(half + 1, len(text) - 1):
        key = text.rindex(text[query], 0, query) + 1
        (_, wrote), value = next(iter(score_parts(model, text, *model.induction_head, query, key).top(1).items()))
        assert wrote == "layer {}, head {}".format(*(number + 1 for number in model.previous_head)), (query, key)
        assert value > 0


def test_a_head_that_is_off_has_written_nothing():
    model = load_induction()
    why = score_parts(model, "abab", 1, 0, 3, 1, [[False, True], [True, True]])
    place = why.parts.index("layer 1, head 1")
    assert not why.pairs[place].any()
    assert not why.pairs[:, place].any()


@pytest.mark.parametrize(
    ("message", "cell"),
    [
        ("there is no head 2 in layer 1", (1, 2, 3, 1)),
        ("query must be a token of the text, from 0 to 3, got 4", (1, 0, 4, 1)),
        ("key must be a token of the text, from 0 to 3, got -1", (1, 0, 3, -1)),
        ("token 1 can't look at token 3", (1, 0, 1, 3)),
    ],
)
def test_a_cell_that_is_not_there_is_refused(message, cell):
    with pytest.raises(ValueError, match=message):
        score_parts(load_induction(), "abab", *cell)


def test_a_model_of_another_kind_is_refused():
    with pytest.raises(TypeError, match="a str has no read_in_parts"):
        score_parts("my model", "tea", 0, 0, 1, 1)
