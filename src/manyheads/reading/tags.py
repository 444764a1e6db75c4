"""Where the numbers of a tensor come from: whole numbers, tags, that go along wherever a tensor's numbers are moved."""

import re
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

NONE = 0  # the tag of a number that comes from elsewhere
# What functions, and attributes that are tensors, do to the numbers of tensors, by their names.
NAMES = {
    "moves": "__getitem__ adjoint broadcast_to chunk diagonal expand expand_as flatten flip gather hsplit index_select "
    "moveaxis movedim narrow pad permute ravel repeat repeat_interleave reshape reshape_as roll select split "
    "split_with_sizes squeeze squeeze_ swapaxes swapdims t t_ take_along_dim tensor_split tile transpose transpose_ "
    "unbind unflatten unfold unsqueeze unsqueeze_ view view_as vsplit T mT H mH data",
    "joins": "cat concat concatenate stack",
    "keeps": "to float half bfloat16 double type type_as contiguous clone detach dropout dropout_ nan_to_num cpu cuda",
    "times": "mul __mul__ __rmul__ multiply",
    "scales": "mul_ __imul__ div div_ __div__ __idiv__ __truediv__ __itruediv__ masked_fill normalize layer_norm "
    "rms_norm group_norm batch_norm",
    "adds": "add add_ __add__ __iadd__ __radd__ sub sub_ __sub__ __isub__",
    "reduces": "sum mean amax amin logsumexp norm linalg_norm linalg_vector_norm cosine_similarity",
    "multiplies": "matmul __matmul__ __rmatmul__ bmm mm addmm baddbmm einsum cdist",
    "shares": "softmax _softmax softmax_",
}
DOES = {name: does for does, names in NAMES.items() for name in names.split()}
# Functions that reduce, and whose axes come after another argument.
AXES_THIRD = ("norm", "linalg_norm", "linalg_vector_norm", "cosine_similarity")
COPIES = {"view": Tensor.reshape, "view_as": Tensor.reshape_as}  # tags may lie otherwise in memory than their tensor
LAYERS = re.compile("linear(_|$)|conv|embedding")  # by whatever library they are; and no interpolation
CONVOLVES = re.compile(r"conv\D*(\d)d")  # with how many axes after its channels


@dataclass(frozen=True, eq=False)
class Call:
    """A function that was called, by its name, and what it gave.

    >>> Call(torch.permute, "permute").does, Call(torch.mul, "mul").does, Call(torch.exp, "exp").does
    ('moves', 'times', None)
    """

    func: Any
    name: str
    args: tuple = ()
    kwargs: dict = field(default_factory=dict)
    tensors: tuple = ()  # all that it was called with
    result: Any = None

    @property
    def does(self):
        """What it does to the numbers of its tensors, by `NAMES`."""
        return DOES.get(getattr(self.func.__self__, "__name__", None) if self.name == "__get__" else self.name)


class Tags:
    """The tags of tensors; those of a tensor may have an axis of 1 where all along it are the same.

    >>> tags, x, y = Tags(), torch.ones(2, 3), torch.ones(2, 4)
    >>> tags[x] = torch.tensor([5, 6, 7])
    >>> tags.give(y, tags.moved(Call(torch.cat, "cat", ([x, torch.zeros(2, 1)],), {"dim": 1}, (x,), y)))
    >>> tags[y].tolist()
    [[5, 6, 7, 0]]
    """

    def __init__(self):
        self._of = WeakIdKeyDictionary()

    def __contains__(self, tensor):
        return tensor in self._of

    def __getitem__(self, tensor):
        return self._of[tensor]

    def get(self, tensor):
        """The tags of a tensor, or None."""
        return self._of.get(tensor)

    def __setitem__(self, tensor, tags):
        tags = tags[(None,) * (tensor.ndim - tags.ndim)]
        for axis, step in enumerate(tags.stride()):
            tags = tags if step or tags.shape[axis] == 0 else tags.narrow(axis, 0, 1)
        self._of[tensor] = tags

    def drop(self, tensor):
        """Forgets the tags of a tensor."""
        self._of.pop(tensor, None)

    def along(self, tensor, axis):  # -> [n] or None
        """The tags along an axis of a tensor, where it begins along all others; None for a tensor without any."""
        if tensor not in self._of or not tensor.numel():
            return None
        tags = self._of[tensor]
        place = [0] * tags.ndim
        place[axis] = slice(None)
        return tags[tuple(place)].expand(tensor.shape[axis])

    def give(self, result, tags):
        """Gives tags to what a function gave, to one tensor or to several; None for none."""
        for one, own in zip(result, tags) if isinstance(tags, (tuple, list)) else [(result, tags)]:
            if isinstance(own, Tensor) and isinstance(one, Tensor) and _spreads(own.shape, one.shape):
                self[one] = own

    def moved(self, call):
        """The tags of what moves numbers, to which is done what was done to their tensors; None where it can't be."""
        try:
            if call.does == "joins":
                return self._joined(call.name == "stack", *call.args, **call.kwargs)
            return COPIES.get(call.name, call.func)(*self._instead(call.args), **self._instead(call.kwargs))
        except (RuntimeError, TypeError, ValueError, IndexError):
            return None

    def reduced(self, call):
        """The tags of what reduces axes of a tensor: the first along these."""
        source = call.tensors[0]
        if source not in self:
            return None
        axes = reduced_axes(source, call.name, call.args, call.kwargs)
        tags = self[source][tuple(slice(1) if axis in axes else slice(None) for axis in range(source.ndim))]
        kept = [size for axis, size in enumerate(tags.shape) if axis not in axes]
        return tags if tags.ndim == call.result.ndim else tags.reshape(kept)

    def _instead(self, values):
        """Arguments with tags instead of tensors; those that say which numbers are meant stay as they are."""
        if isinstance(values, dict):
            return {name: self._instead(value) for name, value in values.items()}
        if isinstance(values, (tuple, list)):
            return type(values)(self._instead(value) for value in values)
        if not isinstance(values, Tensor):
            return values
        if values.is_floating_point():
            return self._of.get(values, _none()).expand(values.shape)
        return values.cpu()

    def _joined(self, stacked, tensors, dim=0, axis=None):
        """The tags of tensors in a row, with axes of 1 as far as those of all have them."""
        axis = dim if axis is None else axis
        pieces = [self._of.get(one, _none()).expand_as(one) for one in tensors]
        if stacked:
            axis %= tensors[0].ndim + 1
            pieces = [piece.unsqueeze(axis) for piece in pieces]
        axis %= pieces[0].ndim
        same = [all(piece.stride(place) == 0 for piece in pieces) for place in range(pieces[0].ndim)]
        for place in (place for place, alike in enumerate(same) if alike and place != axis):
            pieces = [piece.narrow(place, 0, 1) for piece in pieces]
        joined = torch.cat(pieces, axis)
        shape = list(tensors[0].shape)
        if stacked:
            shape.insert(axis, len(tensors))
        shape[axis] = joined.shape[axis]
        return joined.expand(shape)


