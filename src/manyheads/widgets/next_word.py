"""What a language model would write next: live in a notebook, and baked into pages."""

from collections.abc import Iterable
from typing import Any

import traitlets

from manyheads.drawing.element import element_html, read_heads, table_html, write_heads
from manyheads.maps import AttentionMap
from manyheads.maps.wire import base64_arrays, map_message
from manyheads.models.registry import all_but, load_model
from manyheads.shared.numbers import percent
from manyheads.widgets.figure import Figure
from manyheads.widgets.web_files import built, styles_of


class NextWord(Figure):
    """The likeliest next tokens of a text as bars: to press, to reshape, and to see change as heads are turned off.

    >>> widget = NextWord("The capital of France is")
    >>> widget.next[0]["word"], round(widget.next[0]["probability"], 2)
    (' Paris', 0.77)
    >>> widget.text += widget.next[0]["word"]
    >>> widget.attention.shape  # [layer, head, query, key]
    (30, 9, 6, 6)

    `model` is the language model, as `load_decoder` loads it, unless you give another of its kind. `off` lists heads
    that are off, as (layer, head) from 0, and with `masks_first` no token may look at the first but itself. These are
    traits, as `text` is: observe and link them. So are `next`, the ten likeliest tokens as `{"word", "probability",
    "logit"}`, and `attention`, the map of the text; they are only read.
    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("widgets/next-word.js")
    _css = styles_of("next-word")

    text: str = traitlets.Unicode().tag(sync=True)
    off: list[list[int]] = traitlets.List().tag(sync=True)
    masks_first: bool = traitlets.Bool(False).tag(sync=True)
    next: list[dict[str, Any]] = traitlets.List(read_only=True)
    attention: AttentionMap = traitlets.Instance(AttentionMap, allow_none=True, read_only=True)
    _tail = traitlets.List().tag(sync=True)  # tokens after the text: bytes of a character that isn't whole yet
    _words = traitlets.List().tag(sync=True)
    _example = traitlets.Dict().tag(sync=True)
    _answer = traitlets.Dict().tag(sync=True)

    def __init__(self, text: str = "", model: Any = None, off: Iterable[tuple[int, int]] = (), **traits: Any) -> None:
        if not isinstance(text, str):
            raise TypeError(f"text must be a string, got {type(text).__name__}")
        self.model = load_model("decoder") if model is None else model
        if not hasattr(self.model, "vocabulary"):
            raise TypeError(f"a {type(self.model).__name__} writes no words: give a model of `load_decoder`, or none")
        facts = facts_of(self.model) | {"endTokens": list(self.model.end_tokens)}
        off = [list(map(int, place)) for place in off]
        asks = ["text", "off", "masks_first", "_tail"]
        super().__init__(text=text, off=off, _words=self.model.vocabulary, _example=facts, _asks=asks, **traits)
        self._read = None
        self._compute()
        self.observe(self._recompute, asks)

    def _compute(self):
        asked = self.text, self._tail, self.off, self.masks_first
        if asked == self._read:  # two traits have changed at once
            return
        ids = self.model.read(self.text)[0] + self._tail
        changes = changes_of(self.model, self.off, self.masks_first)
        scores, maps, _ = self.model.run(ids, **changes, need_weights=True)
        logits = scores[-1].numpy()
        whole = self.model.run(ids)[0][-1].numpy() if changes else None
        tokens = self.model.tokens(ids)
        last = AttentionMap(tokens[-1:], tokens, maps[..., -1:, :].numpy(), self.model.head_names)
        scored = base64_arrays({"now": logits} if whole is None else {"now": logits, "whole": whole})
        self._answer = {"tail": self._tail, "logits": scored, "map": map_message(last)}
        self.set_trait("next", self.model.likeliest(logits))
        attention = AttentionMap(tokens, tokens, maps.numpy(), self.model.head_names, causal=True)
        self.set_trait("attention", attention)
        self._read = asked

    def _element(self):
        answer = {"off": write_heads(self.off), "masked": self.masks_first}
        attributes = {"off": write_heads(self.off) or None, "masked": "first" if self.masks_first else None}
        return next_word_element(self.model, self.text, [stored_answer(self.model, self.text, **answer)], **attributes)

    def _plain(self):
        return plain_words(self.text, [(one["word"], one["probability"]) for one in self.next])


def changes_of(model, off, masked):
    """What `run` of a model takes for heads that are off and for a first token that's masked; {} where nothing is."""
    mask = {"head_mask": all_but(model, off)} if off else {}
    return mask | ({"hidden": [0]} if masked else {})


def facts_of(model):
    """How many heads a model has, and lists of them by name."""
    lists = {name: write_heads(heads) for name, heads in model.head_lists.items()}
    return {"numLayers": model.num_layers, "numHeads": model.num_heads, "lists": lists}


def next_word_element(model, text, stored=None, **attributes):
    """The `<next-word>` element of a page, with answers to its text and others; `attributes` become its own."""
    stored = stored or [stored_answer(model, text)]
    data = {"stored": stored} | facts_of(model)
    name = None if getattr(model, "page_name", None) else model.name  # of another than the one that pages have
    return element_html(
        "next-word", {"model": name, "text": text} | attributes, data, plain_words(text, stored[0]["words"])
    )


def stored_answer(model, text, off="", masked=False, temperature=1.0):
    """What a page shows of a text without the model: the likeliest words, and how likely they were as it came.

    `off` is written as in the attribute, or is the name of a list of heads.
    """
    heads = model.head_lists.get(off) or read_heads(off)
    ids, changes = model.read(text)[0], changes_of(model, heads, masked)
    scores = model.run(ids, **changes)[0][-1].numpy()
    before = model.run(ids)[0][-1].numpy() if changes else None
    said = {"text": text, "off": write_heads(heads), "masked": masked, "temperature": temperature}
    return said | {"words": model.rows(scores, before, temperature)}


def plain_words(text, words):
    """The likeliest words as a table."""
    return table_html(f"What comes after “{text}”", [(word, percent(share)) for word, share, *_ in words])
