"""The journey of one asking word, from its vector to the model's answer: live in a notebook, and baked into pages."""

from typing import Any

import numpy as np
import traitlets

from manyheads.drawing.element import element_html, table_html
from manyheads.maps.wire import base64_arrays
from manyheads.models.registry import is_named, load_model
from manyheads.models.steps import attention_of, first_steps, formula_steps, head_parameters
from manyheads.shared.names import FLAGS, STATION_MATRICES
from manyheads.shared.numbers import percent
from manyheads.shared.tokens import readable
from manyheads.widgets.figure import Figure
from manyheads.widgets.web_files import built, styles_of


class AttentionFlow(Figure):
    """One asking word's way through attention, as a film; every number on it opens to its arithmetic.

    >>> widget = AttentionFlow("Which do you like better, coffee or tea?", head=1)
    >>> widget.steps["maps"].shape  # 4 heads, 12 tokens ask 12
    (4, 12, 12)

    `model` is a focus model, an encoder that is built as BERT is, the decoder, or its name on pages; the taught focus
    model unless you name another. `layer`, of which pretrained models have several, `head` and `query`, the asking
    token, count from 0. `station` is where the journey stands: "words", "project", "keys", "scores", "softmax",
    "values", "heads", "mix" or "answer".
    `answer` begins the journey one layer below: it's a fact that the focus model answers, such as "sentiment". The word
    that its head looks at most is then the one that asks, in head `head` of layer 1, and the journey goes on to that
    answer; what may be changed in the formula stays as it is.
    `cell` is the number whose arithmetic is open, as "scores 3 8", its matrix, row and column; "" for none. `causal`,
    `padding` and `unscaled` change the formula. All are traits: observe and link them. So is `steps`, every matrix by
    its name; it is only read.
    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("widgets/attention-flow.js")
    _css = styles_of("attention-flow")

    sentence: str = traitlets.Unicode().tag(sync=True)
    layer: int = traitlets.Int(0, min=0).tag(sync=True)
    head: int = traitlets.Int(0, min=0).tag(sync=True)
    query: int = traitlets.Int(0, min=0).tag(sync=True)
    answer: str = traitlets.Unicode().tag(sync=True)
    station: str = traitlets.Enum(list(STATION_MATRICES), "words").tag(sync=True)
    cell: str = traitlets.Unicode().tag(sync=True)
    causal: bool = traitlets.Bool(False).tag(sync=True)
    padding: bool = traitlets.Bool(False).tag(sync=True)
    unscaled: bool = traitlets.Bool(False).tag(sync=True)
    steps: dict[str, Any] = traitlets.Dict(read_only=True)
    _flow = traitlets.Dict().tag(sync=True)
    _parameters = traitlets.Dict().tag(sync=True)

    def __init__(self, sentence: str = "", model: Any = None, head: int = 0, **traits: Any) -> None:
        if not isinstance(sentence, str):
            raise TypeError(f"sentence must be a string, got {type(sentence).__name__}")
        self.model = load_model(model or "focus") if model is None or isinstance(model, str) else model
        asks = ["sentence", "layer", "head", "answer", *FLAGS]
        super().__init__(sentence=sentence, head=head, _asks=asks, **traits)
        self._compute()
        self.observe(self._recompute, asks)

    def _compute(self):
        options = {"layer": self.layer, "causal": self.causal, "padding": self.padding, "scaled": not self.unscaled}
        steps = flow_steps(self.model, self.sentence, self.head, self.answer, **options)
        parameters = base64_arrays(learned_in(self.model, self.head, self.answer, self.layer))
        with self.hold_sync():
            if parameters != self._parameters:
                self._parameters = parameters
            self._flow = base64_arrays(steps)
        self.set_trait("steps", steps)

    def _element(self):
        name = getattr(self.model, "page_name", None) or getattr(self.model, "name", "")
        more = {"model": name, "sentence": self.sentence} if is_named(name) else {}
        places = {name: getattr(self, name) or None for name in ("layer", "head", "query", "cell")}
        flags = {flag: "" for flag in FLAGS if getattr(self, flag)}
        places["answer"] = self.answer or None
        learned = learned_in(self.model, self.head, self.answer, self.layer)
        return attention_flow_element(self.steps, learned, station=self.station, **places, **flags, **more)

    def _plain(self):
        return plain_flow(self.steps, self.query)


def flow_steps(model, sentence, head=0, answer="", **options):
    """The steps of the formula for one head; where there's a layer below, so is `below`, what its heads look at.

    For an `answer`, they are those of a head of layer 1, and `above` has those of the answer's head in the layer above.
    `options` are those of `formula_steps`.

    >>> steps = flow_steps(load_model("focus"), "Tea, please!")
    >>> steps["maps"].shape, steps["below"].shape
    ((4, 6, 6), (4, 6, 6))
    """
    if answer:
        if answer not in model.head_names or not hasattr(model, "first"):
            raise ValueError(f"answer must be one of {', '.join(model.head_names)}, got {answer!r}")
        above = flow_steps(model, sentence, model.head_names.index(answer))
        return first_steps(model, sentence, head) | {"layer": 0, "above": above}
    steps = formula_steps(model, sentence, head, **options)
    layers = np.asarray(model(sentence).weights, np.float32)
    padded = len(steps["tokens"]) - layers.shape[-1]
    many = hasattr(model, "attention_layer")
    layer = options.get("layer", 0) if many else len(layers) - 1
    if layer:
        steps["below"] = np.pad(layers[layer - 1], [(0, 0), (0, padded), (0, padded)])
    return steps | ({"layer": layer, "layers": len(layers)} if many else {})


def learned_in(model, head=0, answer="", layer=0):
    """What is learned of the head that a journey goes through: `head_parameters` of its layer."""
    return head_parameters(model.first if answer else attention_of(model, layer), head)


def attention_flow_element(steps, learned, **attributes):
    """The `<attention-flow>` element of a page, with its numbers; `attributes` become its own.

    What is `learned` comes with the model, so only a journey that stands where it is drawn has it already.
    """
    data = dict(steps)
    if attributes.get("station") == "project":
        data["parameters"] = {name: value for name, value in learned.items() if name not in ("Wo", "bo")}
    if "layers" in steps:  # of a wide model: until it computes in the page, half the bits will do
        data = {name: np.float16(value) if isinstance(value, np.ndarray) else value for name, value in data.items()}
    return element_html("attention-flow", attributes, base64_arrays(data), plain_flow(steps, attributes.get("query")))


def asker_of(steps):
    """The place of the token that an answer rests on: its head looks at it most when [CLS] asks."""
    above = steps["above"]
    return int(above["maps"][above["head"], 0].argmax())


def plain_flow(steps, query=None):
    """What the asking token looks at, as a table."""
    words = [readable(token) for token in steps["tokens"]]
    query = asker_of(steps) if "above" in steps and not query else min(query or 0, len(words) - 1)
    head = steps["headNames"][steps["head"]]
    caption = " ".join(
        [f"How much of its attention {words[query]} gives to each token; head: {head}.", *steps["notes"]]
    )
    return table_html(caption, [(word, percent(weight)) for word, weight in zip(words, steps["weights"][query])])
