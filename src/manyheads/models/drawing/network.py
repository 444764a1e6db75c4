"""The network of the drawing model: a small vision transformer (Dosovitskiy et al. 2021, arXiv:2010.11929).

The paper is cut into patches of 4 x 4 dots. A patch is a token, and nothing but attention carries anything from one to
another.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention
from manyheads.models.drawing.strokes import SIDE


@dataclass(frozen=True)
class DrawingConfig:
    """The constants of the model and of its training; a saved one carries its own in its header.

    >>> DrawingConfig().grid, DrawingConfig(width=32).width
    (8, 32)
    """

    # The model.
    patch: int = 4  # dots to its side
    layers: int = 3
    heads: int = 4
    width: int = 64
    hidden: int = 128  # of the feed-forward layers
    most: int = 3  # places that it counts; for 3, or more
    # Training.
    num_drawings: int = 30_000
    steps: int = 16_000
    batch: int = 64
    learning_rate: float = 2e-3
    weight_decay: float = 0.02
    filling: float = 4.0  # what the right answer of each dot counts beside the right number of places

    @property
    def grid(self):
        """How many patches there are to a side."""
        return SIDE // self.patch


class Block(nn.Module):
    """Attention and two linear layers, each after a layer norm and added to what came before."""

    def __init__(self, config):
        super().__init__()
        width = config.width
        self.norm, self.attention = nn.LayerNorm(width), MultiHeadAttention(width, config.heads)
        self.hidden_norm = nn.LayerNorm(width)
        self.into, self.out = nn.Linear(width, config.hidden), nn.Linear(config.hidden, width)

    def forward(self, x, mask=None, head_mask=None, need_weights=True):  # [..., t, d] -> [..., t, d], [..., h, t, t]
        output, weights = self.attention(self.norm(x), mask=mask, head_mask=head_mask, need_weights=need_weights)
        x = x + output
        return x + self.out(F.relu(self.into(self.hidden_norm(x)))), weights


class DrawingNetwork(nn.Module):
    """From ink to what is shut in, dot by dot, how many places, and the maps on the way.

    >>> network = DrawingNetwork()
    >>> dots, places, maps = network(torch.zeros(2, 32, 32))
    >>> dots.shape, places.shape, maps.shape  # logits of each dot, of 0 to 3 places; [CLS] and 64 patches
    (torch.Size([2, 32, 32]), torch.Size([2, 4]), torch.Size([2, 3, 4, 65, 65]))
    >>> sum(parameter.numel() for parameter in network.parameters())
    104020
    """

    def __init__(self, config=DrawingConfig()):
        super().__init__()
        self.config, width = config, config.width
        self.patch = nn.Linear(config.patch**2, width)
        self.start = nn.Parameter(torch.randn(width) * 0.1)  # [CLS]
        self.row = nn.Parameter(torch.randn(config.grid, width) * 0.3)
        self.column = nn.Parameter(torch.randn(config.grid, width) * 0.3)
        self.blocks = nn.ModuleList(Block(config) for _ in range(config.layers))
        self.norm = nn.LayerNorm(width)
        self.dots = nn.Linear(width, config.patch**2)
        self.places = nn.Linear(width, config.most + 1)

    def forward(self, ink, head_mask=None, masks=None, need_weights=True):
        # [b, s, s], [layer, h] or nothing, {layer: [b, h, t, t]} -> [b, s, s], [b, number], [b, layer, h, t, t]
        x, maps = self.embed(ink), []
        for number, block in enumerate(self.blocks):
            on = None if head_mask is None else head_mask[number].expand(len(ink), -1)
            x, weights = block(x, (masks or {}).get(number), on, need_weights)
            maps.append(weights)
        x = self.norm(x)
        return self.joined(self.dots(x[:, 1:])), self.places(x[:, 0]), torch.stack(maps, 1) if need_weights else None

    def embed(self, ink):  # [b, s, s] -> [b, 1 + patches, d]
        """[CLS], and a vector for each patch with the row and the column that it stands in."""
        where = (self.row[:, None] + self.column).flatten(0, 1)
        return torch.cat([self.start.expand(len(ink), 1, -1), self.patch(self.cut(ink)) + where], dim=1)

    def cut(self, ink):  # [b, s, s] -> [b, patches, patch * patch]
        """The dots of each patch, patches and dots row by row."""
        grid, patch = self.config.grid, self.config.patch
        return ink.unflatten(2, (grid, patch)).unflatten(1, (grid, patch)).transpose(2, 3).flatten(3).flatten(1, 2)

    def joined(self, patches):  # [b, patches, patch * patch] -> [b, s, s]
        """Patches put together again."""
        grid, patch = self.config.grid, self.config.patch
        return patches.unflatten(2, (patch, patch)).unflatten(1, (grid, grid)).transpose(2, 3).flatten(3).flatten(1, 2)
