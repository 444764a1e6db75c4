"""Every matrix on the path from words to output, for one head: live in a notebook, and baked into pages."""

import base64
from html import escape

import numpy as np
import torch
import traitlets

from manyheads import attention
from manyheads.maps import AttentionMap
from manyheads.maps.element import element_html
from manyheads.maps.names import FLAGS, OVER_WORDS, PADDING, STEPS
from manyheads.maps.tokens import readable
from manyheads.models.registry import is_named, load_model
from manyheads.widgets.figure import Figure
from manyheads.widgets.web_files import built, styles_of

LEDGER = ["reading", "parts", "answer"]  # of models that draw conclusions from their output, such as the focus model
MATRICES = [name for step in STEPS.values() for name in step["results"] if name not in LEDGER]


class FormulaSteps(Figure):
    """Every number of multi-head attention for a sentence, each open to its own arithmetic.

    >>> widget = FormulaSteps("Which do you like better, coffee or tea?", head=1)
    >>> widget.steps["scores"].shape  # 12 words and marks ask 12
    (12, 12)

    `model` is a focus model or its name on pages, the taught one unless you name another. `head` and `word` count
    from 0. `step` is where the reader starts: one of "X", "projections", "scores", "masked", "weights",
    "context", "concat", "output", and "answer" where the model concludes something. `causal`, `padding` and `unscaled`
    change the formula. All are traits: observe and link them. So is `steps`, every matrix by its name; it is only read.
    Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = built("formula-steps.js")
    _css = styles_of("formula-steps")

    sentence = traitlets.Unicode().tag(sync=True)
    head = traitlets.Int(0, min=0).tag(sync=True)
    word = traitlets.Int(0, min=0).tag(sync=True)
    step = traitlets.Enum(list(STEPS), "X").tag(sync=True)
    causal = traitlets.Bool(False).tag(sync=True)
    padding = traitlets.Bool(False).tag(sync=True)
    unscaled = traitlets.Bool(False).tag(sync=True)
    steps = traitlets.Dict(read_only=True)
    _types = traitlets.Bool(True).tag(sync=True)
    _steps = traitlets.Dict().tag(sync=True)
    _parameters = traitlets.Dict().tag(sync=True)

    def __init__(self, sentence="", model=None, head=0, **traits):
        if not isinstance(sentence, str):
            raise TypeError(f"sentence must be a string, got {type(sentence).__name__}")
        if model is None or isinstance(model, str):
            model = load_model(model or "focus")
        if not isinstance(getattr(model, "attention", None), attention.MultiHeadAttention):
            raise TypeError(f"model must hold a MultiHeadAttention as model.attention, got {model!r}")
        self.model = model
        super().__init__(sentence=sentence, head=head, **traits)
        self._compute()
        self.observe(self._recompute, ["sentence", "head", *FLAGS])

    @classmethod
    def from_attention(cls, module, X, tokens, **traits):
        """The steps of somebody's own `MultiHeadAttention` on their own words.

        >>> module = attention.MultiHeadAttention(embed_dim=6, num_heads=2)
        >>> FormulaSteps.from_attention(module, torch.randn(3, 6), ["a", "b", "c"]).steps["Q"].shape
        (3, 3)

        `X` is [n, d], one row per token. Raises `ValueError` where the shapes do not fit.
        """
        X = torch.as_tensor(np.asarray(X, np.float32))
        if X.ndim != 2 or len(X) != len(tokens):
            raise ValueError(f"X must have shape [{len(tokens)}, d], a row per token, got {list(X.shape)}")
        fixed = _Fixed(module, X, list(tokens))
        return cls("", fixed, **{"_types": False, "_status": "These are the numbers you gave.", **traits})

    def _compute(self):
        options = {"causal": self.causal, "padding": self.padding, "scaled": not self.unscaled}
        steps = formula_steps(self.model, self.sentence, self.head, **options)
        learnt = head_parameters(self.model.attention, self.head)
        parameters = {name: _message(value) for name, value in learnt.items()}
        with self.hold_sync():
            if parameters != self._parameters:
                self._parameters = parameters
            self._steps = bytes_steps(steps)
        self.set_trait("steps", steps)

    def _element(self):
        name = getattr(self.model, "name", "")
        if is_named(name):
            more = {"model": name, "sentence": self.sentence}
        else:
            more = {"learnt": head_parameters(self.model.attention, self.head), "status": self._status}
        flags = {flag: "" for flag in FLAGS if getattr(self, flag)}
        step = None if self.step == "X" else self.step
        places = {"step": step, "head": self.head or None, "word": self.word or None}
        return formula_steps_element(self.steps, **places, **more, **flags)

    def _plain(self):
        return plain_steps(self.steps, self.step)


class _Fixed:
    """A model of one sentence: the words somebody gave."""

    def __init__(self, module, X, tokens):
        self.attention, self.X, self.tokens = module, X, tokens
        self.num_heads = module.num_heads
        self.head_names = [f"head {head + 1}" for head in range(module.num_heads)]

    def __call__(self, _sentence):
        weights = self.attention(self.X)[1]
        return AttentionMap(self.tokens, self.tokens, weights[None])


def attention_input(model, sentence):
    """What enters `model.attention` when the model reads a sentence, [n, d], and the map that it makes of it."""
    seen = []
    hook = model.attention.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[-1]))
    try:
        map = model(sentence)
    finally:
        hook.remove()
    return seen[0].reshape(len(map.key_tokens), -1), map


@torch.no_grad()
def formula_steps(model, sentence, head=0, *, causal=False, padding=False, scaled=True):
    """All matrices of one head, by name, as float32 [rows, columns], with the tokens and names that go with them.

    Where the model draws conclusions, so are `reading`, `parts` and `answer` of its `ledger`, and the `labels`.

    `causal`, `padding` and `scaled` are as in `FormulaSteps`. Raises `ValueError` for a head that is not there.

    >>> from manyheads.models.focus import load_focus_model
    >>> steps = formula_steps(load_focus_model(), "Tea, please!")
    >>> {name: steps[name].shape for name in ("X", "Q", "weights", "concat", "output")}
    {'X': (6, 160), 'Q': (6, 16), 'weights': (6, 6), 'concat': (6, 64), 'output': (6, 160)}
    """
    if not 0 <= head < model.num_heads:
        raise ValueError(f"head must be from 0 to {model.num_heads - 1}, got {head}")
    X, map = attention_input(model, sentence)
    tokens = map.key_tokens
    padded = PADDING["count"] if padding else 0
    X = torch.nn.functional.pad(X, (0, 0, 0, padded))  # the words of padding are zeros
    mask = attention.padding_mask(len(tokens), len(X))[0].expand(len(X), -1)
    if causal:
        mask = mask & attention.causal_mask(len(X))
    steps = attention.steps(model.attention, X, head, mask=mask if causal or padding else None, scaled=scaled)
    named = {"tokens": [*tokens, *[PADDING["token"]] * padded], "head": head, "headNames": list(model.head_names)}
    named |= {"scaled": scaled, "biased": model.attention.query.bias is not None, "notes": list(map.notes)}
    if map.predictions and hasattr(model, "ledger"):
        ledger = model.ledger(steps["concat"][0])  # of [CLS]
        named["labels"] = [list(label) for label in ledger.pop("labels")]
        steps |= ledger
    return named | {name: np.asarray(matrix, np.float32) for name, matrix in steps.items()}


def head_parameters(module, head):
    """What is learnt, one head's columns of it, as the formula writes it: [in, out]."""
    parameters = {"Wo": module.output.weight.T, "bo": module.output.bias}
    for letter, layer in (("q", module.query), ("k", module.key), ("v", module.value)):
        parameters[f"W{letter}"] = layer.weight.chunk(module.num_heads)[head].T
        if layer.bias is not None:
            parameters[f"b{letter}"] = layer.bias.chunk(module.num_heads)[head]
    return {name: value.detach().numpy() for name, value in parameters.items() if value is not None}


