"""The induction model as a head model: characters go in, what every head looks at and what may come next come out."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from manyheads.attention import MultiHeadAttention
from manyheads.defaults import new_tensors, where_it_is
from manyheads.inputs import checked_heads
from manyheads.maps import AttentionMap
from manyheads.models.attributing import read_back, titles, walk
from manyheads.models.composing import added_parts, checked_places, through
from manyheads.models.induction.network import AttentionOnly, InductionConfig, next_losses
from manyheads.models.keeping import fill, kept_file, kept_files, kept_variants, read_model, write_model
from manyheads.models.machine import Lens, Machine, checked_parts, norms_of, part_names, sizes_of, walked
from manyheads.models.registry import checked_head
from manyheads.models.white_space import only
from manyheads.reading.value_norms import norms, rows_of

NOTHING = "Type a few characters, and then the same again."
NEXT = "next character"
OTHER = "one that isn’t in the text"


@dataclass(frozen=True)
class Guesses:
    """What a model expects after each character of a text, and how it fared.

    `characters[t]` is the likeliest after position t, None where it's a symbol that the text doesn't have.
    `losses[t]`, one fewer, is minus the logarithm of the probability of the one that did come, in nats.
    """

    characters: list[str | None]
    losses: NDArray[np.float32]


@where_it_is
class InductionModel(Lens, nn.Module):
    """Two layers of attention that go on with what repeats: call it with a text and it gives the causal map.

    >>> from manyheads import load_induction
    >>> model = load_induction()
    >>> attention = model("a7kq3xwma7kq3x")
    >>> attention.shape, attention.causal  # layers, heads, queries, keys
    ((2, 2, 14, 14), True)
    >>> attention.predictions["next character"]["w"] > 0.9
    True

    Each distinct character of the text becomes one of the model's 64 symbols, in the order in which they first appear,
    so it reads any alphabet, and space, too. The first 64 characters are read. `head_mask` is [layer, h]; False turns
    a head off. `previous_head` and `induction_head` are the (layer, head) that training made of them.

    Raises `TypeError` for a text that isn't a string; `ValueError` for an empty one, and for a head mask of another
    shape.
    """

    __call__: Callable[..., AttentionMap]  # of nn.Module, which calls `forward`

    def __init__(
        self,
        variant: str = "",
        config: InductionConfig = InductionConfig(),
        roles: dict[str, list[int]] | None = None,
        history: Sequence[Any] = (),
    ) -> None:
        super().__init__()
        self.variant, self.config, self.history = variant, config, list(history)
        self.roles = roles or {"previous": [0, 0], "induction": [1, 0]}
        self.num_layers, self.num_heads = config.layers, config.heads
        self.head_names = [f"head {head + 1}" for head in range(config.heads)]
        self.network = AttentionOnly(config)
        self.file_name = None  # of a reader's own, which pages don't have

    @property
    def name(self) -> str:
        """What pages call it, such as `induction/step-200`; a model of a reader's own is called as its file."""
        return self.file_name or "/".join(filter(None, ("induction", self.variant)))

    @property
    def previous_head(self) -> tuple[int, int]:
        return tuple(self.roles["previous"])

    @property
    def induction_head(self) -> tuple[int, int]:
        return tuple(self.roles["induction"])

    def forward(self, text: str, head_mask: ArrayLike | None = None) -> AttentionMap:
        characters, notes = read(text, self.config.positions)
        known = list(dict.fromkeys(characters))
        head_mask = checked_heads(head_mask, self.num_layers, self.num_heads)
        scores, maps = self._computed(characters, head_mask)
        values = self._walk(characters, head_mask)["values"].unflatten(0, (self.num_layers, -1))
        rows = [rows_of(layer.output, self.num_heads) for layer in self.network.layers]
        lengths = torch.stack([norms(*each) for each in zip(values, rows)])
        chances = scores[-1].softmax(-1).tolist()
        likeliest = dict(zip([*known, OTHER], [*chances[: len(known)], sum(chances[len(known) :])]))
        return AttentionMap(
            *(characters, characters, maps.numpy(force=True), self.head_names, {NEXT: likeliest}, notes),
            causal=True,
            value_norms=lengths.numpy(force=True),
        )

    def guesses(self, text: str, head_mask: ArrayLike | None = None) -> Guesses:
        """What it expects after each character, as `Guesses`.

        >>> from manyheads import load_induction
        >>> "".join(load_induction().guesses("a7kq3xwma7kq3xwm").characters[8:15])
        '7kq3xwm'
        """
        characters, _ = read(text, self.config.positions)
        known = list(dict.fromkeys(characters))
        scores, _ = self._computed(characters, checked_heads(head_mask, self.num_layers, self.num_heads))
        likeliest = [known[best] if best < len(known) else None for best in scores.argmax(-1).tolist()]
        return Guesses(likeliest, next_losses(scores, torch.tensor(symbols(characters))).numpy(force=True))

    @torch.no_grad()
    def machine(self, text: str, part_mask: ArrayLike | None = None) -> Machine:
        """What each part adds and the answers so far, with the parts off whose `part_mask` [layer, h + 1] is False.

        No layer has a feed-forward part.
        """
        network, (characters, notes) = self.network, read(text, self.config.positions)
        known, feed_forward = list(dict.fromkeys(characters)), [False] * self.num_layers
        on = checked_parts(part_mask, self, feed_forward)
        added, streams = walked(network.embed(torch.tensor(symbols(characters))), self._layers(), on)
        scores = network.next(network.norm(torch.stack([stream[-1] for stream in streams]))).softmax(-1)
        layers = [[norm, attention] for norm, attention, _ in self._layers()]
        return Machine(
            tokens=tuple(characters),
            parts=part_names(feed_forward),
            adds=norms_of(added),
            scores=scores[:, : len(known)].numpy(force=True),
            labels=tuple((NEXT, character) for character in known),
            places=(len(characters) - 1,),
            parameters=sizes_of([network.symbol, network.position], *layers, [network.norm, network.next]),
            num_heads=self.num_heads,
            notes=tuple(notes),
        )

    def logit_parts(self, text, _answer="", head_mask=None):
        """What each head and the embedding add to the logits of the text's characters."""
        network, characters = self.network, read(text, self.config.positions)[0]
        known = list(dict.fromkeys(characters))
        parts = read_back(self._walk(characters, head_mask), network.norm, network.next.weight[: len(known)])
        return parts | {"labels": [[NEXT, character] for character in known], "headNames": titles(self)}

    def head_ledger(self, text, _answer="", head_mask=None):
        """The arrays and names of `manyheads.widgets.head_ledger.head_ledger`."""
        characters, notes = read(text, self.config.positions)
        on = checked_heads(head_mask, self.num_layers, self.num_heads)
        parts = self.logit_parts(text, head_mask=on)
        masks = ~torch.eye(self.num_layers * self.num_heads, dtype=bool).view(-1, self.num_layers, self.num_heads)
        masks = masks if on is None else masks & on
        without = [self._computed(characters, mask)[0][-1, : len(parts["labels"])] for mask in masks]
        named = {"tokens": characters, "notes": list(notes), "answered": True}
        return parts | named | {"without": torch.stack(without, dim=1).numpy(force=True)}

    def read_in_parts(self, text, layer, places, head_mask=None):  # -> attention, {part: [place, d]}
        """The attention of a layer, and what it reads at a query and a key, in parts that sum to it."""
        network, characters = self.network, read(text, self.config.positions)[0]
        checked_places(len(characters), places, causal=True)
        on = checked_heads(head_mask, self.num_layers, self.num_heads)
        words = network.symbol(torch.tensor(symbols(characters)))
        words = {"embedding": words, "position": network.position[: len(words)]}
        parts = added_parts(words, self._layers()[:layer], places, on)
        return network.layers[layer], through(network.norms[layer], parts)

    def attention_layer(self, layer: int) -> MultiHeadAttention:
        """The `MultiHeadAttention` of a layer; `ValueError` for one that isn't there."""
        return self.network.layers[checked_head(self, layer, 0)[0]]

    @torch.no_grad()
    def layer_input(self, text: str, layer: int) -> torch.Tensor:  # [t, d]
        """What the heads of a layer read: the vectors as the layer below left them, normed.

        >>> from manyheads.attention import causal_mask
        >>> model = load_induction()
        >>> _, weights = model.attention_layer(1)(model.layer_input("abcab", 1), mask=causal_mask(5))
        >>> weights[model.induction_head[1], -1].argmax().item()  # from the second b at the c
        2
        """
        words = self.network.embed(torch.tensor(symbols(read(text, self.config.positions)[0])))
        every = checked_parts(None, self, [False] * self.num_layers)
        return self.network.norms[layer](walked(words, self._layers()[:layer], every)[1][-1])

    def _walk(self, characters, head_mask=None):
        words = self.network.embed(torch.tensor(symbols(characters)))
        return walk(words, self._layers(), head_mask)

    def _layers(self):
        return [(norm, layer, None) for norm, layer in zip(self.network.norms, self.network.layers)]

    @torch.no_grad()
    def _computed(self, characters, head_mask):  # -> [t, symbol], [layer, h, t, t]
        return self.network(torch.tensor(symbols(characters)), head_mask)

    def save(self, path: str | PathLike[str], dtype: torch.dtype = torch.float32) -> None:
        """Write the weights as safetensors; the header says what they are."""
        header = {
            "variant": self.variant,
            "config": asdict(self.config),
            "roles": self.roles,
            "history": self.history,
            "words": {"nothing": NOTHING, "next": NEXT, "other": OTHER},
        }
        write_model(path, self.network, header, dtype)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "InductionModel":
        """Read what `save` wrote; raises `ValueError` when a tensor is missing, extra or of another shape."""
        needed = {"variant", "roles", "history"}
        header, config, tensors = read_model(path, "induction model", needed, InductionConfig)
        check_header(path, config, header["roles"])
        with new_tensors():
            model = cls(header["variant"], config, header["roles"], header["history"])
        fill(model.network, tensors, path)
        return model.eval()


