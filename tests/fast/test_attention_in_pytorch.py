"""`MultiHeadAttention` is a module like any other: layers may be put in the place of its own, and it goes to any device."""

import copy

import pytest
import torch
from close import assert_close
from torch import nn

from manyheads import attention


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


@pytest.mark.parametrize("need_weights", [True, False])
@pytest.mark.parametrize("name", ["query", "key", "value", "output"])
def test_an_adapter_in_the_place_of_a_layer(name, need_weights):
    """It gives what a layer with the sum of both matrices gives, and it alone learns."""
    torch.manual_seed(0)
    module = attention.MultiHeadAttention(8, 2, attention_dim=12, value_dim=6)
    texts = torch.randn(3, 5, 8), torch.randn(3, 7, 8)
    summed = copy.deepcopy(module)
    adapter = Adapter(getattr(module, name))
    setattr(module, name, adapter)
    with torch.no_grad():
        getattr(summed, name).weight += adapter.up.weight @ adapter.down.weight
    output, _ = module(*texts, need_weights=need_weights)
    assert_close(output, summed(*texts)[0])
    output.square().sum().backward()
    assert adapter.layer.weight.grad is None
    assert all(part.weight.grad.any() for part in (adapter.up, adapter.down))
