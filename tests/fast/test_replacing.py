"""`replace_attention` changes attention and nothing else; what it can't keep it refuses before it begins."""

import copy
import warnings

import pytest
import torch
from test_attention import shake
from torch import nn
from torch.nn.utils import parametrizations, prune

from manyheads.attention import MultiHeadAttention
from manyheads.conversions import from_torch_names, to_torch_names
from manyheads.drop_in import DropInAttention, replace_attention, restore_attention

WIDTHS = {
    "one width": {},
    "without bias": {"bias": False},
    "other widths": {"kdim": 8, "vdim": 8},
    "two more keys": {"add_bias_kv": True, "add_zero_attn": True},
}


class Rotary(nn.MultiheadAttention):
    """Stands for a layer of somebody's that computes something else."""

    def forward(self, query, key, value, **options):
        return super().forward(query.flip(0), key, value, **options)


class Named(nn.MultiheadAttention):
    """Adds nothing to what is computed."""


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


def encoder(**options):
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "enable_nested_tensor is True", UserWarning)
        return nn.TransformerEncoder(nn.TransformerEncoderLayer(8, 2, 16, batch_first=True), 2, **options)


def trainable(model):
    return sum(parameter.requires_grad for parameter in model.parameters())


def test_what_is_frozen_stays_frozen():
    model = replace_attention(encoder().requires_grad_(False))
    assert trainable(model) == 0
    assert trainable(restore_attention(model)) == 0
    layer = nn.MultiheadAttention(8, 2, add_bias_kv=True)
    layer.in_proj_bias.requires_grad_(False)
    replace_attention(layer)
    assert {name for name, parameter in layer.named_parameters() if not parameter.requires_grad} == {
        "query.bias", "key.bias", "value.bias"}  # fmt: skip
    assert not restore_attention(layer).in_proj_bias.requires_grad
    assert layer.in_proj_weight.requires_grad


def test_an_attention_that_two_layers_share_stays_one():
    shared = nn.MultiheadAttention(8, 2)
    model = nn.ModuleDict({"first": shared, "again": shared, "deeper": nn.ModuleList([shared])})
    assert replace_attention(model) is model
    assert model["first"] is model["again"] is model["deeper"][0] is shared
    assert isinstance(shared, DropInAttention)
    assert sum(parameter.numel() for parameter in model.parameters()) == 288
    restore_attention(model)
    assert model["first"] is model["again"] is model["deeper"][0] is shared
    assert type(shared) is nn.MultiheadAttention


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


def test_a_bare_attention_is_replaced():
    layer = nn.MultiheadAttention(8, 2)
    assert isinstance(replace_attention(layer), DropInAttention)
    assert replace_attention(layer) is layer, "a second time nothing happens"
    assert type(restore_attention(layer)) is nn.MultiheadAttention


@pytest.mark.parametrize("options", WIDTHS.values(), ids=list(WIDTHS))
def test_outputs_and_gradients_stay(options):
    model, text = Reads(**options).double(), TEXT.double()
    model(text).square().sum().backward()
    expected = model(text)
    gradients = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    names = list(gradients)
    replace_attention(model)
    torch.testing.assert_close(model(text), expected)
    after = to_torch_names({name: parameter.grad for name, parameter in model.named_parameters()})
    assert all(torch.equal(after[name], gradients[name]) for name in names)
    model.zero_grad()
    model(text).square().sum().backward()
    restore_attention(model)
    assert [name for name, _ in model.named_parameters()] == names
    for name, parameter in model.named_parameters():
        torch.testing.assert_close(parameter.grad, gradients[name])
    torch.testing.assert_close(model(text), expected)


