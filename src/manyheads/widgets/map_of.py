"""`HeadMap.of` and `HeadMap.from_attentions`: maps of attentions that somebody has."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal, TypeVar, overload

import numpy as np
from IPython.display import HTML

from manyheads.maps import AttentionMap
from manyheads.maps.choosing import fit_query, move_query, query_of
from manyheads.reading.pipeline import read
from manyheads.reading.request import ARGUMENTS, Request
from manyheads.reading.sentences import MAX_WEIGHTS
from manyheads.shared.arguments import refuse_unknown
from manyheads.widgets.given_maps import GivenMap, LongMap, give_maps
from manyheads.widgets.saving import name_of

if TYPE_CHECKING:
    from typing_extensions import Self

FAINT = {"scale": "relative"}  # one of many places has a small share
PASSAGE = ("first", "last")  # the traits that say which tokens are shown
ONE_STACK = "attention is for models of one stack of layers; leave it out, or leave out {}"
NO_ATTENTION = "give attention, or at least one of encoder_attention, decoder_attention and cross_attention"
OF_TWO = "sentence_b_start is for attention and its tokens; an encoder and a decoder have tokens of their own"
Of = TypeVar("Of", bound=Callable[..., Any])
BY_TRAIT = "heads must be whole numbers, counted from 0, got {!r}; a HeadMap that is made shows it by map.heads = {!r}"


def showing(of: Of) -> Of:
    """Makes a method show what its arguments ask for, of which all that a `Request` doesn't have are traits."""

    @wraps(of)
    def show(cls, *arguments, **named):
        traits = {name: named.pop(name) for name in [*named] if name not in ARGUMENTS}
        cls._refuse(traits, cls.of)
        return cls._show(Request(*arguments, **named), traits)

    return show  # type: ignore[return-value]


