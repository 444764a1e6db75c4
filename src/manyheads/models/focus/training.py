"""Training of the focus model, from generated sentences. The trainings that are kept are in `recipes/`."""

import random
from collections.abc import Callable
from functools import lru_cache, partial

import numpy as np
import torch
from torch.nn import functional as F

from manyheads.models.focus.data import FACTS, HEADS, generate_sentences
from manyheads.models.focus.grammar import open_words
from manyheads.models.focus.head_model import FocusModel
from manyheads.models.focus.network import FocusConfig
from manyheads.models.focus.tokens import CLS, SEP, pieces, tokenizer
from manyheads.models.training import check_variant, fit, reproducible


def train_focus_model(
    variant: str = "taught",
    *,
    config: FocusConfig = FocusConfig(),
    steps: int | None = None,
    seconds: float | None = None,
    seed: int = 0,
    num_sentences: int | None = None,
    checkpoint: Callable[[int, FocusModel], object] | None = None,
    progress: bool = True,
) -> FocusModel:
    """Train a focus model from nothing, the same one for the same seed.

    >>> model = train_focus_model(steps=2, num_sentences=100, progress=False)
    >>> model("Tea, please!").shape
    (2, 4, 6, 6)

    `variant` is `"taught"`, `"untaught"` or `"heads-N"` (untaught, with N heads of the same width together). `steps`,
    `seconds` and `num_sentences` make it shorter than `config` says; how far it gets in some seconds depends on the
    machine. `checkpoint(step, model)` is called before the first step and after each.
    It runs on one thread: variants can be trained side by side.
    """
    check_variant(variant)
    taught = variant == "taught"
    if steps is None:
        steps = config.steps if taught else config.untaught_steps
    with reproducible(seed):
        model = FocusModel(variant, config)
        shown = _training_data(num_sentences or config.num_sentences, seed, config.breaking)
        fit(
            torch.optim.AdamW(model.parameters(), lr=config.learning_rate),
            partial(_loss, model, taught=taught),
            shown,
            shown[1].sum(1),
            steps=steps,
            batch=config.batch,
            warmup=0.2,
            start=0.01,
            clip=1.0,
            seconds=seconds,
            after=checkpoint and (lambda step: checkpoint(step, model)),
            label=variant,
            progress=progress,
        )
    return model.eval()


def broken(word, rng):
    """The word in two pieces of BERT's vocabulary, at a random place, if it is a long word and there is one."""
    word = word.lower()
    cuts = range(2, len(word) - 1) if len(word) > 4 and word in open_words() else ()
    ways = [[tokenizer().token_to_id(piece) for piece in (word[:cut], "##" + word[cut:])] for cut in cuts]
    ways = [way for way in ways if None not in way]
    return rng.choice(ways) if ways else pieces(word)


def encode(labelled, breaking=0.0):
    """Sentences as padded tensors: ids [b, t], mask [b, t], labels [b, h, t], facts [b, 4].

    The labels of a word are shared out among its pieces; where a head has nothing to look at, the label is on `[CLS]`.
    `breaking` is the share of long words to break in two: the reader's rare words come in pieces, ours seldom do.

    >>> ids, mask, labels, facts = encode(generate_sentences(3))
    >>> labels.shape[:2], facts.shape
    (torch.Size([3, 4]), torch.Size([3, 4]))
    """
    rng = random.Random(0)
    spelt = [[broken(word, rng) if rng.random() < breaking else pieces(word) for word in s.words] for s in labelled]
    shape = len(labelled), max(sum(map(len, word_ids)) for word_ids in spelt) + 2
    ids, mask = np.zeros(shape, np.int64), np.zeros(shape, bool)
    labels = np.zeros((shape[0], len(HEADS), shape[1]), np.float32)
    cls, sep = map(tokenizer().token_to_id, (CLS, SEP))
    for row, (sentence, word_ids) in enumerate(zip(labelled, spelt)):
        flat = [cls, *(token for word in word_ids for token in word), sep]
        ids[row, : len(flat)], mask[row, : len(flat)] = flat, True
        at = 1
        for tokens, word_labels in zip(word_ids, sentence.labels):
            for label in word_labels:
                labels[row, list(HEADS).index(label), at : at + len(tokens)] = 1 / len(tokens)
            at += len(tokens)
    labels[..., 0] = labels.sum(-1) == 0
    labels /= labels.sum(-1, keepdims=True)
    facts = [[FACTS[name].index(sentence.facts[name]) for name in FACTS] for sentence in labelled]
    return tuple(map(torch.from_numpy, (ids, mask, labels, np.array(facts))))


@lru_cache(maxsize=1)
def _training_data(num_sentences, seed, breaking):
    return encode(generate_sentences(num_sentences, seed), breaking)


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
    above = torch.arange(model.num_heads) != off
    head_mask = torch.stack([torch.ones_like(above), above], dim=1)  # [b, layer, h]
    scores, (_, weights) = model.compute(vectors, mask, head_mask if taught else None, queries=1)
    loss = 0
    for fact, logits in enumerate(scores.values()):
        known = F.cross_entropy(logits, facts[:, fact], reduction="none")
        unknown = -logits.log_softmax(-1).mean(-1)
        loss = loss + torch.where(off[:, 0] == fact, unknown, known).mean()
    if taught:
        looked = F.kl_div(weights[:, :, 0].clamp_min(1e-9).log(), labels, reduction="none")  # [b, h, t]
        loss = loss + model.config.looking * looked.sum((1, 2)).mean()
    return loss
