"""Where the numbers of a tensor come from: whole numbers, tags, that go along wherever a tensor's numbers are moved."""

import re

import torch
from torch import Tensor
from torch.utils.weak import WeakIdKeyDictionary

NONE = 0  # the tag of a number that comes from elsewhere
MOVES = re.compile(
    "__getitem__|adjoint|broadcast_to|chunk|diagonal|expand(_as)?|(un)?flatten|flip|gather|[hv]split|index_select|"
    "moveaxis|movedim|narrow|pad|permute|ravel|repeat(_interleave)?|reshape(_as)?|roll|select|split(_with_sizes)?|"
    "(un)?squeeze_?|swapaxes|swapdims|t_?|take_along_dim|tensor_split|tile|transpose_?|unbind|unfold|view(_as)?"
)
TURNS = {"T", "mT", "H", "mH", "data"}  # attributes that are tensors of the same numbers
JOINS = {"cat", "concat", "concatenate", "stack"}
COPIES = {"view": Tensor.reshape, "view_as": Tensor.reshape_as}  # tags may lie otherwise in memory than their tensor
# Functions that reduce axes, and which argument names these.
REDUCES = dict.fromkeys(("sum", "mean", "amax", "amin", "logsumexp"), 1)
REDUCES |= dict.fromkeys(("norm", "linalg_norm", "linalg_vector_norm", "cosine_similarity"), 2)
LAYERS = re.compile("linear(_|$)|conv|embedding")  # and no interpolation
CONVOLVES = re.compile(r"conv\D*(\d)d")  # with how many axes after its channels


class Tags:
    """The tags of tensors; those of a tensor may have an axis of 1 where all along it are the same.

    >>> tags, x, y = Tags(), torch.ones(2, 3), torch.ones(2, 4)
    >>> tags[x] = torch.tensor([5, 6, 7])
    >>> tags.move(torch.cat, "cat", [[x, torch.zeros(2, 1)]], {"dim": 1}, y)
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

    def move(self, func, name, args, kwargs, result):
        """Does to tags what a function that moves numbers did to their tensors; what can't be done is forgotten."""
        try:
            if name in JOINS:
                moved = self._joined(name == "stack", *args, **kwargs)
            else:
                moved = COPIES.get(name, func)(*self._instead(args), **self._instead(kwargs))
        except (RuntimeError, TypeError, ValueError, IndexError):
            return
        for one, tags in zip(result, moved) if isinstance(result, (tuple, list)) else [(result, moved)]:
            if isinstance(tags, Tensor) and tags.shape == one.shape:
                self[one] = tags

    def reduce(self, source, axes, result):
        """Gives tags to what a function gave that reduces these axes of a tensor which has some."""
        first = tuple(slice(1) if axis in axes else slice(None) for axis in range(source.ndim))
        tags = self[source][first]
        kept = [size for axis, size in enumerate(tags.shape) if axis not in axes]
        self[result] = tags if tags.ndim == result.ndim else tags.reshape(kept)

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

    def follow(self, func, name, args, kwargs, tensors, result):
        """Gives tags to what a function gave, unless that is a product."""
        if moves(func, name):
            if any(tensor in self for tensor in tensors):
                self.move(func, name, args, kwargs, result)
        elif not isinstance(result, Tensor):
            return
        elif LAYERS.search(name):
            convolves = CONVOLVES.search(name)
            weights = args[1] if len(args) > 1 else kwargs.get("weight")
            self.name(result, [-1 - int(convolves[1]) if convolves else -1], weights)
        elif name in REDUCES:
            if tensors[0] in self:
                self.reduce(tensors[0], reduced_axes(tensors[0], name, args, kwargs), result)
        else:
            known = (one for one in tensors if one in self and _spreads(one.shape, result.shape))
            if (source := next(known, None)) is not None and source is not result:
                self[result] = self[source]

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


def _none():
    return torch.tensor(NONE, dtype=torch.int32, device="cpu")


def moves(func, name):
    """Whether a function moves numbers and does nothing else to them.

    >>> moves(torch.permute, "permute"), moves(torch.mul, "mul")
    (True, False)
    """
    if name == "__get__":
        return func.__self__.__name__ in TURNS
    return name in JOINS or MOVES.fullmatch(name) is not None


def reduced_axes(source, name, args, kwargs):
    """The axes of a tensor that a function of `REDUCES` reduces; all where it names none.

    >>> x = torch.ones(2, 3, 4)
    >>> reduced_axes(x, "sum", (x, -1), {}), reduced_axes(x, "mean", (), {"input": x})
    ({2}, {0, 1, 2})
    """
    place = REDUCES[name]
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
