"""`MultiHeadAttention` is a module like any other: its four layers may be hooked, replaced, pruned, copied and saved,
and the whole compiled, exported, cast and moved."""

import copy
import pickle

import pytest
import torch
from test_attention import gradients
from torch import nn
from torch.nn.utils import prune

from manyheads import attention

LAYERS = ("query", "key", "value", "output")
TEXTS = {"self-attention": 1, "the same text given twice": 2, "cross-attention": 2}


@pytest.fixture(params=TEXTS)
def texts(request):
    """[3, 5, 8] alone, or with another text of seven words."""
    torch.manual_seed(0)
    X, Y = torch.randn(3, 5, 8, requires_grad=True), torch.randn(3, 7, 8, requires_grad=True)
    return {"self-attention": (X,), "the same text given twice": (X, X), "cross-attention": (X, Y)}[request.param]


@pytest.fixture(params=[True, False], ids=["with weights", "without"])
def options(request):
    return {"need_weights": request.param}


@pytest.fixture
def module():
    torch.manual_seed(0)
    return attention.MultiHeadAttention(8, 2, attention_dim=12, value_dim=6)


def expected_shapes(texts):
    queries, keys = len(texts[0][0]), len(texts[-1][0])
    return {"query": (3, queries, 12), "key": (3, keys, 12), "value": (3, keys, 6), "output": (3, queries, 8)}


# --- What hangs on a layer or stands in its place is heard


def test_forward_hooks(module, texts, options):
    plain, seen = module(*texts, **options)[0], {}
    for name in LAYERS:
        layer = getattr(module, name)
        layer.register_forward_pre_hook(lambda layer, inputs, name=name: seen.update({name: [inputs[0].shape[-1]]}))
        layer.register_forward_hook(lambda layer, inputs, output, name=name: seen[name].append(tuple(output.shape)))
    torch.testing.assert_close(module(*texts, **options)[0], plain)
    widths = {"query": 8, "key": 8, "value": 8, "output": 6}
    assert seen == {name: [widths[name], shape] for name, shape in expected_shapes(texts).items()}


@pytest.mark.parametrize("name", LAYERS)
def test_a_forward_hook_may_change_what_a_layer_gives(name, module, texts, options):
    plain, _ = module(*texts, **options)
    getattr(module, name).register_forward_hook(lambda layer, inputs, output: 3 * output)
    assert not torch.allclose(module(*texts, **options)[0], plain)


def test_full_backward_hooks(module, texts, options):
    seen = {}
    for name in LAYERS:
        layer = getattr(module, name)
        layer.register_full_backward_hook(lambda layer, _, grads, name=name: seen.update({name: tuple(grads[0].shape)}))
    module(*texts, **options)[0].square().sum().backward()
    assert seen == expected_shapes(texts)


def test_global_hooks(module, texts, options):
    forward, backward = [], []
    handles = [
        nn.modules.module.register_module_forward_hook(lambda layer, *_: forward.append(layer)),
        nn.modules.module.register_module_full_backward_hook(lambda layer, *_: backward.append(layer)),
    ]
    try:
        module(*texts, **options)[0].sum().backward()
    finally:
        for handle in handles:
            handle.remove()
    parts = {*module.children(), module}
    assert set(forward) == set(backward) == parts
    assert len(forward) == len(backward) == len(parts)


class Adapter(nn.Module):
    """As in LoRA: the layer stays as it is, and two narrow matrices beside it learn."""

    def __init__(self, layer, rank=2):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))


class AdapterWithWeight(Adapter):
    """As many libraries have it: the layer's own weight can be asked for, and is not all that counts."""

    @property
    def weight(self):
        return self.layer.weight


@pytest.mark.parametrize("kind", [Adapter, AdapterWithWeight])
@pytest.mark.parametrize("name", LAYERS)
def test_an_adapter_in_the_place_of_a_layer(name, kind, module, texts, options):
    """It gives what a layer with the sum of both matrices gives, and it alone learns."""
    adapted, summed = copy.deepcopy(module), copy.deepcopy(module)
    adapter = kind(getattr(adapted, name))
    setattr(adapted, name, adapter)
    with torch.no_grad():
        getattr(summed, name).weight += adapter.up.weight @ adapter.down.weight
    output, _ = adapted(*texts, **options)
    torch.testing.assert_close(output, summed(*texts, **options)[0])
    assert not torch.allclose(output, module(*texts, **options)[0])
    output.square().sum().backward()
    assert adapter.layer.weight.grad is None
    assert all(part.weight.grad.any() for part in (adapter.up, adapter.down))


