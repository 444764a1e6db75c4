"""Live figures for notebooks: anywidget, so ipywidgets, with the same renderer as the pages."""

import inspect
import os
import secrets
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
import traitlets
from IPython.display import HTML

from manyheads.drawing.element import element_html, write_heads
from manyheads.drawing.endings import check_path
from manyheads.drawing.plain import plain_html
from manyheads.maps import AttentionMap
from manyheads.maps.choosing import take_between
from manyheads.maps.wire import digits_in, digits_of, layer_message, map_json, map_message
from manyheads.models.registry import is_named, load_model
from manyheads.reading.head_view import translate_head_view
from manyheads.reading.pipeline import read
from manyheads.reading.request import ARGUMENTS, Request, is_module
from manyheads.reading.sentences import MAX_WEIGHTS
from manyheads.shared.arguments import refuse_unknown
from manyheads.shared.options import OPTIONS, is_whole, names_with, start_of
from manyheads.whole_files import write_whole
from manyheads.widgets.figure import Figure, reason
from manyheads.widgets.file_size import too_large
from manyheads.widgets.given_maps import GIVEN, GivenMap, LongMap, give_maps
from manyheads.widgets.standalone import standalone_page
from manyheads.widgets.web_files import built, styles_of

ASKS = [*names_with("computed"), "head_mask", "model_index"]  # of a model that reads sentences
PLACES = ("layer", "head", "query")  # in the order of a map's axes
BAKED = 2**22  # weights; a page of a map with more has one layer of it, some 4 MB at most
DIGITS = f"digits-{secrets.token_hex(8)}"  # stands in a page for weights that are written straight into its file
TOO_LARGE = "One layer alone would make this page too large: this is a picture of it."
FAINT = {"scale": "relative"}  # one of many places has a small share
SAVED = "Python computed this map. What is shown of it can be chosen; the {what} stays."
TEXT = "text"  # what a model reads that doesn't say what it reads
SWITCHED = "Ready: Python computes as you turn heads off."  # of a map without a sentence to type
READS_NO_SENTENCE = (
    "a {} reads no sentence by itself: HeadMap.of(model, sentence, tokenizer=tokenizer) shows what any torch module "
    "looks at"
)
NOT_WHOLE = (
    "{option} is told from whole rows, and of this map first and last alone fit into max_weights: leave it out, or "
    "allow more by max_weights="
)
PASSAGE = ("first", "last")  # the traits that say which tokens are shown
WHOLE_TEXT = (0, None)
ONLY_THESE = "Only these tokens are in this page: for all of them, leave out first and last before you write it."


class _Whole(traitlets.Int):
    """A whole number, NumPy's as well."""

    def validate(self, obj, value):
        return super().validate(obj, int(value) if isinstance(value, np.integer) else value)


class _Choice(traitlets.Enum):
    """One of an option's values, or what it was called before."""

    def __init__(self, row):
        values = [*row["values"]]
        super().__init__(values, values[0])
        self.former = row.get("former", {})

    def validate(self, obj, value):
        return super().validate(obj, self.former.get(value, value) if isinstance(value, str) else value)


def _trait(name, row):
    """The trait of an option."""
    start = start_of(name)
    if row["kind"] == "choice":
        trait = _Choice(row)
    elif row["kind"] == "place":
        trait = _Whole(start, allow_none=start is None, min=0)
    else:
        trait = traitlets.Unicode(start, allow_none=start is None)
    return trait.tag(sync=True)


if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Drawn

    class _Chosen(Figure):
        sentence: str
        compare: str | None
        view: str
        layer: int | None
        head: int | None
        query: int
        special: str
        weigh: str
        heads: str
        layers: str
        pieces: str
        scale: str
        first: int
        last: int | None

else:  # a figure with a trait for each option of a map
    _Chosen = type("_Chosen", (Figure,), {name: _trait(name, row) for name, row in OPTIONS.items()})


