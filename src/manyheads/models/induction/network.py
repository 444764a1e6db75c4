"""The network of the induction model: two layers of attention, each added to what came before, and nothing else."""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, causal_mask


@dataclass(frozen=True)
class InductionConfig:
    """The constants of the model and of its training; a saved one carries its own in its header.

    >>> InductionConfig().layers, InductionConfig(width=32).width
    (2, 32)
    """

    # The model.
    layers: int = 2
    heads: int = 2
    width: int = 64
    symbols: int = 64
    positions: int = 64
    # Training.
    shortest: int = 8  # period of the sequences that repeat
    longest: int = 32
    num_sequences: int = 40_000
    steps: int = 600
    batch: int = 64
    learning_rate: float = 4e-3


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


def next_losses(scores, ids):  # [..., t, symbol], [..., t] -> [..., t - 1]
    """Minus the logarithm of the probability of each symbol that comes next.

    >>> next_losses(torch.zeros(3, 4), torch.tensor([0, 1, 0]))
    tensor([1.3863, 1.3863])
    """
    chances = F.log_softmax(scores[..., :-1, :], dim=-1)
    return -chances.gather(-1, ids[..., 1:, None]).squeeze(-1)
