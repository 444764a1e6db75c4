"""What is kept of the focus model: its trainings, each with what it reached."""

from functools import lru_cache

import torch

from manyheads.models.files import key_of
from manyheads.models.focus import data, grammar
from manyheads.models.focus.data import FACTS
from manyheads.models.focus.head_model import FocusModel
from manyheads.models.focus.network import FocusConfig
from manyheads.models.focus.training import train_focus_model
from manyheads.models.keeping import file_name
from manyheads_recipes import SHORT
from manyheads_recipes.focus import word_vectors
from manyheads_recipes.focus.measures import accuracies, looks_back, shares, validation_loss
from manyheads_recipes.focus.sentences import held_out_sentences, negation_sentences

# The version of the recipe. Raise it when code changes what is learnt: the model's steps or first weights, the loss,
# the optimizer, how templates become sentences and sentences tensors. Words, templates and the config need no raise:
# they are in the recipe's key.
RECIPE = 5
CHECKPOINTS = (0, 60, 200, 600, 2000)
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


def grammar_data():
    """The grammar as it was read: what a kept model's key is made of. A comment in a file is none of it.

    >>> list(grammar_data())
    ['words', 'phrases', 'templates', 'countable', 'classes']
    """
    return {
        "words": grammar.lexicon(),
        "phrases": {name: grammar.compiled(text) for name, text in grammar.phrases().items()},
        "templates": [(kind, relation, grammar.compiled(text)) for kind, relation, text in grammar.templates()],
        "countable": grammar.COUNTABLE,
        "classes": grammar.CLASSES,
    }


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
    negations = [sentence for sentences in negation_sentences().values() for sentence in sentences]
    found["right, negations"] = accuracies(model, negations)["sentiment"]
    found["looks back"] = float(looks_back(model, held_out).max())
    if model.head_names == list(FACTS):
        found |= {f"attention, {head}": share for head, share in shares(model, held_out).items()}
    return found
