"""Training of the focus model, from generated sentences."""

import math
import time
from functools import lru_cache

import torch
from torch.nn import functional as F
from tqdm.auto import tqdm

from manyheads.models.focus.config import FocusConfig
from manyheads.models.focus.model import FocusModel
from manyheads.models.focus.sentences import generate_sentences
from manyheads.models.focus.tokens import encode
from manyheads.models.threads import one_thread

# The version of the recipe. Raise it when code changes what is learnt: the model's steps or first weights, the loss,
# the optimizer, how templates become sentences and sentences tensors; and when the kept files change their form. Words,
# templates and the config need no raise: they are in the key of the kept files beside it (kept.py).
RECIPE = 2


def train_focus_model(
    variant="taught",
    *,
    config=FocusConfig(),
    steps=None,
    seconds=None,
    seed=0,
    num_sentences=None,
    checkpoint=None,
    progress=True,
):
    """Train a focus model from nothing, the same one for the same seed.

    >>> model = train_focus_model(steps=2, num_sentences=100, progress=False)
    >>> model("Tea, please!").shape
    (1, 4, 6, 6)

    `variant` is `"taught"`, `"untaught"` or `"heads-N"` (untaught, with N heads of the same width together). `steps`,
    `seconds` and `num_sentences` make it shorter than `config` says; how far it gets in some seconds depends on the
    machine. `checkpoint(step, model)` is called before the first step and after each. It runs on one thread: the
    numbers are then the same however many processors there are, and variants can be trained side by side.
    """
    if variant not in ("taught", "untaught") and not variant.startswith("heads-"):
        raise ValueError(f"can train 'taught', 'untaught' and 'heads-N', not {variant!r}")
    taught = variant == "taught"
    if steps is None:
        steps = config.steps if taught else config.untaught_steps
    with (
        one_thread(),
        torch.random.fork_rng(devices=[]),
        tqdm(total=steps, desc=variant, disable=not progress) as bar,
    ):
        torch.manual_seed(seed)
        model = FocusModel(variant, config)
        data = _training_data(num_sentences or config.num_sentences, seed, config.breaking)
        optimizer = torch.optim.AdamW(model.parameters(), lr=config.learning_rate)
        batches, began = _batches(data[1].sum(1), config.batch), time.monotonic()
        if checkpoint:
            checkpoint(0, model)
        for step in range(steps):
            done = max(step / steps, (time.monotonic() - began) / seconds if seconds else 0)
            if done >= 1:
                break
            warm, cool = done / 0.2 + 0.01, (1 + math.cos(math.pi * done)) / 2
            optimizer.param_groups[0]["lr"] = config.learning_rate * min(warm, cool)
            batch = next(batches)
            loss = _loss(model, *(part[batch] for part in data), taught=taught)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            bar.update()
            if step % 20 == 0:
                bar.set_postfix(loss=f"{loss.item():.2f}", refresh=False)
            if checkpoint:
                checkpoint(step + 1, model)
    return model.eval()


@lru_cache(maxsize=1)
def _training_data(num_sentences, seed, breaking):
    return encode(generate_sentences(num_sentences, seed), breaking)


def _batches(lengths, size, together=16):
    """Random batches without end, of sentences about equally long, so that little of a batch is padding."""
    while True:
        drawn = torch.randint(len(lengths), (together * size,))
        drawn = drawn[lengths[drawn].argsort()].view(together, size)
        yield from drawn[torch.randperm(together)]


def _loss(model, ids, mask, labels, facts, taught):
    """Cross-entropy of the four facts and, when taught, the divergence of each head's attention from its labels."""
    longest = int(mask.sum(1).max())
    ids, mask, labels = ids[:, :longest], mask[:, :longest], labels[..., :longest]
    vectors = model.word_vectors(ids)
    vectors = vectors + model.config.word_noise * torch.randn_like(
        vectors
    )  # neighbours in meaning are to be treated alike
    # Half of the time one head is off: then nothing is to be known of its own fact, and all of the others.
    off = torch.randint(2 * model.num_heads, (len(ids), 1)) if taught else torch.full((len(ids), 1), -1)
    head_mask = torch.arange(model.num_heads) != off
    scores, weights = model.compute(vectors, mask, head_mask if taught else None, queries=1)
    loss = 0
    for fact, logits in enumerate(scores.values()):
        told = F.cross_entropy(logits, facts[:, fact], reduction="none")
        unknown = -logits.log_softmax(-1).mean(-1)
        loss = loss + torch.where(off[:, 0] == fact, unknown, told).mean()
    if taught:
        looked = F.kl_div(weights[:, :, 0].clamp_min(1e-9).log(), labels, reduction="none")  # [b, h, t]
        loss = loss + model.config.looking * looked.sum((1, 2)).mean()
    return loss


def validation_loss(model, count=1000, seed=999):
    """Mean cross-entropy of the four facts in nats, summed, on validation sentences: of the same grammar, drawn anew.

    >>> from manyheads.models.focus import load_focus_model
    >>> from manyheads.models.focus.sentences import FACTS
    >>> guessing = sum(math.log(len(labels)) for labels in FACTS.values())
    >>> validation_loss(load_focus_model(), count=100) < guessing / 4
    True
    """
    ids, mask, _, facts = encode(generate_sentences(count, seed))
    with torch.no_grad():
        scores, _ = model.compute(model.word_vectors(ids), mask, queries=1)
    return sum(F.cross_entropy(logits, facts[:, fact]).item() for fact, logits in enumerate(scores.values()))