class HeadMap(_Chosen):
    """What every head of a model looks at, live: edit the sentence, turn heads off, choose who asks.

    >>> HeadMap("Which do you like better, coffee or tea?").attention.shape
    (2, 4, 12, 12)

    `model` is any head model, callable as `model(sentence, head_mask=None) -> AttentionMap`, or the name that pages
    give one, such as "encoder"; the taught focus model unless you name another. `models` instead is a list of them,
    with a slider over it. `compare` is a second sentence. `view` is "paint", "matrix", "grid" (all heads of all
    layers), "lines" or, for a map with a picture, "picture"; `layer` (at first the one whose heads have names, else the
    first), `head` (the one shown large, or whose lines alone are shown) and `query` count from 0;
    `head_mask[layer][head]` is False for a head that is turned off, None for all on. `special` says whether special
    tokens are kept ("keep"), dimmed ("dim") or removed ("remove"), `heads="average"` shows the mean of the heads,
    `layers="rollout"` attention rollout: see `AttentionMap`.
    `weigh="written"` multiplies each weight by the length of the vector that the head writes from there, for the
    models that can tell (focus, induction, decoder) and for maps with `value_norms`, so that a sink which writes
    nothing fades.

    A model that reads drawings gets one instead of a sentence, in any form that `DrawingModel` takes:

    >>> drawn = HeadMap([[[0.2, 0.2], [0.8, 0.2], [0.8, 0.8]]], model="drawing")
    >>> drawn.sentence, drawn.view
    ('6.4_6.4-25.6_6.4-25.6_25.6', 'picture')

    Its text is the trait `sentence` then: for another drawing, set it to `model.written(drawing)`. No second one can be
    compared.

    For large maps: `pieces="merge"` makes words of word pieces, `scale="relative"` tints each row by its own largest
    weight (else a weight has the same colour on every map), `first` and `last` say which tokens are shown. The map
    says what was done to it. All are traits: observe and link them. So is `attention`, the map as it was computed,
    whatever is shown of it; it is only read.

    A mask that the model refuses is forgotten, and so is one that does not fit the next model of `models`. What Python
    raises while the reader types is said below the map, which stays as it was.

    `examples` are sentences to press, "Tea or coffee? | I like it."; `id` is what phrases of a notebook's text call it.

    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("head-map.js")  # of a path, anywidget keeps every instance
    _css = styles_of("head-map")

    head_mask: list[list[bool]] | None = traitlets.List(traitlets.List(traitlets.Bool()), None, allow_none=True).tag(
        sync=True
    )
    model_index: int = _Whole(0, min=0).tag(sync=True)
    examples: str = traitlets.Unicode().tag(sync=True)
    attention: AttentionMap = traitlets.Instance(AttentionMap, allow_none=True, read_only=True)
    _models = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _computes = traitlets.Bool(True).tag(sync=True)
    _reads = traitlets.Unicode(TEXT).tag(sync=True)
    _attention = traitlets.Dict().tag(sync=True)
    _compared = traitlets.Dict(None, allow_none=True).tag(sync=True)

    models: list[Callable[..., AttentionMap]]

    def __init__(
        self,
        sentence: Any = "",
        model: Callable[..., AttentionMap] | str | None = None,
        view: str | None = None,
        *,
        models: Sequence[Callable[..., AttentionMap] | str] | None = None,
        **traits: Any,
    ) -> None:
        if model is not None and models is not None:
            raise ValueError("give model or models, not both")
        if models is None:
            models = ["focus" if model is None else model]
        if len(models) == 0:
            raise ValueError("models must name one model at least, got none")
        models = [load_model(model) if isinstance(model, str) else model for model in models]
        for model in models:
            if not callable(model):
                raise TypeError(f"a model must be callable as model(sentence, head_mask=None), got {model!r}")
            if is_module(model) and not hasattr(model, "head_names"):
                raise TypeError(READS_NO_SENTENCE.format(type(model).__name__))
        self.models = models
        names = [_name(model) for model in self.models]
        traits |= {} if view is None else {"view": view}
        given = {"sentence": _written(sentence, models[0]), "_reads": _reading(models), "_models": names}
        super().__init__(**given, **_asking(models), **traits)
        self._compute()
        if self._reads != TEXT and self.attention.picture is not None:
            for name, value in start_of_drawn(self.attention.picture).items():
                if name not in traits:
                    setattr(self, name, value)
        for name, count in zip(PLACES, self.attention.shape):
            if (place := getattr(self, name)) is not None and place >= count:
                raise ValueError(f"{name} must be from 0 to {count - 1} for this map, got {place}")
        if self.view == "picture" and self.attention.picture is None:
            raise ValueError('view="picture" is for maps with a picture, as HeadMap.of(..., image=picture) makes them')
        self.on_msg(self._send_layers)
        self.observe(self._open, "query")
        self.observe(self._recompute, ASKS)

    @overload
    @classmethod
    def from_attentions(
        cls,
        attention: Any = None,
        tokens: Sequence[str] | None = None,
        sentence_b_start: int | None = None,
        prettify_tokens: bool = True,
        layer: int | None = None,
        heads: Sequence[int] | str | None = None,
        encoder_attention: Any = None,
        decoder_attention: Any = None,
        cross_attention: Any = None,
        encoder_tokens: Sequence[str] | None = None,
        decoder_tokens: Sequence[str] | None = None,
        include_layers: Sequence[int] | None = None,
        html_action: Literal["view"] = "view",
        **traits: Any,
    ) -> "HeadMap": ...
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
        """A map of somebody's own attentions, to look at: it takes what `bertviz.head_view` takes.

        >>> import torch
        >>> HeadMap.from_attentions([torch.full((1, 2, 3, 3), 1 / 3)], ["a", "b", "c"]).attention.shape
        (1, 2, 3, 3)

        `attention` is one array or tensor per layer, [head, query, key] or [1, head, query, key]; `tokens` names both
        axes. A model with encoder and decoder gives up to three lists, with `encoder_tokens` and `decoder_tokens`, and
        a slider chooses between them. `layer` and `include_layers` count from 0; one of `heads` is shown large, several
        stand out from the others. Where the second sentence starts (`sentence_b_start`) is told below the map.
        `html_action="return"` gives the static HTML instead. All else are traits, as of `HeadMap`; so is `heads` where
        it is a word, "average".

        Raises `ValueError` where arguments do not fit, as `AttentionMap` does, `TypeError` for those of a wrong type.
        """
        cls._refuse(traits, cls.from_attentions)
        request = translate_head_view(
            *(attention, tokens, sentence_b_start, prettify_tokens, encoder_attention, decoder_attention),
            *(cross_attention, encoder_tokens, decoder_tokens, include_layers),
        )
        models = give_maps(request, passage=WHOLE_TEXT)
        shape = models[0].map.shape
        if html_action not in ("view", "return"):
            raise ValueError(f"html_action must be 'view' or 'return', got {html_action!r}")
        if layer is not None:
            layers = list(range(shape[0]) if include_layers is None else include_layers)
            if layer not in layers:
                raise ValueError(f"layer {layer} is not in include_layers: {layers}")
            traits["layer"] = layers.index(layer)
        if isinstance(heads, str):
            traits["heads"] = heads
        elif heads is not None:
            if not len(heads) or not all(0 <= head < shape[1] for head in heads):
                raise ValueError(f"heads must name heads from 0 to {shape[1] - 1}, got {list(heads)}")
            if len(heads) == 1:
                traits["head"] = int(heads[0])
            elif len(set(heads)) < shape[1]:
                traits["head_mask"] = [[head in heads for head in range(shape[1])]] * shape[0]
        shown = cls(models=models, **traits)
        return HTML(shown._repr_mimebundle_()[0]["text/html"]) if html_action == "return" else shown

    @classmethod
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
        layers: int | Sequence[int] | str | None = None,
        layer_names: Sequence[str] | None = None,
        head_names: Sequence[str] | None = None,
        key_value_heads: int | None = None,
        normalised: bool = True,
        prettify_tokens: bool = True,
        tokenizer: Any = None,
        value_norms: Any = None,
        image: Any = None,
        grid: tuple[int, int] | None = None,
        predictions: Callable[[Any], Mapping[str, Mapping[str, float]]] | None = None,
        max_weights: int | None = MAX_WEIGHTS,
        **traits: Any,
    ) -> "HeadMap":
        """A map of any attentions, as the tool that computed them hands them out.

        >>> import torch
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
        padding are left out. `layers` are the numbers of those that are wanted, from 0 (`layers="rollout"` is the
        trait), and `layer_names` their names, where what you give doesn't know its own numbers. `head_names` name the
        heads; `key_value_heads` says how many groups of them share keys and values. `normalised=False` is for weights
        whose rows need not sum to 1: they are shown as they are, and where some are below 0, such as in the difference
        of two maps, by a hue for each sign. `prettify_tokens` makes text of the marks and bytes of tokenizers.

        `image` is the picture that a model looks at, of Pillow, an array or a path: weights are painted over its
        patches, whose `grid`, (rows, columns), is read from the model, or from its inputs. Of weights that are given,
        you say it, and names or ids tell which places are patches: it has to fill a run of them. With a processor for
        the `tokenizer`, and no inputs, the model reads it, alone or beside a text. `predictions` is a function from
        what the module returns to {name: {label: probability}}: the map says what the model predicts, and what it would
        say without a head that's turned off. With `value_norms`, as of `manyheads.value_norms`, a map can show what is
        written. All else are traits, as of `HeadMap`.

        A map of more than `max_weights` numbers, one for each layer, head, query and key, is computed and held by
        sentences, or rows of patches, and a click opens one; so is shown what has 2,048 tokens or more. With `first` or
        `last`, nothing is shown by sentences, and of a map that's too large these tokens alone are held: they're all
        that the map then has, and its weights are what they give to each other. `layers=[3]` holds one layer alone.

        The map doesn't keep the model alive, unless `predictions` does. As long as you have it, heads can be turned
        off, and sentences of a long text opened; without it, what was computed stays. For numbers without a widget
        there's `AttentionMap.of`.

        A model in pieces on several processes (FSDP2, tensor parallelism) is looked at by all of them: each calls this,
        the first gets the map of all heads, the others None.

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
        if isinstance(layers, str):  # the trait of the same name
            traits["layers"], layers = layers, None
        arguments = locals()
        cls._refuse(traits, cls.of)
        request = read(Request(**{name: arguments[name] for name in ARGUMENTS}))
        models = give_maps(request, _passage(traits))
        # Of a model in pieces, all processes but the first get None, and only their code has to know of it.
        return cls(models=models, **_start(models) | _within(models, traits)) if models else None

    @classmethod
    def _refuse(cls, traits, method):
        """Refuse what isn't a trait of given maps among the further arguments of a method."""
        of = f"HeadMap.{method.__name__}"
        for name in ("compare", "sentence", "model", "models"):
            if name in traits:
                raise TypeError(f"{of} takes no {name}: attentions that are given answer to no other sentence or model")
        known = {*cls.class_trait_names(), *inspect.signature(method).parameters} - {"compare", "sentence"}
        refuse_unknown(traits, known, of, elsewhere={"HeadMap.of": ARGUMENTS})

    @traitlets.validate("compare")
    def _comparable(self, proposal):
        if proposal.value is not None and self._reads != TEXT:
            raise traitlets.TraitError("compare is for models that read text: show two drawings as two maps")
        return proposal.value

    @traitlets.validate("model_index")
    def _known_model(self, proposal):
        if proposal.value >= len(self.models):
            raise traitlets.TraitError(f"model_index must be from 0 to {len(self.models) - 1}, got {proposal.value}")
        return proposal.value

    @property
    def model(self) -> Callable[..., AttentionMap]:
        """The model whose map is shown."""
        return self.models[self.model_index]

    def _compute(self):
        attention = self.model(self.sentence, head_mask=self.head_mask)
        if not _fits(self.head_mask, attention.shape[:2]):
            layers, heads = attention.shape[:2]
            raise ValueError(f"head_mask must be {layers} lists of {heads} True or False, got {self.head_mask}")
        compared = None if self.compare is None else self.model(self.compare, head_mask=self.head_mask)
        if attention is self.attention and not self._computes:
            return  # nothing to send: the page paints what it has
        count = self._attention.get("computed", 0) + 1  # the page also waits for a map that is as before
        with self.hold_sync():
            self._compared = compared and map_message(compared, self.layer)
            self._attention = map_message(attention, self.layer) | {"computed": count}
        self._sent = attention, compared
        self.set_trait("attention", attention)

    def _send_layers(self, widget, wanted, buffers):
        """Sends the layers that the page asks for, of the map that it has: a large map has one layer there at first."""
        if wanted["of"] != self._attention["computed"]:
            return
        for layer in wanted["layers"]:
            maps = [layer_message(map, layer) for map in self._sent if map and layer < map.shape[0]]
            self.send({"of": wanted["of"], "layer": layer, "maps": maps})

    def _open(self, change):
        """Opens the sentence that asks, of a long text; where it can't be, says so."""
        if not hasattr(self.model, "open"):
            return
        try:
            place = self.model.open(change.new)
        except Exception as error:
            self._status = f"It can't be opened: {reason(error)} What you see stays."
            raise
        with self.hold_sync():
            self._compute()
            self.query = place

    def _recompute(self, change):
        heads = tuple(getattr(self.model, name, None) for name in ("num_layers", "num_heads"))
        if change.name == "model_index" and not _fits(self.head_mask, heads):
            self._set_mask(None)
        super()._recompute(change)

    def _refused(self, change):
        if change.name == "head_mask":
            self._set_mask(change.old)

    def _set_mask(self, mask):
        """Sets the mask, and computes nothing."""
        self.unobserve(self._recompute, "head_mask")
        self.head_mask = mask
        self.observe(self._recompute, "head_mask")

    def _element(self):
        names = " ".join(self._models)
        live = self._computes and all(map(is_named, self._models))
        still = "Python computed this map; it stands still on a page." if self._computes else self._status
        attention, compared = self._sent
        if live:
            chosen = self._shown(attention, self.head_mask)
            chosen["models" if len(self._models) > 1 else "model"] = names
        else:
            compared = compared and self._part(compared, self.head_mask)[0]
            attention, chosen = self._part(attention, self.head_mask)
        chosen["compare"] = self.compare
        if self._computes:
            chosen["sentence"] = self.sentence
        return head_map_element(attention, compared, status="" if live else still, **chosen)

    def _plain(self):
        return plain_html(self.attention, self._sent[1], self.layer)

    def _shown(self, map, mask):
        """What is shown of a map, as attributes of its element; of a smaller one than was there, the last."""
        chosen = {name: getattr(self, name) for name in OPTIONS if name not in ASKS}
        for name, count in zip(PLACES, map.shape):
            chosen[name] = None if chosen[name] is None else min(chosen[name], count - 1)
        rows = enumerate(mask or [])
        off = write_heads((layer, head) for layer, row in rows for head, on in enumerate(row) if not on)
        chosen = {name: None if value == start_of(name) else value for name, value in chosen.items()}
        return {**chosen, "off": off or None}

    def _takes_whole_rows(self):
        return any(is_whole(name, getattr(self, name)) for name in OPTIONS)

    def _part(self, map, mask):
        """What a page without its model holds of a map, the tokens that are shown, and its element's attributes."""
        shown = self._shown(map, mask)
        if self._takes_whole_rows():
            return map, shown
        part = take_between(map, self.first, self.last)
        if part is map:
            return map, shown
        asks = shown["query"] or 0
        if part.shape[2] < map.shape[2]:  # those that ask are those that are looked at
            asks -= self.first
        shown |= {"first": None, "last": None, "query": asks if 0 < asks < part.shape[2] else None}
        return replace(part, notes=(*part.notes, ONLY_THESE)), shown

    def plot(
        self,
        layer: int | None = None,
        head: int | None = None,
        *,
        axes: "Axes | None" = None,
        size: tuple[float, float] | None = None,
    ) -> "Drawn":
        """Draw `attention` with matplotlib: see `AttentionMap.plot`.

        >>> HeadMap("Tea or coffee?").plot(layer=1).axes[0].get_title()
        'layer 2, sentence type'
        """
        return self.attention.plot(layer, head, axes=axes, size=size)

    @overload
    def to_svg(self, path: None = None, *, layer: int | None = None, head: int | None = None) -> str: ...
    @overload
    def to_svg(self, path: str | os.PathLike[str], *, layer: int | None = None, head: int | None = None) -> Path: ...
    def to_svg(self, path=None, *, layer=None, head=None):
        """Draw `attention` as an SVG: see `AttentionMap.to_svg`.

        >>> HeadMap("Tea or coffee?").to_svg(layer=0, head=0)[:4]
        '<svg'
        """
        return self.attention.to_svg(path, layer=layer, head=head)

    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> Path: ...
    def to_csv(self, path=None):
        """Write all weights of `attention` as rows: see `AttentionMap.to_csv`.

        >>> HeadMap("Tea or coffee?").to_csv()[:16]
        'layer,head,query'
        """
        return self.attention.to_csv(path)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the map as one file that anybody can open: a page that needs no network, no server and no Python.

        >>> from tempfile import TemporaryDirectory
        >>> figure = HeadMap.of([[0.25, 0.75], [0.5, 0.5]], ["hot", "tea"])
        >>> with TemporaryDirectory() as folder:
        ...     figure.save(f"{folder}/map.html").stat().st_size < 150_000
        True

        The page starts as the map is now. Its reader chooses view, layer, word, heads and special tokens; the sentence,
        or the drawing, stays, since the model is not in the file. Several models, or a sentence to compare with, are
        maps of their own, one below the other. Of `first` to `last`, the file holds these tokens alone, and says so;
        but where `rollout`, merged pieces, what is written, or rows without special tokens are shown, it holds all, for
        these are told from whole rows. Of a file that gets larger than a mail carries, a warning says so before it is
        written, and what would fit. Returns the `Path`.

        Raises `ValueError` for a path that ends in something other than .html, `OSError` for one that can't be written.
        """
        path = check_path(path, ".html", ".htm")
        sentences = [self.sentence] if self.compare is None else [self.sentence, self.compare]
        saved = SAVED.format(what="sentence" if self._reads == TEXT else self._reads)
        figures, maps = [], []
        for model in self.models:
            mask = self.head_mask if model is self.model else None
            for sentence in sentences:
                map, shown = self._part(model(sentence, head_mask=mask), mask)
                named = (_name(model) if len(self.models) > 1 else "", sentence if self._reads == TEXT else "")
                html = head_map_element(map, status=saved, whole=True, digits=DIGITS, **shown)
                figures.append((": ".join(part for part in named if part), html))
                maps += [map] * html.count(DIGITS)
        first, *rest = standalone_page(figures, self._esm, self._css).split(DIGITS)
        page, weights = len(first + "".join(rest)), sum(digits_in(each) for each in maps)
        layer = self.attention.opened(self.layer)
        if said := too_large(path.name, page, weights, maps, layer, parts=not self._takes_whole_rows()):
            warnings.warn(said, stacklevel=2)
        with write_whole(path) as beside, beside.open("w", encoding="utf-8", errors="replace") as file:
            file.write(first)
            for map, part in zip(maps, rest, strict=True):
                file.writelines(digits_of(map))
                file.write(part)
        return path


def head_map_element(map, compared=None, *, status="", whole=False, digits=None, **attributes):
    """The `<head-map>` element of a page, with its map; `attributes` (model, sentence, view, layer ...) become its own.

    >>> attention = AttentionMap(["tea"], ["hot", "tea"], [[[[0.25, 0.75]]]])
    >>> head_map_element(attention, sentence="<tea>")[:38]
    '<head-map sentence="&lt;tea&gt;"><figu'

    `compared` is the map of a second sentence. `status` is what the status line says of a map that no model of a page
    computes again. Of a map with more than `BAKED` weights, the page has one layer and small pictures of the others,
    unless the `whole` is wanted. `digits` stands for many weights that are written later.
    """
    layer = map.opened(attributes.get("layer"))
    if not whole and map.weights[0].size > BAKED:
        return plain_html(replace(map, notes=(*map.notes, TOO_LARGE)), compared, layer)
    layers = None if whole or map.weights.size <= BAKED else [layer]
    if layers:
        present = f"Of its {map.shape[0]} layers, {map.layer_names[layer]} is in this page"
        status = f"{status} {present}: the others would make it too large.".strip()
    data = map_json(map, layers, digits)
    if compared is not None:
        data["compared"] = map_json(compared, layers)
    if status:
        data["status"] = status
    return element_html("head-map", attributes, data, plain_html(map, compared, layer))


def _reading(models):
    """What all of the models read: "text", or what else they say."""
    reads = {getattr(model, "reads", TEXT) for model in models}
    if len(reads) > 1:
        raise ValueError(f"models must all read the same, but some of these read {' and some '.join(sorted(reads))}")
    return reads.pop()


def _written(given, model):
    """The text of what a model is to read."""
    if isinstance(given, str):
        return given
    if _reading([model]) == TEXT:
        hint = 'for a drawing, name a model that reads one, as in HeadMap(drawing, model="drawing")'
        raise TypeError(f"sentence must be a string, got {type(given).__name__}; {hint}")
    return model.written(given)


def _asking(models):
    """The traits that say what makes models compute anew, and in what words, where not all read sentences."""
    if _reading(models) != TEXT:
        return {"_asks": [name for name in ASKS if name not in OPTIONS], "_status": SWITCHED}
    if not all(isinstance(model, GivenMap) for model in models):
        return {"_asks": ASKS}
    asks = dict.fromkeys(name for model in models for name in model.asks)
    status = next((model.status for model in models if model.asks), GIVEN)
    return {"_asks": [*asks, *["model_index"] * (len(models) > 1)], "_computes": False, "_status": status}


def _start(models):
    """The traits with which given maps are shown best, unless others are chosen."""
    first, long = models[0].map, any(isinstance(model, LongMap) for model in models)
    if first.picture is None:
        return FAINT if long else {}
    start = {"view": "picture"} | FAINT
    unseen = first.picture.query_start != 0 and not first.weights[..., 0, 1:].any()
    if long or unseen:  # in a causal text, the first token sees no picture
        start["query"] = first.shape[2] - 1  # what was written last
    return start


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
    for name, value in traits.items():
        if name in OPTIONS and is_whole(name, value):
            raise ValueError(NOT_WHOLE.format(option=f"{name}={value!r}"))
    first, map = passage[0], models[0].map
    within = {name: value for name, value in traits.items() if name not in PASSAGE}
    if within.get("query") is not None and map.query_tokens == map.key_tokens:
        within["query"] = within["query"] - first if first <= within["query"] < first + map.shape[2] else 0
    return within


def start_of_drawn(picture):
    """The traits with which the map of a drawing is shown best: the patch at its middle asks."""
    middle = picture.rows // 2 * picture.columns + picture.columns // 2
    return {"view": "picture", "query": picture.query_start + middle} | FAINT


def _fits(mask, heads):
    """Whether a mask is one of so many (layers, heads)."""
    return mask is None or (len(mask) == heads[0] and all(len(row) == heads[1] for row in mask))


def _name(model):
    return getattr(model, "page_name", None) or getattr(model, "name", type(model).__name__)