def load_induction(variant: str | PathLike[str] = "") -> InductionModel:
    """Load the induction model; `"step-190"` is what it was after 190 steps. Or the path of a model of your own.

    >>> model = load_induction()
    >>> "".join(model.guesses("tea cup tea").characters[8:])
    'ea '
    >>> load_induction("step-0").name
    'induction/step-0'

    A model that you trained in the book is saved there as a file. Give its path, which ends in
    `.safetensors`, and the maps are those of the page. So are those of a model's `save`:

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     model.save(f"{folder}/mine.safetensors")
    ...     mine = load_induction(f"{folder}/mine.safetensors")
    >>> mine.name, bool((mine("tea tea").weights == model("tea tea").weights).all())
    ('mine.safetensors', True)

    Such a file has the tensors of `state_dict`, in 32 or 16 bits, with L layers, S symbols, P positions and width d:
    `symbol.weight` and `next.weight` [S, d], `position` [P, d]; for each layer from 0 to L - 1 `norms.0.weight` and
    `norms.0.bias` [d], and `layers.0.query.weight`, `.key.weight`, `.value.weight` and `.output.weight` [d, d], head
    after head; `norm.weight` and `norm.bias` [d] at the end. Its header has JSON: `config`, all fields of
    `InductionConfig`, since no shape tells the number of heads; `variant`, a name; `roles`, {"previous": [layer, head],
    "induction": [layer, head]}, from 0; and `history`, what was measured while it learned, or []. There's no alphabet:
    the characters of each text become symbols in the order in which they appear.

    Raises `ValueError` for another variant, for a file that isn't the one we trained, and for one of yours that doesn't
    fit or isn't safetensors; `FileNotFoundError` where there is none.
    """
    is_path = isinstance(variant, PathLike) or str(variant).endswith(".safetensors")
    if is_path or (variant not in kept_variants("induction") and Path(str(variant)).expanduser().is_file()):
        model = InductionModel.load(variant)
        model.file_name = Path(variant).name
        return model
    return InductionModel.load(kept_file("induction", variant))


