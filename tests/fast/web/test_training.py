"""learner.ts, which trains the small decoder in the page: its gradients are torch's, and what it learns depends on what it's given.
And descent.ts, whose steps are those of descent.py.

The experiments as a reader runs them are measured in tests/nightly/web/test_training.py.
"""

import numpy as np
import pytest
import torch
from node import ask_node

from manyheads.models.induction import InductionConfig
from manyheads.models.induction.descent import NUDGE, STOPS, Descent, page_config
from manyheads.models.induction.network import AttentionOnly, next_losses

SMALL = {"layers": 2, "heads": 3, "width": 12, "symbols": 11, "positions": 10, "shortest": 3, "longest": 5, "batch": 4, "learning_rate": 5e-3}  # fmt: skip
QUICK = SMALL | {"heads": 2, "width": 32, "symbols": 12, "positions": 16, "longest": 6, "batch": 16, "learning_rate": 0.01}  # fmt: skip
LARGEST_DIFFERENCE = 1e-5  # of the norm of a gradient
ROUNDED = 1e-5  # of a loss, by float32, once it's divided by a nudge

DRIVER = """
import { Learner, randomOf, repeated } from "./models/learner.ts";
const [config, change] = given;
const learner = new Learner(config, 3, change);
const sequences = repeated(config, randomOf(4));
const plain = (tensors) => Object.fromEntries(Object.entries(tensors).map(([name, { shape, values }]) => [name, { shape, values: [...values] }]));
answer({ ids: [...sequences.ids], gradients: plain(learner.gradientsOf(sequences)), tensors: plain(learner.tensors), losses: learner.losses, mask: learner.headMask });
"""


def array(tensor):
    return torch.tensor(tensor["values"], dtype=torch.float64).reshape(tensor["shape"])


@pytest.mark.parametrize("change", [{}, {"offUntil": 1}], ids=["all heads", "layer 1 off"])
def test_the_gradient_of_each_tensor_is_torchs(change):
    page = ask_node(DRIVER, [SMALL, change])
    network = AttentionOnly(InductionConfig(**SMALL)).double()
    network.load_state_dict({name: array(tensor) for name, tensor in page["tensors"].items()})
    ids = torch.tensor(page["ids"]).reshape(SMALL["batch"], SMALL["positions"])
    mask = None if page["mask"] is None else torch.tensor(page["mask"])
    losses = next_losses(network(ids, mask)[0], ids)
    losses.mean().backward()
    for name, parameter in network.named_parameters():
        difference = (array(page["gradients"][name]) - parameter.grad).norm()
        assert difference <= LARGEST_DIFFERENCE * parameter.grad.norm() + 1e-12, name
    periods = [next(t for t in range(1, len(row)) if row[t] == row[0]) for row in ids.tolist()]
    place = np.arange(1, SMALL["positions"])[None]
    for copy, wanted in (("first", place < np.array(periods)[:, None]), ("second", place > np.array(periods)[:, None])):
        assert page["losses"][copy] == pytest.approx(losses.detach().numpy()[wanted].mean(), rel=1e-5)


SIDE_BY_SIDE = """
import { Learner, newTensors, randomOf, repeated } from "./models/learner.ts";
const [config, steps] = given;
const random = randomOf(1);
const tensors = Object.entries(newTensors(config, random)).map(([name, { shape, values }]) => [name, { shape, values: [...values] }]);
const [learner, batches, losses] = [new Learner(config, 1), [], []];
while (learner.step < steps) {
  batches.push([...repeated(config, random).ids]);
  learner.learn();
  losses.push(learner.losses.second);
}
answer({ tensors: Object.fromEntries(tensors), batches, losses });
"""


def test_a_training_in_the_page_is_torchs_step_by_step():
    """From the same numbers."""
    page = ask_node(SIDE_BY_SIDE, [SMALL, 40])
    network = AttentionOnly(InductionConfig(**SMALL)).double()
    network.load_state_dict({name: array(tensor) for name, tensor in page["tensors"].items()})
    optimizer = torch.optim.AdamW(network.parameters(), betas=(0.9, 0.98))
    place = torch.arange(1, SMALL["positions"])
    for step, (batch, second) in enumerate(zip(page["batches"], page["losses"], strict=True), start=1):
        ids = torch.tensor(batch).reshape(SMALL["batch"], -1)
        periods = (ids[:, 1:] == ids[:, :1]).int().argmax(1) + 1
        optimizer.param_groups[0]["lr"] = SMALL["learning_rate"] * min(1, step / 15)
        losses = next_losses(network(ids)[0], ids)
        assert second == pytest.approx(losses[place > periods[:, None]].mean().item(), rel=1e-5), step
        optimizer.zero_grad()
        losses.mean().backward()
        optimizer.step()


LEARNS = """
import { Learner } from "./models/learner.ts";
const found = given.map(([config, change, steps]) => {
  const learner = new Learner(config, 0, change);
  let second = 0;
  for (let step = 0; step < steps; step++) {
    learner.learn();
    if (step >= steps - 10) second += learner.losses.second / 10;
  }
  return second;
});
answer(found);
"""


