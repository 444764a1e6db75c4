"""What single heads do for the words that come next, measured: labelled prompts, and random tokens said twice."""

import json
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import torch

from manyheads.models.decoder.head_model import INDUCTION_HEADS
from manyheads.models.registry import HeadModel

COPY = 30  # tokens that are said twice


@dataclass(frozen=True)
class Prompt:
    """A text, the word that should come next, and which kind of question it is.

    >>> prompts()[0]
    Prompt(kind='capital', text='The capital of France is', answer=' Paris')
    """

    kind: str
    text: str
    answer: str


@cache
def prompts():
    """The labelled prompts, twelve capitals, twelve opposites, eight with two names, eight with a name made up.

    >>> len(prompts())
    40
    """
    path = Path(__file__).parent / "data" / "prompts.json"
    return [Prompt(**row) for row in json.loads(path.read_text(encoding="utf-8"))]


def other_heads(model: HeadModel, seed):
    """As many other heads as there are in `INDUCTION_HEADS`, as many of each layer, drawn by a seed.

    >>> from manyheads.models.registry import load_model
    >>> others = other_heads(load_model("decoder"), seed=1)
    >>> sorted(layer for layer, _ in others) == sorted(layer for layer, _ in INDUCTION_HEADS)
    True
    """
    draw = np.random.default_rng(seed)
    found = []
    for layer in sorted({layer for layer, _ in INDUCTION_HEADS}):
        of_layer = {head for other, head in INDUCTION_HEADS if other == layer}
        rest = [head for head in range(model.num_heads) if head not in of_layer]
        found += [(layer, int(head)) for head in draw.choice(rest, len(of_layer), replace=False)]
    return found


def answered(decoder, asked, head_mask=None, hidden=()):
    """For each prompt the probability of its answer, and whether no other token is likelier: float [n], bool [n].

    Of an answer of several tokens, the first counts.
    """
    answers = [decoder.read(prompt.answer)[0][0] for prompt in asked]
    chances, right = np.zeros(len(asked)), np.zeros(len(asked), dtype=bool)
    for places, ids in _of_one_length(decoder, asked):
        scores, _, _ = decoder.run(ids, head_mask=head_mask, hidden=hidden)
        for place, row in zip(places, scores[:, -1].softmax(-1)):
            chances[place] = row[answers[place]]
            right[place] = row.argmax() == answers[place]
    return chances, right


def lead(decoder, prompt, head_mask=None):
    """How much likelier a prompt's answer is than any other token: below zero where another is likelier.

    >>> from manyheads import load_decoder
    >>> lead(load_decoder(), prompts()[0]) > 0.5
    True
    """
    scores, _, _ = decoder.run(decoder.read(prompt.text)[0], head_mask=head_mask)
    chances, answer = scores[-1].softmax(-1), decoder.read(prompt.answer)[0][0]
    chance = chances[answer].item()
    chances[answer] = 0
    return chance - chances.max().item()


@contextmanager
def at_their_mean(decoder, heads, asked):
    """While this lasts, some heads, given as (layer, head), say at every token what they say on average in the prompts.

    This asks what is lost when a head no longer says anything about *this* text, and leaves later layers what they are
    used to; a head that is off says zero, which they aren't.
    """
    contexts = {head: [] for head in heads}
    with _before_output(decoder, heads, lambda head, part: contexts[head].append(part.flatten(0, -2))):
        answered(decoder, asked)
    means = {head: torch.cat(parts).mean(0) for head, parts in contexts.items()}
    with _before_output(decoder, heads, lambda head, part: part.copy_(means[head])):
        yield


@contextmanager
def _before_output(decoder, heads, change):
    """Calls `change(head, its context [..., t, d])` before the layer's W^O mixes the heads."""

    def hook(layer):
        def change_all(_module, inputs):
            context = inputs[0].clone()
            for head in heads:
                if head[0] == layer:
                    change(head, context.unflatten(-1, (decoder.num_heads, -1))[..., head[1], :])
            return (context,)

        return change_all

    outputs = {layer: decoder.model.layers[layer].attention.output for layer, _ in heads}
    hooks = [output.register_forward_pre_hook(hook(layer)) for layer, output in outputs.items()]
    try:
        yield
    finally:
        for each in hooks:
            each.remove()


def attention_to(decoder, asked, key, hidden=()):
    """The mean share of attention that a token gets from those after it, over heads and prompts."""
    shares = []
    for _, ids in _of_one_length(decoder, asked):
        _, maps, _ = decoder.run(ids, hidden=hidden, need_weights=True)  # [n, layer, h, q, k]
        shares += maps[..., key + 1 :, key].flatten(1).mean(-1).tolist()
    return float(np.mean(shares))


def _of_one_length(decoder, asked):
    """Prompts of as many tokens, which can be computed together: their places, and their tokens [n, t]."""
    texts = [decoder.read(prompt.text)[0] for prompt in asked]
    for length in sorted({len(ids) for ids in texts}):
        places = [place for place, ids in enumerate(texts) if len(ids) == length]
        yield places, [texts[place] for place in places]


def said_twice(count, seed=0):
    """Random tokens, and the same again: int [count, 2 * COPY].

    >>> said_twice(3).shape
    torch.Size([3, 60])
    """
    tokens = np.random.default_rng(seed).integers(17, 49152, (count, COPY))  # the first 17 mark places
    return torch.from_numpy(np.tile(tokens, 2))


def surprise(decoder, texts, head_mask=None):
    """The mean loss on the first copy and on the second, whose first token nobody can know: float [n], float [n]."""
    losses = decoder.losses(texts, head_mask)  # [n, 2 * COPY - 1]: of each token but the first
    return losses[:, : COPY - 1].mean(-1), losses[:, COPY:].mean(-1)
