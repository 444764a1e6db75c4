"""Scores followed on their way to weights, through code of one's own, to the values that they multiply.

Weights are shares, made of products of two activations or by a softmax over places, that multiply values which have as
many places.
"""

import math
import re
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

from manyheads.reading.arguments import flat, tensors_in
from manyheads.reading.axes import DOTS, contracted_last, heads_of, letters_of, mixes_heads, roles_of
from manyheads.reading.tags import DOES, Features, reduced_axes

LAYERS = re.compile("linear|conv|(layer|group|batch|instance|rms)_norm")
SHARES = 1e-3  # how far from 1 a row of shares may sum, in half precision
ROUNDED = 2**-6  # how far a row of a softmax may, in bfloat16


@dataclass(frozen=True)
class Scores:
    """What a tensor is on its way from scores to weights."""

    softmaxed: bool = False
    derived: bool = False  # whether it's more than a product of two activations
    alone: bool = False  # whether it's a softmax of something else than such a product
    learnt: bool = False  # whether that softmax is over the features of a layer
    of_channels: bool = False  # whether the product was summed over places
    before: Tensor | None = None  # the weights before they were dropped, or before their heads talked
    dropped: bool = False
    talked: bool = False
    keys: frozenset | None = None  # the axes that may be keys, as long as one side was learnt; None for all
    size: int = 0  # of all scores, of which a tensor may be a piece
    source: object = field(default_factory=object)

    def weights(self, tensor):
        """The weights as they were before they were dropped or their heads talked, of a tensor that they are now."""
        return tensor if self.before is None else self.before

    def talk(self, before):
        """Scores whose heads were mixed; `before` is what they were, of which weights are kept."""
        return replace(self, before=before, talked=True) if self.softmaxed else self


@dataclass(frozen=True)
class Product:
    """A product of weights and values, by the letters of the axes of the weights, of the values, and of what it gives.

    The weights have axes `before` queries and keys, which are `rows` long.
    """

    letters: tuple
    before: str
    rows: tuple
    values: Tensor
    weights: Tensor | None = None  # [..., q, k]; of a fused kernel, none
    scores: Scores | None = None


@dataclass(eq=False)
class Known:
    """What is known of one tensor."""

    fixed: bool = False  # whether it's a parameter, a buffer, a constant, or made of these alone
    memory: bool = False  # whether a recurrent layer gave it
    depth: int = 0  # how many calls of attention stand one upon the other in what it's computed from
    given: Any = None  # `Given`, where a module was called with it
    scores: Scores | None = None
    weighted: tuple | None = None  # weights, values, their scores: a sum over keys is to come


NOTHING = Known()


class Register:
    """What is known of each tensor, as long as there is one.

    >>> register, x = Register(), torch.ones(2)
    >>> register[x].depth = 3
    >>> register.get(x).depth, register.get(torch.ones(2)).depth
    (3, 0)
    """

    def __init__(self):
        self._of = WeakIdKeyDictionary()

    def __getitem__(self, tensor):
        """What is known of a tensor, to be written to."""
        known = self._of.get(tensor)
        if known is None:
            known = self._of[tensor] = Known()
        return known

    def get(self, tensor):
        """What is known of a tensor, to be read."""
        return self._of.get(tensor, NOTHING)

    def is_fixed(self, tensor):
        """Whether a tensor comes from parameters and constants alone."""
        return self.get(tensor).fixed or is_parameter(tensor)

    def settle(self, name, tensors, result):
        """Keeps whether what a function of this name gave, or wrote to, comes from parameters and constants alone."""
        if all(map(self.is_fixed, tensors)):
            for one in tensors_in([result]):
                self[one].fixed = True
        elif name == "__setitem__" or (name.endswith("_") and not name.endswith("__")):  # written to
            for one in (tensors[0], tensors[0]._base):
                if one is not None:
                    self[one].fixed = False