@pytest.mark.parametrize("name", LAYERS)
def test_pruning(name, module, texts, options):
    """What is pruned counts at once, in the next call, of whatever kind."""
    module(*texts, **options)
    pruned = copy.deepcopy(module)
    prune.random_unstructured(getattr(pruned, name), "weight", amount=0.5)
    with torch.no_grad():
        getattr(module, name).weight *= getattr(pruned, name).weight_mask
    torch.testing.assert_close(pruned(*texts, **options)[0], module(*texts, **options)[0])
    prune.remove(getattr(pruned, name), "weight")
    torch.testing.assert_close(pruned(*texts, **options)[0], module(*texts, **options)[0])


def test_a_layer_with_its_weight_computed_anew():
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    plain, _ = module(X)
    nn.utils.parametrizations.weight_norm(module.output)
    module.output.parametrizations.weight.original0.data *= 2  # the length of each row
    torch.testing.assert_close(module(X)[0], 2 * plain)  # the bias is zero


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")  # of torch.ao, about itself
def test_quantized_layers(texts, options):
    """Whole numbers for weights, made by PyTorch in the place of each layer."""
    module = attention.MultiHeadAttention(8, 2).eval()
    quantized = torch.ao.quantization.quantize_dynamic(module, {nn.Linear}, dtype=torch.qint8)
    assert all(type(getattr(quantized, name)) is not nn.Linear for name in LAYERS)
    with torch.no_grad():
        output, expected = quantized(*texts, **options)[0], module(*texts, **options)[0]
    torch.testing.assert_close(output, expected, rtol=0, atol=0.05)
    assert not torch.equal(output, expected)


def test_pruned_and_weight_normed_layers_convert_to_pytorch():
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    prune.random_unstructured(module.key, "weight", amount=0.5)
    nn.utils.parametrizations.weight_norm(module.output)
    theirs = module.to_torch()
    torch.testing.assert_close(theirs(X, X, X)[0], module(X)[0])


# --- Copied and saved


COPIES = {
    "copy.deepcopy": copy.deepcopy,
    "pickle": lambda module: pickle.loads(pickle.dumps(module)),
}


@pytest.mark.parametrize("kind", [attention.MultiHeadAttention, attention.EinsumMultiHeadAttention])
@pytest.mark.parametrize("way", COPIES)
def test_copies(way, kind, texts):
    torch.manual_seed(0)
    module = kind(8, 2, attention_dim=12, value_dim=6, dropout=0.25).eval()
    twin = COPIES[way](module)
    for a, b in zip(twin(*texts), module(*texts), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=0)
    assert (twin.dropout, twin.training) == (0.25, False)
    twin.query.weight.data.zero_()
    assert module.query.weight.any(), "copied, not shared"


def test_a_state_dict_there_and_back(module, texts, options, tmp_path):
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    state = torch.load(tmp_path / "weights.pt", weights_only=True)
    assert list(state) == [f"{name}.{kind}" for name in LAYERS for kind in ("weight", "bias")]
    twin = attention.MultiHeadAttention(8, 2, attention_dim=12, value_dim=6)
    twin.load_state_dict(state)
    torch.testing.assert_close(twin(*texts, **options)[0], module(*texts, **options)[0], rtol=0, atol=0)
    with pytest.raises(RuntimeError, match="size mismatch"):
        attention.MultiHeadAttention(8, 2).load_state_dict(state)


# --- Compiled, exported, cast, mapped, moved


VARIANTS = [
    (attention.MultiHeadAttention, {"need_weights": True}),
    (attention.MultiHeadAttention, {"need_weights": False}),
    (attention.EinsumMultiHeadAttention, {}),
]


# Without fullgraph a break in the graph would go unnoticed; more variants would meet torch's limit on recompiling.
@pytest.mark.parametrize(("kind", "options"), VARIANTS)
@pytest.mark.parametrize("masked", [True, False])
def test_compiles_whole(masked, kind, options):
    """By torch.compile, up to the code generator: not every machine has the compiler that inductor calls."""
    torch.manual_seed(0)
    module, X = kind(8, 2), torch.randn(3, 5, 8)
    if masked:
        options = options | {"mask": attention.padding_mask([5, 3, 0], 5)}
    if masked and kind is attention.MultiHeadAttention:
        options["head_mask"] = torch.tensor([True, False])
    torch._dynamo.reset()
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    expected, found = module(X, **options), compiled(X, **options)
    torch.testing.assert_close(found, expected)
    ours, theirs = (gradients(results[:1], [*module.parameters()]) for results in (found, expected))
    torch.testing.assert_close(ours, theirs)
    with torch.no_grad():
        torch.testing.assert_close(compiled(X, **options), expected)


class WithMask(nn.Module):
    """torch.export gives tensors by their place."""

    def __init__(self, module, options):
        super().__init__()
        self.module, self.options = module, options

    def forward(self, query, key, mask):
        return self.module(query, key, mask=mask, **self.options)


