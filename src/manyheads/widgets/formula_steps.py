"""Every matrix on the path from words to output, for one head: live in a notebook, and baked into pages."""

import base64
import json
from html import escape

import numpy as np
import torch
import traitlets

from manyheads import attention
from manyheads.maps import AttentionMap, readable
from manyheads.maps.names import FLAGS, HEAD_COLOURS, NUMBER_COLOURS, OVER_WORDS, PADDING, PAPER, STEPS
from manyheads.maps.written import fixed
from manyheads.widgets.figure import Figure
from manyheads.widgets.one_module import WEB, one_module

MATRICES = [name for step in STEPS.values() for name in step["results"]]


class FormulaSteps(Figure):
    """Every number of multi-head attention for a sentence, each open to its own arithmetic.

    >>> widget = FormulaSteps("Which do you like better, coffee or tea?", head=1)
    >>> widget.steps["scores"].shape  # 12 words and marks ask 12
    (12, 12)

    `model` is a focus model, the taught one unless given. `head` and `word` count from 0. `step` is where the reader
    starts: one of "X", "projections", "scores", "masked", "weights", "context", "concat", "output". `causal`, `padding`
    and `unscaled` change the formula. All are traits: observe and link them. So is `steps`, every matrix by its
    name; it is only read. Raises `TypeError` or `ValueError` for arguments of the wrong type or value.
    """

    _esm = one_module("figures/formula-steps.js")
    _css = "".join((WEB / "figures" / f"{name}.css").read_text() for name in ("head-map", "formula-steps"))

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
        if model is None:
            from manyheads.models.focus import load_focus_model

            model = load_focus_model()
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
            self._steps = steps_dict(steps) | {name: _message(steps[name]) for name in MATRICES}
        self.set_trait("steps", steps)

    def _html(self):
        name = getattr(self.model, "name", "")
        if name.startswith("focus"):
            more = {"model": name, "sentence": self.sentence}
        else:
            more = {"learnt": head_parameters(self.model.attention, self.head), "status": self._status}
        flags = {flag: "" for flag in FLAGS if getattr(self, flag)}
        return formula_steps_html(self.steps, step=self.step, head=self.head, word=self.word, **more, **flags)


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
    return named | {name: np.asarray(steps[name], np.float32) for name in MATRICES}


def head_parameters(module, head):
    """What is learnt, one head's columns of it, as the formula writes it: [in, out]."""
    parameters = {"Wo": module.output.weight.T, "bo": module.output.bias}
    for letter, layer in (("q", module.query), ("k", module.key), ("v", module.value)):
        parameters[f"W{letter}"] = layer.weight.chunk(module.num_heads)[head].T
        if layer.bias is not None:
            parameters[f"b{letter}"] = layer.bias.chunk(module.num_heads)[head]
    return {name: value.detach().numpy() for name, value in parameters.items() if value is not None}


def steps_dict(steps):
    """The steps by the page's names, all but the matrices."""
    return {name: value for name, value in steps.items() if name not in MATRICES}


def _message(matrix):
    return {"shape": list(matrix.shape), "values": np.ascontiguousarray(matrix, np.float32).tobytes()}


# --- Baked into a page: what there is before, or without, any script --------------------------------------------------


def formula_steps_html(
    steps,
    *,
    step="X",
    learnt=None,
    status="A computed example. Live, these numbers are those of your own sentence.",
    **attributes,
):
    """The `<formula-steps>` element with one step's matrices baked in; `attributes` become its own. `learnt` are the
    parameters of the head, for a page that has no model to take them from."""
    attributes = {"step": step, **attributes}
    written = "".join(f' {name}="{escape(str(value))}"' for name, value in attributes.items() if value is not None)
    sentence = attributes.get("sentence")
    box = f'<div><p class="hm-sentence">{escape(sentence)}</p></div>' if sentence is not None else ""
    taken = [name for name in STEPS[step]["sources"] if name in MATRICES]  # what is learnt comes with the model
    sources, results = ("".join(_figure(steps, name) for name in names) for names in (taken, STEPS[step]["results"]))
    values = {name: _base64(steps[name]) for name in MATRICES}
    if learnt:
        values["parameters"] = {name: _base64(matrix) for name, matrix in learnt.items()}
    data = json.dumps(steps_dict(steps) | values, separators=(",", ":")).replace("<", "\\u003c")
    head = f"Head {escape(steps['headNames'][steps['head']])}"
    return (
        f'<formula-steps class="head-map formula-steps"{written}>{box}<p class="hm-tools">{head}</p>'
        f'<div class="fs-path"></div><div class="fs-step" style="--head:{_head_colour(steps)}">'
        '<p class="fs-title"></p><div class="fs-equation"></div><p class="fs-says"></p><p class="fs-shapes"></p>'
        f'<div class="fs-stage"><div class="fs-sources">{sources}</div><div class="fs-results">{results}</div></div>'
        '<div class="fs-arithmetic"></div></div>'
        f'<p class="hm-status">{escape(" ".join([status, *steps["notes"]]))}</p>'
        f'<script type="application/json">{data}</script></formula-steps>'
    )


def _figure(steps, name):
    matrix = steps[name]
    rows, columns = matrix.shape
    words = [escape(readable(token)) for token in steps["tokens"]]
    heads = words if name in OVER_WORDS else range(1, columns + 1)
    if name == "weights":
        colours, largest, depth = (_head_colour(steps),) * 2, 1, PAPER["tint"]
    else:
        colours, depth = (NUMBER_COLOURS["positive"], NUMBER_COLOURS["negative"]), NUMBER_COLOURS["tint"]
        largest = np.abs(matrix[np.isfinite(matrix)]).max(initial=0) or 1
    lines = []
    for word, line in zip(words, matrix):
        shares = np.nan_to_num(line / largest, neginf=0)
        tints = [f"{colours[int(share < 0)]}{round(255 * abs(share) * depth):02x}" for share in shares.tolist()]
        cells = "".join(
            f'<td style="background-color:{tint}">{shown(value)}</td>' for tint, value in zip(tints, line.tolist())
        )
        lines.append(f'<tr><th scope="row">{word}</th>{cells}</tr>')
    return (
        f'<figure class="fs-matrix" data-matrix="{name}">'
        f"<figcaption>{name} <small>{rows} × {columns}</small></figcaption>"
        '<div class="hm-scroll" tabindex="0"><table><thead><tr><th role="cell"></th>'
        + "".join(f'<th scope="col"><span>{head}</span></th>' for head in heads)
        + f"</tr></thead><tbody>{''.join(lines)}</tbody></table></div></figure>"
    )


def shown(value):
    """A number as its cell shows it: as `shown` in math/steps.js."""
    if not np.isfinite(value):
        return "−∞" if value < 0 else "∞"
    size = abs(value)
    text = fixed(size, 2 if size < 99.995 else 1 if size < 999.95 else 0)
    return f"−{text}" if value < 0 and float(text) else text


def _base64(matrix):
    return {"shape": list(matrix.shape), "values": base64.b64encode(np.ascontiguousarray(matrix).tobytes()).decode()}


def _head_colour(steps):
    return HEAD_COLOURS[steps["head"] % len(HEAD_COLOURS)]
