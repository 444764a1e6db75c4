"""A reader's own attention: a function on NumPy arrays, or a class of PyTorch."""

import copy
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import nn

from manyheads import attention
from manyheads.check.cases import Case
from manyheads.check.comparing import OVERFLOW, all_same, close, compare, misshapen, pair, rows
from manyheads.check.mistakes import BLIND, MASKS, OUTPUTS, WEIGHTS, wrong_attention
from manyheads.check.report import Mistake, Report, array, call, climb, slowness

LAYERS = ("query", "key", "value", "output")
LAST_TWO = "With a batch there are axes on the left. Count axes from the right: K.swapaxes(-2, -1), not K.T."
LONGER = "It holds for 5 words, and not for 32: no length may be written into the code."
NO_MASK = "It takes the mask by name, mask=..., and the mask is laid over the scores [..., h, q, k]."


def multi_head_attention(fn: Callable[..., Any]) -> Report:
    """Check `fn(X, Wq, Wk, Wv, Wo, num_heads, mask=None)`, which gives (output, weights), on NumPy arrays.

    >>> multi_head_attention(attention.multi_head_attention)
    Right. All 11 rungs hold.
    >>> multi_head_attention(lambda X, Wq, Wk, Wv, Wo, num_heads, mask=None: attention.self_attention(X, Wq, Wk, Wv))
    Not yet. Rung 2 of 11 does not hold: the shape of the weights.
    Hint: It is [5, 5] and should be [3, 5, 5]: one map, of one head or of an average. Give each head its own.

    Shapes are those of `manyheads.attention.multi_head_attention`. What comes in is float64; what comes out is compared
    in the precision that it has. Whatever `fn` does, a `Report` comes back.
    """

    def slower() -> float:
        arguments = Case().longer().arguments()
        return slowness(partial(fn, *arguments), partial(attention.multi_head_attention, *arguments))

    return climb({**_one_text(fn, Case()), **_more_texts(fn, Case(), slower), **_only_functions(fn)})


def module(kind: nn.Module | Callable[[int, int], nn.Module]) -> Report:
    """Check a class of one's own: `kind(embed_dim, num_heads)`, or one such module, called as `MultiHeadAttention` is.

    >>> module(attention.MultiHeadAttention)
    Right. All 13 rungs hold.
    >>> module(lambda embed_dim, num_heads: nn.MultiheadAttention(embed_dim, num_heads))
    Not yet. Rung 1 of 13 does not hold: it has four layers.
    Hint: It has no layer "query". Call the nn.Linear query, key, value and output, so that the check can fill them.

    `forward(query, key=None, value=None, *, mask=None)` gives the output [..., q, d] and the weights [..., h, q, k].
    Of a module a copy is checked, in the precision and on the device that it has; it needs `num_heads`. Whatever it
    does, a `Report` comes back.
    """
    case = Case(embed_dim=12)
    if isinstance(kind, nn.Module):
        width = getattr(getattr(kind, "query", None), "in_features", 12)
        case = Case(embed_dim=width, attention_dim=width, value_dim=width, num_heads=getattr(kind, "num_heads", 0))

    def four_layers() -> None:
        _check_heads(case)
        call(lambda: _filled(kind, case.num_heads, case.arguments()[1:5], 0.0))

    def fn(X, *rest, mask=None, Y=None, bias=0.0):
        *matrices, num_heads = rest
        filled = _filled(kind, num_heads, matrices, bias)
        weight = filled.query.weight
        texts = [torch.tensor(text).to(weight) for text in (X, Y) if text is not None]
        result = filled(*texts, **({} if mask is None else {"mask": torch.tensor(mask, device=weight.device)}))
        if not isinstance(result, tuple | list) or not all(isinstance(part, torch.Tensor) for part in result):
            return result
        return [part.to(weight.dtype) if part.is_floating_point() else part for part in result]

    def slower() -> float:
        X, *matrices, num_heads = case.longer().arguments()
        mine, ours = (_filled(made, num_heads, matrices, 0.0) for made in (kind, attention.MultiHeadAttention))
        text = torch.tensor(X).to(mine.query.weight)
        return slowness(partial(mine, text), partial(ours.to(text), text))

    return climb(
        {
            "it has four layers": four_layers,
            **_one_text(fn, case),
            **_more_texts(fn, case, slower),
            "keys from another text": lambda: _crossed(fn, replace(case, batch=(2,), asked=7)),
            "biases": lambda: _biased(fn, case),
        }
    )