def bytes_steps(steps):
    """The steps for a kernel's message: matrices as float32 bytes."""
    return {name: _message(value) if isinstance(value, np.ndarray) else value for name, value in steps.items()}


def base64_steps(steps):
    """The steps for a page: matrices as float32 in base64."""
    return {name: _base64(value) if isinstance(value, np.ndarray) else value for name, value in steps.items()}


def _message(matrix):
    return {"shape": list(matrix.shape), "values": np.ascontiguousarray(matrix, np.float32).tobytes()}


# --- On a page, and where no script runs


def formula_steps_element(steps, *, learnt=None, status="", **attributes):
    """The `<formula-steps>` element of a page, with its matrices; `attributes` become its own.

    `learnt` are the parameters of the head, for a page that has no model to take them from.
    """
    data = base64_steps(steps)
    if learnt:
        data["parameters"] = {name: _base64(matrix) for name, matrix in learnt.items()}
    if status:
        data["status"] = status
    plain = plain_steps(steps, attributes.get("step") or "X")
    return element_html("formula-steps", attributes, data, plain)


def plain_steps(steps, step):
    """The matrices that a step makes, as tables."""
    name = steps["headNames"][steps["head"]]
    tables = "".join(_table(steps, matrix) for matrix in STEPS[step]["results"])
    notes = "".join(f"<p>{escape(note)}</p>" for note in steps["notes"])
    return f"<figure><figcaption>Head: {escape(name)}</figcaption>{tables}{notes}</figure>"


def _table(steps, name):
    matrix = steps[name]
    words = [readable(token) for token in steps["tokens"]]
    rows = [": ".join(label) for label in steps["labels"]] if name in LEDGER else words
    numbered = [str(column + 1) for column in range(matrix.shape[1])]
    named = {
        "parts": [*steps["headNames"], "biases", "logit"],
        "answer": ["probability"],
        **dict.fromkeys(OVER_WORDS, words),
    }
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in named.get(name, numbered))
    rows = "".join(
        f'<tr><th scope="row">{escape(row)}</th>{"".join(f"<td>{_number(value)}</td>" for value in values)}</tr>'
        for row, values in zip(rows, matrix.tolist())
    )
    return f"<table><caption>{name}</caption><thead><tr><td></td>{head}</tr></thead><tbody>{rows}</tbody></table>"


def _number(value):
    """A number as a cell shows it."""
    return f"{value:.2f}".replace("-", "\u2212").replace("inf", "\u221e")


def _base64(matrix):
    return {"shape": list(matrix.shape), "values": base64.b64encode(np.ascontiguousarray(matrix).tobytes()).decode()}
