"""Training of the translator, from generated sentences and their translations."""

from functools import lru_cache, partial

import torch
from torch.nn import functional as F

from manyheads.models.training import check_variant, fit, reproducible
from manyheads.models.translator.config import TranslatorConfig
from manyheads.models.translator.sentences import generate
from manyheads.models.translator.tokens import encode, vocabularies
from manyheads.models.translator.translator import Translator

# The version of the recipe. Raise it when code changes what is learnt, or the form of the kept files: the network, the
# loss, the optimizer, how words become sentences. Words and the config need no raise: they are in the key (kept.py).
RECIPE = 3
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
    check_variant(variant)
    steps = config.steps if steps is None else steps
    with reproducible(seed):
        english, french, data = _training_data(num_sentences or config.num_sentences, seed)
        translator = Translator(variant, english, french, config)
        options = {"lr": config.learning_rate, "weight_decay": config.weight_decay, "betas": (0.9, 0.98), "fused": True}
        fit(
            torch.optim.AdamW(translator.parameters(), **options),
            partial(_loss, translator),
            data,
            (data[0] > 0).sum(1),
            steps=steps,
            batch=config.batch,
            warmup=0.05,
            start=0.005,
            clip=1.0,
            label=f"to French, {variant}",
            progress=progress,
        )
    return translator.eval()


@lru_cache(maxsize=1)
def _training_data(num_sentences, seed):
    sentences = generate(num_sentences, seed)
    english, french = vocabularies(sentences)
    return english, french, encode(sentences, english, french)


def _loss(translator, sources, targets, looks):
    """Cross-entropy of each next word and, where heads are taught, of each head's attention in the last layer."""
    sources = sources[:, : int((sources > 0).sum(1).max())]
    targets = targets[:, : int((targets > 0).sum(1).max())]
    read, following = targets[:, :-1], targets[:, 1:]
    is_word = following > 0  # [b, q]
    mask = (sources > 0)[:, None, None]
    memory, _ = translator.network.encode(sources, mask)
    logits, _, cross = translator.network.decode(read, memory, mask)
    loss = F.cross_entropy(logits[is_word], following[is_word])
    if translator.variant == "taught":
        weights = cross[-1].transpose(1, 2)[is_word]  # [word, h, k]
        looked = weights.gather(-1, looks[:, : following.shape[1]][is_word][..., None])
        loss = loss - translator.config.looking * looked.clamp_min(1e-9).log().sum(1).mean()
    return loss