class MapOf:
    """How a `HeadMap` is made of attentions that somebody has."""

    @classmethod
    @showing
    def of(
        cls,
        source: Any,
        tokens: Any = None,
        query_tokens: Any = None,
        *,
        inputs: Any = None,
        part: str | None = None,
        batch: int = 0,
        attention_mask: Any = None,
        layers: int | Sequence[int] | None = None,
        layer_names: Sequence[str] | None = None,
        head_names: Sequence[str] | None = None,
        key_value_heads: int | None = None,
        normalised: bool = True,
        tokenizer: Any = None,
        value_norms: Any = None,
        image: Any = None,
        grid: tuple[int, int] | None = None,
        predictions: Callable[[Any], Mapping[str, Mapping[str, float]]] | None = None,
        max_weights: int | None = MAX_WEIGHTS,
        sources: Mapping[str, tuple[int, int] | str] | Sequence[str] | None = None,
        compare: Any = None,
        **traits: Any,
    ) -> "Self":
        """A map of any attentions, as the tool that computed them hands them out.

        >>> import torch
        >>> from manyheads import HeadMap
        >>> layer = torch.nn.MultiheadAttention(embed_dim=6, num_heads=2)
        >>> HeadMap.of(layer, ["hot", "tea"], inputs=[torch.ones(2, 6)] * 3, view="matrix").attention.shape
        (1, 2, 2, 2)

        `source` is one of

        - a torch module: of Hugging Face, of PyTorch's layers, of one's own code, and whatever holds one; it's called
          with `inputs`, a tensor, a tuple or a dict, and left as it was; weights are taken beside each call,
        - a pipeline of transformers or a SentenceTransformer, which bring the `tokenizer` or processor,
        - what a Hugging Face model returned (encoder, decoder, both; `generate`, whose steps become one map),
        - the cache of a TransformerLens run,
        - an array, tensor, table or list of [query, key], [head, query, key], [layer, head, query, key] or
          [layer, 1, head, query, key],
        - an `AttentionMap`, or a `HeadMap`,
        - a dict of these with names of your own: a slider chooses; a dict of layers, as JAX gives them, is one map.

        `tokens` are looked at, and ask, unless `query_tokens` are others that ask: those of a decoder. They are
        strings, what a tokenizer returned, or ids or a text with the `tokenizer` (or a processor). A module without
        `inputs` reads them: a string is a text there, and a list of strings is several texts; with `inputs`, and for
        weights, it's tokens. Where none are given, they're those of the inputs, or counted.
        `part` is the name of one of several, or a piece of it: "encoder", "cross", "text", "image". Of texts, beams or
        windows, `batch` is shown, counted from 0; places that `attention_mask`, or a mask among the inputs, tells are
        padding are left out. `layers` are the numbers of those that are wanted, from 0, and `layer_names` their names,
        where what you give doesn't know its own numbers. `head_names` name the heads; `key_value_heads` says how many
        groups of them share keys and values. `normalised=False` is for weights whose rows need not sum to 1: they are
        shown as they are, and where some are below 0, such as in the difference of two maps, by a hue for each sign.

        `image` is the picture that a model looks at, of Pillow, an array or a path: weights are painted over its
        patches, whose `grid`, (rows, columns), is read from the model, or from its inputs. Of weights that are given,
        you say it, and names or ids tell which places are patches: it has to fill a run of them. With a processor for
        the `tokenizer`, and no inputs, the model reads it, alone or beside a text. `image=[one, other]` are several, or
        the frames of a video: they stand side by side, and the tiles that a model makes of one lie where they belong.
        Of what `generate` wrote about them, `inputs` are those of its prompt, and a line is before the answer:

            output = model.generate(**inputs, output_attentions=True, return_dict_in_generate=True)
            HeadMap.of(output, tokenizer=processor, image=picture, inputs=inputs)

        `predictions` is a function from what the module returns to {name: {label: probability}}: the map says what the
        model predicts, and what it would say without a head that's turned off. With `value_norms`, as of
        `manyheads.value_norms`, a map can show what is written. All else are traits, as of `HeadMap`; the one that is
        called `layers` is set once there's a map, as in `map.layers = "rollout"`.

        `sources` name parts of the text, such as the documents of a prompt: {name: (start, end)} by characters, as a
        slice of the text has them (by tokens where these alone are given), or {name: text} and [text, ...], texts that
        stand in it once. `map.by_source()` tells how much of its attention a token gives to each, from each head.

        A map of more than `max_weights` numbers, one for each layer, head, query and key, is computed and held by
        sentences, or rows of patches, and a click opens one; so is shown what has 2,048 tokens or more. With `first` or
        `last`, nothing is shown by sentences, and of a map that's too large these tokens alone are held: they're all
        that the map then has, and its weights are what they give to each other. `layers=[3]` holds one layer alone.

        The map doesn't keep the model alive, unless `predictions` does. As long as you have it, heads can be turned
        off, and sentences of a long text opened; without it, what was computed stays. For numbers without a widget
        there's `AttentionMap.of`.

        A model in pieces on several processes (FSDP2, tensor parallelism) is looked at by all of them: each calls this,
        the first gets the map of all heads, the others None.

        `compare` is another model's map of the same tokens, a `HeadMap` or an `AttentionMap`: what differs is shown
        head by head, and which heads moved most, with what both models answer. `AttentionMap.moved` has the numbers.

        >>> before, after = [[1, 0], [0, 1]], [[1, 0], [0.5, 0.5]]
        >>> HeadMap.of(before, ["hot", "tea"], compare=HeadMap.of(after, ["hot", "tea"])).view
        'grid'

        Two maps side by side are two widgets in a box, and links keep them alike:

        >>> from ipywidgets import HBox, link
        >>> before, after = HeadMap.of([[1, 0], [0, 1]]), HeadMap.of([[0.5, 0.5], [0.5, 0.5]])
        >>> links = [link((before, name), (after, name)) for name in ("view", "layer", "head", "query")]
        >>> both = HBox([before, after])
        >>> before.query = 1
        >>> after.query
        1

        Raises `ValueError` for attentions that make no map, with what to do about it, `TypeError` for arguments that
        are unknown or of a wrong type.
        """

    @overload
    @classmethod
    def from_attentions(
        cls,
        attention: Any = None,
        tokens: Sequence[str] | None = None,
        sentence_b_start: int | None = None,
        prettify_tokens: bool = True,
        layer: int | None = None,
        heads: Sequence[int] | None = None,
        encoder_attention: Any = None,
        decoder_attention: Any = None,
        cross_attention: Any = None,
        encoder_tokens: Sequence[str] | None = None,
        decoder_tokens: Sequence[str] | None = None,
        include_layers: Sequence[int] | None = None,
        html_action: Literal["view"] = "view",
        **traits: Any,
    ) -> "Self": ...
    @overload
    @classmethod
    def from_attentions(
        cls,
        attention: Any = None,
        tokens: Sequence[str] | None = None,
        *,
        html_action: Literal["return"],
        **arguments: Any,
    ) -> HTML: ...
    @classmethod
    def from_attentions(
        cls,
        attention=None,
        tokens=None,
        sentence_b_start=None,
        prettify_tokens=True,
        layer=None,
        heads=None,
        encoder_attention=None,
        decoder_attention=None,
        cross_attention=None,
        encoder_tokens=None,
        decoder_tokens=None,
        include_layers=None,
        html_action="view",
        **traits,
    ):
        """A map of somebody's own attentions, to look at, as `of` makes it: by the arguments of `bertviz.head_view`.

        >>> import torch
        >>> from manyheads import HeadMap
        >>> HeadMap.from_attentions([torch.full((1, 2, 3, 3), 1 / 3)], ["a", "b", "c"]).attention.shape
        (1, 2, 3, 3)

        `attention`, and `tokens`, are what `of` takes, such as a model's `attentions`. Those of an encoder and a
        decoder come by up to three names, with `encoder_tokens` and `decoder_tokens`, and a slider chooses between
        them. `layer` and `include_layers` count from 0; one of `heads` is shown large, several stand out from the
        others. Where the second sentence starts (`sentence_b_start`) is told below the map. `html_action="return"`
        gives the static HTML instead. `prettify_tokens` changes nothing: tokens are always shown as text. All else are
        traits, as of `HeadMap`; the one that is called `heads` is set once there's a map, as in
        `map.heads = "average"`.

        Raises `ValueError` where arguments do not fit, as `of` does, `TypeError` for those of a wrong type.
        """
        cls._refuse(traits, cls.from_attentions)
        apart = {"encoder": encoder_attention, "decoder": decoder_attention, "cross": cross_attention}
        source = {name: layers for name, layers in apart.items() if layers is not None}
        if attention is not None and source:
            raise ValueError(ONE_STACK.format(f"{next(iter(source))}_attention"))
        if attention is None and not source:
            raise ValueError(NO_ATTENTION)
        if html_action not in ("view", "return"):
            raise ValueError(f"html_action must be 'view' or 'return', got {html_action!r}")
        if isinstance(heads, str):
            raise TypeError(BY_TRAIT.format(heads, heads))
        if layer is not None and include_layers is not None:
            if layer not in include_layers:
                raise ValueError(f"layer {layer} is not in include_layers: {list(include_layers)}")
            layer = list(include_layers).index(layer)
        traits |= {} if layer is None else {"layer": layer}
        asked = (source, encoder_tokens, decoder_tokens) if attention is None else (attention, tokens)
        notes = () if sentence_b_start is None else _note_second(sentence_b_start, None if source else tokens)
        request = Request(*asked, layers=include_layers, max_weights=None, notes=notes)
        shown = cls._show(request, {"first": 0} | traits)  # who says what is shown has nothing by sentences
        if heads is not None:
            _choose_heads(shown, heads)
        return HTML(shown._repr_mimebundle_()[0]["text/html"]) if html_action == "return" else shown

    @classmethod
    def _show(cls, request, traits):
        """The maps of a request, shown with these traits; what nobody chose of them as it's seen best."""
        compare = traits.pop("compare", None)
        models = give_maps(read(request), _passage(traits))
        if not models:
            return None  # of a model in pieces, all processes but the first get this, and only their code has to know
        if compare is None:
            return cls(models=models, **_start(models) | _within(models, traits))
        if len(models) > 1:
            raise ValueError(f"compare is for one map, but there are {len(models)}: name one of them by part")
        start = {"view": "grid"} | _start(models)
        return cls(models=models, beside=_second(compare), **start | _within(models, traits))

    @classmethod
    def _refuse(cls, traits, method):
        """Refuse what isn't a trait of given maps among the further arguments of a method."""
        of, taken = f"HeadMap.{method.__name__}", inspect.signature(method).parameters
        for name in ("compare", "sentence", "model", "models", "beside"):
            if name in traits and name not in taken:
                raise TypeError(f"{of} takes no {name}: attentions that are given answer to no other sentence or model")
        known = {*taken, *cls.class_trait_names()} - {"sentence"}
        refuse_unknown(traits, known, of, elsewhere={"HeadMap.of": ARGUMENTS})


