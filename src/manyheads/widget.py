"""Live figures for notebooks: anywidget, so ipywidgets, with the same renderer as the pages."""

import os
import re
from pathlib import Path

import anywidget
import traitlets
from IPython.display import HTML

from manyheads.baked import head_map_html, map_dict
from manyheads.bertvizpage import SITE
from manyheads.files import ENCODER
from manyheads.given import given_maps

WEB = Path(__file__).parent / "web"
VIEWS = ("paint", "matrix", "grid", "lines")
CHOICES = {"special": ("keep", "dim", "remove"), "heads": ("each", "average"), "layers": ("one", "rollout")}
ON_PAGES = {ENCODER: "encoder"}  # a model's name -> what pages call it, where that is another


def one_module(name):
    """The text of an ES module of `web/` with the modules that it imports put before it: a module without imports.

    >>> "import" in one_module("head-map.js").split("/** The heads' colours")[0]
    False

    Such a module suits a notebook, which knows no other files. Top-level names must differ between the files.
    """
    parts = {}

    def read(name):
        if name not in parts:
            text = (WEB / name).read_text(encoding="utf-8")
            for imported in IMPORT.findall(text):
                read(imported)
            parts[name] = IMPORT.sub("", text)

    read(name)
    last = parts.pop(name)
    return "\n".join([*(re.sub(r"^export ", "", part, flags=re.MULTILINE) for part in parts.values()), last])


IMPORT = re.compile(r'^import \{[^}]*\} from "\./([\w-]+\.js)";\n', re.MULTILINE)


def with_style(html):
    """A baked figure that brings its own stylesheets, for where no page has them: a notebook that nbconvert shows.

    >>> with_style("<head-map></head-map>")[:28]
    '<head-map></head-map><style>'
    >>> with_style("<p>another output</p>")
    '<p>another output</p>'
    """
    sheets = STYLESHEETS.get(re.match(r"[^\s>]*", html)[0], ())
    style = "".join((WEB / name).read_text(encoding="utf-8") for name in sheets)
    return f"{html}<style>{style}</style>" if style and not html.endswith("</style>") else html


def output_html(html):
    """A figure as a cell's output shows it: with its style, but for the pages of the book, which have it."""
    return html if os.environ.get(SITE) else with_style(html)


STYLESHEETS = {"<head-map": ("head-map.css",), "<formula-steps": ("head-map.css", "formula-steps.css")}


