"""How well the focus model does: shares, accuracies, and what is lost when a head is off."""

import numpy as np
import torch
from torch.nn import functional as F

from manyheads.models.focus.data import FACTS, HEADS, generate_sentences
from manyheads.models.focus.tokens import CLS, SEP, pieces
from manyheads.models.focus.training import encode


def focus_shares(model, labelled):
    """How much of each head's attention from `[CLS]` is on the words of each focus: float `[head, focus]`.

    >>> from manyheads import load_focus_model
    >>> from manyheads_recipes.focus.sentences import held_out_sentences
    >>> focus_shares(load_focus_model("heads-2"), held_out_sentences()).shape
    (2, 4)

    `[CLS]` and `[SEP]` are left out and the rest is made to sum to 1. Averaged over the sentences that have any word of
    that focus; NaN where none has.
    """
    found = {label: [] for label in HEADS}
    for sentence in labelled:
        attention = model(sentence.text)
        inside = np.array([token not in (CLS, SEP) for token in attention.key_tokens])
        weights = attention.weights[-1, :, 0, inside].T  # [h, k]: numpy puts the masked axis first
        for label, averaged in found.items():
            right = token_labels(sentence, label)
            if right.any():
                averaged.append(weights[:, right].sum(1) / weights.sum(1))
    none = np.full(model.num_heads, np.nan)
    return np.array([np.mean(averaged, axis=0) if averaged else none for averaged in found.values()]).T


def shares(model, labelled):
    """Each taught head's attention from `[CLS]` on the words it was taught to look at; see `focus_shares`.

    >>> from manyheads import load_focus_model
    >>> from manyheads_recipes.focus.sentences import held_out_sentences
    >>> shares(load_focus_model(), held_out_sentences())["sentence type"] >= 0.95
    True
    """
    return dict(zip(FACTS, focus_shares(model, labelled).diagonal().tolist()))


def rests(model, labelled):
    """Each head's attention on `[CLS]` itself, averaged over the sentences without any word for that head.

    >>> from manyheads import load_focus_model
    >>> from manyheads_recipes.focus.sentences import held_out_sentences
    >>> rests(load_focus_model(), held_out_sentences())["sentiment"] > 0.8
    True

    A head for which every sentence has a word gets None.
    """
    found = {name: [] for name in HEADS.values()}
    for sentence in labelled:
        attention = model(sentence.text)
        for head, (label, name) in enumerate(HEADS.items()):
            if not token_labels(sentence, label).any():
                found[name].append(attention.weights[-1, head, 0, 0])
    return {name: float(np.mean(values)) if values else None for name, values in found.items()}


def looks_back(model, labelled):
    """How much of its attention each head of layer 1 gives to the token before, on average: float `[head]`.

    >>> from manyheads import load_focus_model
    >>> from manyheads_recipes.focus.sentences import held_out_sentences
    >>> bool(looks_back(load_focus_model(), held_out_sentences()).max() > 0.3)
    True

    Every token of a sentence asks but `[CLS]` and `[SEP]`.
    """
    back = []
    for sentence in labelled:
        weights = model(sentence.text).weights[0]  # [h, q, k]
        back += [weights[:, query, query - 1] for query in range(1, weights.shape[1] - 1)]
    return np.mean(back, axis=0)


# As the tokenizer leaves them: of "isn't" a "t".
NEGATIONS = (
    *("barely", "cannot", "hardly", "neither", "never", "no", "nobody"),
    *("none", "not", "nothing", "scarcely", "t", "without"),
)


def finds_negations(model, labelled):
    """How much attention each head of layer 1 gives from a judging word to a negation, on average: float `[head]`.

    >>> from manyheads import load_focus_model
    >>> from manyheads_recipes.focus.sentences import negation_sentences
    >>> bool(finds_negations(load_focus_model(), negation_sentences()["nothing and nobody"]).max() > 0.5)
    True

    Of each sentence the largest such weight counts; one without a judging word or a negation doesn't.
    """
    found = []
    for sentence in labelled:
        attention = model(sentence.text)
        tokens = np.array(attention.key_tokens[1:-1])
        denies = np.isin(tokens, NEGATIONS)
        judges = token_labels(sentence, "S") & ~denies & (tokens != "really")
        if denies.any() and judges.any():
            found.append(attention.weights[0, :, 1:-1, 1:-1][:, judges][:, :, denies].max((1, 2)))
    return np.mean(found, axis=0)


def token_labels(sentence, label):
    """Which of the sentence's tokens carry the label; each piece of a word carries the labels of the word.

    >>> from manyheads_recipes.focus.sentences import parse
    >>> token_labels(parse("statement, animal, state, neutral: The otters/O swim/R ./T"), "O")
    array([False,  True,  True, False, False])
    """
    return np.array([label in labels for word, labels in zip(sentence.words, sentence.labels) for _ in pieces(word)])


def accuracies(model, labelled, head_mask=None):
    """The part of the sentences whose fact the model predicts rightly, for each of the four facts.

    >>> from manyheads import load_focus_model
    >>> from manyheads_recipes.focus.sentences import held_out_sentences
    >>> accuracies(load_focus_model(), held_out_sentences())["sentence type"] >= 0.9
    True
    """
    right = {name: 0 for name in FACTS}
    for sentence in labelled:
        for name, probabilities in model(sentence.text, head_mask).predictions.items():
            right[name] += max(probabilities, key=probabilities.get) == sentence.facts[name]
    return {name: count / len(labelled) for name, count in right.items()}


def ablation(model, labelled):
    """The accuracy lost for each fact (columns) when one head is off (rows): float `[head, fact]`.

    >>> from manyheads import load_focus_model
    >>> from manyheads_recipes.focus.sentences import held_out_sentences
    >>> ablation(load_focus_model(), held_out_sentences()).argmax(1)
    array([0, 1, 2, 3])
    """
    whole = np.array(list(accuracies(model, labelled).values()))
    heads = np.eye(model.num_heads, dtype=bool)
    return np.array([whole - list(accuracies(model, labelled, ~head).values()) for head in heads])


def validation_loss(model, count=1000, seed=999):
    """Mean cross-entropy of the four facts in nats, summed, on validation sentences: of the same grammar, drawn anew.

    >>> import math
    >>> from manyheads.models.focus import load_focus_model
    >>> guessing = sum(math.log(len(labels)) for labels in FACTS.values())
    >>> validation_loss(load_focus_model(), count=100) < guessing / 4
    True
    """
    ids, mask, _, facts = encode(generate_sentences(count, seed))
    with torch.no_grad():
        scores, _ = model.compute(model.word_vectors(ids), mask, queries=1)
    return sum(F.cross_entropy(logits, facts[:, fact]).item() for fact, logits in enumerate(scores.values()))