def _second(compare):
    """The head model of a map to compare with."""
    if isinstance(compare, MapOf):
        given = isinstance(compare.model, GivenMap)
        return compare.model if given else GivenMap(name_of(compare.model), compare.attention)
    if isinstance(compare, AttentionMap):
        return GivenMap("", compare)
    raise TypeError(f"compare must be a HeadMap or an AttentionMap of the same tokens, got {type(compare).__name__}")


def _note_second(place, tokens):
    """A note on where a second sentence starts; tokens are None where there's none."""
    if tokens is None:
        raise ValueError(OF_TWO)
    if not isinstance(place, (int, np.integer)) or not 0 < place < len(tokens):
        raise ValueError(f"sentence_b_start must be from 1 to {len(tokens) - 1} for these tokens, got {place!r}")
    return (f"The second sentence starts with token {place + 1}, {tokens[place]!r}.",)


def _choose_heads(shown, heads):
    """Shows one head large, or several of all."""
    layers, count = shown.attention.shape[:2]
    if not len(heads) or not all(0 <= head < count for head in heads):
        raise ValueError(f"heads must name heads from 0 to {count - 1}, got {list(heads)}")
    if len(heads) == 1:
        shown.head = int(heads[0])
    elif len(set(heads)) < count:
        shown.head_mask = [[head in heads for head in range(count)]] * layers


