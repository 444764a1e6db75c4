"""The focus model: four heads that look at any English sentence, each at one thing (`data.py` says at what).

They are layer 2 of a small transformer; the heads of layer 1, below them, learn what helps them. `network.py` has it.

Word vectors are those of MiniLM (Wang et al. 2020, arXiv:2002.10957), reduced by PCA, kept in 8 bits and never trained.
*Taught* means that each head is also shown which words to look at (a divergence between its attention and the labels,
as in Strubell et al. 2018, arXiv:1804.08199) and that a head which is turned off takes the knowledge of its own fact
with it. *Untaught* heads learn from the four facts alone.
"""

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict
from functools import partial
from typing import Any

import torch
from numpy.typing import ArrayLike

from manyheads.attention import MultiHeadAttention, causal_mask, share_heads
from manyheads.defaults import new_tensors, where_it_is
from manyheads.inputs import checked_heads
from manyheads.maps import AttentionMap
from manyheads.models.composing import BIASES, checked_places
from manyheads.models.focus.data import FACTS, HEADS
from manyheads.models.focus.kinds import KINDS, look_only, with_kind
from manyheads.models.focus.network import FocusConfig, FocusNetwork
from manyheads.models.focus.tokens import tokenize, tokenizer
from manyheads.models.focus.word_vectors import reduced_words
from manyheads.models.keeping import fill, kept_file, kept_files, read_model, write_model
from manyheads.models.machine import Lens, Machine, checked_parts, norms_of, part_names, sizes_of
from manyheads.models.pretrained import pretrained_file
from manyheads.reading.value_norms import norms, rows_of


