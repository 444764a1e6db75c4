"""A reader's own attention: a function on NumPy arrays, or a class of PyTorch."""

import copy
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import nn

from manyheads import attention
from manyheads.check.mistakes import BLIND, MASKS, OUTPUTS, WEIGHTS, wrong_attention
from manyheads.check.report import Mistake, array, call, climb

LAYERS = ("query", "key", "value", "output")
PAIR = "Give two things: (output, weights)."
LAST_TWO = "With a batch there are axes on the left. Count axes from the right: K.swapaxes(-2, -1), not K.T."
OVERFLOW = "Powers of large numbers overflow: subtract the largest score of each row before np.exp."
NO_MASK = "It takes the mask by name, mask=..., and the mask is laid over the scores [..., h, q, k]."


@dataclass(frozen=True)
class Case:
    """Inputs of one shape: texts of `length` words; `asked` is another text's length, for the keys."""

    batch: tuple = ()
    length: int = 5
    asked: int = 0
    embed_dim: int = 8
    num_heads: int = 3
    attention_dim: int = 12
    value_dim: int = 12
    loud: float = 1.0

    def arguments(self):
        """X, Wq, Wk, Wv, Wo, num_heads."""
        rng = np.random.default_rng(0)
        X = self.loud * rng.standard_normal((*self.batch, self.length, self.embed_dim))
        widths = (self.attention_dim, self.attention_dim, self.value_dim)
        Wq, Wk, Wv = (rng.standard_normal((self.embed_dim, width)) for width in widths)
        return X, Wq, Wk, Wv, rng.standard_normal((self.value_dim, self.embed_dim)), self.num_heads

    def other_text(self):
        return np.random.default_rng(1).standard_normal((*self.batch, self.asked, self.embed_dim))


def multi_head_attention(fn):
    """Check `fn(X, Wq, Wk, Wv, Wo, num_heads, mask=None)`, which gives (output, weights), on NumPy arrays.

    >>> multi_head_attention(attention.multi_head_attention)
    Right. All 10 rungs hold.
    >>> multi_head_attention(lambda X, Wq, Wk, Wv, Wo, num_heads, mask=None: attention.self_attention(X, Wq, Wk, Wv))
    Not yet. Rung 2 of 10 does not hold: the shape of the weights.
    Hint: It is [5, 5] and should be [3, 5, 5]: one map, of one head or of an average. Give each head its own.

    Shapes are those of `manyheads.attention.multi_head_attention`. Whatever `fn` does, a `Report` comes back.
    """
    return climb({**_one_text(fn, Case()), **_more_texts(fn, Case()), **_only_functions(fn)})


def module(kind):
    """Check a class of one's own: `kind(embed_dim, num_heads)`, or one such module, called as `MultiHeadAttention` is.

    >>> module(attention.MultiHeadAttention)
    Right. All 12 rungs hold.
    >>> module(lambda embed_dim, num_heads: nn.MultiheadAttention(embed_dim, num_heads))
    Not yet. Rung 1 of 12 does not hold: it has four layers.
    Hint: It has no layer "query". Call the nn.Linear query, key, value and output, so that the check can fill them.

    `forward(query, key=None, value=None, *, mask=None)` gives the output [..., q, d] and the weights [..., h, q, k].
    Of a module a copy is checked; it needs `num_heads`. Whatever it does, a `Report` comes back.
    """
    case = Case(embed_dim=12)
    if isinstance(kind, nn.Module):
        width = getattr(getattr(kind, "query", None), "in_features", 12)
        case = Case(embed_dim=width, attention_dim=width, value_dim=width, num_heads=getattr(kind, "num_heads", 3))

    def fn(X, *rest, mask=None, Y=None, bias=0.0):
        *matrices, num_heads = rest
        filled = _filled(kind, num_heads, matrices, bias)
        texts = [torch.tensor(text) for text in (X, Y) if text is not None]
        return filled(*texts, **({} if mask is None else {"mask": torch.tensor(mask)}))

    return climb(
        {
            "it has four layers": lambda: call(lambda: _filled(kind, case.num_heads, case.arguments()[1:5], 0.0)),
            **_one_text(fn, case),
            **_more_texts(fn, case),
            "keys from another text": lambda: _crossed(fn, replace(case, batch=(2,), asked=7)),
            "biases": lambda: _biased(fn, case),
        }
    )


# --- The rungs
def _one_text(fn, case):
    arguments = case.arguments()
    output, weights = attention.multi_head_attention(*arguments)

    def runs():
        wide = case.attention_dim // case.num_heads
        queries = [case.num_heads, case.length, wide]
        shapes = f"X is {list(arguments[0].shape)}, all heads' queries are {queries}, [h, q, d_k]"
        _pair(fn, *arguments, otherwise=f"Print the shapes on the way: {shapes}.")

    def weights_shape():
        found = _pair(fn, *arguments)[1]
        if found.shape != weights.shape:
            told = f"It is {list(found.shape)} and should be {list(weights.shape)}"
            raise Mistake(f"{told}{_misshapen(found.shape, weights.shape)}")

    def weights_hold():
        found = _pair(fn, *arguments)[1]
        _compare(found, weights, 1, arguments, WEIGHTS, _rows(found))

    def output_shape():
        found = _pair(fn, *arguments)[0]
        if found.shape == output.shape:
            return
        context = attention.multi_head_attention(*arguments[:4], np.eye(case.value_dim), case.num_heads)[0]
        hint = "."
        if found.shape == context.shape:
            hint = ": the heads' results are not mixed. Multiply them by Wo at the end."
        elif found.ndim == 3:
            hint = ": the heads are not joined. Put their columns side by side, then multiply by Wo."
        raise Mistake(f"It is {list(found.shape)} and should be {list(output.shape)}{hint}")

    def output_holds():
        found = _pair(fn, *arguments)[0]
        _compare(found, output, 0, arguments, OUTPUTS, "The weights are right, so look at what comes after them.")

    return {
        "it gives output and weights": runs,
        "the shape of the weights": weights_shape,
        "the weights of one text": weights_hold,
        "the shape of the output": output_shape,
        "the output for one text": output_holds,
    }


