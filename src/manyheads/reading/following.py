"""The outputs of heads, followed to the layer that reads them: W^O, the output projection, wherever a module has it."""

import math
import re
from dataclasses import dataclass, field
from itertools import chain, combinations
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils.weak import WeakIdKeyDictionary

from manyheads.reading.arguments import flat, tensors_in
from manyheads.reading.kernels import MHA
from manyheads.reading.scores import product_of
from manyheads.reading.sentences import Holding
from manyheads.reading.tags import DOES, NONE, Call, Tags, key_of, reduced_axes
from manyheads.reading.watching import Watch, unfollowed

READS = re.compile("linear|conv|multi_head_attention|^(gru|lstm|rnn)")
RECURRENT = re.compile("gru|lstm|rnn")


@dataclass(eq=False)
class HeadOutputs:
    """What the heads of one look output: rows, one for each text and head, of numbers with tags from `first` on."""

    first: int
    rows: tuple  # how many there are, along the axes that weights have before queries and keys
    width: int  # how many numbers a row has
    source: object = None  # the same for outputs of the same weights
    talked: bool = False  # whether heads were mixed before
    values: Tensor | None = None  # [*rows, k, width], what weights multiplied
    reader: Any = None  # the `Reader` that came first
    readers: dict = field(default_factory=dict)  # the names of all
    unseen: set = field(default_factory=set)  # the names of modules that read them by a product which can't be followed

    def tags(self, rows):  # [...] -> [..., width]
        """The tags of some rows."""
        return self.first + rows[..., None] * self.width + torch.arange(self.width, device="cpu")

    def all_tags(self):  # -> [rows * width]
        """The tags of all rows."""
        return self.tags(torch.arange(math.prod(self.rows), device="cpu")).flatten()

    def rows_of(self, head, count):  # -> lists of [*]
        """Which rows may be those of one of so many heads: where heads have an axis, or one together with texts."""
        rows = torch.arange(math.prod(self.rows), device="cpu").reshape(self.rows)
        alone = [rows[:, head].flatten()] if self.rows[1:2] == (count,) else []
        return alone + ([rows.unflatten(0, (-1, count))[:, head].flatten()] if self.rows[0] % count == 0 else [])


@dataclass(frozen=True)
class Reader:
    """What reads outputs of heads."""

    name: str  # of the module
    ways: tuple  # `Way`s to call it: by modules that are called with these alone, outermost first; by its function
    plain: bool  # whether they're as the heads had them

    def of(self, tags):  # [n] -> [n, d], or None
        """What it makes of numbers with these tags, as the first of its ways tells that can."""
        return next((found for way in self.ways if (found := way.of(tags)) is not None), None)


@dataclass(frozen=True)
class Way:
    """A function of one tensor, whose numbers have tags."""

    call: Any
    tags: Tensor
    shape: tuple
    dtype: torch.dtype
    device: torch.device

    def of(self, tags):  # [n] -> [n, d], or None
        """What it makes of the numbers that have these tags, each alone, which are all that a layer's heads output for
        one text; None where it isn't linear, or where they aren't seen to lie in one place.
        """
        found = self._lying(tags)
        if found is None:
            return None
        axes, places = found
        sizes = [self.shape[axis] for axis in axes]
        ones = torch.eye(math.prod(sizes), dtype=self.dtype, device=self.device)
        ones = ones[[places[tag] for tag in tags.tolist()]].unflatten(1, sizes)
        apart = next(axis for axis in range(len(self.shape)) if axis not in axes)  # they're read one beside the other
        order = [apart, *axes]
        ones = ones.permute([order.index(axis) for axis in sorted(order)])
        ones = ones[tuple(slice(None) if axis in order else None for axis in range(len(self.shape)))]
        some = ones.narrow(apart, 0, min(4, len(tags)))
        try:
            nothing = self.call(0 * ones.narrow(apart, 0, 1))
            once, twice, whole = (self.call(one) - nothing for one in (some, 2 * some, ones))
        except (TypeError, RuntimeError, ValueError):  # it takes or gives something else
            return None
        return whole.reshape(len(tags), -1) if is_twice(twice, once) else None

    def _lying(self, tags):
        """The axes along which numbers of these tags lie in one place, and where along these each does; or None."""
        first = (self.tags == tags[0]).nonzero()[:1].flatten().tolist()
        here, axes = self.tags.expand(self.shape), range(len(self.shape))
        for along in chain(combinations(reversed(axes), 1), combinations(axes, 2)) if first else ():
            place = tuple(slice(None) if axis in along else first[axis] for axis in axes)
            places = {tag: number for number, tag in enumerate(here[place].flatten().tolist())}
            if all(tag in places for tag in tags.tolist()) and len(along) < len(axes):
                return along, places
        return None