@where_it_is
class FocusModel(Lens, FocusNetwork):
    """Two layers of four heads on one sentence: call it with a sentence and it gives the `AttentionMap`.

    >>> from manyheads import load_focus_model
    >>> model = load_focus_model()
    >>> attention = model("Which do you like better, coffee or tea?")
    >>> attention.shape  # layers, heads, queries, keys
    (2, 4, 12, 12)
    >>> attention.head_title(0, 0), attention.head_title(1, 0)
    ('layer 1, head 1', 'layer 2, sentence type')
    >>> max(attention.predictions["sentence type"], key=attention.predictions["sentence type"].get)
    'choice question'

    The heads of layer 2 were taught, those of layer 1 were not: `head_names` are layer 2's.

    `head_mask` is one boolean per head, [layer, h], or [h] for layer 2; False turns the head off. The first 64 words
    and 128 tokens are kept. Raises `TypeError` for a sentence that is not a string, `ValueError` for a head mask of
    another shape.
    """

    named_layer = 1  # whose heads are taught, and named
    __call__: Callable[..., AttentionMap]  # of nn.Module, which calls `forward`

    def __init__(self, variant: str = "taught", config: FocusConfig = FocusConfig()) -> None:
        super().__init__(int(variant.removeprefix("heads-")) if variant.startswith("heads-") else len(HEADS), config)
        self.variant = variant
        self.page_name = None  # what pages call it, such as `focus/heads-8`, if it is one of those that pages have
        word_codes, word_scale = reduced_words(config)
        self.register_buffer("word_codes", word_codes, persistent=False)  # int8 [vocabulary, d]
        self.register_buffer("word_scale", word_scale, persistent=False)  # [d]

    @property
    def name(self) -> str:
        return self.page_name or "trained just now"

    @property
    def head_names(self) -> list[str]:
        """Of layer 2: the foci of heads that were taught them; `head 1`, `head 2`, ... for untaught ones."""
        taught = self.variant == "taught" or self.variant.startswith("step-")
        return list(HEADS.values()) if taught else [f"head {head + 1}" for head in range(self.num_heads)]

    @torch.no_grad()
    def forward(self, sentence: str, head_mask: ArrayLike | None = None) -> AttentionMap:
        ids, notes = tokenize(sentence, self.config)
        vectors = self.word_vectors(torch.tensor([ids]))
        below, above = self._checked(head_mask)
        x, first = self.states(vectors, head_mask=below)
        scores, second = self.answers(x, head_mask=above)
        predictions = {
            name: dict(zip(FACTS[name], scores[name][0].softmax(-1).tolist())) for name in FACTS if len(ids) > 2
        }
        tokens = [tokenizer().id_to_token(token) for token in ids]
        layers = (self.first, vectors[0]), (self.attention, x[0])
        lengths = [
            norms(_values(*layer), rows_of(layer[0].output, self.num_heads)).numpy(force=True) for layer in layers
        ]
        named = {"head_names": self.head_names, "named_layer": self.named_layer}
        maps = torch.cat([first, second]).numpy(force=True)  # [layer, h, q, k]
        return AttentionMap(tokens, tokens, maps, **named, predictions=predictions, notes=notes, value_norms=lengths)

    def _checked(self, head_mask):  # -> of each layer [h], or None
        mask = checked_heads(head_mask, self.num_layers, self.num_heads, last=True)
        return (None, None) if mask is None else mask

    def word_vectors(self, ids: torch.Tensor) -> torch.Tensor:  # [b, t] -> [b, t, d]
        return self.word_codes[ids] * self.word_scale

    @torch.no_grad()
    def machine(self, sentence: str, part_mask: ArrayLike | None = None) -> Machine:
        """What each part adds and the answers so far, with the parts off whose `part_mask` [layer, h + 1] is False.

        Layer 2 is attention alone; what its heads write for [CLS] isn't added to anything, and is the whole answer.
        """
        feed_forward = [True, False]
        (*heads, mixes), (*taught, _) = checked_parts(part_mask, self, feed_forward)
        ids, notes = tokenize(sentence, self.config)
        words = self.word_vectors(torch.tensor(ids))
        added, streams, _ = self.added(words, head_mask=torch.stack(heads), mixes=mixes)
        inside = torch.ones(1, len(ids), dtype=torch.bool)
        output, _ = self.attention(streams[-1], mask=inside, head_mask=torch.stack(taught))
        read = self.after(torch.stack([words[0], *(stream[0] for stream in streams), output[0]]))
        facts = FACTS if len(ids) > 2 else {}  # nothing is read where there are no words
        scores = torch.cat([read[:, :0], *(self.readouts[fact](read).softmax(-1) for fact in facts)], dim=-1)
        return Machine(
            tokens=tuple(tokenizer().id_to_token(token) for token in ids),
            parts=part_names(feed_forward),
            adds=norms_of([words, *added, output]),
            scores=scores.numpy(force=True),
            labels=tuple((fact, label) for fact, labels in facts.items() for label in labels),
            places=(0,),
            parameters=sizes_of(
                [self.word_codes, self.word_scale],
                [self.first, self.after_first],
                [self.hidden, self.mix, self.before],
                [self.attention],
                [self.after, self.readouts],
            ),
            num_heads=self.num_heads,
            replaces=("layer 2, attention",),
            notes=tuple(notes),
        )

    def feed_forward_output(self, layer):
        return None if layer else self.mix

    def logit_parts(self, sentence: str, _answer: str = "") -> dict[str, Any]:
        """What each head adds to the logits of all labels, [label, h + 2], with the biases and the sum, and names."""
        return self._parts(self._read(sentence)[2])

    @torch.no_grad()
    def head_ledger(self, sentence: str, _answer: str = "", head_mask: ArrayLike | None = None) -> dict[str, Any]:
        """The arrays and names of `manyheads.widgets.head_ledger.head_ledger`."""
        attention, values, contexts = self._read(sentence, head_mask)
        alone = 1 - torch.eye(self.num_heads, dtype=torch.float64)
        without = [self.ledger((contexts * mask[:, None]).flatten())["parts"][:, -1] for mask in alone]
        reading = self.ledger(contexts.flatten())["reading"].unflatten(0, (self.num_heads, -1))
        named = {
            "tokens": list(attention.key_tokens),
            "notes": list(attention.notes),
            "answered": bool(attention.predictions),
        }
        tensors = {"without": torch.stack(without, dim=1), "says": values @ reading}
        arrays = {name: tensor.numpy(force=True) for name, tensor in tensors.items()}
        return self._parts(contexts) | named | arrays | {"weights": attention.weights[-1, :, 0]}

    @torch.no_grad()
    def read_in_parts(
        self, sentence: str, layer: int, places: Sequence[int], head_mask: ArrayLike | None = None
    ) -> tuple[MultiHeadAttention, dict[str, torch.Tensor]]:  # attention, {part: [place, d]}
        """The attention of a layer, and what it reads at a query and a key, in parts that sum to it."""
        ids, _ = tokenize(sentence, self.config)
        words, (below, _) = self.word_vectors(torch.tensor(ids)), self._checked(head_mask)
        checked_places(len(ids), places, causal=False)
        first = {"embedding": words, BIASES: torch.zeros_like(words)}
        parts = self.states_in_parts(words, below) if layer else first
        return self.attention if layer else self.first, {name: part[list(places)] for name, part in parts.items()}

    def _parts(self, contexts):  # [h, d_v]
        parts = self.ledger(contexts.flatten())
        names = {"labels": [list(label) for label in parts["labels"]], "headNames": self.head_names}
        return names | {"others": ["biases"], "parts": parts["parts"].numpy(force=True)}

    @torch.no_grad()
    def _read(self, sentence, head_mask=None):
        # -> map, values of layer 2 [h, k, d_v], contexts of [CLS] [h, d_v], both zeros for a head that is off
        attention, (below, above) = self(sentence, head_mask), self._checked(head_mask)
        ids, _ = tokenize(sentence, self.config)
        x, _ = self.states(self.word_vectors(torch.tensor(ids)), head_mask=below)
        values = _values(self.attention, x).double()
        values = values if above is None else values * above[:, None, None]
        contexts = torch.tensor(attention.weights[-1, :, :1]).double() @ values
        return attention, values, contexts[:, 0]

    def save(self, path: str | os.PathLike[str], dtype: torch.dtype = torch.float32) -> None:
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
    def load(cls, path: str | os.PathLike[str]) -> "FocusModel":
        """Read what `save` wrote; raises `ValueError` when a tensor is missing, extra or of another shape.

        >>> from manyheads.models.keeping import kept_file
        >>> FocusModel.load(kept_file("focus", "taught")).head_names
        ['sentence type', 'object', 'relation', 'sentiment']
        """
        header, config, tensors = read_model(path, "focus model", {"variant"}, FocusConfig)
        with new_tensors():
            model = cls(header["variant"], config)
        fill(model, tensors, path)
        model.page_name = _page_name(model.variant)
        return model.eval()


