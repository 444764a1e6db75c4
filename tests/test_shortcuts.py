"""shortcuts.py: whichever way the numbers go, they are the same; and where the module runs."""

import pytest
import torch
from test_attention import gradients
from torch import nn
from torch.nn import functional as F
from torch.profiler import ProfilerActivity, profile

from manyheads import attention, shortcuts


@pytest.mark.parametrize(("length", "small", "whole"), [(64, 2**20, True), (64, 2**10, False), (256, 2**20, False)])
def test_a_map_is_held_whole_only_where_it_is_small(length, small, whole, monkeypatch):
    """Inference without weights, on both sides of the limits: the way is another, the output is not."""
    monkeypatch.setattr(shortcuts, "SMALL", small)
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(16, 4), torch.randn(3, length, 16)
    mask = attention.padding_mask([length, 5, 0], length)
    expected, _ = module(X, mask=mask)
    fused = []
    kernel = F.scaled_dot_product_attention
    monkeypatch.setattr(
        F, "scaled_dot_product_attention", lambda *args, **more: fused.append(1) or kernel(*args, **more)
    )
    with torch.inference_mode():
        found, nothing = module(X, mask=mask, need_weights=False)
    assert nothing is None
    assert bool(fused) is not whole
    torch.testing.assert_close(found.clone(), expected.detach())


@pytest.mark.parametrize("autocast", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("masked", [True, False])
@pytest.mark.parametrize(("piece", "pieces"), [(1, [5, 5, 2]), (2 * 35, [10, 2]), (100, [12])])
def test_a_large_map_goes_piece_by_piece_in_inference_alone(piece, pieces, masked, dtype, autocast, monkeypatch):
    """Twelve heads of 35 weights, five threads: the way is another, the results are not."""
    torch.manual_seed(0)
    monkeypatch.setattr(shortcuts, "PIECE", piece)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 5)
    module = attention.MultiHeadAttention(16, 4, value_dim=24).to(dtype)
    X, Y = torch.randn(3, 5, 16, dtype=dtype), torch.randn(3, 7, 16, dtype=dtype)
    options = {"mask": attention.padding_mask([7, 4, 0], 7)} if masked else {}
    calls, attend = [], module.attend
    monkeypatch.setattr(module, "attend", lambda *piece: calls.append(len(piece[0])) or attend(*piece))
    with torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        expected = module(X, Y, **options)
        assert calls == [12]
        with torch.inference_mode():
            found = module(X, Y, **options)
    assert calls == [12, *(pieces if dtype == torch.float32 and not autocast else [12])]
    tolerance = 1e-10 if dtype == torch.float64 else 1e-5
    for a, b in zip(found, expected, strict=True):
        torch.testing.assert_close(a.clone(), b.detach(), rtol=0, atol=1e-2 if autocast else tolerance)


WAYS = {"mkldnn::_linear_pointwise": shortcuts.ONEDNN, "aten::baddbmm": shortcuts.MKL, "aten::linear": True}


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize("gradients", [True, False])
@pytest.mark.parametrize("autocast", [True, False])
@pytest.mark.parametrize(
    ("features", "bias", "rows", "way"),
    [
        ((384, 400), True, (120,), "mkldnn::_linear_pointwise"),
        ((384, 400), False, (8, 15), "mkldnn::_linear_pointwise"),
        ((384, 400), True, (3, 5), "aten::baddbmm"),
        ((384, 400), True, (3, 0), "aten::baddbmm"),
        ((384, 400), False, (3, 5), "aten::linear"),  # without a bias
        ((384, 402), True, (3, 5), "aten::linear"),  # not to be divided
        ((64, 400), True, (3, 5), "aten::linear"),  # of few weights
    ],
)
def test_layers_of_many_weights_have_shorter_ways_in_inference_alone(
    features, bias, rows, way, autocast, gradients, dtype, monkeypatch
):
    """The way is another, the output is not, nor its type, and where gradients are wanted there are some."""
    torch.manual_seed(0)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 2)
    layer = nn.Linear(*features, bias=bias, dtype=dtype)
    x = torch.randn(layer.in_features, *rows, dtype=dtype).movedim(0, -1)  # not contiguous
    with torch.set_grad_enabled(gradients), torch.autocast("cpu", torch.bfloat16, enabled=autocast):
        with profile(activities=[ProfilerActivity.CPU]) as calls:
            found = shortcuts.linear(nn.Sequential(layer), "0", x)
        expected = layer(x)
    torch.testing.assert_close(found, expected)
    assert found.requires_grad is gradients
    assert found.is_contiguous()
    short = dtype == torch.float32 and not autocast and not gradients and WAYS[way]
    assert WAYS.keys() & {call.name for call in calls.events()} == {way if short else "aten::linear"}


# Without fullgraph a break in the graph would go unnoticed; eight variants would meet torch's limit on recompiling.
@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("masked", [True, False])
def test_compiles_whole(need_weights, masked):
    """By torch.compile, up to the code generator: not every machine has the compiler that inductor calls."""
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    options = {"need_weights": need_weights}
    if masked:
        options |= {"mask": attention.padding_mask([5, 3, 0], 5), "head_mask": torch.tensor([True, False])}
    torch._dynamo.reset()
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    expected, found = module(X, **options), compiled(X, **options)
    torch.testing.assert_close(found, expected)
    for a, b in zip(gradients(found[:1], [*module.parameters()]), gradients(expected[:1], [*module.parameters()])):
        torch.testing.assert_close(a, b)
    with torch.no_grad():
        torch.testing.assert_close(compiled(X, **options), expected)


