"""`replace_attention` changes attention and nothing else; what it can't keep it refuses before it begins."""

import pytest
import torch
from shaken import shake
from torch import nn

from manyheads.conversions import to_torch_names
from manyheads.drop_in import DropInAttention, replace_attention, restore_attention

WIDTHS = {
    "other widths": {"bias": False, "kdim": 8, "vdim": 8},
    "two more keys": {"add_bias_kv": True, "add_zero_attn": True},
}


class Rotary(nn.MultiheadAttention):
    """Stands for a layer of somebody's that computes something else."""

    def forward(self, query, key, value, **options):
        return super().forward(query.flip(0), key, value, **options)


class Reads(nn.Module):
    """Two attentions, one after the other."""

    def __init__(self, **options):
        super().__init__()
        torch.manual_seed(0)
        self.first = nn.MultiheadAttention(8, 2, batch_first=True, **options)
        self.second = nn.MultiheadAttention(8, 2, batch_first=True, **options)
        self.last = nn.Linear(8, 8)
        shake(self)

    def forward(self, text):
        text = self.first(text, text, text)[0]
        return self.last(self.second(text, text, text)[0])


TEXT = torch.randn(3, 5, 8, generator=torch.Generator().manual_seed(0))


@pytest.mark.parametrize("options", WIDTHS.values(), ids=list(WIDTHS))
def test_tied_parameters_stay_tied(options):
    model = Reads(**options)
    for name in ("in_proj_weight", "k_proj_weight", "in_proj_bias"):
        if name in model.first._parameters:
            model.second._parameters[name] = model.first._parameters[name]
    model.second.out_proj = model.first.out_proj
    names, expected = list(model.state_dict()), model(TEXT)
    count = len(list(model.parameters()))
    replace_attention(model)
    assert model.first.key.weight is model.second.key.weight
    assert model.first.output is model.second.output
    torch.testing.assert_close(model(TEXT), expected)
    restore_attention(model)
    assert model.first._parameters["in_proj_weight"] is model.second._parameters["in_proj_weight"]
    assert model.first._parameters["in_proj_bias"] is model.second._parameters["in_proj_bias"]
    assert len(list(model.parameters())) == count
    assert list(model.state_dict()) == names
    torch.testing.assert_close(model(TEXT), expected)


def own_forward(model):
    model.second = Rotary(8, 2)


def tied_to_another_kind(model):
    model.last.weight = model.second.in_proj_weight


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (own_forward, "second is Rotary, with a forward of its own, .* with subclasses=True"),
        (tied_to_another_kind, r"second.in_proj_weight is also last.weight, .* untie them"),
    ],
)
def test_what_would_be_lost_is_refused_and_nothing_is_replaced(change, says):
    model = Reads()
    change(model)
    with pytest.raises(ValueError, match=f"^nothing was replaced. {says}"):
        replace_attention(model)
    assert isinstance(model.first, nn.MultiheadAttention)
    if change is not tied_to_another_kind:
        with pytest.raises(ValueError, match=r"nothing was replaced\. the module "):
            DropInAttention.from_torch(model.second)


# --- State dicts


@pytest.mark.parametrize("options", WIDTHS.values(), ids=list(WIDTHS))
def test_checkpoints_of_before_and_after_load(options):
    model = Reads(**options)
    before = model.state_dict()
    other = shake(replace_attention(Reads(**options)))
    assert other.load_state_dict(dict(before)) == ([], [])
    torch.testing.assert_close(other(TEXT), model(TEXT))
    converted = to_torch_names(other.state_dict())
    assert converted.keys() == before.keys()
    assert all(torch.equal(converted[name], tensor) for name, tensor in before.items())


def test_an_optimizer_that_was_made_before_is_warned_of():
    model = Reads()
    optimizer = torch.optim.SGD(model.parameters(), lr=1.0)
    with pytest.warns(UserWarning, match=r"SGD was made before: 4 of its 10 tensors .*Make the optimizer anew"):
        replace_attention(model)
    del optimizer
    after = torch.optim.SGD(model.parameters(), lr=1.0)
    replace_attention(model)  # it is: nothing of the optimizer's is gone
    assert len(after.param_groups[0]["params"]) == len(list(model.parameters()))


@pytest.mark.filterwarnings("ignore")  # PyTorch's, of what it means to do with quantization
def test_a_quantized_encoder_of_ours_runs():
    layer = nn.TransformerEncoderLayer(16, 4, batch_first=True).eval()
    text = torch.randn(2, 5, 16, generator=torch.Generator().manual_seed(0))
    expected = layer(text)
    small = torch.ao.quantization.quantize_dynamic(replace_attention(layer))
    with torch.inference_mode():
        torch.testing.assert_close(small(text), expected, atol=0.1, rtol=0)
