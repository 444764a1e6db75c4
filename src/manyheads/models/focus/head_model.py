"""The focus model: four heads that look at any English sentence, each at one thing (`data.py` says at what).

Word vectors are those of MiniLM (Wang et al. 2020, arXiv:2002.10957), reduced by PCA, kept in 8 bits and never trained.
There is one `MultiHeadAttention`; `[CLS]` asks, and what its heads bring home predicts four facts. *Taught* means that
each head is also shown which words to look at (a divergence between its attention and the labels, as in Strubell et
al. 2018, arXiv:1804.08199) and that a head which is turned off takes the knowledge of its own fact with it.
*Untaught* heads learn from the four facts alone.
"""

from dataclasses import asdict

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention
from manyheads.maps import AttentionMap
from manyheads.maps.value_norms import norms, rows_of
from manyheads.models.focus.config import FocusConfig
from manyheads.models.focus.data import FACTS, HEADS
from manyheads.models.focus.tokens import tokenize, tokenizer
from manyheads.models.focus.word_vectors import reduced_words
from manyheads.models.keeping import fill, kept_file, read_model, write_model


class FocusModel(nn.Module):
    """Four heads on one sentence: call it with a sentence and it gives the `AttentionMap`.

    >>> from manyheads import load_focus_model
    >>> model = load_focus_model()
    >>> attention = model("Which do you like better, coffee or tea?")
    >>> attention.shape  # layers, heads, queries, keys
    (1, 4, 12, 12)
    >>> attention.head_names
    ['sentence type', 'object', 'relation', 'sentiment']
    >>> max(attention.predictions["sentence type"], key=attention.predictions["sentence type"].get)
    'choice question'

    `head_mask` is one boolean per head, [h] or [layer, h]; False turns the head off. The first 64 words and 128 tokens
    are kept.
    Raises `TypeError` for a sentence that is not a string, `ValueError` for a head mask of another length.
    """

    num_layers = 1

    def __init__(self, variant="taught", config=FocusConfig()):
        super().__init__()
        word_codes, word_scale = reduced_words(config)
        self.variant, self.config = variant, config
        self.page_name = None  # what pages call it, such as `focus/heads-8`, if it is one of those that pages have
        self.num_heads = int(variant.removeprefix("heads-")) if variant.startswith("heads-") else len(HEADS)
        self.register_buffer("word_codes", word_codes, persistent=False)  # int8 [vocabulary, d]
        self.register_buffer("word_scale", word_scale, persistent=False)  # [d]
        width = len(word_scale)
        self.position = nn.Parameter(torch.zeros(config.positions, width))
        self.kind = nn.Linear(width, config.kind_width)
        self.near = nn.Linear((2 * config.reach + 1) * config.kind_width, config.mix_width)
        self.mix = nn.Linear(config.mix_width, width)
        self.before = nn.LayerNorm(width, config.layer_norm_eps)
        self.attention = MultiHeadAttention(width, self.num_heads, attention_dim=config.attention_width)
        self.after = nn.LayerNorm(width, config.layer_norm_eps)
        self.readouts = nn.ModuleDict({name: nn.Linear(width, len(labels)) for name, labels in FACTS.items()})

    @property
    def name(self):
        return self.page_name or "trained just now"

    @property
    def head_names(self):
        """The foci of heads that were taught them; `head 1`, `head 2`, ... for untaught ones."""
        taught = self.variant == "taught" or self.variant.startswith("step-")
        return list(HEADS.values()) if taught else [f"head {head + 1}" for head in range(self.num_heads)]

    @torch.no_grad()
    def forward(self, sentence, head_mask=None):
        ids, notes = tokenize(sentence, self.config)
        if head_mask is not None:
            head_mask = torch.as_tensor(np.asarray(head_mask))
            if head_mask.shape not in ((self.num_heads,), (1, self.num_heads)):
                raise ValueError(f"head_mask must have shape [{self.num_heads}], got {list(head_mask.shape)}")
            if head_mask.dtype != torch.bool:
                raise TypeError(f"head_mask must be boolean, got {head_mask.dtype}")
            head_mask = head_mask.reshape(1, -1)  # [b, h]
        vectors = self.word_vectors(torch.tensor([ids]))
        scores, weights = self.compute(vectors, head_mask=head_mask)
        predictions = {
            name: dict(zip(FACTS[name], scores[name][0].softmax(-1).tolist())) for name in FACTS if len(ids) > 2
        }
        tokens = [tokenizer().id_to_token(token) for token in ids]
        lengths = norms(self._values(vectors[0]), rows_of(self.attention.output, self.num_heads))[None].numpy()
        return AttentionMap(tokens, tokens, weights.numpy(), self.head_names, predictions, notes, value_norms=lengths)

    def word_vectors(self, ids):  # [b, t] -> [b, t, d]
        return self.word_codes[ids] * self.word_scale

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

    def logit_parts(self, sentence, _answer=""):
        """What each head adds to the logits of all labels, [label, h + 2], with the biases and the sum, and names."""
        parts = self.ledger(self._read(sentence)[2].flatten())
        names = {"labels": [list(label) for label in parts["labels"]], "headNames": self.head_names}
        return names | {"others": ["biases"], "parts": parts["parts"].numpy()}

    @torch.no_grad()
    def head_ledger(self, sentence, _answer=""):
        """The arrays and names of `manyheads.widgets.head_ledger.head_ledger`."""
        map, values, contexts = self._read(sentence)
        alone = 1 - torch.eye(self.num_heads, dtype=torch.float64)
        without = [self.ledger((contexts * mask[:, None]).flatten())["parts"][:, -1] for mask in alone]
        reading = self.ledger(contexts.flatten())["reading"].unflatten(0, (self.num_heads, -1))
        named = {"tokens": list(map.key_tokens), "notes": list(map.notes), "answered": bool(map.predictions)}
        arrays = {"without": torch.stack(without, dim=1), "weights": map.weights[0, :, 0], "says": values @ reading}
        return self.logit_parts(sentence) | named | arrays

    @torch.no_grad()
    def _read(self, sentence):  # -> map, values [h, k, d_v], contexts of [CLS] [h, d_v]
        map, (ids, _) = self(sentence), tokenize(sentence, self.config)
        values = self._values(self.word_vectors(torch.tensor(ids))).double()
        contexts = torch.tensor(map.weights[0, :, :1]).double() @ values
        return map, values, contexts[:, 0]

    def _values(self, word_vectors):  # [t, d] -> [h, t, d_v]
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

    def save(self, path, dtype=torch.float32):
        """Write the weights as safetensors; the header says what they are. Words have their own file.

        >>> from tempfile import TemporaryDirectory
        >>> from manyheads import load_focus_model
        >>> with TemporaryDirectory() as folder:
        ...     load_focus_model("untaught").save(f"{folder}/mine.safetensors")
        ...     FocusModel.load(f"{folder}/mine.safetensors").variant
        'untaught'
        """
        header = {
            "variant": self.variant,
            "name": _page_name(self.variant),
            "num_heads": self.num_heads,
            "head_names": self.head_names,
            "facts": FACTS,
            "config": asdict(self.config),
        }
        write_model(path, self, header, dtype)

    @classmethod
    def load(cls, path):
        """Read what `save` wrote; raises `ValueError` when a tensor is missing, extra or of another shape.

        >>> from manyheads.models.keeping import kept_file
        >>> FocusModel.load(kept_file("focus", "taught")).head_names
        ['sentence type', 'object', 'relation', 'sentiment']
        """
        header, config, tensors = read_model(path, "focus model", {"variant"}, FocusConfig)
        model = cls(header["variant"], config)
        fill(model, tensors, path)
        model.page_name = _page_name(model.variant)
        return model.eval()


def load_focus_model(variant="taught"):
    """Load a trained variant: taught, untaught, heads-1|2|4|8, step-0|30|100|300|1000.

    >>> load_focus_model("heads-8").num_heads
    8

    Raises `ValueError` for another variant, and for a file that isn't the one we trained.
    """
    return FocusModel.load(kept_file("focus", variant))


def _page_name(variant):
    return "focus" if variant == "taught" else f"focus/{variant}"
