"""Training: repeatable, watchable, as long as one likes."""

import torch

from manyheads.models.focus import train_focus_model


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
    assert not torch.equal(first["hidden.weight"], other["hidden.weight"])
