"""The translator: an encoder and a decoder (Vaswani et al. 2017, arXiv:1706.03762, section 3) of our own blocks.

The encoder's words look at each other. The decoder writes one French word after the other: its words look at those
before them (causal self-attention) and at the English words (cross-attention).
"""

import math
from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import AttentionBlock, causal_mask

PAD, START, END = "<pad>", "<s>", "</s>"
MARKS = (PAD, START, END)  # the first words of both vocabularies


@dataclass(frozen=True)
class TranslatorConfig:
    """The constants of the translator and of its training; a saved one carries its own in its header.

    >>> TranslatorConfig().layers, TranslatorConfig(width=32).width
    (2, 32)
    """

    # The model.
    layers: int = 2  # of the encoder and of the decoder
    width: int = 80
    hidden: int = 304  # of the feed-forward layers
    positions: int = 24  # words of a sentence, the mark of its end included
    # Training.
    num_sentences: int = 80_000
    steps: int = 4200
    batch: int = 64
    learning_rate: float = 4e-3
    weight_decay: float = 0.1  # without it, words of one kind are mixed up in sentences that training never showed
    looking: float = 0.5  # what looking rightly counts beside saying the right word


class FeedForward(nn.Module):
    """Two linear layers with a ReLU between them, the input added again, layer norm: section 3.3."""

    def __init__(self, width, hidden):
        super().__init__()
        self.into = nn.Linear(width, hidden)
        self.out = nn.Linear(hidden, width)
        self.norm = nn.LayerNorm(width)

    def forward(self, x):  # [..., t, d] -> [..., t, d]
        return self.norm(x + self.out(F.relu(self.into(x))))


class EncoderLayer(nn.Module):
    def __init__(self, width, hidden, num_heads):
        super().__init__()
        self.self_attention = AttentionBlock(width, num_heads, dropout=0)
        self.forward_layer = FeedForward(width, hidden)

    def forward(self, x, mask=None, head_mask=None):  # [..., k, d] -> [..., k, d], [..., h, k, k]
        x, weights = self.self_attention(x, mask=mask, head_mask=head_mask)
        return self.forward_layer(x), weights


class DecoderLayer(nn.Module):
    def __init__(self, width, hidden, num_heads):
        super().__init__()
        self.self_attention = AttentionBlock(width, num_heads, dropout=0)
        self.cross_attention = AttentionBlock(width, num_heads, dropout=0)
        self.forward_layer = FeedForward(width, hidden)

    def forward(self, x, memory, mask=None, own_heads=None, cross_heads=None):
        # [..., q, d], [..., k, d] -> [..., q, d], [..., h, q, q], [..., h, q, k]
        x, own = self.self_attention(x, mask=causal_mask(x.shape[-2]), head_mask=own_heads)
        x, cross = self.cross_attention(x, memory, mask=mask, head_mask=cross_heads)
        return self.forward_layer(x), own, cross


def sinusoids(positions, width):  # -> [t, d]
    """Where a word stands, as sines and cosines of different lengths: section 3.5.

    >>> sinusoids(5, 4)[0].tolist()
    [0.0, 0.0, 1.0, 1.0]
    """
    rates = torch.exp(-math.log(10000) * torch.arange(0, width, 2) / width)
    angles = torch.arange(positions)[:, None] * rates
    return torch.cat([angles.sin(), angles.cos()], dim=-1)


def word_vectors(words, width):
    """A vector for each word, drawn so short that it can also score the words that may come next: section 3.4."""
    vectors = nn.Embedding(words, width)
    nn.init.normal_(vectors.weight, std=1 / math.sqrt(width))
    return vectors


def placed(vectors, positions):  # [..., t, d], [longest, d] -> [..., t, d]
    """Words' vectors at the length that layers expect, with where the words stand: sections 3.4 and 3.5."""
    return math.sqrt(vectors.shape[-1]) * vectors + positions[: vectors.shape[-2]]


class EncoderDecoder(nn.Module):
    """The network alone, from numbers to numbers."""

    def __init__(self, english, french, num_heads, config=TranslatorConfig()):
        super().__init__()
        width, hidden = config.width, config.hidden
        self.english = word_vectors(english, width)
        self.french = word_vectors(french, width)
        self.english_position = nn.Parameter(sinusoids(config.positions, width))
        self.french_position = nn.Parameter(sinusoids(config.positions, width))
        self.encoder = nn.ModuleList(EncoderLayer(width, hidden, num_heads) for _ in range(config.layers))
        self.decoder = nn.ModuleList(DecoderLayer(width, hidden, num_heads) for _ in range(config.layers))
        self.bias = nn.Parameter(torch.zeros(french))  # of the scores

    def encode(self, ids, mask=None, off=None):  # [b, k] -> [b, k, d], layers × [b, h, k, k]
        x, maps = placed(self.english(ids), self.english_position), []
        for number, layer in enumerate(self.encoder):
            x, weights = layer(x, mask, heads(off, "english", number))
            maps.append(weights)
        return x, maps

    def decode(self, ids, memory, mask=None, off=None):
        # [b, q], [b, k, d] -> [b, q, word], layers × [b, h, q, q], layers × [b, h, q, k]
        x, own_maps, cross_maps = placed(self.french(ids), self.french_position), [], []
        for number, layer in enumerate(self.decoder):
            own_heads, cross_heads = heads(off, "french", number), heads(off, "cross", number)
            x, own, cross = layer(x, memory, mask, own_heads, cross_heads)
            own_maps.append(own)
            cross_maps.append(cross)
        return F.linear(x, self.french.weight, self.bias), own_maps, cross_maps  # the same vectors say the next word


def heads(off, part, layer):
    """The head mask of one layer of one part, where any is given."""
    return None if off is None or part not in off else off[part][layer]


def padded(rows):  # lists of numbers -> [b, t]
    """Lists of different lengths as one tensor.

    >>> padded([[1, 2], [3]]).tolist()
    [[1, 2], [3, 0]]
    """
    return nn.utils.rnn.pad_sequence([torch.as_tensor(row) for row in rows], batch_first=True)
