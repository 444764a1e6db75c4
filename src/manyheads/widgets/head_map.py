"""Live figures for notebooks: anywidget, so ipywidgets, with the same renderer as the pages."""

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload
from weakref import ref

import numpy as np
import traitlets

from manyheads.drawing.plain import plain_html
from manyheads.maps import AttentionMap
from manyheads.maps.choosing import fit_query, query_of
from manyheads.maps.mixing import check_alike
from manyheads.maps.sources import SourceTable
from manyheads.maps.wire import layer_message, map_message
from manyheads.models.registry import load_model
from manyheads.reading.request import Request, is_module
from manyheads.reading.sources import Reading, is_language_model
from manyheads.shared.options import OPTIONS, is_whole, names_with, start_of
from manyheads.widgets.figure import Figure, reason
from manyheads.widgets.given_maps import GIVEN, GivenMap, measure_sources
from manyheads.widgets.map_of import FAINT, MapOf
from manyheads.widgets.saving import TEXT, element_of, name_of, save_map
from manyheads.widgets.web_files import built, styles_of

ASKS = [*names_with("computed"), "head_mask", "model_index"]  # of a model that reads sentences
SECOND = "second map"  # of a model without a name
SWITCHED = "Ready: Python computes as you turn heads off."  # of a map without a sentence to type
READS_NO_SENTENCE = (
    "a {} reads no sentence by itself: HeadMap.of(model, sentence, tokenizer=tokenizer) shows what any torch module "
    "looks at"
)
MEASURED_BY = "what a source is for is told by a model that computes: HeadMap.of(model, text, sources=...)"
HAVE_WHOLE = [name for name, row in OPTIONS.items() if any(is_whole(name, value) for value in row.get("values", ()))]
NOT_WHOLE = (
    "{option} is told from whole rows, and of this map first and last alone fit into max_weights: leave it out, or "
    "allow more by max_weights="
)


class _Whole(traitlets.Int):
    """A whole number, NumPy's as well."""

    def validate(self, obj, value):
        return super().validate(obj, int(value) if isinstance(value, np.integer) else value)


class _Query(traitlets.TraitType):
    """Who asks: a place, a span of tokens, or a text."""

    def validate(self, obj, value):
        try:
            return query_of(value)
        except (TypeError, ValueError) as error:
            raise traitlets.TraitError(str(error)) from error


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
    elif row["kind"] == "query":
        trait = _Query(start)
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
        query: int | tuple[int, int] | str
        special: str
        weigh: str
        heads: str
        layers: str
        pieces: str
        scale: str
        mattered: str
        first: int
        last: int | None

else:  # a figure with a trait for each option of a map
    _Chosen = type("_Chosen", (Figure,), {name: _trait(name, row) for name, row in OPTIONS.items()})