def test_hooks_stay_and_their_handles_still_remove_them():
    layer, seen = nn.MultiheadAttention(8, 2, batch_first=True), []
    handles = [
        layer.register_forward_pre_hook(lambda *_: seen.append("before")),
        layer.register_forward_hook(lambda *_, **__: seen.append("after"), with_kwargs=True),
        layer.register_full_backward_hook(lambda *_: seen.append("backward")),
        layer.register_state_dict_post_hook(lambda *_: seen.append("saved")),
    ]
    replace_attention(layer)
    text = TEXT.clone().requires_grad_()
    layer(text, text, text)[0].sum().backward()
    layer.state_dict()
    assert seen == ["before", "after", "backward", "saved"]
    for handle in handles:
        handle.remove()
    layer(text, text, text)[0].sum().backward()
    layer.state_dict()
    assert len(seen) == 4


def test_what_hangs_on_a_layer_stays():
    layer = nn.MultiheadAttention(8, 2, device="meta", dtype=torch.bfloat16)
    layer.note, layer.adapter = "mine", nn.Linear(8, 8, device="meta", dtype=torch.bfloat16)
    layer.register_buffer("steps", torch.zeros((), device="meta", dtype=torch.bfloat16))
    layer.eval()
    for change in (replace_attention, restore_attention):
        change(layer)
        assert (layer.note, layer.adapter.in_features, layer.steps.shape) == ("mine", 8, ())
        assert {(tensor.device.type, tensor.dtype) for tensor in layer.state_dict().values()} == {
            ("meta", torch.bfloat16)
        }
        assert not any(part.training for part in layer.modules())


def test_an_encoder_may_go_on_packing_its_texts():
    model = encoder(enable_nested_tensor=True).eval()
    replace_attention(model)
    assert model.use_nested_tensor
    padding = torch.tensor([[False] * 5, [False, False, True, True, True], [False] * 4 + [True]])
    with torch.no_grad(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The PyTorch API of nested tensors", UserWarning)
        output = model(TEXT, src_key_padding_mask=padding)
        expected = restore_attention(model)(TEXT, src_key_padding_mask=padding)
    torch.testing.assert_close(output, expected, rtol=0, atol=1e-5)


def test_replaced_layers_compile():
    model = replace_attention(Reads().eval())
    with torch.no_grad():
        expected = model(TEXT)
        torch.testing.assert_close(torch.compile(model, backend="eager", fullgraph=True)(TEXT), expected)


# --- What is refused, before anything is replaced


def own_forward(model):
    model.second = Rotary(8, 2)


def forward_on_the_object(model):
    model.second.forward = lambda *texts, **_: texts


def parametrized(model):
    parametrizations.orthogonal(model.second, "in_proj_weight")


def pruned(model):
    prune.l1_unstructured(model.second, "in_proj_weight", amount=2)


def another_output(model):
    model.second.out_proj = nn.Sequential(nn.Linear(8, 8))


def tied_to_another_kind(model):
    model.last.weight = model.second.in_proj_weight


def hooks_on_parameters(model):
    model.second.in_proj_weight.register_hook(lambda grad: grad)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (own_forward, "second is Rotary, with a forward of its own, .* with subclasses=True"),
        (forward_on_the_object, "second has another forward set on it"),
        (parametrized, "second computes its in_proj weights .* remove that before"),
        (pruned, "second computes its in_proj weights"),
        (another_output, "second has Sequential as out_proj"),
        (tied_to_another_kind, r"second.in_proj_weight is also last.weight, .* untie them"),
        (hooks_on_parameters, "second has hooks on its in_proj parameters"),
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


def test_all_that_would_be_lost_is_named_at_once():
    model = nn.Sequential(Rotary(8, 2), nn.ModuleList([Rotary(8, 2)]))
    with pytest.raises(ValueError, match=r"0 is Rotary.*; 1\.0 is Rotary"):
        replace_attention(model)


def test_subclasses_come_back_as_they_were():
    model = nn.ModuleDict({"turned": Rotary(8, 2), "named": Named(8, 2)})
    replace_attention(model, subclasses=True)
    assert {type(part) for part in model.values()} == {DropInAttention}
    restore_attention(copy.deepcopy(model))
    restore_attention(model)
    assert [type(part) for part in model.values()] == [Rotary, Named]
    assert isinstance(replace_attention(Named(8, 2)), DropInAttention), "it computes what PyTorch's does"


def adapter(model):
    model.second.query = nn.Sequential(model.second.query)


def hook(model):
    model.second.key.register_forward_hook(lambda *_: None)


def half_frozen(model):
    model.second.value.weight.requires_grad_(False)


def half_tied(model):
    model.second.query.weight = model.first.key.weight


def tied_outside(model):
    model.last.weight = model.second.query.weight


def fewer_columns(model):
    model.second.key = nn.Linear(8, 4)


def weight_norm(model):
    prune.l1_unstructured(model.second.value, "weight", amount=2)


def one_bias(model):
    model.second.value = nn.Linear(8, 8, bias=False)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (adapter, "second.query is Sequential, and must be nn.Linear: merge it"),
        (hook, "second.key has hooks, which would be lost"),
        (half_frozen, "second has the weight of some of query, key and value frozen"),
        (half_tied, "first.key.weight and second.query.weight are one, and would be two"),
        (tied_outside, "second.query.weight and last.weight are one"),
        (fewer_columns, r"second.key must have a weight of \[8, 8\], got \[4, 8\]"),
        (weight_norm, "second.value computes its weight"),
        (one_bias, "second has a bias for some of query, key and value"),
    ],
)
def test_what_pytorch_could_not_hold_is_refused_and_nothing_is_restored(change, says):
    model = replace_attention(Reads())
    change(model)
    with pytest.raises(ValueError, match=f"^nothing was restored. {says}"):
        restore_attention(model)
    assert isinstance(model.first, DropInAttention)


