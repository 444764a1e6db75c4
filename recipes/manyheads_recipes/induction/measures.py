"""What the heads of the induction model look at, and what the model loses without them."""

from itertools import product

import torch

from manyheads.models.induction.network import next_losses
from manyheads.models.registry import all_but


def previous_scores(maps):  # [b, layer, h, t, t] -> [layer, h]
    """How much of its attention each head gives the symbol just before, on average.

    >>> previous_scores(torch.eye(3)[[0, 0, 1]][None, None, None])
    tensor([[1.]])
    """
    return maps.diagonal(-1, -2, -1).mean((0, -1))


def induction_scores(maps, periods):  # [b, layer, h, t, t], [b] -> [layer, h]
    """How much of its attention each head gives what followed the symbol it stands on, in all copies before.

    >>> induction_scores(torch.eye(6)[[0, 0, 1, 2, 1, 4]][None, None, None], torch.tensor([2]))
    tensor([[1.]])
    """
    query, key = torch.arange(maps.shape[-1])[:, None], torch.arange(maps.shape[-1])
    period = periods[:, None, None]
    followed = (key > 0) & (key <= query) & ((query + 1 - key) % period == 0)  # [b, q, k]
    later = (query >= period).squeeze(-1)  # [b, q]: after the first copy
    given = (maps * (followed & later[..., None])[:, None, None]).sum((-2, -1))  # [b, layer, h]
    return (given / later.sum(-1)[:, None, None]).mean(0)


@torch.no_grad()
def measured(network, ids, periods, head_mask=None):
    """A network on sequences that repeat: its losses, what it gets right, and the scores of its heads.

    >>> from manyheads.models.induction.network import AttentionOnly
    >>> list(measured(AttentionOnly(), torch.arange(64)[None] % 8, torch.tensor([8])))
    ['first', 'second', 'right', 'previous', 'induction']

    `first` and `second` are the mean losses, in nats, of symbols of the first copy and of those after it; `right` is
    the share of the latter that were the likeliest. The very first symbol of the second copy belongs to neither: nobody
    can know when the sequence will start again.
    """
    scores, maps = network(ids, head_mask)
    losses, hits = next_losses(scores, ids), scores[:, :-1].argmax(-1) == ids[:, 1:]
    place = torch.arange(1, ids.shape[1])
    first, second = place < periods[:, None], place > periods[:, None]
    return {
        "first": losses[first].mean().item(),
        "second": losses[second].mean().item(),
        "right": hits[second].float().mean().item(),
        "previous": previous_scores(maps).tolist(),
        "induction": induction_scores(maps, periods).tolist(),
    }


def without_each(model, ids, periods):
    """What is measured of a model with all heads on, by the key None, and with each head off, by (layer, head).

    >>> from manyheads.models.induction import load_induction
    >>> from manyheads_recipes.induction.data import held_out_sequences
    >>> list(without_each(load_induction(), *held_out_sequences()))
    [None, (0, 0), (0, 1), (1, 0), (1, 1)]
    """
    found = {None: measured(model.network, ids, periods)}
    for head in product(range(model.num_layers), range(model.num_heads)):
        found[head] = measured(model.network, ids, periods, torch.tensor(all_but(model, [head])))
    return found


def birth(history, score, layer):
    """The first step measured at which the strongest head of a layer has half of what its score gains in training.

    >>> points = [{"step": step, "previous": [[score, 0]]} for step, score in ((0, 0.1), (10, 0.3), (20, 0.7))]
    >>> birth(points, "previous", layer=0)
    20
    """
    final = history[-1][score][layer]
    head = final.index(max(final))
    scores = [point[score][layer][head] for point in history]
    return next(point["step"] for point, value in zip(history, scores) if value >= (scores[0] + final[head]) / 2)
