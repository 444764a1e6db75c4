"""`MultiHeadAttention` is compiled and exported whole."""

import pytest
import torch
from close import assert_close
from torch import nn

from manyheads import attention

WAYS = pytest.mark.parametrize("need_weights", [True, False], ids=["with weights", "without"])


# Without fullgraph a break in the graph would go unnoticed.
@WAYS
def test_compiles_whole(need_weights):
    """By torch.compile, up to the code generator: not every machine has the compiler that inductor calls."""
    torch.manual_seed(0)
    module, X = attention.MultiHeadAttention(8, 2), torch.randn(3, 5, 8)
    options = {"mask": attention.padding_mask([5, 3, 0], 5), "head_mask": torch.tensor([True, False])}
    torch._dynamo.reset()
    compiled = torch.compile(module, backend="aot_eager", fullgraph=True)
    found, expected = (made(X, **options, need_weights=need_weights) for made in (compiled, module))
    assert_close(found[0], expected[0])
    if need_weights:
        assert_close(found[1], expected[1])


class WithMask(nn.Module):
    """torch.export gives tensors by their place."""

    def __init__(self, module):
        super().__init__()
        self.module = module

    def forward(self, query, key, mask):
        return self.module(query, key, mask=mask)


def test_exports_with_lengths_left_open():
    """What is exported from a small example takes a large one."""
    module = WithMask(attention.MultiHeadAttention(8, 2)).eval()
    b, q, k = (torch.export.Dim(name, min=2, max=512) for name in "bqk")
    inputs = torch.randn(3, 5, 8), torch.randn(3, 7, 8), torch.ones(5, 7, dtype=torch.bool)
    shapes = {"query": {0: b, 1: q}, "key": {0: b, 1: k}, "mask": {0: q, 1: k}}
    exported = torch.export.export(module, inputs, dynamic_shapes=shapes).module()
    inputs = torch.randn(4, 11, 8), torch.randn(4, 9, 8), torch.rand(11, 9) < 0.7
    for found, expected in zip(exported(*inputs), module(*inputs), strict=True):
        assert_close(found, expected)
