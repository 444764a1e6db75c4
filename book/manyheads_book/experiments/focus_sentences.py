"""Sentences of the focus model's grammar, and what a model makes of many of them at once."""

import torch
from torch.nn import functional as F

from manyheads.models.focus.data import generate_sentences

FRESH = 10_000  # seeds from here on: no training sees these sentences drawn


def drawn(count, seed):
    """Sentences that belong to a seed's tests.

    >>> drawn(2, seed=3) == drawn(2, seed=3) != drawn(2, seed=4)
    True
    """
    return generate_sentences(count, FRESH + seed)


@torch.no_grad()
def computed(model, encoded):
    """Compute encoded sentences: scores [fact][b, label], weights from [CLS] [b, h, k], what comes home [b, d].

    >>> from manyheads.models.focus import encode, load_focus_model
    >>> scores, weights, home = computed(load_focus_model("heads-2"), encode(drawn(3, seed=0)))
    >>> len(scores), weights.shape[:2], home.shape
    (4, torch.Size([3, 2]), torch.Size([3, 64]))

    What comes home are the contexts of all heads side by side, before the output layer mixes them.
    """
    ids, mask, *_ = encoded
    caught = []
    hook = model.attention.output.register_forward_pre_hook(lambda _module, inputs: caught.append(inputs[0]))
    try:
        scores, weights = model.compute(model.word_vectors(ids), mask, queries=1)
    finally:
        hook.remove()
    return list(scores.values()), weights[1][:, :, 0], caught[0][:, 0]


def losses(model, encoded):
    """Mean cross-entropy of the four facts in nats, summed, as in training.

    >>> from manyheads.models.focus import encode, load_focus_model
    >>> losses(load_focus_model(), encode(drawn(50, seed=0))) < 1
    True
    """
    scores, _, _ = computed(model, encoded)
    facts = encoded[3].unbind(1)
    return sum(F.cross_entropy(logits, fact).item() for logits, fact in zip(scores, facts))


def right(model, encoded):
    """The share of right answers, of all four questions together.

    >>> from manyheads.models.focus import encode, load_focus_model
    >>> right(load_focus_model(), encode(drawn(50, seed=0))) > 0.8
    True
    """
    scores, _, _ = computed(model, encoded)
    answers = torch.stack([logits.argmax(-1) for logits in scores], 1)  # [b, fact]
    return (answers == encoded[3]).float().mean().item()
