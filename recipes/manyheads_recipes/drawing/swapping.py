"""What the layers below a head tell it of a gap that it can't see: for this one head, what they made is exchanged."""

import torch
from torch.nn import functional as F

from manyheads.models.drawing.strokes import SIDE
from manyheads_recipes.drawing.measures import hidden


@torch.no_grad()
def filled_swapped(network, things, head, swap=True):
    """The share of the inside of opened things that is filled while a head can't look where anything is missing.

    >>> from manyheads.models.drawing import load_drawing
    >>> from manyheads_recipes.drawing.openings import openings
    >>> model = load_drawing()
    >>> 0 <= filled_swapped(model.network, openings("ring", 3, seed=1), model.gap_head) <= 1
    True

    With `swap`, this head alone reads all other patches, and `[CLS]`, as the layers below leave them when the thing is
    closed. Their own dots are the same in both drawings, so what differs was brought there by heads of these layers.
    """
    layer, number = head
    patch = network.config.patch
    missing = torch.from_numpy(things.opened != things.closed)
    missing = missing.unflatten(2, (SIDE // patch, patch)).unflatten(1, (SIDE // patch, patch)).any(4).any(2).flatten(1)
    opened, closed = (network.embed(torch.from_numpy(ink)) for ink in (things.opened, things.closed))
    for block in network.blocks[:layer]:
        opened, closed = block(opened)[0], block(closed)[0]
    same = torch.cat([torch.ones(len(missing), 1, dtype=torch.bool), ~missing], 1)[..., None]
    block, alone = network.blocks[layer], torch.arange(network.config.heads) == number
    told = torch.where(same, closed, opened) if swap else opened
    mask = hidden(network, head, missing.numpy())[layer]
    own, _ = block.attention(block.norm(told), mask=mask, head_mask=alone)
    others, _ = block.attention(block.norm(opened), head_mask=~alone)
    x = opened + own + others - block.attention.output.bias  # which both have
    x = x + block.out(F.relu(block.into(block.hidden_norm(x))))
    for block in network.blocks[layer + 1 :]:
        x, _ = block(x)
    return float((network.joined(network.dots(network.norm(x)[:, 1:])) > 0).numpy()[things.inside].mean())
