"""Training: repeatable, watchable, as long as one likes."""

import pytest
import torch

from manyheads.models.focus import train_focus_model, validation_loss


def test_training_is_the_same_for_the_same_seed_and_leaves_the_readers_randomness_alone():
    torch.manual_seed(1)
    expected, threads = torch.rand(2), torch.get_num_threads()
    torch.manual_seed(1)
    options = {"steps": 3, "num_sentences": 300, "progress": False}
    first, second = train_focus_model(**options).state_dict(), train_focus_model(**options).state_dict()
    other = train_focus_model(seed=1, **options).state_dict()
    assert torch.equal(torch.rand(2), expected)
    assert torch.get_num_threads() == threads
    assert all(torch.equal(first[name], second[name]) for name in first)
    assert not torch.equal(first["kind.weight"], other["kind.weight"])


def test_training_lowers_the_loss_and_can_be_watched():
    losses = {}

    def watch(step, model):
        if step in (0, 25):
            losses[step] = validation_loss(model, count=100)

    train_focus_model("untaught", steps=25, num_sentences=500, checkpoint=watch, progress=False)
    assert losses[25] < 0.9 * losses[0]


def test_training_stops_after_some_seconds():
    seen = []
    train_focus_model(seconds=1e-6, num_sentences=100, progress=False, checkpoint=lambda step, _: seen.append(step))
    assert seen == [0]


def test_only_what_is_trained_can_be_asked_for():
    with pytest.raises(ValueError, match="step-100"):
        train_focus_model("step-100")
