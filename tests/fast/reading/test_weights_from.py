import numpy as np
import pytest
import torch

from manyheads.reading.weights import scale_rows
from manyheads.widgets import HeadMap

TOKENS = list("abcde")


def layers(*, texts=1, number=2, heads=3):
    torch.manual_seed(0)
    return tuple(torch.rand(texts, heads, 5, 5).softmax(-1) for _ in range(number))


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16])
def test_half_precision_cast_up_is_scaled_and_said(dtype):
    torch.manual_seed(0)
    rounded = [torch.randn(1, 8, 200, 200).softmax(-1).to(dtype).float() for _ in range(2)]
    shown = HeadMap.from_attentions(rounded, ["a"] * 200).attention
    np.testing.assert_allclose(shown.weights.sum(-1), 1, atol=1e-5)
    np.testing.assert_allclose(shown.weights, torch.cat(rounded), rtol=2**-7)
    assert any("as half precision rounds them; they are scaled to 1" in note for note in shown.notes)


@pytest.mark.parametrize(
    ("attention", "says"),
    [
        ((), r'attn_implementation="eager", and call it with output_attentions=True'),  # BERT on sdpa
        ((None, None), r'there are no attentions: load the model with attn_implementation="eager"'),
        (((), ()), r'there are no attentions: load the model with attn_implementation="eager"'),  # generate() on sdpa
        (tuple(torch.nn.functional.dropout(layer, 0.5) for layer in layers()), r"call model.eval\(\)"),
        (tuple(layer.log() for layer in layers()), r"0 or more, got -.*softmax"),
        (tuple(layer * np.nan for layer in layers()), r"NaN, .* keys are all masked"),
    ],
    ids=["sdpa", "None", "generate on sdpa", "dropout", "scores", "NaN"],
)
def test_what_is_wrong_names_the_remedy(attention, says):
    with pytest.raises(ValueError, match=says):
        HeadMap.from_attentions(attention, TOKENS)


def test_averages_that_may_be_heads_are_told_about():
    """[batch, query, key], averaged, and [head, query, key] look alike."""
    averaged = layers(texts=2)[0].mean(1)
    (note,) = HeadMap.from_attentions([averaged], TOKENS).attention.notes
    assert note.startswith("[2, 5, 5] is read as [head, query, key].")
    assert "average_attn_weights=False" in note
    assert HeadMap.from_attentions([averaged.numpy()], TOKENS).attention.notes == (), "PyTorch's layers give tensors"
    assert HeadMap.from_attentions(torch.cat(layers()), TOKENS).attention.notes == (), "[layer, head, query, key]"


def test_a_row_that_is_masked_by_a_large_number_looks_at_nothing():
    weights, kind, notes = scale_rows(np.array([[0.5, 0.5], [1e-6, 2e-6]]))
    assert weights.tolist() == [[0.5, 0.5], [0, 0]]
    assert (kind, notes) == ("shares", ())