@pytest.mark.parametrize(("kind", "options"), VARIANTS)
def test_exports_with_lengths_left_open(kind, options):
    """What is exported from a small example takes a large one."""
    torch.manual_seed(0)
    module = WithMask(kind(8, 2), options).eval()
    b, q, k = (torch.export.Dim(name, min=2, max=512) for name in "bqk")
    inputs = torch.randn(3, 5, 8), torch.randn(3, 7, 8), torch.ones(5, 7, dtype=torch.bool)
    shapes = {"query": {0: b, 1: q}, "key": {0: b, 1: k}, "mask": {0: q, 1: k}}
    exported = torch.export.export(module, inputs, dynamic_shapes=shapes).module()
    inputs = torch.randn(4, 11, 8), torch.randn(4, 9, 8), torch.rand(11, 9) < 0.7
    torch.testing.assert_close(exported(*inputs), module(*inputs))
    X = torch.randn(3, 5, 8)
    shapes = {"query": {0: b, 1: q}, "key": None, "mask": None}
    exported = torch.export.export(module, (X, None, None), dynamic_shapes=shapes).module()
    X = torch.randn(4, 11, 8)
    torch.testing.assert_close(exported(X, None, None), module(X, None, None))


def test_autocast_to_bfloat16(options):
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(64, 4), torch.randn(2, 5, 64)
    mask = attention.causal_mask(5) & attention.padding_mask([5, 0], 5)
    expected, _ = module(X, mask=mask, **options)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, weights = module(X, mask=mask, **options)
    assert output.dtype == torch.bfloat16
    torch.testing.assert_close(output.float(), expected, rtol=0, atol=0.02)
    assert (output[1] == 0).all()
    assert weights is None or (weights[1] == 0).all()
    output.float().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in module.parameters())


@pytest.mark.parametrize("name", LAYERS)
def test_a_layer_that_keeps_to_float32_in_autocast(name, options):
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    getattr(module, name).register_forward_hook(lambda layer, inputs, output: output.float())
    with torch.inference_mode():
        expected, _ = module(X, **options)
        with torch.autocast("cpu", dtype=torch.bfloat16):
            output, _ = module(X, **options)
    assert output.dtype == (torch.float32 if name == "output" else torch.bfloat16)
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


DEVICES = ["meta", *["cuda"] * torch.cuda.is_available(), *["mps"] * torch.backends.mps.is_available()]


@pytest.mark.parametrize("device", DEVICES)
def test_any_device(device, options):
    module = attention.MultiHeadAttention(8, 2).to(device)
    X, lengths = torch.randn(3, 5, 8, device=device), torch.tensor([5, 3, 0], device=device)
    mask = attention.causal_mask(5, device=device) & attention.padding_mask(lengths, 5)
    head_mask = torch.ones(2, dtype=torch.bool, device=device)
    output, _ = module(X, mask=mask, head_mask=head_mask, **options)
    assert output.device.type == device


KINDS = {
    "AttentionHead": lambda **options: attention.AttentionHead(8, 4, **options),
    "LoopedMultiHeadAttention": lambda **options: attention.LoopedMultiHeadAttention(8, 2, attention_dim=12, **options),
    "MultiHeadAttention": lambda **options: attention.MultiHeadAttention(8, 2, value_dim=6, **options),
    "EinsumMultiHeadAttention": lambda **options: attention.EinsumMultiHeadAttention(8, 2, **options),
    "AttentionBlock": lambda **options: attention.AttentionBlock(8, 2, value_dim=6, **options),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
@pytest.mark.parametrize("bias", [True, False])
def test_made_where_and_as_what_one_asks(make, bias):
    parameters = dict(make(bias=bias, device="meta", dtype=torch.float16).named_parameters())
    assert {(parameter.device.type, parameter.dtype) for parameter in parameters.values()} == {("meta", torch.float16)}
    assert any(name.startswith(("query", "heads", "attention")) and "bias" in name for name in parameters) == bias
    assert {parameter.dtype for parameter in make(bias=bias).parameters()} == {torch.float32}


@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
def test_reset_parameters_starts_anew(make):
    """As large as at first, whatever was learnt; from meta, where there are no numbers, too."""
    torch.manual_seed(0)
    fresh = make()
    module = make(device="meta").to_empty(device="cpu")
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(9)
    module.reset_parameters()
    for (name, parameter), first in zip(module.named_parameters(), fresh.parameters(), strict=True):
        assert parameter.abs().max() < 3, name
        if first.unique().numel() == 1:  # the output's bias, and the norm
            assert torch.equal(parameter, first), name
        else:
            assert not torch.equal(parameter, first), name


@pytest.mark.parametrize("name", [name for name in KINDS if name != "AttentionBlock"])
def test_reset_parameters_draws_what_a_new_module_draws(name):
    torch.manual_seed(0)
    module = KINDS[name]()
    torch.manual_seed(1)
    fresh = KINDS[name]()
    torch.manual_seed(1)
    module.reset_parameters()
    for found, expected in zip(module.parameters(), fresh.parameters(), strict=True):
        assert torch.equal(found, expected)
