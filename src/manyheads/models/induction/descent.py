"""What a training in the page begins with, and where its steps lead, for `<one-step>`: twin of `descent.ts`."""

import json
import math
from functools import cache, partial
from pathlib import Path

import torch

from manyheads.models.decoder.sampling import uniforms
from manyheads.models.induction.network import AttentionOnly, InductionConfig, next_losses

CONFIG = Path(__file__).parents[2] / "shared" / "training.json"
SEED = 0
STOPS = [at / 5 for at in range(-20, 21)]  # where the weight can be turned to
NUDGE = 0.01


def page_config():
    """The model that a page trains.

    >>> page_config().symbols
    32
    """
    return InductionConfig(**json.loads(CONFIG.read_text(encoding="utf-8")))


class Descent:
    """A model before its training, the batch that it would read first, and the steepest weight of its last matrix.

    >>> descent = Descent(InductionConfig(width=8, symbols=5, positions=6, shortest=2, longest=3, batch=4))
    >>> before = descent.loss().item()
    >>> for step in range(5):
    ...     descent.step(rate=0.1)
    >>> descent.loss().item() < before
    True
    """

    def __init__(self, config=None, seed=SEED):
        config = config or page_config()
        random = uniforms(seed)
        self.network = AttentionOnly(config).double()
        self.network.load_state_dict(_new_tensors(config, random))
        self.ids = _repeated(config, random)
        self.at = self.slopes()["next.weight"].abs().argmax().item()

    @property
    def weights(self):
        """The last matrix, flat."""
        return self.network.next.weight.data.view(-1)

    def loss(self, ids=None):
        """The mean loss of what comes next, in nats; of the batch, or of other sequences."""
        ids = self.ids if ids is None else ids
        return next_losses(self.network(ids)[0], ids).mean()

    def slopes(self):
        """The gradient of the loss with respect to each tensor, by name."""
        names, parameters = zip(*self.network.named_parameters())
        return dict(zip(names, torch.autograd.grad(self.loss(), parameters)))

    def step(self, rate):
        """Takes all weights down their slopes."""
        for name, slope in self.slopes().items():
            self.network.get_parameter(name).data -= rate * slope

    def point(self, weight):
        """Where the weight stands, the loss there, and its slope: by the way back, and by a nudge up and down."""
        before = self.weights[self.at].item()
        above, below = (self._loss_at(weight + nudge) for nudge in (NUDGE, -NUDGE))
        loss = self._loss_at(weight)
        slope = self.slopes()["next.weight"].view(-1)[self.at].item()
        self.weights[self.at] = before
        return {"weight": weight, "loss": loss, "slope": slope, "nudged": (above - below) / (2 * NUDGE)}

    def _loss_at(self, weight):
        self.weights[self.at] = weight
        with torch.no_grad():
            return self.loss().item()


def _new_tensors(config, random):
    """The weights before training: twin of `newTensors` of `web/models/learner.ts`."""

    def normal():
        return math.sqrt(-2 * math.log(1 - next(random))) * math.cos(2 * math.pi * next(random)) * 0.5

    def even():
        return (2 * next(random) - 1) / math.sqrt(config.width)

    def drawn(draw, *shape):
        return torch.tensor([draw() for _ in range(math.prod(shape))]).float().view(shape)

    width = config.width
    table, matrix = partial(drawn, normal), partial(drawn, even)
    gain, bias = torch.ones(width), torch.zeros(width)
    tensors = {"symbol.weight": table(config.symbols, width), "position": table(config.positions, width)}
    for layer in range(config.layers):
        tensors |= {f"norms.{layer}.weight": gain, f"norms.{layer}.bias": bias}
        for part in ("query", "key", "value", "output"):
            tensors[f"layers.{layer}.{part}.weight"] = matrix(width, width)
    return tensors | {"norm.weight": gain, "norm.bias": bias, "next.weight": matrix(config.symbols, width)}


def _repeated(config, random):  # -> [batch, position]
    """Sequences that repeat: twin of `repeated` of `web/models/learner.ts`."""
    deck, ids = [*range(config.symbols)], []
    for _ in range(config.batch):
        period = config.shortest + int(next(random) * (config.longest - config.shortest + 1))
        for place in range(period):
            other = place + int(next(random) * (config.symbols - place))
            deck[place], deck[other] = deck[other], deck[place]
        ids.append([deck[place % period] for place in range(config.positions)])
    return torch.tensor(ids)


@cache
def one_step_data():
    """What `<one-step>` shows before its reader takes a step.

    >>> data = one_step_data()
    >>> list(data), len(data["stops"])
    (['seed', 'at', 'count', 'here', 'stops'], 41)
    """
    descent = Descent()
    rounded = {
        weight: {name: round(value, 6) for name, value in descent.point(weight).items()}
        for weight in (descent.weights[descent.at].item(), *STOPS)
    }
    here, *stops = rounded.values()
    count = sum(parameter.numel() for parameter in descent.network.parameters())
    return {"seed": SEED, "at": descent.at, "count": count, "here": here, "stops": stops}
