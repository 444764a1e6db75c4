"""Training of the translator, from generated sentences and their translations."""

import math
from functools import lru_cache

import torch
from torch import nn
from torch.nn import functional as F
from tqdm.auto import tqdm

from manyheads.models.threads import one_thread
from manyheads.models.translator.config import TranslatorConfig
from manyheads.models.translator.sentences import generate
from manyheads.models.translator.tokens import encode, vocabularies
from manyheads.models.translator.translator import Translator

# The version of the recipe. Raise it when code changes what is learnt, or the form of the kept files: the network, the
# loss, the optimizer, how words become sentences. Words and the config need no raise: they are in the key (kept.py).
RECIPE = 2
VARIANTS = ("taught", "heads-1")


def train_translator(
    variant="taught", *, config=TranslatorConfig(), steps=None, seed=0, num_sentences=None, progress=True
):
    """Train a translator from nothing, the same one for the same seed.

    >>> translator = train_translator(steps=2, num_sentences=200, progress=False)
    >>> translator.num_heads
    4

    `variant` is `"taught"` (each cross-attending head of the last layer is shown where to look), `"untaught"` or
    `"heads-N"` (untaught, with N heads of the same width together). `steps` and `num_sentences` make it shorter than
    `config` says. It runs on one thread: the numbers are then the same however many processors there are, and
    variants can be trained side by side.
    """
    if variant not in ("taught", "untaught") and not variant.startswith("heads-"):
        raise ValueError(f"can train 'taught', 'untaught' and 'heads-N', not {variant!r}")
    steps = config.steps if steps is None else steps
    with (
        one_thread(),
        torch.random.fork_rng(devices=[]),
        tqdm(total=steps, desc=f"to French, {variant}", disable=not progress) as bar,
    ):
        torch.manual_seed(seed)
        english, french, data = _training_data(num_sentences or config.num_sentences, seed)
        translator = Translator(variant, english, french, config)
        parameters = list(translator.parameters())
        optimizer = torch.optim.AdamW(parameters, lr=config.learning_rate, betas=(0.9, 0.98), fused=True)
        batches = _batches((data[0] > 0).sum(1), config.batch)
        for step in range(steps):
            done = step / steps
            warm, cool = done / 0.05 + 0.005, (1 + math.cos(math.pi * done)) / 2
            optimizer.param_groups[0]["lr"] = config.learning_rate * min(warm, cool)
            batch = next(batches)
            loss = _loss(translator, *(part[batch] for part in data))
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(parameters, 1.0)
            optimizer.step()
            bar.update()
            if step % 20 == 0:
                bar.set_postfix(loss=f"{loss.item():.3f}", refresh=False)
    return translator.eval()


@lru_cache(maxsize=1)
def _training_data(num_sentences, seed):
    sentences = generate(num_sentences, seed)
    english, french = vocabularies(sentences)
    return english, french, encode(sentences, english, french)


def _batches(lengths, size, together=16):
    """Random batches without end, of sentences about equally long, so that little of a batch is padding."""
    while True:
        drawn = torch.randint(len(lengths), (together * size,))
        drawn = drawn[lengths[drawn].argsort()].view(together, size)
        yield from drawn[torch.randperm(together)]


def _loss(translator, sources, targets, looks):
    """Cross-entropy of each next word and, where heads are taught, of each head's attention in the last layer."""
    sources = sources[:, : int((sources > 0).sum(1).max())]
    targets = targets[:, : int((targets > 0).sum(1).max())]
    read, said = targets[:, :-1], targets[:, 1:]
    there = said > 0  # [b, q]
    mask = (sources > 0)[:, None, None]
    memory, _ = translator.network.encode(sources, mask)
    logits, _, cross = translator.network.decode(read, memory, mask)
    loss = F.cross_entropy(logits[there], said[there])
    if translator.variant == "taught":
        weights = cross[-1].transpose(1, 2)[there]  # [word, h, k]
        looked = weights.gather(-1, looks[:, : said.shape[1]][there][..., None])
        loss = loss - translator.config.looking * looked.clamp_min(1e-9).log().sum(1).mean()
    return loss