def check_header(path, config, roles):
    """Refuse a header by which no model can be made.

    >>> check_header("mine.safetensors", InductionConfig(width=0), {})
    Traceback (most recent call last):
    ValueError: mine.safetensors doesn't fit: width must be a whole number from 1, got 0
    """
    for name in ("layers", "heads", "width", "symbols", "positions"):
        size = getattr(config, name)
        if type(size) is not int or size < 1:
            raise ValueError(f"{path} doesn't fit: {name} must be a whole number from 1, got {size!r}")
    shape = [config.layers, config.heads]
    for name in ("previous", "induction"):
        place = roles.get(name) if isinstance(roles, dict) else None
        if place not in [[layer, head] for layer in range(config.layers) for head in range(config.heads)]:
            raise ValueError(f"{path} doesn't fit: the role {name!r} must be a head of {shape}, from 0, got {place}")


def page_files():
    """The paths of all that a page needs for the induction models."""
    return kept_files("induction")


def read(text, most):
    """The characters of a text, and notes about those left out.

    >>> read("tea", most=2)
    (['t', 'e'], ('Only the first 2 characters are read.',))
    """
    if not isinstance(text, str):
        raise TypeError(f"a text must be a string, got {type(text).__name__}")
    characters, notes = only(text.encode("utf-16", "surrogatepass").decode("utf-16", "replace"), most)
    if not characters:
        raise ValueError(NOTHING)
    return list(characters), notes


def symbols(characters):
    """The symbol of each character: how many others had appeared before it first did.

    >>> symbols("tattoo")
    [0, 1, 0, 0, 2, 2]
    """
    known = {character: number for number, character in enumerate(dict.fromkeys(characters))}
    return [known[character] for character in characters]