def _start(models):
    """The traits with which given maps are shown best, unless others are chosen."""
    first, long = models[0].map, any(isinstance(model, LongMap) for model in models)
    last = {} if first.sources is None else {"query": first.shape[2] - 1}
    if first.picture is None:
        return last | (FAINT if long else {})
    unseen = first.picture.query_start != 0 and not first.weights[..., 0, 1:].any()
    if long or unseen or first.answer_start is not None:  # in a causal text, the first token sees no picture
        last = {"query": first.shape[2] - 1}  # what was written last
    return {"view": "picture"} | last | FAINT


def _passage(traits):
    """The first and the last of the tokens that somebody wants, None where they chose none."""
    if traits.keys().isdisjoint(PASSAGE):
        return None
    for name in PASSAGE:
        place = traits.get(name)
        if place is not None and not (isinstance(place, (int, np.integer)) and place >= 0):
            raise ValueError(f"{name} must be the place of a token, counted from 0, got {place!r}")
    return traits.get("first") or 0, traits.get("last")


def _within(models, traits):
    """The traits of given maps, of which `first` and `last` are held alone where the models say so."""
    passage = models[0].passage if models else None
    if passage is None:
        return traits
    first, attention = passage[0], models[0].map
    within = {name: value for name, value in traits.items() if name not in PASSAGE}
    if within.get("query") is not None and attention.query_tokens == attention.key_tokens:
        moved = move_query(query_of(within["query"]), first)
        within["query"] = moved if isinstance(moved, str) else fit_query(moved, attention.shape[2])
    return within