def test_two_layers_learn_the_trick_and_one_does_not_nor_two_before_layer_1_is_on():
    text = {"text": "a7kq3xwma7kq3xwm"}
    runs = [(QUICK, {}, 150), (QUICK | {"layers": 1}, {}, 150), (QUICK, {"offUntil": 150}, 150), (QUICK, text, 60)]
    learned, one_layer, late, by_heart = ask_node(LEARNS, runs)
    assert learned < 0.4
    assert by_heart < 0.1
    assert one_layer > 0.7
    assert late > 0.7


NUDGED = """
import { Learner } from "./models/learner.ts";
const found = given.map(([config, seed]) => {
  const learner = new Learner(config, seed);
  const batch = learner.draw();
  const slopes = learner.gradientsOf(batch);
  const lossAt = (values, at, value) => {
    const before = values[at];
    values[at] = value;
    const { all } = learner.read(learner.forward(batch).out, batch).losses;
    values[at] = before;
    return all;
  };
  return Object.entries(learner.tensors).map(([name, { values }]) => {
    const steep = slopes[name].values.map(Math.abs);
    const at = steep.indexOf(Math.max(...steep));
    const nudged = (by) => (lossAt(values, at, values[at] + by) - lossAt(values, at, values[at] - by)) / (2 * by);
    return [name, slopes[name].values[at], (4 * nudged(0.005) - nudged(0.01)) / 3]; // a curve's third derivative cancels
  });
});
answer(found);
"""


def test_the_steepest_slope_of_each_tensor_is_what_a_nudge_says():
    sizes = [{"layers": layers, "heads": heads, "width": 16} for layers in (1, 2) for heads in (1, 2, 4)]
    given = [(SMALL | size, seed) for seed in range(8) for size in sizes]
    for (config, seed), found in zip(given, ask_node(NUDGED, given), strict=True):
        for name, slope, nudged in found:
            assert nudged == pytest.approx(slope, rel=2e-3), (config, seed, name)


STEPS = """
import { descend } from "./models/descent.ts";
const { steps, ...asked } = given;
const found = steps.map((each) => descend({ ...asked, tensors: null, steps: each }));
const { tensors } = descend({ ...asked, tensors: null, steps: steps.at(-1).slice(0, 1) });
const inTwo = descend({ ...asked, tensors, steps: steps.at(-1).slice(1) });
answer([...found, inTwo].map(({ losses, lost, here, stops }) => ({ losses, lost, here, stops })));
"""


def test_steps_in_the_page_are_pythons_and_those_too_long_end_where_there_are_no_numbers():
    """Three steps from where the weight was turned to, also in two goes; and steps of a rate without measure."""
    descent = Descent(InductionConfig(**SMALL), seed=5)
    start, steps = (
        descent.weights[descent.at].item(),
        [{"rate": 0.5, "from": None if step else 2.0} for step in range(3)],
    )
    wild = [{"rate": 1e30, "from": None}] * 9
    stops = [*STOPS, 500.0]  # there, chances are too small for a number
    asked = {"config": SMALL, "seed": 5, "at": descent.at, "stops": stops, "steps": [[], wild, steps]}
    begins, lost, led, in_two = ask_node(STEPS, asked)
    assert (begins["losses"], begins["lost"], lost["lost"]) == ([], False, True)
    assert len(lost["losses"]) < len(wild)
    _agree([begins["here"], *begins["stops"]], [descent.point(weight) for weight in (start, *stops)])
    descent.weights[descent.at] = 2.0
    losses = []
    for step in steps:
        descent.step(step["rate"])
        losses.append(descent.loss().item())
    assert led["losses"] == pytest.approx(losses, rel=1e-4)
    assert in_two == led | {"losses": led["losses"][1:]}
    _agree([led["here"], *led["stops"]], [descent.point(weight) for weight in (led["here"]["weight"], *stops)])


def _agree(points, ours):
    for point, own in zip(points, ours, strict=True):
        for name, value in own.items():
            assert point[name] == pytest.approx(value, rel=1e-3, abs=1e-4 + ROUNDED * own["loss"]), (name, own)


def test_what_the_page_shows_at_first_is_the_training_that_it_begins():
    """By torch; the nudge says what the way back says, and no weight of the model is steeper."""
    descent = Descent()
    begins = ask_node(
        STEPS, {"config": vars(page_config()), "seed": 0, "at": descent.at, "stops": STOPS[::10], "steps": [[]]}
    )[0]
    points = [begins["here"], *begins["stops"]]
    _agree(points, [descent.point(point["weight"]) for point in points])
    for weight in STOPS:
        point = descent.point(weight)
        assert point["nudged"] == pytest.approx(point["slope"], rel=1e-3, abs=NUDGE**2)
    assert max(slope.abs().max() for slope in descent.slopes().values()) == abs(
        descent.point(descent.weights[descent.at].item())["slope"]
    )
