"""The steps of the formula, the Python side: what is computed, what stands where no script runs, what is refused."""

import numpy as np
import pytest
import torch
from close import assert_close

from manyheads.attention import MultiHeadAttention, causal_mask, rotate
from manyheads.maps import AttentionMap
from manyheads.models.focus import load_focus_model
from manyheads.models.steps import formula_steps, head_parameters
from manyheads.widgets.attention_flow import AttentionFlow, asker_of, flow_steps

TOKENS = ["[CLS]", "un", "##able", "<b>tea</b>", "[SEP]"]


class Model:
    """A head model of unequal axes: 5 words, width 6, 2 heads, keys 3 wide, values 2 wide."""

    name, num_layers, num_heads, head_names = "mine", 1, 2, ["a", "b"]

    def __init__(self, bias=True):
        with torch.random.fork_rng():
            torch.manual_seed(3)
            self.attention = MultiHeadAttention(6, 2, attention_dim=6, value_dim=4, bias=bias)
            self.X = torch.randn(5, 6)

    def __call__(self, sentence, head_mask=None):
        weights = self.attention(self.X[None], self.X[None])[1]
        return AttentionMap(TOKENS, TOKENS, weights.detach(), notes=("A note.",))


@pytest.fixture
def model():
    return Model()


def test_the_steps_lead_to_the_modules_output(model):
    for head in range(2):
        steps = formula_steps(model, "", head)
        output, weights = model.attention(model.X)
        assert_close(steps["output"], output.detach())
        assert_close(steps["weights"], weights[head].detach())
        np.testing.assert_array_equal(steps["X"], model.X)
        assert [steps[name].shape for name in ("Q", "V", "context", "concat")] == [(5, 3), (5, 2), (5, 2), (5, 4)]
    assert_close(steps["concat"][:, 2:], steps["context"])


def test_the_causal_mask_is_pytorchs(model):
    steps = formula_steps(model, "", 1, causal=True)
    expected = model.attention(model.X, mask=causal_mask(5))
    assert_close(steps["output"], expected[0].detach())
    assert np.isneginf(steps["masked"][0, 1:]).all()
    assert not steps["weights"][np.triu_indices(5, 1)].any()


def test_what_changes_in_the_formula_changes_for_all_heads(model):
    flow = flow_steps(model, "", 1, causal=True, padding=True)
    assert_close(flow["maps"][1], flow["weights"])
    assert flow["maps"].shape == (2, 8, 8)
    assert not flow["maps"][:, :, 5:].any()
    assert "below" not in flow, "the model has one layer"
    unscaled = flow_steps(model, "", 1, scaled=False)
    assert_close(unscaled["scores"], unscaled["Q"] @ unscaled["K"].T)


def test_an_encoders_layers_are_followed(encoder):
    flow = flow_steps(encoder, "Tea or coffee?", head=3, layer=4)
    attention = encoder("Tea or coffee?")
    assert_close(flow["maps"], attention.weights[4], terms=1000)
    np.testing.assert_array_equal(flow["below"], attention.weights[3])
    assert_close(flow["weights"], flow["maps"][3])
    assert (flow["layer"], flow["layers"], "below" in flow_steps(encoder, "Tea.")) == (4, 6, False)
    with pytest.raises(ValueError, match="layer must be from 0 to 5, got 6"):
        flow_steps(encoder, "Tea.", layer=6)


def test_a_decoders_layers_are_followed_with_their_norms_turns_and_groups(decoder):
    text = "The capital of Italy is"
    flow, attention = flow_steps(decoder, text, head=4, layer=23), decoder(text)
    assert_close(flow["maps"], attention.weights[23], terms=1000)
    np.testing.assert_array_equal(flow["below"], attention.weights[22])
    assert np.isneginf(flow["masked"][0, 1:]).all()
    learned = head_parameters(decoder.attention_layer(23), 4)
    for turned, straight, made_by in (("Q", "XWq", "Wq"), ("K", "XWk", "Wk")):
        assert_close(flow[straight], flow["X"] @ learned[made_by], terms=1000)
        expected = rotate(torch.tensor(flow[straight]), base=flow["rotaryBase"])
        assert_close(flow[turned], expected)
    assert_close(flow["V"], flow["X"] @ learned["Wv"], terms=1000)
    np.testing.assert_array_equal(flow["K"], flow_steps(decoder, text, head=3, layer=23)["K"], "heads 4 to 6 share")
    assert (flow["layer"], flow["layers"], flow["kvHeads"], flow["decodes"]) == (23, 30, 3, True)


def test_a_journey_to_an_answer_begins_in_the_layer_below():
    model, sentence = load_focus_model(), "None of them like tea."
    flow, attention = flow_steps(model, sentence, 3, "sentiment"), model(sentence)
    assert_close(flow["maps"], attention.weights[0])
    assert_close(flow["weights"], flow["maps"][3])
    expected = rotate(torch.tensor(flow["XWq"]), base=flow["rotaryBase"])
    assert_close(flow["Q"], expected)
    assert (flow["layer"], flow["headNames"][3], "labels" in flow, "below" in flow) == (0, "head 4", False, False)
    above = flow["above"]
    assert_close(above["maps"], attention.weights[1])
    assert (above["head"], "labels" in above) == (model.head_names.index("sentiment"), True)
    assert flow["tokens"][asker_of(flow)] == "like"
    for answer in ("soup", "head 1"):
        with pytest.raises(ValueError, match=r"answer must be one of sentence type, .* got"):
            flow_steps(model, sentence, 3, answer)


@pytest.mark.parametrize(
    ("error", "arguments", "said"),
    [
        (TypeError, {"sentence": 3}, "int"),
        (TypeError, {"sentence": "", "model": str}, "MultiHeadAttention"),
        (ValueError, {"sentence": "", "head": 2}, "0 to 1"),
        (ValueError, {"sentence": "", "head": -1}, "head"),
        (ValueError, {"sentence": "", "station": "soup"}, "soup"),
    ],
)
def test_bad_arguments_are_named(model, error, arguments, said):
    with pytest.raises(error, match=said):
        AttentionFlow(**{"model": model, **arguments})