class ScoreFollower:
    """Follows scores through what code does to them: `multiply` and `sum` say where they come to multiply values.

    `running` are the modules that compute, the outermost first, which say how many heads they have.
    """

    def __init__(self, register, features: Features, running):
        self._known, self._features, self._running = register, features, running

    def heads(self):
        """How many heads there are, as the nearest of the modules says that compute."""
        return next(filter(None, (heads_of(one.module) for one in reversed(self._running))), None)

    # --- Products -------------------------------------------------------------------------------------------------

    def multiply(self, name, args, kwargs, result):  # -> Product or None
        """Weights that multiply values; a product of two activations makes scores."""
        operands, letters = product_of(name, args, kwargs)
        if not operands:
            return None
        self._name_features(operands, letters, result)
        for place, operand in enumerate(operands):
            scores, other = self._known.get(operand).scores, operands[1 - place]
            if scores is None:
                continue
            mine, others, output = letters[place], letters[1 - place], letters[2]
            if is_parameter(other):
                self._mix_heads(scores, operand, other, f"{mine},{others}->{output}", result)
                return None
            found = self._find_weights(scores, operand, other, (mine, others, output))
            if found is not None:
                return found
        self._make_scores(operands, letters, result)
        return None

    def _name_features(self, operands, letters, result):
        """Gives tags to a product that is a layer's, of an activation with what is learnt."""
        fixed = [self._known.is_fixed(operand) for operand in operands]
        if fixed.count(True) == 1:
            sizes = dict(zip(letters[fixed.index(True)], operands[fixed.index(True)].shape))
            axes = [axis for axis, letter in enumerate(letters[2]) if sizes.get(letter, 1) > 1]
            self._features.name(result, axes, operands[fixed.index(True)])

    def _mix_heads(self, scores, weights, layer, equation, result):
        """Follows weights through a layer by which their heads talk."""
        if mixes_heads(weights, layer, self.heads()):
            one = scores.weights(weights)
            same = torch.eye(len(layer), dtype=one.dtype, device=one.device)
            self._known[result].scores = scores.talk(torch.einsum(equation, one, same))

    def _make_scores(self, operands, letters, result):
        """Notes that a product may be scores: of two activations, or of one with what is learnt."""
        learnt = [is_parameter(operand) for operand in operands]
        if not any(learnt):
            of_channels = self.sums_over_places(operands, letters)
            self._known[result].scores = Scores(size=result.numel(), of_channels=of_channels)
        elif not all(learnt):
            mine, others = letters[learnt.index(False)], letters[learnt.index(True)]
            keys = [axis for axis, letter in enumerate(letters[2]) if letter in mine and letter not in others]
            self._known[result].scores = Scores(keys=frozenset(keys), size=result.numel())

    def sums_over_places(self, operands, letters):
        """Whether a product sums over places, so that what it compares are channels."""
        for mine, others, operand in zip(letters, letters[1::-1], operands):
            summed, asking, _, _ = roles_of(mine, others, letters[2])
            if len(summed) != 1 or len(asking) != 1:
                return False
            channels, places = (self._features.are_apart(operand, mine.index(letter)) for letter in (asking, summed))
            if not channels or places:
                return False
        return True

    def sum(self, product, args, kwargs):  # -> Product or None
        """Weights that multiplied values number by number, where the sum is over keys."""
        weights, values, scores = self._known.get(product).weighted
        axes = reduced_axes(product, "sum", args, kwargs)
        names = DOTS[: product.ndim]
        weights, mine = self._without_repeats(weights, names)
        values, others = self._without_repeats(values, names)
        before = None if scores.before is None else self._without_repeats(scores.before, names)[0]
        output = "".join(letter for axis, letter in enumerate(names) if axis not in axes and letter in mine + others)
        return self._find_weights(replace(scores, before=before), weights, values, (mine, others, output))

    def _without_repeats(self, tensor, names):
        """A tensor without the axes along which it's repeated, and the names of those that are left."""
        kept = [size > 1 and step != 0 for size, step in zip(tensor.shape, tensor.stride())]
        one = tuple(slice(None) if keeps else 0 for keeps in kept)
        bare = tensor[one]
        if tensor in self._features:
            self._features[bare] = self._features[tensor][one]
        if self._known.is_fixed(tensor):
            self._known[bare].fixed = True
        return bare, "".join(name for name, keeps in zip(names[len(names) - tensor.ndim :], kept) if keeps)

    def _find_weights(self, scores, weights, values, letters):  # -> Product or None
        """A product as that of weights and values; None where it's none."""
        if scores.keys is not None or (self._known.is_fixed(values) and not self._known.is_fixed(weights)):
            return None  # looked up in a table
        turned = contracted_last(scores.weights(weights), *letters, self.heads())
        if turned is None:
            return None
        shown, before = turned
        if scores.alone and not self._weighs_places(scores, shown, weights, values, letters):
            return None
        if not scores.softmaxed and not (scores.derived and rows_are_shares(shown)):
            return None
        source = scores.source if weights.numel() == scores.size else object()
        return Product(letters, before, shown.shape[:-2], values, shown, replace(scores, source=source))

    def _weighs_places(self, scores, shown, weights, values, letters):
        """Whether a softmax that wasn't over a product of activations weighs places: those of values from elsewhere."""
        mine, others, output = letters
        summed, asking, _, features = roles_of(mine, others, output)
        apart = self._features.are_apart
        if not features or self._known.is_fixed(values) or apart(values, others.index(summed)):
            return False
        if any(weights.shape[mine.index(one)] > 1 and apart(weights, mine.index(one)) is not False for one in asking):
            return False
        return rows_are_shares(shown, ROUNDED) and (not scores.learnt or self._is_memory(values, shown.shape[-1]))

    def _is_memory(self, values, places):
        """Whether values with so many places are what a module was called with, or what a recurrent layer gave."""
        whole = values if values._base is None else values._base
        known = self._known.get(whole)
        handed = known.given is not None and any(known.given in one.handed for one in self._running)
        return (known.memory or handed) and places in whole.shape

    # --- What is done to scores -----------------------------------------------------------------------------------

    def derive(self, call):
        """Follows scores through what is done to them: scaled, masked, reshaped, and the softmax."""
        name, args, kwargs, tensors, result = call.name, call.args, call.kwargs, call.tensors, call.result
        if call.does == "shares":
            self._softmax(tensors[0], kwargs.get("dim", args[1] if len(args) > 1 else -1), result)
            return
        found = [(tensor, scores) for tensor in tensors if (scores := self._known.get(tensor).scores) is not None]
        if not found:
            return
        source, scores = min(found, key=lambda one: one[1].alone)  # a softmax alone, only if there is no other
        if call.does == "times" and len(tensors) > 1 and result.numel() > size_without_repeats(source):
            if scores.keys is not None and result.shape != source.shape:
                return
            other = tensors[1] if source is tensors[0] else tensors[0]
            self._known[result].weighted = source, other, scores
            if result.numel() > source.numel():
                return
        else:
            scores = self._change(scores, name, args, kwargs, source, result)
        for one in result if isinstance(result, tuple) else (result,):
            if scores is not None and isinstance(one, Tensor) and one.is_floating_point() and still_scores(one, source):
                self._known[one].scores = replace(scores, derived=True)

    def _change(self, scores, name, args, kwargs, source, result):  # -> Scores, or None where it's none any more
        """What is known of scores after a function of this name gave `result`."""
        if LAYERS.search(name):
            if len(args) > 1 and mixes_heads(source, args[1], self.heads()):
                return scores.talk(scores.weights(source))
            return scores if scores.talked and "norm" in name else None
        if scores.keys is not None and getattr(result, "shape", None) != source.shape:
            return None
        if "dropout" in name:
            dropped = result is not source and not torch.equal(result, source)
            return replace(scores, before=scores.weights(source), dropped=True) if dropped else scores
        if scores.before is not None:
            return replace(scores, before=do_again(name, args, kwargs, source, scores))
        return scores

    def _softmax(self, source, axis, result):
        """Follows a softmax: of scores, or of anything else as what may be weights."""
        if axis is None:  # as PyTorch chooses it, with a warning
            axis = 0 if source.ndim in (0, 1, 3) else 1
        axis %= max(source.ndim, 1)
        scores = self._known.get(source).scores or Scores(alone=True)
        alone = scores.alone or (scores.keys is not None and axis not in scores.keys)
        learnt = alone and source.ndim > 0 and self._features.are_apart(source, axis) is True
        self._known[result].scores = Scores(
            softmaxed=True,
            derived=True,
            alone=alone,
            learnt=learnt or scores.learnt,
            of_channels=scores.of_channels,
            size=source.numel(),
        )


