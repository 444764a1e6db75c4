"""Training of the focus model, from generated sentences."""

from functools import lru_cache, partial

import torch
from torch.nn import functional as F

from manyheads.models.files import key_of
from manyheads.models.focus import data, word_vectors
from manyheads.models.focus.data import FACTS, generate_sentences, held_out_sentences
from manyheads.models.focus.grammar import grammar_data
from manyheads.models.focus.head_model import FocusModel
from manyheads.models.focus.measures import accuracies, looks_back, shares
from manyheads.models.focus.network import FocusConfig
from manyheads.models.focus.tokens import encode
from manyheads.models.keeping import file_name
from manyheads.models.training import SHORT, check_variant, fit, reproducible

# The version of the recipe. Raise it when code changes what is learnt: the model's steps or first weights, the loss,
# the optimizer, how templates become sentences and sentences tensors. Words, templates and the config need no raise:
# they are in the recipe's key.
RECIPE = 4
CHECKPOINTS = (0, 30, 100, 300, 1000)
HEAD_COUNTS = (1, 2, 4, 8)
KEPT_JOBS = ("taught", "untaught", *(f"heads-{count}" for count in HEAD_COUNTS if count != 4))


@lru_cache
def recipe_key(config=FocusConfig()):
    """The key of what is learnt from: the recipe's version, the config, the word vectors and the sentences.

    >>> recipe_key() == recipe_key(FocusConfig(steps=1))
    False
    """
    return key_of(
        recipe=RECIPE,
        config=config,
        words=word_vectors.recipe_key(config),
        grammar=grammar_data(),
        facts=data.FACTS,
        heads=data.HEADS,
        shares=data.SHARES,
        closings=data.CLOSINGS,
        openings=data.OPENINGS,
    )


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


def train_kept(folder, job, *, seed=0, steps=None, progress=True):
    """Train what is kept of one training, and write it into a folder as float16; gives metrics by variant.

    `job` is `"taught"`, whose checkpoints are kept with it, `"untaught"`, which is `"heads-4"` as well, or another
    `"heads-N"`.
    """
    metrics = {}

    def keep(model, variant):
        model.variant = variant
        path = folder / file_name("focus", variant)
        model.save(path, torch.float16)
        metrics[variant] = _metrics(FocusModel.load(path))
        model.variant = job

    def checkpoint(step, model):
        if job == "taught" and step in CHECKPOINTS:
            keep(model, f"step-{step}")

    model = train_focus_model(job, seed=seed, steps=steps, checkpoint=checkpoint, progress=progress)
    for variant in ("untaught", "heads-4") if job == "untaught" else (job,):
        keep(model, variant)
    metrics[job][SHORT] = loss_after(40, job)
    return metrics


def loss_after(steps, job):
    """The summed cross-entropy of the four facts after a short training on few sentences: how the recipe learns."""
    return validation_loss(train_focus_model(job, steps=steps, num_sentences=500, progress=False), count=200)


def _metrics(model):
    """On held-out sentences: what is predicted rightly and, of taught heads, attention on the words they were shown."""
    held_out = held_out_sentences()
    found = {f"right, {fact}": share for fact, share in accuracies(model, held_out).items()}
    found["looks back"] = float(looks_back(model, held_out).max())
    if model.head_names == list(FACTS):
        found |= {f"attention, {head}": share for head, share in shares(model, held_out).items()}
    return found


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


def validation_loss(model, count=1000, seed=999):
    """Mean cross-entropy of the four facts in nats, summed, on validation sentences: of the same grammar, drawn anew.

    >>> import math
    >>> from manyheads.models.focus import load_focus_model
    >>> from manyheads.models.focus.data import FACTS
    >>> guessing = sum(math.log(len(labels)) for labels in FACTS.values())
    >>> validation_loss(load_focus_model(), count=100) < guessing / 4
    True
    """
    ids, mask, _, facts = encode(generate_sentences(count, seed))
    with torch.no_grad():
        scores, _ = model.compute(model.word_vectors(ids), mask, queries=1)
    return sum(F.cross_entropy(logits, facts[:, fact]).item() for fact, logits in enumerate(scores.values()))
