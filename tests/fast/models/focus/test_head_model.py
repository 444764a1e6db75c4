"""The focus model as a head model: its contract, its arithmetic, its files, and whatever a reader may type."""

import numpy as np
import pytest
import torch
from close import assert_close
from hypothesis import given, settings
from hypothesis import strategies as st
from safetensors import safe_open
from safetensors.torch import load_file, save_file

from manyheads.maps import AttentionMap
from manyheads.models.focus import FocusModel, encode, load_focus_model, train_focus_model
from manyheads.models.focus.data import FACTS, generate_sentences
from manyheads.models.keeping import kept_file, kept_variants

NOTES = "Which do you like better, coffee or tea?"


@pytest.mark.parametrize("variant", kept_variants("focus"))
def test_every_variant_is_a_head_model(variant):
    model = load_focus_model(variant)
    heads = int(variant.removeprefix("heads-")) if variant.startswith("heads-") else 4
    attention = model("Do the bees hum?")
    assert isinstance(attention, AttentionMap)
    assert attention.shape == (2, heads, 7, 7) == (model.num_layers, model.num_heads, 7, 7)
    assert attention.head_names == model.head_names
    assert model.name == ("focus" if variant == "taught" else f"focus/{variant}")
    assert {name: tuple(labels) for name, labels in attention.predictions.items()} == FACTS
    for probabilities in attention.predictions.values():
        assert sum(probabilities.values()) == pytest.approx(1, abs=1e-5)


def test_a_head_mask_changes_predictions_and_leaves_the_map(focus):
    whole, without = focus(NOTES), focus(NOTES, np.array([True, True, True, False]))
    assert np.array_equal(whole.weights, without.weights)
    assert whole.predictions["sentiment"]["positive"] > 0.9 > without.predictions["sentiment"]["positive"]
    assert focus(NOTES, [True] * 4).predictions == whole.predictions


def test_a_head_of_layer_1_changes_what_layer_2_reads(focus):
    mask = np.ones((2, 4), bool)
    mask[0, 0] = False
    whole, without = focus(NOTES), focus(NOTES, mask)
    assert np.array_equal(whole.weights[0], without.weights[0])
    assert not np.allclose(whole.weights[1], without.weights[1], atol=1e-3)
    with pytest.raises(ValueError, match=r"\[2, 4\] or \[4\], got \[4, 2\]"):
        focus(NOTES, mask.T)


def test_padding_changes_nothing(focus):
    sentences = generate_sentences(8, seed=5)
    ids, mask, *_ = encode(sentences)
    with torch.no_grad():
        scores, weights = focus.compute(focus.word_vectors(ids), mask)
        maps = torch.stack(weights, dim=1)  # [b, layer, h, q, k]
    for row, sentence in enumerate(sentences):
        attention, length = focus(sentence.text), mask[row].sum()
        assert_close(maps[row, ..., :length, :length], attention.weights)
        for name, labels in FACTS.items():
            expected = [attention.predictions[name][label] for label in labels]
            assert_close(scores[name][row].softmax(-1), expected)


@settings(max_examples=150)
@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_gives_a_map(focus, text):
    attention = focus(text)
    assert attention.key_tokens[0] == "[CLS]"
    assert len(attention.key_tokens) <= 128
    assert np.allclose(attention.weights.sum(-1), 1, atol=1e-4)


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


@pytest.mark.parametrize("change", ["missing", "shape", "config"])
def test_a_file_that_does_not_fit_is_refused(tmp_path, change):
    with safe_open(kept_file("focus", "taught"), "pt") as file:
        header = file.metadata()
    tensors = load_file(kept_file("focus", "taught"))
    if change == "missing":
        del tensors["hidden.bias"]
    elif change == "shape":
        tensors["hidden.bias"] = torch.zeros(5)
    else:
        header["config"] = '{"hidden_width": 128}'
    save_file(tensors, tmp_path / "model.safetensors", header)
    with pytest.raises(ValueError, match=r"hidden\.bias|another version"):
        FocusModel.load(tmp_path / "model.safetensors")