def product_of(name, args, kwargs):
    """The two operands of a product, and the letters of their axes and its own, as of an einsum; none for others.

    >>> operands, letters = product_of("bmm", (torch.ones(2, 3, 4), torch.ones(2, 4, 5)), {})
    >>> letters
    ('Axy', 'Ayz', 'Axz')
    """
    values = list(flat((args, kwargs)))
    equation = values[0] if name == "einsum" and isinstance(values[0], str) else None
    operands = [value for value in values if isinstance(value, Tensor)]
    if len(operands) < 2 or (name == "einsum" and (equation is None or len(operands) > 2)):
        return (), ()
    operands = operands[-2:]
    equation = "...xd,...yd->...xy" if name == "cdist" else equation  # it compares as products do
    return operands, letters_of(equation, *(operand.ndim for operand in operands))


def do_again(name, args, kwargs, source, scores):
    """What was done to weights that were dropped or mixed, done to them as they were before, where it can be.

    Where heads talked, they're only moved.
    """
    before = scores.before
    if scores.talked and DOES.get(name) != "moves":
        return before
    again = [before if value is source else value for value in args]
    if name == "__getitem__":
        return before[args[1]]
    method = getattr(Tensor, name, None)
    return method(*again, **kwargs) if method is not None and again and isinstance(again[0], Tensor) else before


def still_scores(result, source):
    """Whether a result still is scores, by its axes: a sum over keys is none."""
    alike = result.ndim == source.ndim or result.shape[-1:] == source.shape[-1:]
    return result.numel() == source.numel() or (result.ndim > 1 and alike and result.shape[-1] > 1)


def rows_are_shares(weights, close=SHARES):
    """Whether each row of weights sums to 1, and none is below 0."""
    return bool(weights.min() >= 0) and bool(((weights.float().sum(-1) - 1).abs() < close).all())


def size_without_repeats(tensor):
    """How many numbers a tensor has, without those that are repeated."""
    return math.prod(size for size, step in zip(tensor.shape, tensor.stride()) if step)


def is_parameter(value):
    """Whether a tensor is learnt, or a view of one that is."""
    return isinstance(value, torch.nn.Parameter) or isinstance(value._base, torch.nn.Parameter)