class WithMask(nn.Module):
    def __init__(self, module, need_weights):
        super().__init__()
        self.module, self.need_weights = module, need_weights

    def forward(self, query, key, mask):
        return self.module(query, key, mask=mask, need_weights=self.need_weights)


@pytest.mark.parametrize("need_weights", [True, False])
def test_exports_with_lengths_left_open(need_weights, monkeypatch):
    """What is exported from a small example takes a large one: no limit of the shorter ways gets into the graph."""
    torch.manual_seed(0)
    for limit, value in {"SHORT": 6, "SMALL": 100, "PIECE": 100, "MANY": 1, "LARGE": 3000}.items():
        monkeypatch.setattr(shortcuts, limit, value)
    module = WithMask(attention.MultiHeadAttention(8, 2), need_weights).eval()
    b, q, k = (torch.export.Dim(name, min=2, max=512) for name in "bqk")
    inputs = torch.randn(3, 5, 8), torch.randn(3, 7, 8), torch.ones(5, 7, dtype=torch.bool)
    shapes = {"query": {0: b, 1: q}, "key": {0: b, 1: k}, "mask": {0: q, 1: k}}
    exported = torch.export.export(module, inputs, dynamic_shapes=shapes).module()
    inputs = torch.randn(4, 11, 8), torch.randn(4, 9, 8), torch.rand(11, 9) < 0.7
    torch.testing.assert_close(exported(*inputs), module(*inputs))
    X = torch.randn(3, 5, 8)
    exported = torch.export.export(
        module, (X, None, None), dynamic_shapes={"query": {0: b, 1: q}, "key": None, "mask": None}
    )
    X = torch.randn(4, 11, 8)
    torch.testing.assert_close(exported.module()(X, None, None), module(X, None, None))


@pytest.mark.parametrize("need_weights", [True, False])
def test_autocast_to_bfloat16(need_weights):
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(64, 4), torch.randn(2, 5, 64)
    mask = attention.causal_mask(5) & attention.padding_mask([5, 0], 5)
    expected, _ = module(X, mask=mask, need_weights=need_weights)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, weights = module(X, mask=mask, need_weights=need_weights)
    assert output.dtype == torch.bfloat16
    torch.testing.assert_close(output.float(), expected, rtol=0, atol=0.02)
    assert (output[1] == 0).all()
    assert weights is None or (weights[1] == 0).all()
    output.float().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in module.parameters())


def test_a_layer_that_keeps_to_float32_in_autocast():
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    module.projection.register_forward_hook(lambda layer, inputs, output: output.float())
    with torch.inference_mode():
        expected, _ = module(X)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output, weights = module(X)
    assert output.dtype == weights.dtype == torch.bfloat16
    torch.testing.assert_close(output.float(), expected, rtol=0, atol=0.02)


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # torch's own, on the way to jvp
@pytest.mark.parametrize("enabled", [True, False])
@pytest.mark.parametrize("mask", [None, attention.causal_mask(5)])
def test_vmap_and_forward_derivatives(mask, enabled):
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    with torch.set_grad_enabled(enabled):
        torch.testing.assert_close(torch.func.vmap(lambda x: module(x, mask=mask))(X), module(X, mask=mask))
    assert torch.func.jvp(lambda x: module(x)[0], (X,), (X,))[1].isfinite().all()


def test_hooks_and_layers_put_in_place_are_heard():
    """The short way round nn.Module must not pass by what somebody hung on a layer."""
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    plain, shapes = module(X)[0], []
    for layer in (module.projection, module.output):
        layer.register_forward_hook(lambda layer, inputs, output: shapes.append(tuple(output.shape)))
    torch.testing.assert_close(module(X)[0], plain)
    assert shapes == [(3, 5, 24), (3, 5, 8)]
    module.output = nn.Sequential(module.output, nn.ReLU())
    torch.testing.assert_close(module(X)[0], plain.relu())

    module = attention.MultiHeadAttention(8, 2)
    plain = module(X)[0]
    nn.utils.parametrizations.weight_norm(module.output)
    module.output.parametrizations.weight.original0.data *= 2  # the length of each row
    torch.testing.assert_close(module(X)[0], 2 * plain)  # the bias is zero


DEVICES = ["meta", *["cuda"] * torch.cuda.is_available(), *["mps"] * torch.backends.mps.is_available()]


@pytest.mark.parametrize("device", DEVICES)
def test_any_device(device):
    module = attention.MultiHeadAttention(8, 2).to(device)
    X, lengths = torch.randn(3, 5, 8, device=device), torch.tensor([5, 3, 0], device=device)
    mask = attention.causal_mask(5, device=device) & attention.padding_mask(lengths, 5)
    for need_weights in (True, False):
        output, _ = module(
            X, mask=mask, head_mask=torch.ones(2, dtype=torch.bool, device=device), need_weights=need_weights
        )
        assert output.device.type == device
