"""What a language model would write next: live in a notebook, and baked into pages."""

from html import escape

import traitlets

from manyheads.maps import AttentionMap
from manyheads.maps.element import element_html
from manyheads.maps.wire import map_message
from manyheads.maps.written import percent
from manyheads.models.registry import all_but, load_model
from manyheads.widgets.figure import Figure
from manyheads.widgets.web_files import built, styles_of


class NextWord(Figure):
    """The likeliest next tokens of a text as bars: to press, to reshape, and to see change as heads are turned off.

    >>> widget = NextWord("The capital of France is")
    >>> widget.next[0]["word"], round(widget.next[0]["probability"], 3)
    (' Paris', 0.773)
    >>> widget.text += widget.next[0]["word"]
    >>> widget.attention.shape  # [layer, head, query, key]
    (30, 9, 6, 6)

    `model` is the language model, as `load_decoder` loads it, unless you give another of its kind. `off` lists heads
    that are off, as (layer, head) from 0. Both are traits, as `text` is: observe and link them. So are `next`, the ten
    likeliest tokens as `{"word", "probability", "logit"}`, and `attention`, the map of the text; they are only read.
    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("next-word.js")
    _css = styles_of("next-word")

    text = traitlets.Unicode().tag(sync=True)
    off = traitlets.List().tag(sync=True)
    next = traitlets.List(read_only=True)
    attention = traitlets.Instance(AttentionMap, allow_none=True, read_only=True)
    _tail = traitlets.List().tag(sync=True)  # tokens after the text: bytes of a character that isn't whole yet
    _words = traitlets.List().tag(sync=True)
    _example = traitlets.Dict().tag(sync=True)
    _answer = traitlets.Dict().tag(sync=True)

    def __init__(self, text="", model=None, off=(), **traits):
        if not isinstance(text, str):
            raise TypeError(f"text must be a string, got {type(text).__name__}")
        self.model = load_model("decoder") if model is None else model
        if not hasattr(self.model, "vocabulary"):
            raise TypeError(f"a {type(self.model).__name__} writes no words: give a model of `load_decoder`, or none")
        facts = facts_of(self.model) | {"endTokens": list(self.model.end_tokens)}
        off = [list(map(int, place)) for place in off]
        super().__init__(text=text, off=off, _words=self.model.vocabulary, _example=facts, **traits)
        self._asked = None
        self._compute()
        self.observe(self._recompute, ["text", "off", "_tail"])

    def _compute(self):
        asked = self.text, self._tail, self.off
        if asked == self._asked:  # two traits have changed at once
            return
        ids = self.model.read(self.text)[0] + self._tail
        mask = all_but(self.model, self.off) if self.off else None
        scores, maps, _ = self.model.run(ids, head_mask=mask, need_weights=True)
        logits = scores[-1].numpy()
        whole = None if mask is None else self.model.run(ids)[0][-1].numpy()
        tokens = self.model.tokens(ids)
        last = AttentionMap(tokens[-1:], tokens, maps[..., -1:, :].numpy(), self.model.head_names)
        sent = {"tail": self._tail, "logits": logits.tobytes(), "allOn": None if whole is None else whole.tobytes()}
        self._answer = sent | {"map": map_message(last)}
        self.set_trait("next", self.model.likeliest(logits))
        map = AttentionMap(tokens, tokens, maps.numpy(), self.model.head_names, causal=True)
        self.set_trait("attention", map)
        self._asked = asked

    def _element(self):
        off = " ".join(f"{layer}.{head}" for layer, head in self.off)
        return next_word_element(self.model, self.text, off=off or None)

    def _plain(self):
        return plain_words(self.text, self.next)


def facts_of(model):
    """How many heads a model has, and lists of them by name."""
    lists = {name: " ".join(f"{layer}.{head}" for layer, head in heads) for name, heads in model.head_lists.items()}
    return {"numLayers": model.num_layers, "numHeads": model.num_heads, "lists": lists}


def next_word_element(model, text, **attributes):
    """The `<next-word>` element of a page, with the likeliest words; `attributes` become its own."""
    words = model.likeliest(model.run(model.read(text)[0])[0][-1].numpy())
    data = {"words": [[one["word"], one["probability"]] for one in words]} | facts_of(model)
    return element_html("next-word", {"text": text} | attributes, data, plain_words(text, words))


def plain_words(text, words):
    """The likeliest words as a table."""
    rows = "".join(
        f'<tr><th scope="row">{escape(one["word"])}</th><td>{percent(one["probability"])}</td></tr>' for one in words
    )
    caption = f"<figcaption>What comes after “{escape(text)}”</figcaption>"
    return f"<figure>{caption}<table><tbody>{rows}</tbody></table></figure>"
