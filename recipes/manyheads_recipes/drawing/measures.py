"""How often the drawing model is right, and what it fills without one head or another.

**The measure by which the seed is chosen**, written down before any of the five was trained: `division`, how much of
open rings is filled without the gap head, less what is filled with all heads on. The largest wins.
"""

from itertools import product

import numpy as np
import torch

from manyheads.models.drawing.strokes import SIDE, shut_in
from manyheads_recipes.drawing.openings import openings

COUNT = 200  # things with a gap
CHOOSING, TESTING = 1000, 2000  # seeds: of the things that heads are chosen by, of those that claims are tested on


@torch.no_grad()
def answers(network, ink, head_mask=None, masks=None):  # [n, s, s] -> bool [n, s, s], [n], [n, layer, h, t, t]
    """What it says is shut in, how many places, and its maps."""
    on = None if head_mask is None else torch.as_tensor(head_mask)
    dots, places, maps = network(torch.as_tensor(ink), on, masks)
    return (dots > 0).numpy(), places.argmax(-1).numpy(), maps.numpy()


def measured(network, ink, places):
    """How right it is on drawings: `overlap`, dots that it and the truth say are shut in over those that either says;
    `right`, the share of drawings whose places it counts rightly; `commonest`, that of always giving the commonest.
    """
    said, number, _ = answers(network, ink)
    shut, true = places > 0, np.minimum(places.max((1, 2)), network.config.most)
    return {
        "overlap": float((said & shut).sum() / (said | shut).sum()),
        "right": float((number == true).mean()),
        "commonest": float(np.bincount(true).max() / len(true)),
    }


def letters(text="ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789&@", sizes=(20, 24, 28)):
    """Letters and figures of a font, which no training saw: their ink and places, as `drawings` gives them."""
    from PIL import Image, ImageDraw, ImageFont

    inks = []
    for size, letter in product(sizes, text):
        image = Image.new("L", (SIDE * 4, SIDE * 4))
        font = ImageFont.load_default(size * 4)
        ImageDraw.Draw(image).text((SIDE * 2, SIDE * 2), letter, fill=255, font=font, anchor="mm")
        inks.append(np.asarray(image.resize((SIDE, SIDE), Image.Resampling.BOX), np.float32) / 255)
    return np.stack(inks), np.stack([shut_in(ink) for ink in inks])


def filled(network, ink, inside, head_mask=None, masks=None):
    """The share of some dots that it says are shut in."""
    return float(answers(network, ink, head_mask, masks)[0][inside].mean())


def without(network, head):
    """The head mask without a (layer, head)."""
    mask = np.ones((network.config.layers, network.config.heads), dtype=bool)
    mask[head] = False
    return mask


def looks(network, things):
    """What patches inside give one patch, on average: `gap`, `elsewhere` on the line, and the gap's place when it's
    `closed`; each [layer, h]."""
    given = {}
    asks = things.asking / things.asking.sum(1, keepdims=True)
    for ink, names in ((things.opened, ("gap", "elsewhere")), (things.closed, ("closed",))):
        weights = np.einsum("nq,nlhqk->nlhk", asks, answers(network, ink)[2][..., 1:, 1:])
        for name in names:
            where = things.on_line if name == "elsewhere" else things.at_gap
            given[name] = np.einsum("nlhk,nk->lh", weights, where) / where.sum()
    return given


def gap_head(network, things):
    """The head above layer 1 whose patches inside look most at the gap: (layer, head) from 0."""
    gap = looks(network, things)["gap"][1:]
    layer, head = np.unravel_index(gap.argmax(), gap.shape)
    return int(layer) + 1, int(head)


def carrier(network, things):
    """The head of layer 1 without which the least of closed things is filled: (0, head)."""
    left = [
        filled(network, things.closed, things.inside, without(network, (0, head)))
        for head in range(network.config.heads)
    ]
    return 0, int(np.argmin(left))


def hidden(network, head, places):  # bool [n, patches] -> {layer: bool [n, h, t, t]}
    """The masks by which one head alone may not look at some places."""
    layer, number = head
    count, patches = places.shape
    mask = torch.ones(count, network.config.heads, patches + 1, patches + 1, dtype=torch.bool)
    mask[:, number, :, 1:] = ~torch.as_tensor(places)[:, None]
    return {layer: mask}


def rings_to_choose_by():
    """The rings by which heads, and the seed, are chosen."""
    return openings("ring", COUNT, CHOOSING)


def division(network):
    """The measure by which the seed is chosen; -1 to 1."""
    rings = rings_to_choose_by()
    off = without(network, gap_head(network, rings))
    return filled(network, rings.opened, rings.inside, off) - filled(network, rings.opened, rings.inside)


def claims(network, kind, count=COUNT, seed=TESTING):
    """What is filled of new things of a kind, opened and closed, with all heads, without the two that matter, and with
    the gap, or another part of the line, hidden from the gap head alone."""
    choosing = rings_to_choose_by()
    finds, carries = gap_head(network, choosing), carrier(network, choosing)
    things = openings(kind, count, seed)

    def share(ink, off=None, places=None):
        mask = None if off is None else without(network, off)
        return filled(network, ink, things.inside, mask, None if places is None else hidden(network, finds, places))

    return {
        "open": share(things.opened),
        "closed": share(things.closed),
        "open without the gap head": share(things.opened, finds),
        "closed without the gap head": share(things.closed, finds),
        "closed without the carrier": share(things.closed, carries),
        "open, gap hidden": share(things.opened, places=things.at_gap),
        "open, elsewhere hidden": share(things.opened, places=things.elsewhere),
    }