def _values(attention, x):  # [t, d] -> [h, t, d_v]
    return share_heads(attention.project(x, x, x)[2], attention.num_heads)


def load_focus_model(variant: str = "taught") -> FocusModel:
    """Load a trained variant: taught, untaught, heads-1|2|4|8, step-0|30|100|300|1000.

    >>> load_focus_model("heads-8").num_heads
    8

    Raises `ValueError` for another variant, and for a file that isn't the one we trained.
    """
    return FocusModel.load(kept_file("focus", variant))


def _page_name(variant):
    return "focus" if variant == "taught" else f"focus/{variant}"


def load_variant(variant):
    """The focus model that pages call `focus/<variant>`; the taught one where the variant is "".

    >>> load_variant("causal")("Hot tea.").weights[1, 0, 0].round(3)  # [CLS] sees nothing but itself
    array([1., 0., 0., 0., 0.], dtype=float32)
    """
    change = CHANGES.get(variant)
    if change is None:
        return load_focus_model(variant or "taught")
    model = change(load_focus_model())
    model.page_name = f"focus/{variant}"
    return model


def page_files():
    """The paths of all that a page needs for the focus models."""
    return [kept_file("focus-words"), *kept_files("focus"), pretrained_file("tokenizer.json")]


def without_looking_ahead(model):
    """Let no token of a focus model look at a later one, in either layer. Changes the model and returns it."""
    for attention in (model.first, model.attention):
        look_only(attention, causal_mask)
    return model


def without_order(model):
    """Take away what tells a focus model the order, the turning of layer 1's queries and keys by their positions.

    >>> from manyheads import load_focus_model
    >>> bag = without_order(load_focus_model())
    >>> texts = "Not good, but awful.", "Not awful, but good."
    >>> good, bad = (bag(text).predictions["sentiment"]["positive"] for text in texts)
    >>> abs(good - bad) < 1e-5
    True

    Changes the model and returns it.
    """
    model.first.rotary_base = None
    return model


CHANGES = {
    "no-order": without_order,
    "causal": without_looking_ahead,
    **{kind: partial(with_kind, kind=kind) for kind in KINDS},
}
