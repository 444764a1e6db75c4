"""Training of the translator, from generated sentences and their translations."""

from functools import lru_cache, partial

import torch
from torch.nn import functional as F

from manyheads.models.files import key_of
from manyheads.models.keeping import file_name
from manyheads.models.training import SHORT, check_variant, fit, reproducible
from manyheads.models.translator import sentences
from manyheads.models.translator.claims import exact, held_out_sentences, right, trial
from manyheads.models.translator.config import TranslatorConfig
from manyheads.models.translator.data import HELD_OUT_STRUCTURES
from manyheads.models.translator.head_model import Translator
from manyheads.models.translator.sentences import generate
from manyheads.models.translator.tokens import encode, vocabularies
from manyheads.models.translator.words import words_data

# The version of the recipe. Raise it when code changes what is learnt: the network, the loss, the optimizer, how words
# become sentences. Words and the config need no raise: they are in the recipe's key.
RECIPE = 3
KEPT_JOBS = ("taught", "heads-1")


@lru_cache
def recipe_key(config=TranslatorConfig()):
    """The key of what is learnt from: the recipe's version, the config and the words.

    >>> recipe_key() == recipe_key(TranslatorConfig(steps=1))
    False
    """
    limits = sentences.MAX_WORDS, sentences.HELD_OUT_EVERY, HELD_OUT_STRUCTURES
    return key_of(recipe=RECIPE, config=config, words=words_data(), heads=sentences.HEADS, limits=limits)


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


def train_kept(folder, job, *, seed=0, steps=None, progress=True):
    """Train one of the translators that are kept, into a folder, as float16; gives its metrics.

    Metrics are of held-out sentences: the share whose French is exact, and how often the right word beats its rival.
    """
    path = folder / file_name("translator", job)
    train_translator(job, seed=seed, steps=steps, progress=progress).save(path, torch.float16)
    translator, held_out = Translator.load(path), held_out_sentences()
    beaten = {f"right, {claim}": share for claim, share in right(translator, trial(translator, held_out)).items()}
    return {job: {"exact": exact(translator, held_out)} | beaten | {SHORT: loss_after(40, job)}}


def loss_after(steps, job):
    """The loss on what was shown after a short training on few sentences: how the recipe learns."""
    translator = train_translator(job, steps=steps, num_sentences=500, progress=False)
    with torch.no_grad():
        return _loss(translator, *_training_data(500, 0)[2]).item()


@lru_cache(maxsize=1)
def _training_data(num_sentences, seed):
    generated = generate(num_sentences, seed)
    english, french = vocabularies(generated)
    return english, french, encode(generated, english, french)


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
