"""`replace_attention` changes attention and nothing else; what it can't keep it refuses before it begins."""

import torch
from shaken import shake
from torch import nn

from manyheads.drop_in import replace_attention


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


def test_replaced_layers_compile():
    model = replace_attention(Reads().eval())
    with torch.no_grad():
        expected = model(TEXT)
        torch.testing.assert_close(torch.compile(model, backend="eager", fullgraph=True)(TEXT), expected)
