"""What a note claims of the heads of a translator, measured: on held-out sentences, for every head of cross-attention.

A claim is tried at its places: French words that would have another form, or another place, if the translator missed
what the claim is about. The form that would be wrong is the word's rival. Two things are measured there, while the
French words before are the right ones: how much of a head's attention is on the English word in question, and how
often the right word is likelier than its rival.
"""

from dataclasses import dataclass
from functools import lru_cache

import torch

from manyheads.models.translator.sentences import HEADS, generate
from manyheads.models.translator.tokens import encode

# The note's three claims and, beside them, agreement with the noun, by the label of the word in question.
CLAIMS = {
    "subject": "subject with verb",
    "antecedent": "pronoun with its noun",
    "word": "where the orders differ",
    "noun": "article or adjective with its noun",
}


@dataclass(frozen=True)
class Trial:
    """Sentences as tensors, and the places of each claim in them."""

    sources: torch.Tensor  # [b, k]
    targets: torch.Tensor  # [b, q + 1]
    places: dict  # claim -> rows, queries, keys, the right words and their rivals, each [n]


@lru_cache(maxsize=1)
def held_out_sentences(count=600):
    """Sentences of which each holds something that training never said.

    >>> from manyheads.models.translator.sentences import is_held_out
    >>> all(any(map(is_held_out, sentence.combinations)) for sentence in held_out_sentences())
    True
    """
    return generate(count, seed=77, held_out=True)


def trial(translator, sentences):
    """The claims' places in some sentences, but for those with a French form that training never said."""
    sentences = [sentence for sentence in sentences if {*sentence.french} <= {*translator.french}]
    sources, targets, _ = encode(sentences, translator.english, translator.french)
    number = {word: place for place, word in enumerate(translator.french)}
    places = {claim: [] for claim in CLAIMS}
    for row, sentence in enumerate(sentences):
        for query, rivals in enumerate(sentence.rivals):
            for claim, wrong in rivals.items():
                if wrong in number:
                    key = sentence.looks[query][HEADS.index(claim)]
                    places[claim].append((row, query, key, number[sentence.french[query]], number[wrong]))
    return Trial(sources, targets, {claim: torch.tensor(found).T for claim, found in places.items()})


@torch.no_grad()
def _computed(translator, tried, off):
    mask = (tried.sources > 0)[:, None, None]
    memory, _ = translator.network.encode(tried.sources, mask, off)
    logits, _, cross = translator.network.decode(tried.targets[:, :-1], memory, mask, off)
    return logits, torch.stack(cross, dim=1)  # [b, q, word], [b, layer, h, q, k]


def looked(translator, tried):
    """How much of each head's attention is on the word in question, on average: claim -> [layer, h].

    >>> from manyheads import load_translator
    >>> translator = load_translator()
    >>> looked(translator, trial(translator, held_out_sentences()))["subject"].shape
    torch.Size([2, 4])
    """
    _, weights = _computed(translator, tried, None)
    shares = {}
    for claim, (rows, queries, keys, *_) in tried.places.items():
        shares[claim] = weights[rows, :, :, queries, keys].mean(0)  # [layer, h]
    return shares


def right(translator, tried, head=None):
    """How often the right word beats its rival, with all heads or with one of the last layer's cross-attention off.

    >>> from manyheads import load_translator
    >>> translator = load_translator()
    >>> 0.9 < right(translator, trial(translator, held_out_sentences()))["subject"] <= 1
    True
    """
    off = None
    if head is not None:
        cross = torch.ones(translator.config.layers, translator.num_heads, dtype=torch.bool)
        cross[-1, head] = False
        off = {"cross": cross}
    logits, _ = _computed(translator, tried, off)
    shares = {}
    for claim, (rows, queries, _, words, wrong) in tried.places.items():
        wins = logits[rows, queries, words] > logits[rows, queries, wrong]
        shares[claim] = wins.float().mean().item()
    return shares


def exact(translator, sentences, off=None):
    """The share of sentences whose French is exactly the right one.

    >>> from manyheads import load_translator
    >>> exact(load_translator(), held_out_sentences()[:50]) > 0.9
    True
    """
    found = translator.batch([list(sentence.english) for sentence in sentences], off)
    return sum(tuple(words) == sentence.french for words, sentence in zip(found, sentences)) / len(sentences)
