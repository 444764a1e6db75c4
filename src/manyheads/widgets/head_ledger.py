"""What each head writes into an answer: live in a notebook, and baked into pages."""

from html import escape

import numpy as np
import torch
import traitlets

from manyheads.maps.element import element_html
from manyheads.maps.tokens import readable
from manyheads.models.registry import is_named, load_model
from manyheads.widgets.figure import Figure
from manyheads.widgets.formula_steps import attention_input, base64_steps, bytes_steps
from manyheads.widgets.web_files import built, styles_of


class HeadLedger(Figure):
    """What each head adds to the logit of an answer, beside what its absence does, and from which word it came.

    >>> ledger = HeadLedger("Which do you like better, coffee or tea?", answer="object: food or drink").ledger
    >>> parts = ledger["parts"][ledger["labels"].index(["object", "food or drink"])]
    >>> len(parts), bool(np.isclose(parts[:-1].sum(), parts[-1], atol=1e-5))  # four heads, the biases, the logit
    (6, True)

    `model` is a focus model or its name on pages, the taught one unless you name another. `answer` is "fact: label", or
    the name of a fact alone for its likeliest label. `head` counts from 0; without it, the words of the head that adds
    most are shown. All are traits: observe and link them. So is `ledger`, the arrays of `head_ledger`; it is only read.
    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("head-ledger.js")
    _css = styles_of("head-ledger")

    sentence = traitlets.Unicode().tag(sync=True)
    answer = traitlets.Unicode().tag(sync=True)
    head = traitlets.Int(None, allow_none=True, min=0).tag(sync=True)
    ledger = traitlets.Dict(read_only=True)
    _ledger = traitlets.Dict().tag(sync=True)

    def __init__(self, sentence="", model=None, **traits):
        if not isinstance(sentence, str):
            raise TypeError(f"sentence must be a string, got {type(sentence).__name__}")
        self.model = load_model(model or "focus") if model is None or isinstance(model, str) else model
        super().__init__(sentence=sentence, **traits)
        self._compute()
        self.observe(self._recompute, ["sentence"])

    def _compute(self):
        ledger = head_ledger(self.model, self.sentence)
        self._ledger = bytes_steps(ledger)
        self.set_trait("ledger", ledger)

    def _element(self):
        name = getattr(self.model, "name", "")
        more = {"model": name, "sentence": self.sentence} if is_named(name) else {}
        return head_ledger_element(self.ledger, answer=self.answer or None, head=self.head, **more)

    def _plain(self):
        return plain_ledger(self.ledger, self.answer)


@torch.no_grad()
def head_ledger(model, sentence):
    """What the heads of a focus model write into its answers, as float32, with the words and names that go with it.

    >>> ledger = head_ledger(load_model("focus"), "Tea, please!")
    >>> {name: ledger[name].shape for name in ("parts", "without", "weights", "says")}
    {'parts': (19, 6), 'without': (19, 4), 'weights': (4, 6), 'says': (4, 6, 19)}

    `parts` [label, h + 2] and `labels` are those of the model's `ledger`. `without` [label, h] are the logits with a
    head off, where the layer norm computes its spread anew. `weights` [h, k] is what [CLS] looks at; `says`
    [h, k, label] is what a word would add if all the weight lay on it: the sum over k of weights × says is the head's
    part.
    """
    X, map = attention_input(model, sentence)
    weights = torch.tensor(map.weights[0, :, 0]).double()  # [h, k]
    values = model.attention.project(X, X, X)[2].double()  # [h, k, d_v]
    contexts = (weights[:, None] @ values)[:, 0]  # [h, d_v]
    whole = model.ledger(contexts.flatten())
    alone = 1 - torch.eye(model.num_heads, dtype=torch.float64)
    without = [model.ledger((contexts * mask[:, None]).flatten())["parts"][:, -1] for mask in alone]
    arrays = {
        "parts": whole["parts"],
        "without": torch.stack(without, dim=1),
        "weights": weights,
        "says": values @ whole["reading"].unflatten(0, (model.num_heads, -1)),
    }
    named = {"tokens": list(map.key_tokens), "headNames": list(model.head_names), "notes": list(map.notes)}
    named |= {"labels": [list(label) for label in whole["labels"]], "answered": bool(map.predictions)}
    return named | {name: np.asarray(array, np.float32) for name, array in arrays.items()}


def head_ledger_element(ledger, **attributes):
    """The `<head-ledger>` element of a page, with its numbers; `attributes` become its own."""
    return element_html("head-ledger", attributes, base64_steps(ledger), plain_ledger(ledger, attributes.get("answer")))


def answer_of(ledger, answer=""):
    """The place of an answer among the labels: "fact: label", a fact for its likeliest label, or nothing for the first.

    >>> ledger = head_ledger(load_model("focus"), "Tea, please!")
    >>> ledger["labels"][answer_of(ledger, "object")]
    ['object', 'food or drink']
    """
    fact, _, label = (answer or "").partition(": ")
    labels, logits = ledger["labels"], ledger["parts"][:, -1]
    if [fact, label] in labels:
        return labels.index([fact, label])
    facts = [name for name, _ in labels]
    rivals = [place for place, name in enumerate(facts) if name == (fact if fact in facts else facts[0])]
    return max(rivals, key=lambda place: logits[place])


def plain_ledger(ledger, answer=""):
    """The ledger of an answer as a table."""
    place = answer_of(ledger, answer)
    fact, label = ledger["labels"][place]
    *parts, biases, logit = ledger["parts"][place].tolist()
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{_number(part)}</td><td>{_number(without - logit)}</td></tr>'
        for name, part, without in zip(ledger["headNames"], parts, ledger["without"][place].tolist())
    )
    sentence = escape(" ".join(map(readable, ledger["tokens"])))
    return (
        f"<figure><figcaption>What each head adds to the logit of {escape(fact)}: {escape(label)} in {sentence}"
        '</figcaption><table><thead><tr><td></td><th scope="col">adds</th><th scope="col">its absence</th></tr></thead>'
        f'<tbody>{rows}<tr><th scope="row">biases</th><td>{_number(biases)}</td><td></td></tr>'
        f'<tr><th scope="row">logit</th><td>{_number(logit)}</td><td></td></tr></tbody></table></figure>'
    )


def _number(value):
    return f"{value:+.2f}".replace("-", "\u2212")