class Features(Tags):
    """Which features of which layers the numbers of tensors are: each feature of a layer has a tag of its own.

    What a layer or a function of each number does keeps them apart; a number below 0 stands for a whole module.
    """

    def __init__(self):
        super().__init__()
        self._first, self._next = {}, NONE + 1  # the first tag of each layer, by its weights

    def follow(self, call):
        """Gives tags to what a function gave, unless that is a product."""
        if LAYERS.search(call.name) and isinstance(call.result, Tensor):
            convolves = CONVOLVES.search(call.name)
            weights = call.args[1] if len(call.args) > 1 else call.kwargs.get("weight")
            self.name(call.result, [-1 - int(convolves[1]) if convolves else -1], weights)
        elif any(tensor in self for tensor in call.tensors):
            self.give(call.result, FEATURES.get(call.does, Features.spread)(self, call))

    def spread(self, call):
        """The tags of the first tensor that was spread over what a function gave, number by number."""
        shape = getattr(call.result, "shape", None)
        known = (one for one in call.tensors if shape is not None and one in self and _spreads(one.shape, shape))
        source = next(known, None)
        return None if source is None or source is call.result else self[source]

    def name(self, result, axes, weights):
        """Gives tags to what a layer with these weights gives: its features lie along these axes of the result."""
        axes = [axis % result.ndim for axis in axes]
        sizes = [size if axis in axes else 1 for axis, size in enumerate(result.shape)]
        count = torch.Size(sizes).numel()
        key = key_of(weights)
        if key not in self._first:
            self._first[key] = self._next
            self._next += count
        first = self._first[key]
        self[result] = torch.arange(first, first + count, dtype=torch.int32, device="cpu").reshape(sizes)

    def of_inputs(self, given):
        """Gives tags to what a module is called with: features lie along the last axis, of images along the second."""
        for tensor in given:
            if tensor.is_floating_point() and tensor.ndim > 1:
                self.name(tensor, [1 if tensor.ndim > 3 else -1], tensor)

    def mark(self, tensor, module):
        """Gives one tag to all that a module gives, where nothing else is known of it."""
        if tensor not in self:
            self[tensor] = torch.tensor(-1 - module, dtype=torch.int32, device="cpu")

    def are_apart(self, tensor, axis):
        """Whether what stands along an axis is different features: True, False, or None where that isn't known.

        >>> features, x = Features(), torch.ones(5, 3)
        >>> features.name(x, [-1], weights=x)
        >>> features.are_apart(x, 1), features.are_apart(x, 0), features.are_apart(torch.ones(5, 3), 0)
        (True, False, None)
        """
        tags = self.along(tensor, axis)
        if tags is None:
            return None
        known = tags[tags != NONE]
        if len(known) > 1 and len(known.unique()) == len(known):
            return True
        return False if bool((known > 0).any()) else None


FEATURES = {"moves": Tags.moved, "joins": Tags.moved, "reduces": Tags.reduced}


def _none():
    return torch.tensor(NONE, dtype=torch.int32, device="cpu")


def reduced_axes(source, name, args, kwargs):
    """The axes of a tensor that a function reduces; all where it names none.

    >>> x = torch.ones(2, 3, 4)
    >>> reduced_axes(x, "sum", (x, -1), {}), reduced_axes(x, "mean", (), {"input": x})
    ({2}, {0, 1, 2})
    """
    place = 2 if name in AXES_THIRD else 1
    axes = args[place] if len(args) > place else kwargs.get("dim", kwargs.get("axis"))
    if axes is None:
        axes = [1] if name == "cosine_similarity" else range(source.ndim)
    return {axis % source.ndim for axis in ([axes] if isinstance(axes, int) else axes) if isinstance(axis, int)}


def key_of(weights):
    """What tells the weights of one layer from those of others, also where they're pieces of one parameter.

    >>> both = torch.nn.Parameter(torch.ones(2, 3, 3))
    >>> key_of(both[0]) == key_of(both[0]), key_of(both[0]) == key_of(both[1])
    (True, False)
    """
    if not isinstance(weights, Tensor):
        return id(weights)
    return id(weights if weights._base is None else weights._base), weights.storage_offset()


def _spreads(shape, over):
    """Whether a tensor of a shape is spread over another shape, as its own or along axes of 1."""
    return len(shape) <= len(over) and all(one in (1, other) for one, other in zip(shape[::-1], over[::-1]))
