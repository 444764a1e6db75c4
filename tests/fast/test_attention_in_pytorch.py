"""`MultiHeadAttention` is a module like any other: its four layers may be hooked, replaced, pruned, copied and saved,
and the whole compiled, exported, cast and moved."""

import copy
import pickle

import pytest
import torch
from torch import nn
from torch.nn.utils import prune

from manyheads import attention

LAYERS = ("query", "key", "value", "output")
WAYS = pytest.mark.parametrize("need_weights", [True, False], ids=["with weights", "without"])


@pytest.fixture
def module():
    torch.manual_seed(0)
    return attention.MultiHeadAttention(8, 2, attention_dim=12, value_dim=6)


@pytest.fixture
def texts():
    """[3, 5, 8], and another of seven words."""
    torch.manual_seed(0)
    return torch.randn(3, 5, 8, requires_grad=True), torch.randn(3, 7, 8, requires_grad=True)


# --- What hangs on a layer or stands in its place is heard


@WAYS
def test_hooks_are_called_forward_and_back(module, texts, need_weights):
    forward, backward = {}, {}
    for name in LAYERS:
        layer = getattr(module, name)
        layer.register_forward_hook(lambda layer, _, output, name=name: forward.update({name: tuple(output.shape)}))
        layer.register_full_backward_hook(lambda layer, _, grads, name=name: backward.update({name: grads[0].shape}))
    module(*texts, need_weights=need_weights)[0].square().sum().backward()
    assert forward == {"query": (3, 5, 12), "key": (3, 7, 12), "value": (3, 7, 6), "output": (3, 5, 8)}
    assert backward == forward


class Adapter(nn.Module):
    """As in LoRA: the layer stays as it is, and two narrow matrices beside it learn."""

    def __init__(self, layer, rank=2):
        super().__init__()
        self.layer = layer.requires_grad_(False)
        self.down = nn.Linear(layer.in_features, rank, bias=False)
        self.up = nn.Linear(rank, layer.out_features, bias=False)

    def forward(self, x):
        return self.layer(x) + self.up(self.down(x))

    @property
    def weight(self):
        """As many libraries have it: the layer's own weight can be asked for, and is not all that counts."""
        return self.layer.weight


@WAYS
@pytest.mark.parametrize("name", LAYERS)
def test_an_adapter_in_the_place_of_a_layer(name, module, texts, need_weights):
    """It gives what a layer with the sum of both matrices gives, and it alone learns."""
    summed = copy.deepcopy(module)
    adapter = Adapter(getattr(module, name))
    setattr(module, name, adapter)
    with torch.no_grad():
        getattr(summed, name).weight += adapter.up.weight @ adapter.down.weight
    output, _ = module(*texts, need_weights=need_weights)
    torch.testing.assert_close(output, summed(*texts)[0])
    output.square().sum().backward()
    assert adapter.layer.weight.grad is None
    assert all(part.weight.grad.any() for part in (adapter.up, adapter.down))


@pytest.mark.parametrize("name", LAYERS)
def test_what_is_pruned_counts_in_the_next_call(name, module, texts):
    module(*texts)
    pruned = copy.deepcopy(module)
    prune.random_unstructured(getattr(pruned, name), "weight", amount=0.5)
    with torch.no_grad():
        getattr(module, name).weight *= getattr(pruned, name).weight_mask
    torch.testing.assert_close(pruned(*texts)[0], module(*texts)[0])


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::UserWarning")  # of torch.ao, about itself
def test_quantized_layers(texts):
    """Whole numbers for weights, made by PyTorch in the place of each layer."""
    module = attention.MultiHeadAttention(8, 2).eval()
    quantized = torch.ao.quantization.quantize_dynamic(module, {nn.Linear}, dtype=torch.qint8)
    assert all(type(getattr(quantized, name)) is not nn.Linear for name in LAYERS)
    with torch.no_grad():
        torch.testing.assert_close(quantized(*texts)[0], module(*texts)[0], rtol=0, atol=0.05)


