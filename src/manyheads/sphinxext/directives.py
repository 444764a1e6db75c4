"""The `{head-map}`, `{formula-steps}`, `{museum-piece}` and `{word-sense}` directives: computed now and baked in."""

import functools
from html import escape
from typing import ClassVar

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

from manyheads.attention import causal_mask
from manyheads.maps.names import CHOICES, FLAGS, FORMER_NAMES, STEPS, VIEWS
from manyheads.models.encoder import load_encoder
from manyheads.models.focus import load_focus_model
from manyheads.models.focus.bag_of_words import without_order
from manyheads.models.senses import load_senses
from manyheads.models.senses.static_html import word_sense_html
from manyheads.models.translator import ATTENTIONS, load_translator
from manyheads.widgets.formula_steps import formula_steps, formula_steps_html
from manyheads.widgets.static_html import head_map_html

MASKED = ("mask", "padding", "polarity")  # the switches of bugs.js that start from the causal mask
WORDING = ("switch", "off", "on")


class HeadMapDirective(SphinxDirective):
    """`{head-map} sentence` with the attributes of `<head-map>` as options; the map is computed now and baked in."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "model": directives.unchanged,
        "models": directives.unchanged,
        "view": lambda view: directives.choice(view, VIEWS),
        **{name: functools.partial(directives.choice, values=values) for name, values in CHOICES.items()},
        "scale": functools.partial(directives.choice, values=(*CHOICES["scale"], *FORMER_NAMES)),
        "layer": directives.nonnegative_int,
        "head": directives.nonnegative_int,
        "query": directives.nonnegative_int,
        "first": directives.nonnegative_int,
        "last": directives.nonnegative_int,
        "top": directives.positive_int,
        "find": directives.unchanged_required,
        "compare": directives.unchanged,
        "try": directives.unchanged_required,
        "guide": directives.flag,
        "id": directives.unchanged_required,
    }

    def run(self):
        sentence = self.arguments[0]
        options = {"model": "focus", **self.options} if "models" not in self.options else {**self.options}
        if "try" in options:
            options["examples"] = options.pop("try")
        if "guide" in options:
            options["guide"] = ""
        name = (options.get("models") or options["model"]).split()[0]
        try:
            model = page_model(name)
            map = model(sentence)
            compared = model(options["compare"]) if "compare" in options else None
        except ValueError as error:
            raise self.error(f"head-map: {error}") from error
        for option, axis in (("layer", 0), ("query", 2)):
            if options.get(option, 0) >= map.shape[axis]:
                raise self.error(f"head-map: {option} counts from 0 to {map.shape[axis] - 1}, got {options[option]}")
        return [nodes.raw("", head_map_html(map, sentence=sentence, compared=compared, **options), format="html")]


class FormulaStepsDirective(SphinxDirective):
    """`{formula-steps} sentence` with the attributes of `<formula-steps>` as options; computed now and baked in."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "model": directives.unchanged,
        "head": directives.nonnegative_int,
        "word": directives.nonnegative_int,
        "step": lambda step: directives.choice(step, tuple(STEPS)),
        **dict.fromkeys(FLAGS, directives.flag),
    }

    def run(self):
        options = {"model": "focus", "head": 0, **self.options}
        flags = {flag: "" for flag in FLAGS if flag in options}
        causal, padding, scaled = "causal" in flags, "padding" in flags, "unscaled" not in flags
        try:
            model = page_model(options["model"])
            steps = formula_steps(
                model, self.arguments[0], options["head"], causal=causal, padding=padding, scaled=scaled
            )
        except ValueError as error:
            raise self.error(f"formula-steps: {error}") from error
        html = formula_steps_html(steps, sentence=self.arguments[0], **options | flags)
        return [nodes.raw("", html, format="html")]


class MuseumPieceDirective(SphinxDirective):
    """`{museum-piece} what the bug does`: a live map of `sentence`, the bug `bug` of bugs.js behind a switch.

    For another mask instead of a bug, `switch` names the switch, `off` and `on` what it chooses from.
    """

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {
        "bug": directives.unchanged_required,
        "sentence": directives.unchanged_required,
        **dict.fromkeys(WORDING, directives.unchanged_required),
        **{name: HeadMapDirective.option_spec[name] for name in ("view", "head", "id")},
    }

    def run(self):
        sentence, bug = self.options["sentence"], self.options["bug"]
        name = "focus/causal" if bug in MASKED else "focus"
        map = page_model(name)(sentence)
        shown = {option: self.options[option] for option in ("view", "head", "id") if option in self.options}
        inside = head_map_html(map, sentence=sentence, models=f"{name} focus/bug-{bug}", **shown)
        words = {"label": self.arguments[0]} | {name: self.options[name] for name in WORDING if name in self.options}
        written = " ".join(f'{name}="{escape(text)}"' for name, text in words.items())
        attributes = f'class="head-map museum-piece" bug="{escape(bug)}" {written}'
        named = f"<b>{escape(words.get('switch', 'The bug'))}: </b>{escape(words['label'])}"
        switch = f'<input type="checkbox" disabled><span>{named}</span><span class="mp-state">off</span>'
        room = f'<p class="mp-switch mp-room">{switch}</p>'
        return [nodes.raw("", f"<museum-piece {attributes}>{room}{inside}</museum-piece>", format="html")]


class WordSenseDirective(SphinxDirective):
    """`{word-sense} sentence`: in which sense the encoder reads the ambiguous word `word`."""

    required_arguments = 1
    final_argument_whitespace = True
    option_spec: ClassVar = {"word": directives.unchanged_required, "id": directives.unchanged_required}

    def run(self):
        try:
            html = word_sense_html(load_senses(), self.arguments[0], **self.options)
        except ValueError as error:
            raise self.error(f"word-sense: {error}") from error
        return [nodes.raw("", html, format="html")]


def page_model(name):
    """The Python side of a page's model: `encoder`, `focus`, ...

    In `focus/causal` no word looks ahead; `focus/no-order` does not know the order of the words.
    """
    if name == "encoder":
        return _encoder()
    family, _, variant = name.partition("/")
    if family == "translator":
        return page_translator(variant)
    if family != "focus":
        raise ValueError(f"no model is called {name!r}")
    if variant == "no-order":
        return without_order(load_focus_model())
    if variant != "causal":
        return load_focus_model(variant or "taught")

    def look_back(_module, inputs, options):
        return inputs, options | {"mask": options["mask"] & causal_mask(inputs[-1].shape[-2])}

    model = load_focus_model()
    model.attention.register_forward_pre_hook(look_back, with_kwargs=True)
    return model


def page_translator(variant):
    """The translator of a page: `heads-1`, `french`, or both with a slash between them."""
    parts = variant.split("/") if variant else []
    variant = next((part for part in parts if part not in ATTENTIONS), "taught")
    return load_translator(variant, attention=next((part for part in parts if part in ATTENTIONS), "cross"))


@functools.cache
def _encoder():
    return load_encoder()