class Following(Watch):
    """Within this, the outputs of heads are followed to what reads them; `outputs` has `HeadOutputs` for each call.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=12, nhead=3, batch_first=True).eval()
    >>> with Following(layer) as following:
    ...     output = layer(torch.randn(1, 5, 12))
    >>> following.outputs[0].reader.name
    'self_attn'

    What reads numbers whose tags are `off` reads zeros, and so do the modules in `unseen`, by their names, whose own
    products can't be followed. With `values`, what weights multiply is kept. Of the weights,
    those of wanted layers are held, where there's a `holding`.
    """

    def __init__(self, module, texts=1, off=None, unseen=(), values=False, holding=None):
        super().__init__(module, texts, holding or Holding())
        self.outputs = []
        self._holds = holding is not None
        self._off, self._unseen, self._values = off, unseen, values
        self._alone = []  # what computes: module, and what it was called with, where that's one thing
        self._reads = [0]  # how often outputs were read, up to now and before each of what computes
        self._tags, self._next_tag = Tags(), NONE + 1
        self._plain = WeakIdKeyDictionary()  # tensors that have tags -> whether they're as the heads had them

    def enter(self, name, part, args, kwargs):
        super().enter(name, part, args, kwargs)
        values = list(flat((args, kwargs)))
        given = values[0] if len(values) == 1 and isinstance(values[0], Tensor) else None
        self._alone.append((part, given))
        self._reads.append(self._reads[-1])
        if self._off is None or name not in self._unseen or given not in self._tags:
            return None
        silenced = {id(given): self._silence(given)}
        return replace_in(args, silenced), replace_in(kwargs, silenced)

    def _leave(self, part, output):
        name = self._place()
        super()._leave(part, output)
        _, given = self._alone.pop()
        reads = self._reads.pop()
        if self._off is None and given in self._tags and reads == self._reads[-1]:
            with unfollowed():
                reads += self._note_unseen(name, part, given, output)
        self._reads[-1] = reads

    def _finish(self):
        """Calls stay as they are: what can't be told of them is told by whoever shows them."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", None) or str(func)
        if func is F.multi_head_attention_forward:
            args, kwargs = self._read_by_layer(args, kwargs)
        args, kwargs = self._read(func, name, args, kwargs)
        result = super().__torch_function__(func, types, args, kwargs)
        with unfollowed():
            self._move_tags(Call(func, name, args, kwargs, (*tensors_in((args, kwargs)),), result))
        return result

    # --- Where they come from --------------------------------------------------------------------------------------

    def _follow_product(self, product, result):
        mine, others, output = product.letters
        before, rows, talked = product.before, tuple(product.rows), product.scores is not None and product.scores.talked
        summed = next(letter for letter in mine if letter not in output)
        own = "".join(letter for letter in output if letter not in mine)  # of values alone
        with unfollowed():
            sizes = dict(zip(output, [size for size in result.shape if len(output) == result.ndim or size > 1]))
            width = math.prod(sizes[letter] for letter in own)
            outputs = self._new(rows, width, product.scores and product.scores.source)
            outputs.talked = talked
            row = torch.arange(math.prod(rows), device="cpu").reshape(rows)
            row = row.permute([before.index(letter) for letter in output if letter in before])
            row = row[tuple(slice(None) if letter in before else None for letter in output)]
            number = torch.arange(width, device="cpu")
            number = number.reshape([sizes[letter] if letter in own else 1 for letter in output])
            tags = outputs.first + row * width + number
            if len(output) < result.ndim:
                tags = tags.expand([sizes[letter] for letter in output]).reshape(result.shape)
            self._tags[result], self._plain[result] = tags, True
        if self._values and outputs not in self.outputs[:-1]:
            outputs.values = lay_out_values(product.values, others, before, summed, own, rows, width)

    def _new(self, rows, width, source=None):
        """The outputs of the next call; of the same weights, those of another."""
        for outputs in self.outputs:
            if source is not None and outputs.source is source and (outputs.rows, outputs.width) == (rows, width):
                outputs.values = None  # there are several
                self.outputs.append(outputs)
                return outputs
        self.outputs.append(HeadOutputs(self._next_tag, rows, width, source))
        self._next_tag += math.prod(rows) * width
        return self.outputs[-1]

    def _note_layer(self, args, kwargs, depth):
        call = MHA.bind(*args, **kwargs).arguments
        query, key, heads = call["query"], call["key"], call["num_heads"]
        added = (call.get("bias_k") is not None) + bool(call.get("add_zero_attn"))
        texts = query.shape[1] if query.ndim == 3 else 1
        weights = torch.empty(texts, heads, len(query), len(key) + added, device="meta")
        return self._note(weights, depth, heads=heads)

    def _note_fused_weights(self, call, depth):
        return self._note(torch.empty(*call["query"].shape[:-1], call["key"].shape[-2], device="meta"), depth)

    def _hold(self, name, weights, full=None):
        if not (self._holds and self._holding.wants(name)):
            return torch.empty(weights.shape, device="meta")
        return weights.detach()  # in the same memory as those that a model hands out

    # --- What becomes of them --------------------------------------------------------------------------------------

    def _move_tags(self, call):
        """Gives tags to what a function made of tensors that have some, by `RULES`; what mixes them has none."""
        known, result = [tensor for tensor in call.tensors if tensor in self._tags], call.result
        if not known or (isinstance(result, Tensor) and result in self._tags and result is not known[0]):
            return
        rule, plain = RULES.get(call.does, (None, False))
        tags = rule and rule(self, call, known[0])
        plain = plain and all(self._plain[tensor] for tensor in known)
        if call.does == "adds":
            plain = plain and all(tensor is known[0] or self._known.is_fixed(tensor) for tensor in call.tensors)
        self._tags.give(result, tags)
        for one in flat([result]) if tags is not None else ():
            if isinstance(one, Tensor) and one in self._tags:
                self._plain[one] = plain
        if tags is None and (call.name == "__setitem__" or result is known[0]):  # written to
            self._tags.drop(call.args[0] if call.name == "__setitem__" else result)

    def _scaled(self, call, known):
        return self._tags[known] if known.shape == getattr(call.result, "shape", None) else None

    def _added(self, call, known):
        return self._scaled(call, known) if self._adds_to_each(call.tensors, known) else None

    def _adds_to_each(self, tensors, known):
        """Whether what is added is learnt, or is added while heads stand apart and isn't the output of others."""
        others = [tensor for tensor in tensors if tensor is not known and not self._known.is_fixed(tensor)]
        source = self._source_of(known)
        alike = all(source is not None and source is self._source_of(one) for one in others if one in self._tags)
        return not others or (alike and sum(size > 1 for size in self._tags[known].shape) > 1)

    def _source_of(self, tensor):
        """The source of the first number of a tensor that has a tag."""
        tags = self._tags[tensor]
        first = tags[tags != NONE][:1]
        found = (one.source for one in self.outputs if len(first) and bool(torch.isin(first, one.all_tags())))
        return next(found, None)

    def _summed(self, call, known):
        """The tags of what a tensor is reduced to, where that has the same tags all along these axes."""
        source = call.tensors[0]
        tags, axes = self._tags.get(source), reduced_axes(source, call.name, call.args, call.kwargs)
        alike = tags is not None and all(tags.shape[axis] == 1 for axis in axes)
        return self._tags.reduced(call) if alike else None

    def _mixed(self, call, known):
        """The tags of a product, where it sums over axes along which an operand has the same tags."""
        found, (operands, letters) = None, product_of(call.name, call.args, call.kwargs)
        for operand, mine in zip(operands, letters):
            tags = self._tags.get(operand)
            summed = [letter for letter in mine if letter not in letters[2]]
            if tags is None or any(tags.shape[mine.index(letter)] > 1 for letter in summed):
                continue
            tags = tags[tuple(0 if letter in summed else slice(None) for letter in mine)]
            left = [letter for letter in mine if letter not in summed]
            tags = tags.permute([left.index(letter) for letter in letters[2] if letter in left])
            found = tags[tuple(slice(None) if letter in left else None for letter in letters[2])]
        return found

    # --- What reads them -------------------------------------------------------------------------------------------

    def _read(self, func, name, args, kwargs):
        """The arguments of a function, with zeros for heads that are off, where it's that of a layer."""
        tensors = [*tensors_in((args, kwargs))]
        known = [tensor for tensor in tensors if tensor in self._tags]
        reads = READS.search(name) or (DOES.get(name) == "multiplies" and any(map(self._known.is_fixed, tensors[-2:])))
        silenced = {}
        for tensor in known if reads else ():
            with unfollowed():
                self._note_reader(func, name, args, kwargs, tensor)
            silenced[id(tensor)] = tensor if self._off is None else self._silence(tensor)
        silenced = {key: tensor for key, tensor in silenced.items() if id(tensor) != key}
        return (replace_in(args, silenced), replace_in(kwargs, silenced)) if silenced else (args, kwargs)

    def _silence(self, tensor):
        """A tensor with zeros for heads that are off."""
        with unfollowed():
            on = ~torch.isin(self._tags[tensor], self._off)
            if on.all():
                return tensor
        return tensor * on.to(tensor.device)

    def _outputs_in(self, tensor):
        """The outputs of which all are in a tensor."""
        return [one for one in self.outputs if bool(torch.isin(one.all_tags(), self._tags[tensor]).all())]

    def _note_unseen(self, name, part, given, output):  # -> whether it reads outputs
        """Notes a module that has weights and was called with outputs of heads alone, where nothing in it was seen to
        read them, as bitsandbytes' layers do it by a product of their own; unless what it does isn't linear.
        """
        read = self._outputs_in(given)
        known = any(one in self._tags for one in tensors_in([output]))
        weighs = next(chain(part.parameters(), part.buffers()), None) is not None
        if known or not read or not weighs or not isinstance(output, Tensor) or not is_linear(part.forward, given):
            return False
        modules = [(part, given), *self._called_with_outputs()]
        for outputs in read:
            outputs.unseen.add(name)
            outputs.readers[id(modules[-1][0])] = name
            outputs.reader = outputs.reader or Reader(name, self._ways(reversed(modules)), self._plain[given])
        return True

    def _note_reader(self, func, name, args, kwargs, tensor):
        self._reads[-1] += 1
        read = self._outputs_in(tensor)
        modules = self._called_with_outputs()
        weights = next((one for one in tensors_in((args, kwargs)) if self._known.is_fixed(one)), None)
        for outputs in read:
            outputs.readers[id(modules[-1][0]) if modules else key_of(weights)] = self._place()
        if all(outputs.reader is not None for outputs in read):
            return
        gap = Gap()
        args, kwargs = (replace_in(values, {id(tensor): gap}) for values in (args, kwargs))

        def alone(x):
            return func(*replace_in(args, {id(gap): x}), **replace_in(kwargs, {id(gap): x}))

        ways = [*reversed(modules), (alone, tensor)]
        wide = name.startswith("conv") and any(size > 1 for size in args[1].shape[2:])
        if wide or RECURRENT.search(name) or func is F.multi_head_attention_forward:
            ways = []
        for outputs in read:
            outputs.reader = outputs.reader or Reader(self._place(), self._ways(ways), self._plain[tensor])

    def _ways(self, calls):
        """`Way`s of functions, each with the tensor that it was called with."""
        return tuple(Way(call, self._tags[one], tuple(one.shape), one.dtype, one.device) for call, one in calls)

    def _called_with_outputs(self):
        """The modules that compute and were called with outputs of heads alone, and these, innermost first."""
        known = (isinstance(given, Tensor) and given in self._tags for _, given in reversed(self._alone))
        count = next((number for number, one in enumerate(known) if not one), len(self._alone))
        return self._alone[::-1][:count]

    def _place(self):
        return self._running[-1].name or type(self._module).__name__

    def _read_by_layer(self, args, kwargs):
        """The arguments of one of PyTorch's layers, whose W^O has zeros behind heads that are off."""
        bound = MHA.bind(*args, **kwargs)
        call = bound.arguments
        weight, heads = call["out_proj_weight"], call["num_heads"]
        texts = call["query"].shape[1] if call["query"].ndim == 3 else 1
        with unfollowed():
            outputs = self._new((texts, heads), weight.shape[1] // heads)
            tags = outputs.tags(torch.arange(texts * heads, device="cpu").reshape(texts, heads)).flatten(1)
            way = Way(lambda x: F.linear(x, weight), tags, tuple(tags.shape), weight.dtype, weight.device)
            outputs.reader = Reader(self._place(), (way,), True)
            on = None if self._off is None else ~torch.isin(tags[0], self._off)
        if self._values:
            outputs.values = values_of_layer(call)
        if on is not None:
            call["out_proj_weight"] = weight * on.to(weight.device)
        return bound.args, bound.kwargs


# By what a function does: the tags of what it gives, and whether that may be as the heads had it.
RULES = {
    "moves": (lambda self, call, known: self._tags.moved(call), True),
    "joins": (lambda self, call, known: self._tags.moved(call), True),
    "keeps": (lambda self, call, known: self._tags[known] if known is call.tensors[0] else None, True),
    "adds": (Following._added, True),
    "times": (Following._scaled, False),
    "scales": (Following._scaled, False),
    "reduces": (Following._summed, False),
    "multiplies": (Following._mixed, False),
}


def is_linear(call, x):
    """Whether a function is linear, but for what it gives for zeros, as far as x and 2 x tell.

    >>> is_linear(lambda x: x @ torch.ones(3, 2) + 1, torch.ones(1, 3)), is_linear(torch.square, torch.ones(1, 3))
    (True, False)
    """
    try:
        nothing, once, twice = (call(times * x) for times in (0, 1, 2))
    except Exception:  # it takes something else
        return False
    return is_twice(twice - nothing, once - nothing)


def is_twice(twice, once):
    """Whether all numbers are twice others, up to rounding in few bits."""
    return torch.allclose(twice, 2 * once, rtol=1e-2, atol=1e-2 * float(once.abs().max()))


class Gap:
    """Stands where a tensor was, in the arguments of a function that's called again."""


def follow(module, make):
    """Enters a mode of its own each time that a module is called, `make()`; returns the list of these, which grows.

    It adds hooks: do it where `leave_untouched` puts them back.
    """
    modes = []

    def enter(_, args, kwargs):
        modes.append(make())
        modes[-1].__enter__()
        modes[-1].enter("", module, args, kwargs)

    module.register_forward_pre_hook(enter, with_kwargs=True)
    module.register_forward_hook(lambda *_: modes[-1].__exit__(None, None, None), always_call=True)
    return modes


def lay_out_values(values, letters, before, summed, own, rows, width):  # -> [*rows, k, width], or None
    """Values with a row for each of the weights', as they multiply them; None where they have axes beside these."""
    order = (*before, summed, *own)
    if not set(letters) <= set(order):
        return None
    values = values.permute([letters.index(letter) for letter in order if letter in letters])
    values = values[tuple(slice(None) if letter in letters else None for letter in order)]
    if any(size not in (1, row) for size, row in zip(values.shape, rows)):
        return None
    return values.flatten(len(before) + 1).expand(*rows, -1, width)


def values_of_layer(call):  # -> [b, h, k, d_v]
    """The values of one of PyTorch's layers by the arguments of its call, with those that it adds."""
    value = call["value"] if call["value"].ndim == 3 else call["value"][:, None]  # [k, b, d]
    weight = call["v_proj_weight"] if call.get("use_separate_proj_weight") else call["in_proj_weight"].chunk(3)[-1]
    bias = call["in_proj_bias"]
    values = F.linear(value, weight, None if bias is None else bias.chunk(3)[-1])
    if call.get("bias_v") is not None:
        values = torch.cat([values, call["bias_v"].expand(1, values.shape[1], -1)])
    if call.get("add_zero_attn"):
        values = torch.cat([values, values.new_zeros(1, *values.shape[1:])])
    return values.unflatten(-1, (call["num_heads"], -1)).permute(1, 2, 0, 3)


def replace_in(values, others):
    """Values within tuples, lists and dicts, some of them replaced, by their id."""
    if isinstance(values, dict):
        return {name: replace_in(value, others) for name, value in values.items()}
    if isinstance(values, (tuple, list)):
        found = [replace_in(value, others) for value in values]
        return type(values)(*found) if hasattr(values, "_fields") else type(values)(found)
    return others.get(id(values), values)