def test_pruned_and_weight_normed_layers_convert_to_pytorch():
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    prune.random_unstructured(module.key, "weight", amount=0.5)
    nn.utils.parametrizations.weight_norm(module.output)
    torch.testing.assert_close(module.to_torch()(X, X, X)[0], module(X)[0])


# --- Copied, saved, compiled, exported, cast, mapped, moved


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda module: pickle.loads(pickle.dumps(module))])
def test_copies(copied, texts):
    module = attention.MultiHeadAttention(8, 2, attention_dim=12, value_dim=6, dropout=0.25).eval()
    twin = copied(module)
    torch.testing.assert_close(twin(*texts), module(*texts), rtol=0, atol=0)
    assert (twin.dropout, twin.training) == (0.25, False)
    twin.query.weight.data.zero_()
    assert module.query.weight.any(), "copied, not shared"


def test_a_state_dict_there_and_back(module, texts, tmp_path):
    torch.save(module.state_dict(), tmp_path / "weights.pt")
    state = torch.load(tmp_path / "weights.pt", weights_only=True)
    assert list(state) == [f"{name}.{kind}" for name in LAYERS for kind in ("weight", "bias")]
    twin = attention.MultiHeadAttention(8, 2, attention_dim=12, value_dim=6)
    twin.load_state_dict(state)
    torch.testing.assert_close(twin(*texts), module(*texts), rtol=0, atol=0)


@WAYS
def test_autocast_to_bfloat16(need_weights):
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(64, 4), torch.randn(2, 5, 64)
    mask = attention.causal_mask(5) & attention.padding_mask([5, 0], 5)
    expected, _ = module(X, mask=mask)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        output, weights = module(X, mask=mask, need_weights=need_weights)
    assert output.dtype == torch.bfloat16
    torch.testing.assert_close(output.float(), expected, rtol=0, atol=0.02)
    assert (output[1] == 0).all()
    assert weights is None or (weights[1] == 0).all()
    output.float().sum().backward()
    assert all(parameter.grad.isfinite().all() for parameter in module.parameters())


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # torch's own, on the way to jvp
def test_vmap_and_forward_derivatives():
    module, X, mask = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8), attention.causal_mask(5)
    torch.testing.assert_close(torch.func.vmap(lambda x: module(x, mask=mask))(X), module(X, mask=mask))
    assert torch.func.jvp(lambda x: module(x)[0], (X,), (X,))[1].isfinite().all()


KINDS = {
    "AttentionHead": lambda **options: attention.AttentionHead(8, 4, **options),
    "LoopedMultiHeadAttention": lambda **options: attention.LoopedMultiHeadAttention(8, 2, attention_dim=12, **options),
    "MultiHeadAttention": lambda **options: attention.MultiHeadAttention(8, 2, value_dim=6, **options),
    "EinsumMultiHeadAttention": lambda **options: attention.EinsumMultiHeadAttention(8, 2, **options),
    "AttentionBlock": lambda **options: attention.AttentionBlock(8, 2, value_dim=6, **options),
}


@pytest.mark.parametrize("make", KINDS.values(), ids=list(KINDS))
def test_made_where_and_as_what_one_asks_and_reset(make):
    module = make(device="meta", dtype=torch.float16)
    assert {(each.device.type, each.dtype) for each in module.parameters()} == {("meta", torch.float16)}
    module = make(device="meta").to_empty(device="cpu")
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.fill_(9)
    module.reset_parameters()
    assert all(parameter.abs().max() < 3 for parameter in module.parameters()), "as large as at first"


def test_any_device():
    devices = ["meta", *["cuda"] * torch.cuda.is_available(), *["mps"] * torch.backends.mps.is_available()]
    for device in devices:
        module = attention.MultiHeadAttention(8, 2).to(device)
        X, lengths = torch.randn(3, 5, 8, device=device), torch.tensor([5, 3, 0], device=device)
        mask = attention.causal_mask(5, device=device) & attention.padding_mask(lengths, 5)
        head_mask = torch.ones(2, dtype=torch.bool, device=device)
        assert module(X, mask=mask, head_mask=head_mask)[0].device.type == device
