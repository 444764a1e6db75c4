"""The network of the focus model: a transformer of two layers, and four facts read from it.

`[CLS]` asks, and what its heads bring home predicts the facts.
"""

from dataclasses import dataclass

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, share_heads, silence_heads
from manyheads.models.composing import BIASES, through
from manyheads.models.focus.data import FACTS
from manyheads.reading.value_norms import rows_of


@dataclass(frozen=True)
class FocusConfig:
    """The constants of the focus model and of its training; a saved model carries its own in its header.

    >>> FocusConfig().hidden_width, FocusConfig(hidden_width=64).hidden_width
    (192, 64)
    """

    # What it reads.
    max_words: int = 64
    max_tokens: int = 128
    # Word vectors: how many dimensions are kept, and the step of their 8-bit codes (their spread is about 1).
    word_width: int = 160
    word_step: float = 0.9
    # The model.
    rotary_base: float = 10.0  # of layer 1, the only one that knows where words stand; small, since sentences are short
    hidden_width: int = 192  # of layer 1's feed-forward part
    attention_width: int = 64  # of the heads of a layer together
    layer_norm_eps: float = 1e-5
    # Training.
    num_sentences: int = 100_000
    steps: int = 16_000
    untaught_steps: int = 1000
    batch: int = 128
    learning_rate: float = 4e-3
    word_noise: float = 0.5
    breaking: float = 0.1  # the share of long words to break in two
    looking: float = 4.0  # what looking rightly counts beside knowing the facts


class FocusNetwork(nn.Module):
    """From word vectors to the scores of each fact's labels, and the attention weights on the way.

    >>> scores, (below, above) = FocusNetwork(num_heads=4).compute(torch.randn(2, 5, 160))
    >>> scores["sentiment"].shape, below.shape, above.shape
    (torch.Size([2, 3]), torch.Size([2, 4, 5, 5]), torch.Size([2, 4, 5, 5]))
    """

    num_layers = 2

    def __init__(self, num_heads: int, config: FocusConfig = FocusConfig()) -> None:
        super().__init__()
        self.num_heads, self.config, width = num_heads, config, config.word_width
        options = {"attention_dim": config.attention_width}
        self.first = MultiHeadAttention(width, num_heads, rotary_base=config.rotary_base, **options)
        self.after_first = nn.LayerNorm(width, config.layer_norm_eps)
        self.hidden = nn.Linear(width, config.hidden_width)
        self.mix = nn.Linear(config.hidden_width, width)
        self.before = nn.LayerNorm(width, config.layer_norm_eps)
        self.attention = MultiHeadAttention(width, num_heads, **options)
        self.after = nn.LayerNorm(width, config.layer_norm_eps)
        self.readouts = nn.ModuleDict({name: nn.Linear(width, len(labels)) for name, labels in FACTS.items()})

    def compute(self, word_vectors, mask=None, head_mask=None, queries=None):
        # [b, t, d], [b, t], [..., 2, h] -> {fact: [b, label]}, ([b, h, t, t], [b, h, q, t])
        """From word vectors to the scores of the labels and each layer's weights; `queries` ask in layer 2, else all.

        >>> from manyheads.models.focus import encode, load_focus_model
        >>> from manyheads.models.focus.data import generate_sentences
        >>> model, (ids, mask, *_) = load_focus_model(), encode(generate_sentences(2, seed=5))
        >>> scores, (below, above) = model.compute(model.word_vectors(ids), mask, queries=1)
        >>> scores["sentiment"].shape, above.shape[:3]
        (torch.Size([2, 3]), torch.Size([2, 4, 1]))

        Layer 1, whose heads nobody taught:

        1. `output, weights = MultiHeadAttention(word)`; queries and keys are turned by their positions (RoPE)
        2. `x = layer_norm(word + output)`
        3. `x = layer_norm(x + linear(relu(linear(x))))`

        Layer 2, whose heads were taught, and the answer:

        4. `output, weights = MultiHeadAttention(x)`
        5. `scores = readout(layer_norm(output of [CLS]))` for each fact; softmax makes them probabilities.

        Words meet in steps 1 and 4, the two attentions, and nowhere else.
        """
        inside = torch.ones(word_vectors.shape[:2], dtype=torch.bool) if mask is None else mask
        on = (None, None) if head_mask is None else head_mask.unbind(-2)
        x, below = self.states(word_vectors, inside, on[0])
        scores, above = self.answers(x, inside, on[1], queries)
        return scores, (below, above)

    def states(self, words, mask=None, head_mask=None):  # [..., t, d], [..., t], [..., h]
        """Steps 1 to 3 of `compute`: what the heads of layer 2 read, [..., t, d], and layer 1's weights."""
        _, (_, x), weights = self.added(words, mask, head_mask)
        return x, weights

    def added(self, words, mask=None, head_mask=None, mixes=True):  # [..., t, d], [..., t], [..., h], []
        """Steps 1 to 3: what attention and the feed-forward part add, the vectors after each, and the weights.

        The feed-forward part adds nothing unless it `mixes`.
        """
        inside = torch.ones(words.shape[:-1], dtype=torch.bool) if mask is None else mask
        output, weights = self.first(words, mask=inside[..., None, None, :], head_mask=head_mask)
        x = self.after_first(words + output)
        mixed = self.mix(F.relu(self.hidden(x))) * mixes
        return (output, mixed), (x, self.before(x + mixed)), weights

    def answers(self, x, mask=None, head_mask=None, queries=None):  # [..., t, d], [..., t], [..., h]
        """Steps 4 and 5 of `compute`: the scores of each fact's labels, and layer 2's weights."""
        inside = torch.ones(x.shape[:-1], dtype=torch.bool) if mask is None else mask
        output, weights = self.attention(x[..., :queries, :], x, mask=inside[..., None, None, :], head_mask=head_mask)
        home = self.after(output[..., 0, :])  # [..., d]
        return {name: readout(home) for name, readout in self.readouts.items()}, weights

    @torch.no_grad()
    def states_in_parts(self, words, head_mask=None):  # [t, d], [h] -> {part: [t, d]}
        """Steps 1 to 3 once more, as a sum over what was written, with both layer norms frozen at this sentence."""
        _, weights = self.first(words, mask=torch.ones(1, len(words), dtype=torch.bool))
        values = silence_heads(share_heads(self.first.project(words, words, words)[2], self.num_heads), head_mask)
        heads = weights @ values @ rows_of(self.first.output, self.num_heads)  # [h, t, d]
        parts = {"embedding": words} | {f"layer 1, head {head + 1}": part for head, part in enumerate(heads)}
        parts = through(self.after_first, parts | {BIASES: self.first.output.bias.expand(words.shape)})
        parts["layer 1, MLP"] = self.mix(F.relu(self.hidden(sum(parts.values()).float())))
        return through(self.before, parts)

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