# --- State dicts


@pytest.mark.parametrize("options", WIDTHS.values(), ids=list(WIDTHS))
def test_checkpoints_of_before_and_after_load(options):
    model = Reads(**options)
    before = copy.deepcopy(model.state_dict())
    other = replace_attention(Reads(**options))
    shake(other)
    assert other.load_state_dict(before) == ([], [])
    torch.testing.assert_close(other(TEXT), model(TEXT))
    after = other.state_dict()
    assert after.keys() == from_torch_names(before).keys()
    converted = to_torch_names(after)
    assert list(converted) == list(before) or options.get("add_bias_kv"), "in PyTorch's order"
    assert converted.keys() == before.keys()
    assert all(torch.equal(converted[name], tensor) for name, tensor in before.items())


def test_what_does_not_load_is_named():
    state = nn.MultiheadAttention(8, 2).state_dict()
    with pytest.raises(RuntimeError, match=r"Unexpected key.*query.bias"):
        DropInAttention(8, 2, bias=False).load_state_dict(state)
    with pytest.raises(RuntimeError, match=r"Missing key.*bias_k"):
        DropInAttention(8, 2, add_bias_kv=True).load_state_dict(state)


def test_names_of_other_layers_stay():
    state = {"attention.query.weight": torch.ones(2, 2), "0.in_proj_weight": torch.ones(2, 2)}
    assert from_torch_names(state) == state
    assert to_torch_names(state) == state


def test_the_plain_module_loads_what_pytorch_saved():
    theirs = shake(nn.MultiheadAttention(8, 2, batch_first=True))
    ours = MultiHeadAttention(8, 2)
    ours.load_state_dict(from_torch_names(theirs.state_dict()))
    torch.testing.assert_close(ours(TEXT)[0], theirs(TEXT, TEXT, TEXT)[0])
    back = to_torch_names(ours.state_dict())
    assert all(torch.equal(back[name], tensor) for name, tensor in theirs.state_dict().items())
    with pytest.raises(ValueError, match=r"must be as wide as words, 8, .* got \[6, 6, 6\]"):
        to_torch_names(MultiHeadAttention(8, 2, attention_dim=6).state_dict())