class HeadMap(MapOf, _Chosen):
    """What every head of a model looks at, live: edit the sentence, turn heads off, choose who asks.

    >>> HeadMap("Which do you like better, coffee or tea?").attention.shape
    (2, 4, 12, 12)

    `model` is any head model, callable as `model(sentence, head_mask=None) -> AttentionMap`, or the name that pages
    give one, such as "encoder"; the taught focus model unless you name another. `models` instead is a list of them,
    with a slider over it. `compare` is a second sentence; `beside` instead is a second model, or its name, which reads
    the same one: two files of a model, or it before and after it was tuned. `view` is "paint", "matrix", "grid" (all
    heads of all layers), "lines" or, for a map with a picture, "picture"; `layer` (at first the one whose heads have
    names, else the first), `head` (the one shown large, or whose lines alone are shown) and `query` (who asks) count
    from 0;
    `head_mask[layer][head]` is False for a head that is turned off, None for all on. `special` says whether special
    tokens are kept ("keep"), dimmed ("dim") or removed ("remove"), `heads="average"` shows the mean of the heads,
    `layers="rollout"` attention rollout: see `AttentionMap`.
    `weigh="written"` multiplies each weight by the length of the vector that the head writes from there, for the
    models that can tell (focus, induction, decoder) and for maps with `value_norms`, so that a sink which writes
    nothing fades.

    Several tokens ask as one: `query` is a place, a span `(first, last)`, both included, or words of the text, and what
    is shown, drawn, and written to files is the mean of their rows, as `AttentionMap.for_query` has it. Words that the
    text has more than once are refused, with their places, and so are words that it doesn't have.

    >>> figure = HeadMap("The red car met the blue car.", query="the red car")
    >>> figure.query, figure.to_csv().splitlines()[1].split(",")[4]
    ((1, 3), 'the red car')

    A model that reads drawings gets one instead of a sentence, in any form that `DrawingModel` takes:

    >>> drawn = HeadMap([[[0.2, 0.2], [0.8, 0.2], [0.8, 0.8]]], model="drawing")
    >>> drawn.sentence, drawn.view
    ('6.4_6.4-25.6_6.4-25.6_25.6', 'picture')

    Its text is the trait `sentence` then: for another drawing, set it to `model.written(drawing)`. No second one can be
    compared.

    `mattered="asked"` asks a model that writes on once more without each source of the text, its paragraphs or the
    `sources` of `HeadMap.of`: beside how much each is looked at stands what the answer owes to it. See `by_source`.

    For large maps: `pieces="merge"` makes words of word pieces, `scale="relative"` tints each row by its own largest
    weight (else a weight has the same colour on every map), `first` and `last` say which tokens are shown. The map
    says what was done to it. All are traits: observe and link them. So is `attention`, the map as it was computed,
    whatever is shown of it; it is only read.

    A mask that the model refuses is forgotten, and so is one that does not fit the next model of `models`. What Python
    raises while the reader types is said below the map, which stays as it was.

    `examples` are sentences to press, "Tea or coffee? | I like it."; `id` is what phrases of a notebook's text call it.

    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("widgets/head-map.js")  # of a path, anywidget keeps every instance
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
    _beside = traitlets.Unicode().tag(sync=True)
    _attention = traitlets.Dict().tag(sync=True)
    _compared = traitlets.Dict(None, allow_none=True).tag(sync=True)

    models: list[Callable[..., AttentionMap]]
    beside: Callable[..., AttentionMap] | None
    _of: tuple[str, int] | None = None  # the sentence and the model that `attention` is of

    def __init__(
        self,
        sentence: Any = "",
        model: Callable[..., AttentionMap] | str | None = None,
        view: str | None = None,
        *,
        models: Sequence[Callable[..., AttentionMap] | str] | None = None,
        beside: Callable[..., AttentionMap] | str | None = None,
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
        self.beside = load_model(beside) if isinstance(beside, str) else beside
        names = [name_of(model) for model in self.models]
        traits |= {} if view is None else {"view": view}
        given = {"sentence": _written(sentence, models[0]), "_reads": _reading(models), "_models": names}
        given["_beside"] = "" if beside is None else name_of(self.beside) or SECOND
        super().__init__(**given, **_asking(models), **traits)
        self._compute()
        if self._reads != TEXT and self.attention.picture is not None:
            for name, value in start_of_drawn(self.attention.picture).items():
                if name not in traits:
                    setattr(self, name, value)
        query_of(self.query, self.attention.query_tokens)
        for name, count in zip(("layer", "head"), self.attention.shape):
            if (place := getattr(self, name)) is not None and place >= count:
                raise ValueError(f"{name} must be from 0 to {count - 1} for this map, got {place}")
        if self.view == "picture" and self.attention.picture is None:
            raise ValueError('view="picture" is for maps with a picture, as HeadMap.of(..., image=picture) makes them')
        self.on_msg(self._reply)
        self.observe(self._open, "query")
        self.observe(self._recompute, ASKS)

    @traitlets.validate("compare")
    def _comparable(self, proposal):
        if proposal.value is not None and self._beside:
            raise traitlets.TraitError(f"compare is for one model: beside it stands {self._beside}")
        if proposal.value is not None and self._reads != TEXT:
            raise traitlets.TraitError("compare is for models that read text: show two drawings as two maps")
        return proposal.value

    @traitlets.validate(*HAVE_WHOLE)
    def _told_from_what_is_held(self, proposal):
        name, value = proposal.trait.name, proposal.value
        if is_whole(name, value) and getattr(self.model, "passage", None) is not None:
            raise traitlets.TraitError(NOT_WHOLE.format(option=f"{name}={value!r}"))
        return value

    @traitlets.validate("query")
    def _found(self, proposal):
        """A text by its places: at once in the text that stands there, else once that is computed."""
        if isinstance(proposal.value, str) and self._of == (self.sentence, self.model_index):
            return query_of(proposal.value, self.attention.query_tokens)
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
        if self.beside is not None:
            compared = self.beside(self.sentence, head_mask=self.head_mask)
            check_alike(attention, compared)
        else:
            compared = None if self.compare is None else self.model(self.compare, head_mask=self.head_mask)
        if attention is self.attention and not self._computes:
            return  # nothing to send: the page paints what it has
        count = self._attention.get("computed", 0) + 1  # the page also waits for a map that is as before
        with self.hold_sync():
            self._compared = compared and map_message(compared, self.layer)
            self._attention = map_message(attention, self.layer) | {"computed": count}
        self._sent, self._of = (attention, compared), (self.sentence, self.model_index)
        self.set_trait("attention", attention)
        with suppress(ValueError):  # the page says why they can't ask
            self.query = self.query  # words that were waiting for this text

    def _reply(self, widget, wanted, buffers):
        """Sends what the page asks for, of the map that it has: what its sources are for, or layers, of a large one."""
        if wanted["of"] != self._attention["computed"]:
            return
        if "sources" in wanted:
            try:
                self.send({"of": wanted["of"], "mattered": self._mattered(wanted["sources"])})
            except Exception as error:
                self.send({"of": wanted["of"], "mattered": [], "refused": reason(error)})
                raise
            return
        for layer in wanted["layers"]:
            maps = [
                layer_message(attention, layer) for attention in self._sent if attention and layer < attention.shape[0]
            ]
            self.send({"of": wanted["of"], "layer": layer, "maps": maps})

    def _open(self, change):
        """Opens the sentence that asks, of a long text; where it can't be, says so."""
        if not hasattr(self.model, "open"):
            return
        try:
            place = self.model.open(change.new) if isinstance(change.new, int) else change.new
            if hasattr(self.beside, "open") and isinstance(change.new, int):
                self.beside.open(change.new)
        except Exception as error:
            self._status = f"It can't be opened: {reason(error)} What you see stays."
            raise
        with self.hold_sync():
            self._compute()
            self.query = place

    def _mattered(self, sources):
        """What each source is for, in the page's words: those with names, or paragraphs by the places of tokens."""
        answer, probability, without = self._measure(None, sources)
        return [{"answer": answer, "probability": probability, "without": share} for share in without]

    def _measure(self, answer, hidden=()):
        """The probability of an answer with and without each source: tokens that are hidden, or the named sources."""
        if is_language_model(self.model):
            reading = Reading(ref(self.model), self.sentence)
            request = Request(self.model, reading=reading, found=dict(enumerate(hidden)))
            return measure_sources(request, answer, self.head_mask)
        measure = getattr(self.model, "measure", None)
        if measure is None:
            raise ValueError(MEASURED_BY)
        return measure(answer, self.head_mask)

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

    @property
    def _for_query(self):
        """The map; of a span that asks, its row."""
        query = fit_query(self.query, self.attention.shape[2])
        return self.attention.for_query(query) if isinstance(query, tuple) else self.attention

    def _plain(self):
        return plain_html(self.attention, self._sent[1], self.layer)

    def by_source(
        self, query: int | tuple[int, int] | str | None = None, *, mattered: bool = False, answer: str | None = None
    ) -> SourceTable:
        """How much of a token's attention each source gets, and what it's for: see `AttentionMap.by_source`.

        >>> from manyheads import load_decoder
        >>> text = "My notes. The cook bought saffron in Rome. The baker sold pretzels in Oslo. The cook bought"
        >>> sources = ["The cook bought saffron in Rome.", "The baker sold pretzels in Oslo."]
        >>> table = HeadMap.of(load_decoder(), text, sources=sources).by_source(answer=" saffron")
        >>> cook, baker = table.without
        >>> cook < table.probability / 100 < table.probability < baker  # the baker's only leads astray
        True

        The token that asks is that of the figure unless it's given. With `mattered`, or an `answer`, the model reads
        the text once more for each source, which is masked for all tokens, in all layers and heads, while the others
        keep their positions. The table then tells the probability of the answer, the likeliest next token if it isn't
        given, with all sources and without each. Being looked at is one thing, being used another.

        Raises `ValueError` for a map without sources, and where the model can't be asked, with the reason.
        """
        table = self.attention.by_source(fit_query(self.query, self.attention.shape[2]) if query is None else query)
        if not mattered and answer is None:
            return table
        answer, probability, without = self._measure(answer)
        return replace(table, answer=answer, probability=probability, without=tuple(without))

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
        return self._for_query.plot(layer, head, axes=axes, size=size)

    @overload
    def to_svg(self, path: None = None, *, layer: int | None = None, head: int | None = None) -> str: ...
    @overload
    def to_svg(self, path: str | os.PathLike[str], *, layer: int | None = None, head: int | None = None) -> Path: ...
    def to_svg(self, path=None, *, layer=None, head=None):
        """Draw `attention` as an SVG: see `AttentionMap.to_svg`.

        >>> HeadMap("Tea or coffee?").to_svg(layer=0, head=0)[:4]
        '<svg'
        """
        return self._for_query.to_svg(path, layer=layer, head=head)

    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> Path: ...
    def to_csv(self, path=None):
        """Write all weights of `attention` as rows: see `AttentionMap.to_csv`.

        >>> HeadMap("Tea or coffee?").to_csv()[:16]
        'layer,head,query'
        """
        return self._for_query.to_csv(path)

    save = save_map
    _element = element_of


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


def start_of_drawn(picture):
    """The traits with which the map of a drawing is shown best: the patch at its middle asks."""
    middle = picture.rows // 2 * picture.columns + picture.columns // 2
    return {"view": "picture", "query": picture.query_start + middle} | FAINT


def _fits(mask, heads):
    """Whether a mask is one of so many (layers, heads)."""
    return mask is None or (len(mask) == heads[0] and all(len(row) == heads[1] for row in mask))
