"""What each head writes into an answer: live in a notebook, and baked into pages."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import traitlets

from manyheads.drawing.element import element_html, table_html, write_heads
from manyheads.maps.ledger import answer_of
from manyheads.maps.wire import base64_arrays
from manyheads.models.registry import all_but, check_tells, is_named, load_model
from manyheads.shared.tokens import readable
from manyheads.widgets.figure import Figure
from manyheads.widgets.web_files import built, styles_of

MOST = 10  # parts of a sum that have a row of their own


class HeadLedger(Figure):
    """What each part of a model adds to the logit of an answer, what its absence does, and from which word it came.

    >>> ledger = HeadLedger("Which do you like better, coffee or tea?", answer="object: food or drink").ledger
    >>> parts = ledger["parts"][ledger["labels"].index(["object", "food or drink"])]
    >>> len(parts), bool(np.isclose(parts[:-1].sum(), parts[-1], atol=1e-5))  # four heads, the biases, the logit
    (6, True)

    `model` is a focus model, the induction model or the decoder, or its name on pages; the taught heads unless you name
    another. `answer` is "fact: label", or the name of a fact alone for its likeliest label. `head` counts from 0;
    without it, the words of the head that adds most are shown. `off` lists heads that are off, as (layer, head) from 0.
    With `guess`, its reader is first asked which word that is. All are traits: observe and link them. So is `ledger`,
    the arrays of `head_ledger`; it is only read.
    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("widgets/head-ledger.js")
    _css = styles_of("head-ledger")

    sentence: str = traitlets.Unicode().tag(sync=True)
    answer: str = traitlets.Unicode().tag(sync=True)
    head: int | None = traitlets.Int(None, allow_none=True, min=0).tag(sync=True)
    off: list[list[int]] = traitlets.List().tag(sync=True)
    guess: bool = traitlets.Bool(False).tag(sync=True)
    ledger: dict[str, Any] = traitlets.Dict(read_only=True)
    _ledger = traitlets.Dict().tag(sync=True)

    def __init__(
        self, sentence: str = "", model: Any = None, off: Iterable[tuple[int, int]] = (), **traits: Any
    ) -> None:
        if not isinstance(sentence, str):
            raise TypeError(f"sentence must be a string, got {type(sentence).__name__}")
        self.model = load_model(model or "focus") if model is None or isinstance(model, str) else model
        asks = ["sentence", "off"]
        super().__init__(sentence=sentence, off=[list(map(int, place)) for place in off], _asks=asks, **traits)
        self._compute()
        self.observe(self._recompute, asks)

    def _compute(self):
        ledger = head_ledger(self.model, self.sentence, self.answer, self.off)
        answer_of(ledger, self.answer)
        self._ledger = base64_arrays(ledger)
        self.set_trait("ledger", ledger)

    def _element(self):
        name = getattr(self.model, "page_name", None) or getattr(self.model, "name", "")
        more = {"model": name, "sentence": self.sentence} if is_named(name) else {}
        more["off"] = write_heads(self.off) or None
        return head_ledger_element(self.ledger, answer=self.answer or None, head=self.head, **more)

    def _plain(self):
        return plain_ledger(self.ledger, self.answer)


def head_ledger(model, sentence, answer="", off=()):
    """What the heads of a model write into its answers, as float32, with the words and names that go with it.

    >>> ledger = head_ledger(load_model("focus"), "Tea, please!")
    >>> {name: ledger[name].shape for name in ("parts", "without", "weights", "says")}
    {'parts': (19, 6), 'without': (19, 4), 'weights': (4, 6), 'says': (4, 6, 19)}

    `parts` [label, part] are what each head adds to the logit of each label, then what `others` add, then the logit.
    `without` [label, h] are the logits with a head off, where the norm computes its spread anew. `weights` [h, k] is
    what the token looks at from which the answer is read; `says` [h, k, label] is what a word would add if all the
    weight lay on it: the sum over k of weights × says is the head's part. Of a model with many heads, `without` is NaN
    but for those that add most. Heads in `off`, (layer, head) from 0, write nothing: their part is 0.

    Raises `TypeError` for a model whose answers are no sum of what its heads write, `ValueError` for a head that it
    hasn't.
    """
    check_tells(model, "head_ledger", "its answers aren't read from what its heads add")
    ledger = model.head_ledger(sentence, answer, all_but(model, off) if off else None)
    arrays = {name: np.asarray(part, np.float32) if hasattr(part, "ndim") else part for name, part in ledger.items()}
    layers = len(ledger["headNames"]) // model.num_heads  # the last ones, from which the answers are read
    return arrays | {"numHeads": model.num_heads, "firstLayer": model.num_layers - layers}


def head_ledger_element(ledger, **attributes):
    """The `<head-ledger>` element of a page, with its numbers; `attributes` become its own."""
    return element_html(
        "head-ledger", attributes, base64_arrays(ledger), plain_ledger(ledger, attributes.get("answer"))
    )


def plain_ledger(ledger, answer=""):
    """The ledger of an answer as a table."""
    place = answer_of(ledger, answer)
    fact, label = ledger["labels"][place]
    *parts, logit = ledger["parts"][place].tolist()
    names = [*ledger["headNames"], *ledger["others"]]
    absences = dict(zip(names, ledger["without"][place] - logit))
    ranked = sorted(zip(parts, names), key=lambda part: (part[1] == "biases", -abs(part[0])))
    rows = [(name, _number(part), _number(absences.get(name, np.nan))) for part, name in ranked[:MOST]]
    if len(ranked) > MOST:
        rows.append((f"{len(ranked) - MOST} other parts", _number(sum(part for part, _ in ranked[MOST:])), ""))
    caption = f"What each part adds to the logit of {fact}: {label} in {' '.join(map(readable, ledger['tokens']))}"
    return table_html(caption, [*rows, ("logit", _number(logit), "")], ["adds", "its absence"])


def _number(value):
    return "" if np.isnan(value) else f"{value:+.2f}".replace("-", "\u2212")