# --- The rungs
def _one_text(fn, case):
    def shown():
        return pair(fn, *case.arguments())

    def right():
        return attention.multi_head_attention(*case.arguments())

    def runs():
        arguments = case.arguments()
        queries = [case.num_heads, case.length, case.attention_dim // case.num_heads]
        shapes = f"X is {list(arguments[0].shape)}, all heads' queries are {queries}, [h, q, d_k]"
        pair(fn, *arguments, otherwise=f"Print the shapes on the way: {shapes}.")

    def weights_shape():
        found, expected = shown().weights.shape, right()[1].shape
        if found != expected:
            raise Mistake(f"It is {list(found)} and should be {list(expected)}{misshapen(found, expected)}")

    def weights_hold():
        found = shown()
        compare(found, right()[1], "weights", case.arguments(), WEIGHTS, rows(found))

    def output_shape():
        found, expected = shown().output.shape, right()[0].shape
        if found == expected:
            return
        hint = "."
        if found == (*expected[:-1], case.value_dim):
            hint = ": the heads' results are not mixed. Multiply them by Wo at the end."
        elif len(found) == 3:
            hint = ": the heads are not joined. Put their columns side by side, then multiply by Wo."
        raise Mistake(f"It is {list(found)} and should be {list(expected)}{hint}")

    def output_holds():
        unknown = "The weights are right, so look at what comes after them."
        compare(shown(), right()[0], "output", case.arguments(), OUTPUTS, unknown)

    return {
        "it gives output and weights": runs,
        "the shape of the weights": weights_shape,
        "the weights of one text": weights_hold,
        "the shape of the output": output_shape,
        "the output for one text": output_holds,
    }


def _more_texts(fn, case, slower):
    case = replace(case, batch=(2,))
    mask = (
        np.tri(case.length, dtype=bool) & (np.arange(case.length) < np.array([[5], [3]]))[:, None, None]
    )  # [b, 1, q, k]
    blind = mask & (np.arange(case.length) > 0)  # the first query may look at nothing

    def longer():
        all_same(fn, case.longer().arguments(), {}, LONGER)
        return slower()

    return {
        "a batch of texts": lambda: all_same(fn, case.arguments(), {}, LAST_TWO),
        "a mask": lambda: all_same(fn, case.arguments(), {"mask": mask}, NO_MASK, MASKS),
        "a query that may look at nothing": lambda: all_same(fn, case.arguments(), {"mask": blind}, NO_MASK, BLIND),
        "scores in the thousands": lambda: all_same(fn, replace(case, loud=30.0).decided().arguments(), {}, OVERFLOW),
        "longer texts": longer,
    }


def _only_functions(fn):
    def refuses():
        try:
            call(fn, *Case().arguments()[:-1], 5)
        except Mistake as mistake:
            if isinstance(mistake.__cause__, ValueError) and "head" in str(mistake.__cause__):
                return
        raise Mistake(
            "5 heads cannot share a width of 12. Raise a ValueError that says so, with num_heads in its text, before "
            "columns are lost or a reshape fails with a message of its own."
        )

    return {"heads that do not divide the width": refuses}


def _crossed(fn, case):
    arguments, Y = case.arguments(), case.other_text()
    expected = wrong_attention(*arguments, Y=Y)
    hint = (
        "forward(query, key): queries come from the first text, keys and values from the other; weights [..., h, q, k]."
    )
    found = pair(fn, *arguments, Y=Y, otherwise=hint)
    if not all(close(part, right, found.tolerance) for part, right in zip(found, expected)):
        raise Mistake(hint)


def _biased(fn, case):
    X, *matrices, num_heads = case.arguments()
    ours = _filled(attention.MultiHeadAttention, num_heads, matrices, bias=0.5).double()(torch.tensor(X))
    found = pair(fn, X, *matrices, num_heads, bias=0.5)
    if not all(close(part, array(right), found.tolerance) for part, right in zip(found, ours)):
        raise Mistake("With biases it differs. Call the layers, self.query(x), instead of using their weights alone.")


# --- A module's weights
def _check_heads(case):
    if not isinstance(case.num_heads, int) or case.num_heads < 1:
        raise Mistake(
            "It has no num_heads. Keep the number of heads in self.num_heads: the shape of the weights depends on it."
        )
    if case.embed_dim % case.num_heads:
        raise Mistake(f"Its num_heads is {case.num_heads}, which does not divide its width, {case.embed_dim}.")


def _filled(kind, num_heads, matrices, bias):
    """A module of this kind, its layers filled with the matrices and a bias for each column."""
    embed_dim = matrices[0].shape[0]
    made = copy.deepcopy(kind) if isinstance(kind, nn.Module) else kind(embed_dim, num_heads)
    made = made.eval()
    for name, W in zip(LAYERS, matrices):
        layer = getattr(made, name, None)
        if not isinstance(layer, nn.Linear):
            listed = ", ".join(LAYERS[:-1]) + f" and {LAYERS[-1]}"
            raise Mistake(f'It has no layer "{name}". Call the nn.Linear {listed}, so that the check can fill them.')
        if layer.weight.shape != W.T.shape:
            got, wanted = list(layer.weight.shape), list(W.T.shape)
            raise Mistake(f'The matrix of "{name}" is {got} and should be {wanted}: as wide as all heads together.')
        with torch.no_grad():
            layer.weight.copy_(torch.tensor(W.T))
            if layer.bias is not None:
                layer.bias.copy_(bias * torch.arange(len(layer.bias)).cos())
    return made
