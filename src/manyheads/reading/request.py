"""What `HeadMap.of` is asked for, as one thing. What kind of source that has is decided here, once."""

import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, fields, replace
from functools import cached_property
from typing import Any
from weakref import ref

import numpy as np

from manyheads.maps.attention_map import AttentionMap
from manyheads.reading.places import read_text
from manyheads.reading.sentences import MAX_WEIGHTS, Holding

PATTERN = "hook_pattern"  # how the names of a TransformerLens cache end where attention is
OF_LAYERS = re.compile(r"(layer|block|^h)s?[._ ]?\d", re.IGNORECASE)  # how dicts of JAX name their layers
# Where a Hugging Face output has attentions, and which part of the model each are of.
ATTENTIONS = {
    "encoder_attentions": "encoder",
    "decoder_attentions": "decoder",
    "attentions": "",
    "cross_attentions": "cross",
}
# What an output holds of each text, by which texts are told from windows and beams.
OF_TEXTS = ("last_hidden_state", "logits", "start_logits", "prediction_logits", "pooler_output")
GONE = (
    "the model is gone, so {what}: a map doesn't keep its model alive, so keep it in a variable and make the map again"
)
BY_TRAIT = "; a HeadMap that is made shows it by map.layers = {!r}"
WITHOUT_ATTENTIONS = (*OF_TEXTS, "hidden_states", "cache_params")  # of an output that has no place for attentions


@dataclass(frozen=True)
class Arguments:
    """What `HeadMap.of` and `AttentionMap.of` take; the former says what each means.

    Raises `TypeError` for layers that are no numbers.
    """

    source: Any
    tokens: Any = None
    query_tokens: Any = None
    _: KW_ONLY
    inputs: Any = None
    part: str | None = None
    batch: int = 0
    attention_mask: Any = None
    layers: int | Sequence[int] | None = None
    layer_names: Sequence[str] | None = None
    head_names: Sequence[str] | None = None
    key_value_heads: int | None = None
    normalised: bool = True
    tokenizer: Any = None
    value_norms: Any = None
    image: Any = None
    grid: tuple[int, int] | None = None
    predictions: Callable[[Any], Mapping[str, Mapping[str, float]]] | None = None
    max_weights: int | None = MAX_WEIGHTS
    sources: Mapping[str, tuple[int, int] | str] | Sequence[str] | None = None

    def __post_init__(self):
        if self.layers is not None and np.asarray(self.layers).dtype.kind not in "iu":
            hint = BY_TRAIT.format(self.layers) if isinstance(self.layers, str) else ""
            raise TypeError(f"layers must be whole numbers, counted from 0, got {self.layers!r}{hint}")


ARGUMENTS = tuple(one.name for one in fields(Arguments))


@dataclass(frozen=True)
class Request(Arguments):
    """What a map is asked for, how much of it is held, and what is to be said of how the arguments were read.

    >>> [Request(one).kind for one in ([[1]], {"blocks.0.attn.hook_pattern": 1}, {"layer_0": [1]}, {"mine": 1})]
    ['weights', 'cache', 'layers', 'named']

    `before` is called with a module before it computes. `found` are the tokens of each source by their places, and
    `reading` is the model of ours, with its text, that made a map. `frame` is what `frame_of` says of a sound.
    """

    _: KW_ONLY
    notes: tuple = ()
    holding: Holding = Holding()
    before: Callable | None = None
    processor: Any = None  # what was given as the tokenizer
    prompt: int | None = None  # how many of the tokens among the inputs are a prompt, which the model went on from
    found: dict | None = None
    frame: tuple | None = None
    reading: Any = None

    @cached_property
    def kind(self):
        """What the source is: a name of `KINDS`."""
        return next(kind for kind, fits in KINDS.items() if fits(self.source))

    @property
    def modules(self):
        """The torch modules that compute what is asked for; none where it has been computed."""
        if self.kind == "modules":
            return [one for one in self.source.values() if is_module(one)]
        return [self.source] if self.kind == "module" else []

    @cached_property
    def named(self):
        """The inputs by the names that the module gives them, or by their own."""
        if self.inputs is None or not self.modules:
            return dict(self.inputs) if hasattr(self.inputs, "keys") else {}
        from manyheads.reading.arguments import name_arguments

        return name_arguments(self.modules[0], self.inputs)

    @cached_property
    def text(self):
        """What is known of the tokens: see `read_text`."""
        return read_text(self)


