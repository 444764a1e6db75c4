"""Claim: some heads look nearby, others far away (note B). Taught, untaught, and in the pretrained encoder.

The small task wants both: each word has to name the word before it and the word in the mirror place, counted from the
end. For the encoder, the same shape with random weights is what training is compared with.
"""

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention
from manyheads.models.encoder import Encoder, load_encoder
from manyheads.models.pretrained import SHA256
from manyheads_book.experiments.evidence import across, clearly
from manyheads_recipes.encoder.head_cards import card_sentences

RECIPE = 2
SEEDS = 10
HEADS, LENGTH, WORDS = 4, 16, 8
TRIED = (1, 2, 4, 16, 64)  # numbers of heads, for how often they are right
STEPS, BATCH, RATE = 200, 64, 1e-2
ATTENTION_WIDTH = 64
NUM_SENTENCES = 12  # for the encoder


def statements(runs):
    """Whether training makes some heads short-sighted and others far-sighted, though nothing told them to be."""
    return {
        "Untaught heads differ more in how far they look after training than before": _wider(runs, "untaught", "start"),
        "Untaught, one head comes to look less than half as far as another": _halved(runs, "untaught"),
    }


def _wider(runs, one, other):
    spreads = [np.std(run[one]) - np.std(run[other]) for run in runs]
    return clearly(spreads)


def _halved(runs, name):
    return clearly([0.5 - min(one) / max(one) for one in across(runs, name)])


def parts():
    return {
        "task": (HEADS, TRIED, LENGTH, WORDS, STEPS, BATCH, RATE, ATTENTION_WIDTH),
        "encoder": SHA256,
        "sentences": (NUM_SENTENCES, card_sentences()),
    }


def measure(seed, steps=STEPS, num_sentences=NUM_SENTENCES, tried=TRIED):
    """How far heads look: {"start", "untaught", "taught", "encoder", "random encoder": [of each head], "right": {...}}.

    >>> found = measure(0, steps=2, num_sentences=1, tried=(2,))
    >>> len(found["taught"]), len(found["encoder"])
    (4, 72)

    "right" is {heads: the share of right answers} for several numbers of heads of the same total width.
    """
    rng = np.random.default_rng(seed)
    texts = [str(text) for text in rng.choice(card_sentences(), num_sentences, replace=False)]
    encoder = load_encoder()
    found = {
        "start": learn(seed, taught=False, steps=0)[0],
        "untaught": learn(seed, taught=False, steps=steps)[0],
        "taught": learn(seed, taught=True, steps=steps)[0],
        "encoder": _of_encoder(encoder, texts),
        "right": {str(heads): learn(seed, taught=False, heads=heads, steps=steps)[1] for heads in tried},
    }
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        random = type(encoder.model)(encoder.model.config, add_pooling_layer=False)
    return found | {"random encoder": _of_encoder(Encoder(random, encoder.tokenizer, "random"), texts)}


def learn(seed, taught, heads=HEADS, steps=STEPS):
    """Trains heads on the task; gives how far each looks on average, and the share of right answers.

    >>> distances, right = learn(0, taught=True, steps=1)
    >>> len(distances)
    4

    *Taught* heads, of which there are four, are shown where to look: two at the word before, two into the mirror.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        width = WORDS + LENGTH
        attention, readout = (
            MultiHeadAttention(width, heads, attention_dim=ATTENTION_WIDTH),
            nn.Linear(width, 2 * WORDS),
        )
        optimizer = torch.optim.Adam([*attention.parameters(), *readout.parameters()], lr=RATE)
        for _ in range(steps):
            loss, weights, _ = _task(attention, readout, BATCH)
            if taught:
                looked = weights.clamp_min(1e-9).log()[..., 1:, :]  # [b, h, q, k]; the first word has none before it
                loss = loss + F.kl_div(looked, _shown()[:, 1:].expand_as(looked), reduction="batchmean") / LENGTH
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            _, weights, right = _task(attention, readout, 500)
    places = torch.arange(LENGTH)
    apart = (places[:, None] - places).abs()  # [q, k]
    return (weights * apart).sum(-1).mean((0, 2)).tolist(), right


def _shown():  # -> [h, q, k]
    before, mirror = torch.eye(LENGTH).roll(-1, 1), torch.eye(LENGTH).flip(1)
    return torch.stack([before, before, mirror, mirror])


def _task(attention, readout, count):
    words = torch.randint(WORDS, (count, LENGTH))
    inputs = torch.cat([F.one_hot(words, WORDS).float(), torch.eye(LENGTH).expand(count, -1, -1)], -1)
    home, weights = attention(inputs)
    before, mirror = readout(home).split(WORDS, -1)  # [b, t, word]
    loss = F.cross_entropy(before[:, 1:].flatten(0, 1), words[:, :-1].flatten())
    loss = loss + F.cross_entropy(mirror.flatten(0, 1), words.flip(1).flatten())
    right = torch.cat([before.argmax(-1)[:, 1:] == words[:, :-1], mirror.argmax(-1) == words.flip(1)], -1)
    return loss, weights, right.float().mean().item()


def _of_encoder(encoder, texts):
    """Among words alone: `[CLS]` and `[SEP]` rest what a head doesn't use, and are far from most words."""
    apart = []
    for attention in encoder.batch(texts):
        words = attention.weights[:, :, 1:-1, 1:-1]  # [layer, h, q, k]
        places = np.arange(words.shape[-1])
        away = np.abs(places[:, None] - places)
        apart.append((words / words.sum(-1, keepdims=True) * away).sum(-1).mean(-1))  # [layer, h]
    return np.mean(apart, axis=0).ravel().tolist()
