"""The network of the focus model: words with their neighbours, one `MultiHeadAttention`, four facts.

`[CLS]` asks, and what its heads bring home predicts the facts.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention
from manyheads.models.focus.data import FACTS


@dataclass(frozen=True)
class FocusConfig:
    """The constants of the focus model and of its training; a saved model carries its own in its header.

    >>> FocusConfig().reach, FocusConfig(reach=2).reach
    (3, 2)
    """

    # What it reads.
    max_words: int = 64
    max_tokens: int = 128
    # Word vectors: how many dimensions are kept, and the step of their 8-bit codes (their spread is about 1).
    word_width: int = 160
    word_step: float = 0.9
    # The model.
    positions: int = 32  # the last is for all positions from there on
    kind_width: int = 64  # what is kept of a word for its neighbours
    reach: int = 3  # how many words away it is heard
    mix_width: int = 128
    attention_width: int = 64
    layer_norm_eps: float = 1e-5
    # Training.
    num_sentences: int = 50_000
    steps: int = 3000
    untaught_steps: int = 1000
    batch: int = 128
    learning_rate: float = 4e-3
    word_noise: float = 0.5
    breaking: float = 0.1  # the share of long words to break in two
    looking: float = 2.0  # what looking rightly counts beside knowing the facts


class FocusNetwork(nn.Module):
    """From word vectors to the scores of each fact's labels, and the attention weights on the way.

    >>> scores, weights = FocusNetwork(num_heads=4).compute(torch.randn(2, 5, 160))
    >>> scores["sentiment"].shape, weights.shape
    (torch.Size([2, 3]), torch.Size([2, 4, 5, 5]))
    """

    num_layers = 1

    def __init__(self, num_heads, config=FocusConfig()):
        super().__init__()
        self.num_heads, self.config, width = num_heads, config, config.word_width
        self.position = nn.Parameter(torch.zeros(config.positions, width))
        self.kind = nn.Linear(width, config.kind_width)
        self.near = nn.Linear((2 * config.reach + 1) * config.kind_width, config.mix_width)
        self.mix = nn.Linear(config.mix_width, width)
        self.before = nn.LayerNorm(width, config.layer_norm_eps)
        self.attention = MultiHeadAttention(width, num_heads, attention_dim=config.attention_width)
        self.after = nn.LayerNorm(width, config.layer_norm_eps)
        self.readouts = nn.ModuleDict({name: nn.Linear(width, len(labels)) for name, labels in FACTS.items()})

    def compute(self, word_vectors, mask=None, head_mask=None, queries=None):
        # [b, t, d], [b, t], [b, h] -> {fact: [b, label]}, [b, h, q, k]
        """From word vectors to the scores of the labels and the attention weights; only the first `queries` ask.

        >>> from manyheads.models.focus import encode, load_focus_model
        >>> from manyheads.models.focus.data import generate_sentences
        >>> model, (ids, mask, *_) = load_focus_model(), encode(generate_sentences(2, seed=5))
        >>> scores, weights = model.compute(model.word_vectors(ids), mask, queries=1)
        >>> scores["sentiment"].shape, weights.shape[:3]
        (torch.Size([2, 3]), torch.Size([2, 4, 1]))

        1. `x = word + position`; every position from the 32nd on has the same vector.
        2. `kind = relu(linear(x))`: what sort of word it is, in 64 numbers.
        3. `near = relu(linear(kinds of the words from three back to three ahead))`; beyond the ends there are zeros.
        4. `x = layer_norm(x + linear(near))`
        5. `output, weights = MultiHeadAttention(x)`
        6. `scores = readout(layer_norm(output of [CLS]))` for each fact; softmax makes them probabilities.

        Attention sees each word on its own; steps 2 to 4 let it know its neighbours, so that "like" can be the verb in
        "I like tea" and the preposition in "a voice like silk".
        """
        inside = torch.ones(word_vectors.shape[:2], dtype=torch.bool) if mask is None else mask
        x = self.states(word_vectors, inside)
        output, weights = self.attention(x[:, :queries], x, mask=inside[:, None, None], head_mask=head_mask)
        home = self.after(output[:, 0])  # [b, d]
        return {name: readout(home) for name, readout in self.readouts.items()}, weights

    def states(self, word_vectors, mask=None):  # [..., t, d], [..., t] -> [..., t, d]
        """Steps 1 to 4 of `compute`: what the heads read."""
        length, reach = word_vectors.shape[-2], self.config.reach
        inside = torch.ones(word_vectors.shape[:-1], dtype=torch.bool) if mask is None else mask
        positions = torch.arange(length).clamp(max=self.config.positions - 1)
        x = (word_vectors + self.position[positions]) * inside[..., None]  # [..., t, d]
        kinds = F.relu(self.kind(x)) * inside[..., None]  # [..., t, kind]
        kinds = F.pad(kinds, (0, 0, reach, reach))  # [..., t + 6, kind]
        window = torch.cat([kinds[..., start : start + length, :] for start in range(2 * reach + 1)], -1)
        return self.before(x + self.mix(F.relu(self.near(window))))

    def values(self, word_vectors):  # [t, d] -> [h, t, d_v]
        words = self.states(word_vectors)
        return self.attention.project(words, words, words)[2]

    @torch.no_grad()
    def ledger(
        self, concat
    ):  # [h * d_v] -> {"reading": [h * d_v, label], "parts": [label, h + 2], "answer": [label, 1]}
        """What each head brings to the logit of each label: `concat` are the heads' outputs for [CLS], side by side.

        >>> from manyheads import load_focus_model
        >>> ledger = load_focus_model().ledger(torch.randn(64))
        >>> ledger["labels"][0], ledger["parts"].shape
        (('sentence type', 'statement'), torch.Size([19, 6]))

        W^O, the layer norm and the readout, multiplied, are `reading`. They are one matrix because the layer norm's
        only step that isn't linear, the division by the spread, is frozen at the spread of this sentence. `parts` has
        a column for each head, one for the biases, and their sum, the logit; `answer` has the softmax over the labels
        of a fact.
        All are float64.
        """
        concat, Wo, bo = concat.double(), self.attention.output.weight.T.double(), self.attention.output.bias.double()
        readouts = self.readouts.values()
        output = concat @ Wo + bo
        gain = self.after.weight.double() / (output.var(unbiased=False) + self.after.eps).sqrt()  # [d]
        labels = torch.cat([readout.weight for readout in readouts]).double().T  # [d, label]
        reading = (Wo - Wo.mean(-1, keepdim=True)) * gain @ labels
        bias = torch.cat([readout.bias for readout in readouts])
        rest = ((bo - bo.mean()) * gain + self.after.bias) @ labels + bias
        heads = (concat[:, None] * reading).unflatten(0, (self.num_heads, -1)).sum(1)  # [h, label]
        logits = heads.sum(0) + rest
        shares = [part.softmax(0) for part in logits.split([len(readout.bias) for readout in readouts])]
        return {
            "labels": [(fact, label) for fact, labels in FACTS.items() for label in labels],
            "reading": reading,
            "parts": torch.stack([*heads, rest, logits], dim=1),
            "answer": torch.cat(shares)[:, None],
        }