class WeakRequest:
    """A request that can be had again as long as its models are there, and doesn't keep them alive.

    >>> import torch
    >>> layer = torch.nn.Linear(2, 2)
    >>> WeakRequest(Request(layer)).get(what="no head can be turned off").source is layer
    True

    With a model goes what it was called with.
    """

    def __init__(self, request):
        self._are_named = request.kind == "modules"
        sources = request.source if self._are_named else {"": request.source}
        self._sources = {name: ref(one, self._let_go) if is_module(one) else one for name, one in sources.items()}
        self._rest = replace(request, source=None, inputs=without_gradients(request))

    def get(self, what):
        """The request; raises `ValueError` where a model is gone, which says `what` can't be done without it."""
        sources = {name: one() if isinstance(one, ref) else one for name, one in self._sources.items()}
        if self._rest is None or any(one is None for one in sources.values()):
            raise ValueError(GONE.format(what=what))
        return replace(self._rest, source=sources if self._are_named else sources[""])

    def _let_go(self, _):
        self._rest = None


def without_gradients(request):
    """The inputs of a request, from which no gradient leads to the parameters of a model."""
    if not request.modules:
        return request.inputs
    from manyheads.reading.arguments import map_tensors

    return map_tensors(request.inputs, lambda tensor: tensor.detach())


def is_module(thing):
    """Whether something is a torch module; it never imports torch, which a module has imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(thing, torch.nn.Module)


def is_output(thing):
    """Whether something may be what a Hugging Face model returned, attentions or not."""
    return any(hasattr(thing, field) for field in ATTENTIONS) or has_outputs(thing)


def has_outputs(output):
    """Whether an output holds those of the parts of a model, as CLIP's does."""
    return any(hasattr(value, "to_tuple") for value in fields_of(output).values())


def fields_of(output):
    """What an output of Hugging Face holds, by name; nothing for what is none."""
    return dict(output.items()) if hasattr(output, "to_tuple") and hasattr(output, "items") else {}


def leaves(named, before=""):
    """The arrays in dicts within dicts, by their path; what JAX sows is in a tuple of one."""
    for name, value in named.items():
        path = f"{before}.{name}" if before else str(name)
        value = value[0] if isinstance(value, tuple) and len(value) == 1 else value
        if isinstance(value, dict):
            yield from leaves(value, path)
        else:
            yield path, value


def is_dict(thing):
    """Whether something has what it holds by name, and is no array."""
    return hasattr(thing, "items") and not hasattr(thing, "ndim")


def has_named_layers(thing):
    """Whether something is a dict of layers alone, as JAX has it."""
    names = [name for name, _ in leaves(thing)] if is_dict(thing) else []
    return bool(names) and all(map(OF_LAYERS.search, names))


# What a source is, by one word: the first that fits.
KINDS = {
    "module": is_module,
    "modules": lambda source: type(source) is dict and any(map(is_module, source.values())),
    "map": lambda source: isinstance(getattr(source, "attention", source), AttentionMap),  # or a HeadMap
    "output": is_output,  # of Hugging Face
    "empty": lambda source: any(hasattr(source, field) for field in WITHOUT_ATTENTIONS),
    "table": lambda source: hasattr(source, "columns"),
    "cache": lambda source: is_dict(source) and any(str(name).endswith(PATTERN) for name, _ in source.items()),
    "layers": has_named_layers,
    "named": is_dict,  # sources by names of one's own
    "weights": lambda source: True,
}
