"""The network of the induction model: two layers of attention, each added to what came before, and nothing else."""

import torch
from torch import nn

from manyheads.attention import MultiHeadAttention, causal_mask
from manyheads.models.induction.config import InductionConfig


class AttentionOnly(nn.Module):
    """A decoder without feed-forward layers: from symbols to scores of the next symbol, and the maps on the way.

    >>> network = AttentionOnly()
    >>> scores, maps = network(torch.zeros(3, 10, dtype=torch.long))
    >>> scores.shape, maps.shape
    (torch.Size([3, 10, 64]), torch.Size([3, 2, 2, 10, 10]))
    """

    def __init__(self, config=InductionConfig()):
        super().__init__()
        width = config.width
        self.symbol = nn.Embedding(config.symbols, width)
        self.position = nn.Parameter(torch.empty(config.positions, width))
        self.norms = nn.ModuleList(nn.LayerNorm(width) for _ in range(config.layers))
        self.layers = nn.ModuleList(MultiHeadAttention(width, config.heads, bias=False) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.next = nn.Linear(width, config.symbols, bias=False)
        for table in (self.symbol.weight, self.position):
            nn.init.normal_(table, std=0.5)

    def forward(self, ids, head_mask=None):  # [..., t], [layer, h] -> [..., t, symbol], [..., layer, h, t, t]
        x, mask, maps = self.embed(ids), causal_mask(ids.shape[-1]), []
        for number, (norm, attention) in enumerate(zip(self.norms, self.layers)):
            on = None if head_mask is None else head_mask[number].expand(*ids.shape[:-1], -1)
            output, weights = attention(norm(x), mask=mask, head_mask=on)
            x = x + output
            maps.append(weights)
        return self.next(self.norm(x)), torch.stack(maps, dim=-4)

    def embed(self, ids):  # [..., t] -> [..., t, d]
        """The vector of each symbol at its position."""
        return self.symbol(ids) + self.position[: ids.shape[-1]]