class HeadMap(anywidget.AnyWidget):
    """What every head of a model looks at, live: edit the sentence, turn heads off, choose who asks.

    >>> HeadMap("Which do you like better, coffee or tea?").attention.shape
    (1, 4, 12, 12)

    `model` is any head model, callable as `model(sentence, head_mask=None) -> AttentionMap`; the taught focus model
    unless given. `models` instead is a list of them, with a slider over it. `compare` is a second sentence.
    `view` is "paint", "matrix", "grid" (all heads of all layers) or "lines"; `layer`, `head` (the one shown large, or
    whose lines alone are shown) and `query` count from 0; `head_mask[layer][head]` is False for a head that is turned
    off, None for all on. `special` says whether special tokens are kept ("keep"), dimmed ("dim") or removed ("remove"),
    `heads="average"` shows the mean of the heads, `layers="rollout"` attention rollout: see `AttentionMap`. All are
    traits: observe and link them. `attention` is the map as it was computed, whatever is shown of it.

    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = one_module("head-map.js")
    _css = WEB / "head-map.css"

    sentence = traitlets.Unicode().tag(sync=True)
    compare = traitlets.Unicode(None, allow_none=True).tag(sync=True)
    view = traitlets.Enum(VIEWS, "paint").tag(sync=True)
    special = traitlets.Enum(CHOICES["special"], "keep").tag(sync=True)
    heads = traitlets.Enum(CHOICES["heads"], "each").tag(sync=True)
    layers = traitlets.Enum(CHOICES["layers"], "one").tag(sync=True)
    layer = traitlets.Int(0, min=0).tag(sync=True)
    head = traitlets.Int(None, allow_none=True, min=0).tag(sync=True)
    query = traitlets.Int(0, min=0).tag(sync=True)
    head_mask = traitlets.List(traitlets.List(traitlets.Bool()), None, allow_none=True).tag(sync=True)
    model_index = traitlets.Int(0, min=0).tag(sync=True)
    _models = traitlets.List(traitlets.Unicode()).tag(sync=True)
    _computes = traitlets.Bool(True).tag(sync=True)
    _attention = traitlets.Dict().tag(sync=True)
    _compared = traitlets.Dict(None, allow_none=True).tag(sync=True)
    _status = traitlets.Unicode("Ready: Python computes as you type.").tag(sync=True)

    def __init__(self, sentence="", model=None, view="paint", *, models=None, **traits):
        if not isinstance(sentence, str):
            raise TypeError(f"sentence must be a string, got {type(sentence).__name__}")
        if model is not None and models is not None:
            raise ValueError("give model or models, not both")
        if models is None:
            models = [_focus_model() if model is None else model]
        for model in models:
            if not callable(model):
                raise TypeError(f"a model must be callable as model(sentence, head_mask=None), got {model!r}")
        self.models = list(models)
        try:
            super().__init__(sentence=sentence, view=view, _models=[_name(model) for model in self.models], **traits)
        except traitlets.TraitError as error:
            raise ValueError(str(error)) from error
        self._compute()
        self.observe(self._compute, ["sentence", "compare", "head_mask", "model_index"])

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
        maps = given_maps(
            *(attention, tokens, sentence_b_start, prettify_tokens, encoder_attention, decoder_attention),
            *(cross_attention, encoder_tokens, decoder_tokens, include_layers),
        )
        shape = next(iter(maps.values())).shape
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
        models = [_Given(name, map) for name, map in maps.items()]
        traits = {"_computes": False, "_status": "These are the attentions you gave.", **traits}
        shown = cls("", models=models, **traits)
        return HTML(shown._repr_mimebundle_()[0]["text/html"]) if html_action == "return" else shown

    @property
    def model(self):
        """The model whose map is shown."""
        return self.models[min(self.model_index, len(self.models) - 1)]

    def _compute(self, _change=None):
        self.attention = self.model(self.sentence, head_mask=self.head_mask)
        compared = None if self.compare is None else self.model(self.compare, head_mask=self.head_mask)
        with self.hold_sync():
            self._compared = compared and _message(compared)
            self._attention = _message(self.attention)

    def _repr_mimebundle_(self, **kwargs):
        data, metadata = super()._repr_mimebundle_(**kwargs)
        names = " ".join(self._models)
        live = self._computes and all(name.startswith("focus") or name == "encoder" for name in self._models)
        still = "Python computed this map; it stands still on a page." if self._computes else self._status
        html = head_map_html(
            self.attention,
            query=self.query,
            layer=self.layer,
            head=self.head,
            view=self.view,
            compare=self.compare,
            **{name: value for name in CHOICES if (value := getattr(self, name)) != CHOICES[name][0]},
            sentence=self.sentence if self._computes else None,
            **({"models" if len(self._models) > 1 else "model": names} if live else {"status": still}),
        )
        return {**data, "text/html": output_html(html)}, metadata


class _Given:
    """A head model that knows one map."""

    def __init__(self, name, map):
        self.name, self.map = name, map

    def __call__(self, sentence, head_mask=None):
        return self.map


def _focus_model():
    from manyheads.focus import load_focus_model

    return load_focus_model()


def _name(model):
    name = getattr(model, "name", type(model).__name__)
    return ON_PAGES.get(name, name)


def _message(map):
    return map_dict(map) | {"weights": map.weights.tobytes()}
