"""The backward pass written by hand: its gradients are torch's, and so is what is learned by them."""

import numpy as np
import pytest
import torch
from close import assert_close

from manyheads.models.induction import InductionConfig
from manyheads.models.induction.network import AttentionOnly, next_losses
from manyheads_recipes.induction.by_hand import AdamW, loss_and_gradients
from manyheads_recipes.induction.data import repeated

CONFIG = InductionConfig(layers=3, heads=2, width=12, symbols=11, positions=10, shortest=3, longest=5)


def drawn(dtype):
    torch.manual_seed(0)
    network = AttentionOnly(CONFIG).to(dtype)
    for name, tensor in network.named_parameters():
        if "norm" in name:
            torch.nn.init.normal_(tensor, mean=float(name.endswith("weight")), std=0.5)  # not 1 and 0, as they begin
    return network, {name: tensor.numpy().copy() for name, tensor in network.state_dict().items()}


@pytest.mark.parametrize(("dtype", "largest"), [(torch.float64, 1e-12), (torch.float32, 1e-5)])
def test_each_gradient_is_torchs(dtype, largest):
    network, tensors = drawn(dtype)
    ids = repeated(5, CONFIG)[0][:, :9]  # shorter than the positions
    loss = next_losses(network(ids)[0], ids).mean()
    loss.backward()
    found, gradients = loss_and_gradients(tensors, ids.numpy(), CONFIG.heads)
    assert found == pytest.approx(loss.item(), rel=1e-5)
    assert gradients.keys() == tensors.keys()
    for name, parameter in network.named_parameters():
        expected = parameter.grad.numpy()
        assert np.linalg.norm(gradients[name] - expected) <= largest * np.linalg.norm(expected), name


def test_what_is_learned_by_them_is_what_torch_learns():
    network, tensors = drawn(torch.float64)
    optimizer = torch.optim.AdamW(network.parameters(), lr=4e-3, betas=(0.9, 0.98))
    ours = AdamW(tensors, 4e-3, (0.9, 0.98))
    for _ in range(20):
        ids, _ = repeated(6, CONFIG)
        optimizer.zero_grad()
        next_losses(network(ids)[0], ids).mean().backward()
        optimizer.step()
        ours.step(loss_and_gradients(tensors, ids.numpy(), CONFIG.heads)[1])
    for name, tensor in network.state_dict().items():
        assert_close(tensors[name], tensor, part=1e-9, name=name)
