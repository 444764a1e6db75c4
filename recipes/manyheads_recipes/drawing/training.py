"""How the drawing model learns what is shut in. Nobody tells it where to look."""

import torch
from torch.nn import functional as F

from manyheads.models.drawing.network import DrawingConfig, DrawingNetwork
from manyheads.models.training import fit, reproducible
from manyheads_recipes.drawing.data import drawings

RECIPE = 1
SEED = 10
LEARNT, NEW = 1, 2  # the seeds of the drawings that it learns from, and of those that it's measured on


def train_drawing(config=DrawingConfig(), *, seed=SEED, steps=None, progress=True, after=None, data=None):
    """Train a network from nothing. In float32: on another machine the same seed gives another network."""
    steps = config.steps if steps is None else steps
    ink, places = drawings(config.num_drawings, LEARNT) if data is None else data
    counts = torch.from_numpy(places.max((1, 2)).astype(int)).clamp(max=config.most)
    with reproducible(seed):
        network = DrawingNetwork(config)

        def loss_of(ink, shut, counts):
            way = int(torch.randint(8, (1,)))
            dots, number, _ = network(laid(ink, way), need_weights=False)
            right = F.binary_cross_entropy_with_logits(dots, laid(shut, way))
            return F.cross_entropy(number, counts) + config.filling * right

        fit(
            torch.optim.AdamW(
                network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
            ),
            loss_of,
            (torch.from_numpy(ink), torch.from_numpy(places > 0).float(), counts),
            torch.full((len(ink),), ink[0].size),
            steps=steps,
            batch=config.batch,
            warmup=0.015,
            start=0.005,
            clip=1.0,
            after=None if after is None else lambda step: after(step, network),
            label="what is shut in",
            progress=progress,
        )
    return network.eval()


def laid(paper, way):  # [b, s, s] -> [b, s, s]
    """The paper laid in one of the eight ways that a square has."""
    paper = paper.flip(2) if way & 1 else paper
    paper = paper.flip(1) if way & 2 else paper
    return paper.transpose(1, 2) if way & 4 else paper