def _more_texts(fn, case):
    case = replace(case, batch=(2,))
    arguments = case.arguments()
    mask = (
        np.tri(case.length, dtype=bool) & (np.arange(case.length) < np.array([[5], [3]]))[:, None, None]
    )  # [b, 1, q, k]
    blind = mask & (np.arange(case.length) > 0)  # the first query may look at nothing

    def batch():
        _all_same(fn, arguments, {}, LAST_TWO)

    def masked():
        _all_same(fn, arguments, {"mask": mask}, NO_MASK, MASKS)

    def without_keys():
        _all_same(fn, arguments, {"mask": blind}, NO_MASK, BLIND)

    def large():
        _all_same(fn, replace(case, loud=300.0).arguments(), {}, OVERFLOW)

    return {
        "a batch of texts": batch,
        "a mask": masked,
        "a query that may look at nothing": without_keys,
        "scores in the thousands": large,
    }


def _only_functions(fn):
    def refuses():
        X, *matrices, _ = Case().arguments()
        try:
            fn(X, *matrices, 5)
        except Exception as error:
            if isinstance(error, ValueError) and "head" in str(error):
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
    for found, right in zip(_pair(fn, *arguments, Y=Y, otherwise=hint), expected):
        if found.shape != right.shape or not np.allclose(found, right):
            raise Mistake(hint)


def _biased(fn, case):
    X, *matrices, num_heads = case.arguments()
    ours = _filled(attention.MultiHeadAttention, num_heads, matrices, bias=0.5)(torch.tensor(X))
    for found, right in zip(_pair(fn, X, *matrices, num_heads, bias=0.5), ours):
        if not np.allclose(found, array(right)):
            raise Mistake(
                "With biases it differs. Call the layers, self.query(x), instead of using their weights alone."
            )


# --- What they share
def _pair(fn, *arguments, otherwise="", **options):
    """The output and the weights of one call, as arrays."""
    result = call(fn, *arguments, otherwise=otherwise, **options)
    if not isinstance(result, tuple | list) or len(result) != 2:
        raise Mistake(f"It gives {type(result).__name__}. {PAIR}")
    found = [array(part) for part in result]
    if any(part.dtype.kind not in "fiu" for part in found):
        raise Mistake(f"It gives {[str(part.dtype) for part in found]}. {PAIR}")
    return found


def _all_same(fn, arguments, options, otherwise, mistakes=None):
    output, weights = attention.multi_head_attention(*arguments, **options)
    found = _pair(fn, *arguments, otherwise=otherwise, **options)
    for part, right, name in zip(found, (output, weights), ("output", "weights")):
        if part.shape != right.shape:
            raise Mistake(
                f"The {name} is {list(part.shape)} and should be {list(right.shape)}. {otherwise}".replace(
                    "weights is", "weights are"
                )
            )
    arguments = (*arguments, *options.values())
    _compare(found[1], weights, 1, arguments, {**(mistakes or {}), **WEIGHTS}, _rows(found[1], options, otherwise))
    _compare(found[0], output, 0, arguments, OUTPUTS, otherwise)


def _compare(found, right, which, arguments, mistakes, unknown):
    """Raise `Mistake` where the numbers differ, with the hint of the mistake that gives just these."""
    if np.allclose(found, right):
        return
    for hint, replaced in mistakes.items():
        try:
            with np.errstate(all="ignore"):
                wrong = wrong_attention(*arguments, **replaced)[which]
        except ValueError:  # these shapes do not allow this mistake
            continue
        if wrong.shape == found.shape and np.allclose(found, wrong):
            raise Mistake(hint)
    raise Mistake(unknown)


def _rows(weights, options=(), otherwise=""):
    """What can be said of wrong weights that no well-known mistake gives."""
    if np.isnan(weights).any():
        if otherwise == OVERFLOW:
            return OVERFLOW
        if "mask" in options:
            return "There is NaN: softmax of nothing but minus infinity is 0/0. Put zeros there after softmax."
        return "There is NaN in the weights: nothing here divides by zero, so look at what softmax gets."
    if not np.allclose(weights.sum(-1), 1) and not options:
        return "The rows do not sum to 1. Softmax turns each row of scores, [k], into shares."
    return f"The rows sum to 1, but the shares are others. Scores are Q @ K.T / sqrt(d_k). {otherwise}".strip()


def _misshapen(found, right):
    heads, length = right[0], right[1]
    if found == (length, length):
        return ": one map, of one head or of an average. Give each head its own."
    if found in ((length, heads, length), (length, length, heads)):
        return ": bring the axis of the heads to the front, with a transpose."
    if heads * length in found:
        return ": the maps are joined. Stack them along a new axis instead."
    return ". Scores compare each query with each key, in each head."


def _filled(kind, num_heads, matrices, bias):
    """A module of this kind, its layers filled with the matrices and a bias for each column."""
    embed_dim = matrices[0].shape[0]
    made = copy.deepcopy(kind) if isinstance(kind, nn.Module) else kind(embed_dim, num_heads)
    made = made.double().eval()
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
