"""The journey of one asking word, from its vector to the model's answer: live in a notebook, and baked into pages."""

import numpy as np
import traitlets

from manyheads.maps.element import element_html
from manyheads.maps.names import STATION_STEPS
from manyheads.models.registry import is_named, load_model
from manyheads.widgets.figure import Figure
from manyheads.widgets.formula_steps import base64_steps, bytes_steps, formula_steps, plain_steps
from manyheads.widgets.web_files import built, styles_of


class AttentionFlow(Figure):
    """One asking word's way through attention, as a film that can be stopped anywhere.

    >>> widget = AttentionFlow("Which do you like better, coffee or tea?", head=1)
    >>> widget.steps["maps"].shape  # 4 heads, 12 tokens ask 12
    (4, 12, 12)

    `model` is a focus model or its name on pages, the taught one unless you name another. `head` and `query`, the
    asking token, count from 0. `station` is where the journey stands: "words", "keys", "scores", "softmax", "values",
    "heads", "mix" or "answer". All are traits: observe and link them. So is `steps`, every matrix by its name; it is
    only read.
    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("attention-flow.js")
    _css = styles_of("attention-flow")

    sentence = traitlets.Unicode().tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)
    query = traitlets.Int(0, min=0).tag(sync=True)
    station = traitlets.Enum(list(STATION_STEPS), "words").tag(sync=True)
    steps = traitlets.Dict(read_only=True)
    _flow = traitlets.Dict().tag(sync=True)

    def __init__(self, sentence="", model=None, head=0, **traits):
        if not isinstance(sentence, str):
            raise TypeError(f"sentence must be a string, got {type(sentence).__name__}")
        self.model = load_model(model or "focus") if model is None or isinstance(model, str) else model
        super().__init__(sentence=sentence, head=head, **traits)
        self._compute()
        self.observe(self._recompute, ["sentence", "head"])

    def _compute(self):
        steps = flow_steps(self.model, self.sentence, self.head)
        self._flow = bytes_steps(steps)
        self.set_trait("steps", steps)

    def _element(self):
        name = getattr(self.model, "name", "")
        more = {"model": name, "sentence": self.sentence} if is_named(name) else {}
        places = {"head": self.head or None, "query": self.query or None}
        return attention_flow_element(self.steps, station=self.station, **places, **more)

    def _plain(self):
        return plain_flow(self.steps, self.station)


def flow_steps(model, sentence, head=0):
    """The steps of the formula for one head, and `maps`, [h, q, k], what every head looks at.

    >>> flow_steps(load_model("focus"), "Tea, please!")["maps"].shape
    (4, 6, 6)
    """
    return formula_steps(model, sentence, head) | {"maps": np.asarray(model(sentence).weights[-1], np.float32)}


def attention_flow_element(steps, **attributes):
    """The `<attention-flow>` element of a page, with its numbers; `attributes` become its own."""
    station = attributes.get("station") or "words"
    return element_html("attention-flow", attributes, base64_steps(steps), plain_flow(steps, station))


def plain_flow(steps, station):
    """The numbers of a station, as tables."""
    step = STATION_STEPS[station]
    return plain_steps(steps, step if step != "answer" or "labels" in steps else "output")
