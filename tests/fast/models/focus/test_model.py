"""The focus model as a head model: its contract, its arithmetic, its files, and whatever a reader may type."""

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from manyheads.maps import AttentionMap
from manyheads.models.focus import (
    FocusModel,
    encode,
    load_focus_model,
    tokenize,
    train_focus_model,
)
from manyheads.models.focus.sentences import FACTS, generate_sentences
from manyheads.models.keeping import kept_file, kept_variants

NOTES = "Which do you like better, coffee or tea?"


@pytest.mark.parametrize("variant", kept_variants("focus"))
def test_every_variant_is_a_head_model(variant):
    model = load_focus_model(variant)
    heads = int(variant.removeprefix("heads-")) if variant.startswith("heads-") else 4
    map = model("Do the bees hum?")
    assert isinstance(map, AttentionMap)
    assert map.shape == (1, heads, 7, 7) == (model.num_layers, model.num_heads, 7, 7)
    assert map.head_names == model.head_names
    assert model.name == ("focus" if variant == "taught" else f"focus/{variant}")
    assert {name: tuple(labels) for name, labels in map.predictions.items()} == FACTS
    for probabilities in map.predictions.values():
        assert sum(probabilities.values()) == pytest.approx(1, abs=1e-5)


def test_taught_heads_are_named_and_untaught_ones_numbered(focus):
    assert focus.head_names == ["sentence type", "object", "relation", "sentiment"]
    assert load_focus_model("heads-2").head_names == ["head 1", "head 2"]


def test_a_head_mask_changes_predictions_and_leaves_the_map(focus):
    whole, without = focus(NOTES), focus(NOTES, np.array([True, True, True, False]))
    assert np.array_equal(whole.weights, without.weights)
    assert whole.predictions["sentiment"]["positive"] > 0.9 > without.predictions["sentiment"]["positive"]
    assert focus(NOTES, [True] * 4).predictions == whole.predictions


def test_steps_one_to_four_are_what_the_docstring_says(focus):
    ids, _ = tokenize(NOTES)
    words = focus.word_codes[ids].float() * focus.word_scale
    x = words + focus.position[: len(ids)]
    kind = torch.relu(x @ focus.kind.weight.T + focus.kind.bias)
    silence = torch.zeros(focus.config.reach, kind.shape[1])
    heard = torch.cat([silence, kind, silence])
    heard = torch.stack([heard[at : at + 2 * focus.config.reach + 1].flatten() for at in range(len(ids))])
    near = torch.relu(heard @ focus.near.weight.T + focus.near.bias)
    x = x + near @ focus.mix.weight.T + focus.mix.bias
    x = (x - x.mean(1, keepdim=True)) / (x.var(1, unbiased=False, keepdim=True) + 1e-5).sqrt()
    x = x * focus.before.weight + focus.before.bias
    _, weights = focus.attention(x)
    assert np.allclose(weights.detach().numpy(), focus(NOTES).weights[0], atol=1e-6)


def test_padding_changes_nothing(focus):
    sentences = generate_sentences(8, seed=5)
    ids, mask, *_ = encode(sentences)
    with torch.no_grad():
        scores, weights = focus.compute(focus.word_vectors(ids), mask)
    for row, sentence in enumerate(sentences):
        map, length = focus(sentence.text), mask[row].sum()
        assert np.allclose(weights[row, :, :length, :length], map.weights[0], atol=1e-6)
        for name, labels in FACTS.items():
            expected = [map.predictions[name][label] for label in labels]
            assert np.allclose(scores[name][row].softmax(-1), expected, atol=1e-5)


@settings(max_examples=150)
@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_gives_a_map(focus, text):
    map = focus(text)
    assert map.key_tokens[0] == "[CLS]"
    assert len(map.key_tokens) <= 128
    assert np.allclose(map.weights.sum(-1), 1, atol=1e-4)


@pytest.mark.parametrize("text", ["", " ", "\n\t", "\u200b"])
def test_blank_text_asks_for_a_sentence(focus, text):
    map = focus(text)
    assert map.key_tokens == ["[CLS]", "[SEP]"]
    assert map.predictions == {}
    assert map.notes == ("Type a sentence to see what each head looks at.",)


@pytest.mark.parametrize("sentence", [None, 3, b"tea", ["tea"]])
def test_a_sentence_is_a_string(focus, sentence):
    with pytest.raises(TypeError, match=type(sentence).__name__):
        focus(sentence)


def test_a_head_mask_has_one_boolean_per_head(focus):
    with pytest.raises(ValueError, match=r"\[4\], got \[3\]"):
        focus("Tea?", np.array([True, False, True]))
    with pytest.raises(TypeError, match="boolean"):
        focus("Tea?", np.array([1.0, 0.0, 1.0, 1.0]))


def test_save_and_load_keep_every_number(tmp_path):
    model = train_focus_model("heads-2", steps=1, num_sentences=100, progress=False)
    model.save(tmp_path / "model.safetensors")
    again = FocusModel.load(tmp_path / "model.safetensors")
    assert again.variant == "heads-2"
    assert again.head_names == model.head_names
    assert np.array_equal(again(NOTES).weights, model(NOTES).weights)
    assert [path.name for path in tmp_path.iterdir()] == ["model.safetensors"]
    with safe_open(tmp_path / "model.safetensors", "pt") as file:
        assert {file.get_tensor(name).dtype for name in file.keys()} == {torch.float32}  # noqa: SIM118


@pytest.mark.parametrize("change", ["missing", "extra", "shape", "header", "config"])
def test_a_file_that_does_not_fit_is_refused(tmp_path, change):
    with safe_open(kept_file("focus", "taught"), "pt") as file:
        header = file.metadata()
    tensors = load_file(kept_file("focus", "taught"))
    if change == "missing":
        del tensors["near.bias"]
    elif change == "extra":
        tensors["spare"] = torch.zeros(1)
    elif change == "shape":
        tensors["near.bias"] = torch.zeros(5)
    elif change == "config":
        header["config"] = '{"reach": 3}'
    else:
        header = {}
    save_file(tensors, tmp_path / "model.safetensors", header)
    with pytest.raises(ValueError, match=r"near\.bias|tensors|header|another version"):
        FocusModel.load(tmp_path / "model.safetensors")
