"""How the drawing model learns what is shut in. Nobody tells it where to look."""

import torch
from torch.nn import functional as F

from manyheads.models.drawing.head_model import DrawingModel
from manyheads.models.drawing.network import DrawingConfig, DrawingNetwork
from manyheads.models.files import key_of
from manyheads.models.keeping import file_name
from manyheads.models.training import fit, reproducible
from manyheads_recipes import SHORT
from manyheads_recipes.drawing.data import KINDS, LID, WIDTHS, drawings
from manyheads_recipes.drawing.measures import carrier, division, gap_head, letters, measured, rings_to_choose_by

# The version of the recipe. Raise it when code changes what is learnt; the config is in the key by itself.
RECIPE = 1
SEED = 11  # of five, the one whose `division` is the largest
KEPT_JOBS = ("",)
WATCHED = (1000, 2000, 4000, 8000, 12_000, 16_000)  # steps after which its learning is measured
LEARNT, NEW = 1, 2  # the seeds of the drawings that it learns from, and of those that it's measured on


def recipe_key(config=DrawingConfig()):
    """The key of what is learnt: the recipe's version, the config, and how often what is drawn.

    >>> recipe_key() == recipe_key(DrawingConfig(steps=1))
    False
    """
    return key_of(recipe=RECIPE, config=config, drawn=(KINDS, LID, WIDTHS), seed=SEED, watched=WATCHED)


def train_drawing(config=DrawingConfig(), *, seed=SEED, after=None, progress=True):
    """Train a network from nothing, a quarter of an hour on one thread; in float32, so another machine learns another.
    `after(step, network)` is called before the first step and after each.

    >>> network = train_drawing(DrawingConfig(num_drawings=64, steps=2), progress=False)
    >>> network(torch.zeros(1, 32, 32))[0].shape
    torch.Size([1, 32, 32])
    """
    ink, places = drawings(config.num_drawings, LEARNT)
    shut = torch.from_numpy(places > 0).float()
    counts = torch.from_numpy(places.max((1, 2))).clamp(max=config.most)
    with reproducible(seed):
        network = DrawingNetwork(config)
        fit(
            torch.optim.AdamW(
                network.parameters(), lr=config.learning_rate, weight_decay=config.weight_decay, fused=True
            ),
            lambda *drawn: loss_of(network, *laid(*drawn)),
            (torch.from_numpy(ink), shut, counts),
            torch.full((len(ink),), ink[0].size),
            steps=config.steps,
            batch=config.batch,
            warmup=0.015,
            start=0.005,
            clip=1.0,
            after=after and (lambda step: after(step, network)),
            label="what is shut in",
            progress=progress,
        )
    return network.eval()


def loss_of(network, ink, shut, counts):  # [b, s, s], [b, s, s], [b]
    """Cross-entropy of the number of places, and of each dot."""
    dots, number, _ = network(ink, need_weights=False)
    return F.cross_entropy(number, counts) + network.config.filling * F.binary_cross_entropy_with_logits(dots, shut)


def laid(ink, shut, counts):
    """The paper laid in one of the eight ways that a square has, drawn at random."""
    way = int(torch.randint(8, (1,)))

    def lay(paper):
        paper = paper.flip(2) if way & 1 else paper
        paper = paper.flip(1) if way & 2 else paper
        return paper.transpose(1, 2) if way & 4 else paper

    return lay(ink), lay(shut), counts


def train_kept(folder, job="", *, seed=SEED, progress=True):
    """Train the model and keep it in a folder, as float16; gives its metrics, by variant."""
    rings, new, history = rings_to_choose_by(), drawings(1000, NEW), []

    def after(step, network):
        if step in WATCHED:
            point = {"step": step, "overlap": measured(network, *new)["overlap"], "division": division(network)}
            history.append({name: round(value, 4) for name, value in point.items()})

    network = train_drawing(seed=seed, after=after, progress=progress)
    roles = {"gap": list(gap_head(network, rings)), "carrier": list(carrier(network, rings))}
    model = DrawingModel(network.config, roles, history)
    model.network.load_state_dict(network.state_dict())
    path = folder / file_name("drawing", job)
    model.save(path, torch.float16)
    kept = DrawingModel.load(path).network
    metrics = measured(kept, *new)
    metrics |= {f"{name}, letters": share for name, share in measured(kept, *letters()).items()}
    return {job: metrics | {"division": division(kept), SHORT: loss_after(40)}}


def loss_after(steps, job=""):
    """The loss on its own drawings after a short training on few of them: how the recipe learns."""
    config = DrawingConfig(num_drawings=200, steps=steps)
    ink, places = drawings(config.num_drawings, LEARNT)
    counts = torch.from_numpy(places.max((1, 2))).clamp(max=config.most)
    network = train_drawing(config, progress=False)
    with torch.no_grad():
        return loss_of(network, torch.from_numpy(ink), torch.from_numpy(places > 0).float(), counts).item()
