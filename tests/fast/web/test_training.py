"""learner.ts, which trains the small decoder in the page: its gradients are torch's, and what it learns depends on what it's given.

The experiments as a reader runs them are measured in tests/nightly/web/test_training.py.
"""

import numpy as np
import pytest
import torch
from node import ask_node

from manyheads.models.induction import InductionConfig
from manyheads.models.induction.network import AttentionOnly, next_losses

SMALL = {"layers": 2, "heads": 3, "width": 12, "symbols": 11, "positions": 10, "shortest": 3, "longest": 5, "batch": 4, "learning_rate": 5e-3}  # fmt: skip
QUICK = SMALL | {"heads": 2, "width": 32, "symbols": 12, "positions": 16, "longest": 6, "batch": 16, "learning_rate": 0.01}  # fmt: skip
LARGEST_DIFFERENCE = 1e-5  # of the norm of a gradient

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
