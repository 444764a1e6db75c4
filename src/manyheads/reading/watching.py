"""Attention as a module computes it, whoever wrote it: weights are taken beside each call, and nothing is replaced.

Three things are attention: `F.scaled_dot_product_attention`, PyTorch's own layers, and own code. There it's shares,
made of products of two activations or by a softmax over places, that multiply values which have as many places.
"""

import inspect
import math
import re
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from itertools import count

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

from manyheads.reading.axes import DOTS, contracted_last, heads_of, in_four_axes, letters_of, mixes_heads, roles_of
from manyheads.reading.clusters import gathered, group_of, whole
from manyheads.reading.layer_arrays import LayerArrays
from manyheads.reading.sentences import Holding, TooMany
from manyheads.reading.tags import MOVES, Features, reduced_axes

PRODUCTS = ("matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "addmm", "baddbmm", "einsum", "cdist")
OTHER_KERNELS = re.compile(
    "flash|flex_attention|efficient_attention|xformers|sage_?attn|fused_attention|cudnn_attention"
)
LAYERS = re.compile("linear|conv|(layer|group|batch|instance|rms)_norm")
TIMES = ("mul", "__mul__", "__rmul__", "multiply")
SOFTMAX = ("softmax", "_softmax", "softmax_")
SHARES = 1e-3  # how far from 1 a row of shares may sum, in half precision
ROUNDED = 2**-6  # how far a row of a softmax may, in bfloat16
BLOCK = 2**24  # weights that are computed at once
HOW_MANY = (
    "{name} attends with weights of {shape} for texts={texts}, and which of these are heads isn't known: say how many "
    "there are, as in module.num_heads = 4, or give one text, or the weights, as HeadMap.of(weights, tokens)"
)
SIDE_BY_SIDE = (
    "{name} attends {count} times side by side in one call, and whether these are heads, pieces of a text or something "
    "else can't be seen: let a module of its own compute each, or give the weights, as HeadMap.of(weights, tokens)"
)
DROPPED = "{} drops weights at random in its call, whether the model trains or not: these are the weights before that."
TALKED = "The heads talk after the softmax: these are the weights of each before that; what multiplies values is mixed."


class NotSeen(ValueError):
    """What a module looks at can't be told by watching it; says why, and what to do."""


@dataclass(frozen=True)
class Given:
    """A tensor that a module was called with, of which nothing is held: the same number is the same tensor."""

    number: int
    shape: tuple
    floating: bool


@dataclass(frozen=True)
class Look:
    """What one call looked at: [b, h, q, k], by the name of the module that made it; b may be texts times windows."""

    name: str
    weights: Tensor
    notes: tuple = ()
    keys_after: tuple = ()  # the names of keys that a layer adds at the end
    heads: int | None = None  # as the module says
    given: tuple[Given, ...] = ()  # the tensors that the module was called with
    by_text: bool = True  # whether texts surely stand before heads, where the weights have one axis for both
    within: tuple = ()  # the names of the modules around it that are counted, each with what it was called with
    call: int = 0  # which of all calls of modules this one was
    depth: int = 0  # how many looks stand one upon the other, up to this one
    source: object = None  # the same for what's looked at by the same weights, all of them
    full: tuple = ()  # how many queries and keys there were, of which groups are held
    group: object = None  # of the processes that have a part of the heads each
    number: int = 0  # which of all looks this one was
    heads_at: tuple = ()  # of each call, of each head: which look it's of, and in which rows of its weights, [b]

    def turned(self, texts):
        """The same look, where heads stand before texts."""
        weights = self.weights.flatten(0, 1).unflatten(0, (-1, texts)).transpose(0, 1)
        rows = torch.stack([rows for _, rows in self.heads_at[0]], 1).flatten().unflatten(0, (-1, texts)).T  # [b, h]
        return replace(self, weights=weights, heads_at=(tuple((self.number, one) for one in rows.T),))


def heads_side_by_side(looks, name):
    """Looks of modules that are one head each as one look of theirs all."""
    heads_at = tuple(head for look in looks for head in look.heads_at[0])
    return replace(looks[0], name=name, weights=torch.cat([look.weights for look in looks], 1), heads_at=(heads_at,))


def calls_in_a_row(looks):
    """Looks of one query each as one look of all these."""
    heads_at = tuple(call for look in looks for call in look.heads_at)
    return replace(looks[0], weights=torch.cat([look.weights for look in looks], 2), heads_at=heads_at)


@dataclass(frozen=True)
class _Scores:
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


class Watch(TorchFunctionMode):
    """Within this, what each call of attention in a module looks at is noted in `looks`, in the order of the calls.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=12, nhead=3, batch_first=True).eval()
    >>> with Watch(layer, texts=1) as watch:
    ...     output = layer(torch.randn(1, 5, 12))
    >>> [(look.name, look.weights.shape) for look in watch.looks]
    [('self_attn', torch.Size([1, 3, 5, 5]))]

    `texts` is how many the module reads at once, by which heads are told from texts in weights of three axes. What's
    held of the weights stands on the CPU, as float32 in `arrays`: all, or what `holding` says, of other layers the
    shape alone. Of several texts, all have the numbers of one, number `batch`, where it's plain which
    axis is that of texts. `unknown` holds the names of fused kernels that were called and give no weights,
    `over_channels` the names of modules whose attention is over channels.

    Raises `NotSeen` where it can't be told what was looked at, `TooMany` for more weights than may be held.
    """

    def __init__(self, module, texts=1, holding=Holding(), batch=0):
        super().__init__()
        self._batch = batch  # the text that's held, of several
        self._holding, self._shapes = holding, []  # of what is held, as `TooMany` has them
        self.looks, self.unknown, self.over_channels = [], {}, []
        self.arrays = LayerArrays(name for name, _ in module.named_modules() if holding.wants(name))
        self._module, self._texts = module, texts
        self._calling = [("", module, (), 0)]  # what computes: name, module, what it was called with, which call
        self._calls = 0
        self._handed = []  # what these were called with, and what that's a view of
        self._numbers, self._next = WeakIdKeyDictionary(), count()  # tensor -> Given
        self._known = WeakIdKeyDictionary()  # tensor -> _Scores
        self._weighted = WeakIdKeyDictionary()  # tensor -> its weights, its values, _Scores: a sum over keys is to come
        self._fixed = WeakIdKeyDictionary()  # tensors that are parameters, buffers, constants or made of these alone
        self._memories = WeakIdKeyDictionary()  # tensors that recurrent layers gave
        self._features = Features()
        self._depth = WeakIdKeyDictionary()  # tensor -> of the looks that it's computed from

    def __enter__(self):
        self._after = ExitStack()
        self._fixed.update((tensor, True) for tensor in (*self._module.parameters(), *self._module.buffers()))
        for name, part in self._module.named_modules():
            for handle in self._follow(name.replace("_orig_mod.", "").replace("_orig_mod", ""), part):
                self._after.callback(handle.remove)
        self._after.enter_context(_uncompiled())
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self._after.close()
        if error[0] is None:
            self._finish()

    def _finish(self):
        if not self._holding.allows(self._shapes):
            raise TooMany(self._shapes)
        looks = [_of_all_heads(look) for look in _once(self.looks, type(self._module).__name__)]
        self.looks = [self._in_four_axes(look) for look in looks]

    def _follow(self, name, part):
        if isinstance(part, torch.jit.ScriptModule):
            return ()
        before = part.register_forward_pre_hook(
            lambda _, args, kwargs: self.enter(name, part, args, kwargs), with_kwargs=True
        )
        return before, part.register_forward_hook(lambda _, __, output: self._leave(part, output), always_call=True)

    def enter(self, name, part, args, kwargs):
        """Notes that a part of the module begins to compute."""
        self._calls += 1
        tensors = [value for value in flat((args, kwargs)) if isinstance(value, Tensor)]
        with torch._C.DisableTorchFunction():
            if part is self._module:
                self._features.of_inputs(tensors)
            wholes = [tensor._base for tensor in tensors if tensor._base is not None]
            self._handed.append({self._given(tensor) for tensor in (*tensors, *wholes)})
            self._calling.append((name, part, tuple(map(self._given, tensors)), self._calls))

    def _leave(self, part, output):
        self._calling.pop()
        self._handed.pop()
        steps = isinstance(part, (torch.nn.RNNBase, torch.nn.RNNCellBase))
        with torch._C.DisableTorchFunction():
            for value in (value for value in flat([output]) if isinstance(value, Tensor)):
                self._features.mark(value, id(part) % 2**30)
                if steps:
                    self._memories[value] = True
        if steps and self._calling:  # what comes next is another step
            self._calls += 1
            self._calling[-1] = (*self._calling[-1][:3], self._calls)

    def _given(self, tensor):
        if tensor not in self._numbers:
            self._numbers[tensor] = Given(next(self._next), tuple(tensor.shape), tensor.is_floating_point())
        return self._numbers[tensor]

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", None) or str(func)
        result = func(*args, **kwargs)
        tensors = [value for value in flat((args, kwargs)) if isinstance(value, Tensor)]
        if any(map(_is_hidden, tensors)):
            self._hides(name)
            return result
        self._settle(name, tensors, result)
        depth = max((self._depth.get(tensor, 0) for tensor in tensors), default=0)
        if "scaled_dot_product_attention" in name and not name.startswith("_"):
            depth = self._fused(args, kwargs, result, depth)
        elif func is F.multi_head_attention_forward:
            depth = self._layer(args, kwargs, depth)
        elif OTHER_KERNELS.search(str(func)) or OTHER_KERNELS.search(name):
            self.unknown.setdefault(name.removesuffix(".default"), self._calling[-1][0])
        elif name in PRODUCTS:
            depth = self._multiplied(name, args, kwargs, result, depth)
        elif name == "sum" and tensors and tensors[0] in self._weighted:
            depth = self._summed(tensors[0], args, kwargs, result, depth)
        elif isinstance(result, (Tensor, tuple)):
            self._derived(name, args, kwargs, tensors, result)
            self._features.follow(func, name, args, kwargs, tensors, result)
        if depth:
            for one in flat((result, args[:1] if name.endswith("_") else ())):
                if isinstance(one, Tensor):
                    self._depth[one] = depth
        return result

    def _settle(self, name, tensors, result):
        """Keeps which tensors come from parameters and constants alone."""
        fixed = all(map(self._is_fixed, tensors))
        for one in flat([result]) if fixed else ():
            if isinstance(one, Tensor):
                self._fixed[one] = True
        if not fixed and (name == "__setitem__" or (name.endswith("_") and not name.endswith("__"))):  # written to
            self._fixed.pop(tensors[0], None)
            if tensors[0]._base is not None:
                self._fixed.pop(tensors[0]._base, None)

    def _is_fixed(self, tensor):
        return tensor in self._fixed or _is_parameter(tensor)

    def _fused(self, args, kwargs, result, depth):
        """Notes what `F.scaled_dot_product_attention` looks at."""
        call = dict(zip(inspect.signature(fused_weights).parameters, args)) | kwargs
        query, key, value = call["query"], call["key"], call["value"]
        more = DOTS[: query.ndim - 2]
        if self._sums_over_places((query, key), (f"{more}qd", f"{more}kd", f"{more}qk")):
            self.over_channels.append(self._calling[-1][0])
            return depth
        if call.get("enable_gqa"):
            value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
        self._attended(None, (f"{more}qk", f"{more}kd", f"{more}qd"), more, query.shape[:-2], value, result)
        return self._note_fused(call, depth)

    def _layer(self, args, kwargs, depth):
        """Notes what one of PyTorch's layers looks at."""
        weights, added = weights_of_layer(args, kwargs)
        return self._note(weights, depth, keys_after=added, heads=weights.shape[1])

    def _note_fused(self, call, depth):
        query, key = call["query"], call["key"]
        shape = (*query.shape[:-1], key.shape[-2])
        groups = self._holding.sides(*shape[-2:])
        if not (self._holding.wants(self._calling[-1][0]) and self._holding.allows([*self._shapes, self._size(shape)])):
            return self._note(torch.empty(shape, device="meta"), depth)
        if self._are_by_text(shape):
            of_one = {name: call.get(name) for name in ("query", "key", "attn_mask")}
            call |= {name: self._of_one(value) for name, value in of_one.items() if isinstance(value, Tensor)}
        with uncast(query):
            weights, notes = fused_weights(**call, groups=groups)
        return self._note(weights.expand(*shape[:-2], -1, -1), depth, notes, full=shape[-2:])

    def _attended(self, scores, letters, before, rows, values, result):
        """Called with each product of weights and values, for whoever follows it; the next look is of that.

        `letters` are the axes of weights, values and their product; `before`, those of weights before queries and keys,
        which are `rows` long.
        """

    def _are_by_text(self, shape):
        """Whether weights of this shape surely are [text, head, query, key], of several texts."""
        return len(shape) == 4 and shape[0] == self._texts > max(self._batch, 1) and shape[1] != shape[0]

    def _of_one(self, tensor):
        """The part of a tensor that's of the text that is held, where its first axis is that of texts."""
        by_text = tensor.ndim == 4 and len(tensor) == self._texts
        return tensor[self._batch : self._batch + 1] if by_text else tensor

    def _hides(self, name):
        """Notes attention within vmap, or of nested tensors, whose weights can't be had."""
        if "softmax" in name or "attention" in name:
            self.unknown.setdefault(f"{name} within vmap or of nested tensors", self._calling[-1][0])

    def _multiplied(self, name, args, kwargs, result, depth):
        """Notes weights that multiply values; a product of two activations makes scores."""
        operands, letters = product_of(name, args, kwargs)
        if not operands:
            return depth
        self._name_features(operands, letters, result)
        for place, operand in enumerate(operands):
            scores, other = self._known.get(operand), operands[1 - place]
            if scores is None:
                continue
            mine, others, output = letters[place], letters[1 - place], letters[2]
            if _is_parameter(other):
                if mixes_heads(operand, other, self._heads()):
                    one = operand if scores.before is None else scores.before
                    same = torch.eye(len(other), dtype=one.dtype, device=one.device)
                    self._known[result] = _talked(scores, torch.einsum(f"{mine},{others}->{output}", one, same))
                return depth
            noted = self._attends(scores, operand, other, (mine, others, output), result, depth)
            if noted is not None:
                return noted
        learnt = [_is_parameter(operand) for operand in operands]
        if any(learnt) and not all(learnt):
            mine, others = letters[learnt.index(False)], letters[learnt.index(True)]
            keys = [axis for axis, letter in enumerate(letters[2]) if letter in mine and letter not in others]
            self._known[result] = _Scores(keys=frozenset(keys), size=result.numel())
        elif not any(learnt):
            of_channels = self._sums_over_places(operands, letters)
            self._known[result] = _Scores(size=result.numel(), of_channels=of_channels)
        return depth

    def _name_features(self, operands, letters, result):
        """Gives tags to a product that is a layer's, of an activation with what is learnt."""
        fixed = [self._is_fixed(operand) for operand in operands]
        if fixed.count(True) == 1:
            sizes = dict(zip(letters[fixed.index(True)], operands[fixed.index(True)].shape))
            axes = [axis for axis, letter in enumerate(letters[2]) if sizes.get(letter, 1) > 1]
            self._features.name(result, axes, operands[fixed.index(True)])

    def _sums_over_places(self, operands, letters):
        """Whether a product sums over places, so that what it compares are channels."""
        for mine, others, operand in zip(letters, letters[1::-1], operands):
            summed, asking, _, _ = roles_of(mine, others, letters[2])
            if len(summed) != 1 or len(asking) != 1:
                return False
            channels, places = (self._features.are_apart(operand, mine.index(letter)) for letter in (asking, summed))
            if not channels or places:
                return False
        return True

    def _attends(self, scores, weights, values, letters, result, depth):
        """Notes a product of weights and values, and returns its depth; None where it's none."""
        if scores.keys is not None or (self._is_fixed(values) and not self._is_fixed(weights)):  # looked up in a table
            return None
        turned = contracted_last(weights if scores.before is None else scores.before, *letters, self._heads())
        if turned is None:
            return None
        shown, before = turned
        if scores.alone and not self._weighs_places(scores, shown, weights, values, letters):
            return None
        if not scores.softmaxed and not (scores.derived and _rows_are_shares(shown)):
            return None
        place = self._calling[-1][0]
        if scores.of_channels:
            self.over_channels.append(place)
            return depth
        dropped = DROPPED.format(place or type(self._module).__name__)
        notes = (dropped,) * scores.dropped + (TALKED,) * scores.talked
        source = scores.source if weights.numel() == scores.size else object()
        self._attended(replace(scores, source=source), letters, before, shown.shape[:-2], values, result)
        return self._note(shown, depth, notes, source=source)

    def _weighs_places(self, scores, shown, weights, values, letters):
        """Whether a softmax that wasn't over a product of activations weighs places: those of values from elsewhere."""
        mine, others, output = letters
        summed, asking, _, features = roles_of(mine, others, output)
        apart = self._features.are_apart
        if not features or self._is_fixed(values) or apart(values, others.index(summed)):
            return False
        if any(weights.shape[mine.index(one)] > 1 and apart(weights, mine.index(one)) is not False for one in asking):
            return False
        return _rows_are_shares(shown, ROUNDED) and (not scores.learnt or self._is_memory(values, shown.shape[-1]))

    def _is_memory(self, values, places):
        """Whether values with so many places are what a module was called with, or what a recurrent layer gave."""
        whole = values if values._base is None else values._base
        number = self._numbers.get(whole)
        return (whole in self._memories or any(number in one for one in self._handed)) and places in whole.shape

    def _summed(self, product, args, kwargs, result, depth):
        """Notes weights that multiplied values number by number, where the sum is over keys."""
        weights, values, scores = self._weighted[product]
        axes = reduced_axes(product, "sum", args, kwargs)
        names = DOTS[: product.ndim]
        weights, mine = self._bare(weights, names)
        values, others = self._bare(values, names)
        before = None if scores.before is None else self._bare(scores.before, names)[0]
        output = "".join(letter for axis, letter in enumerate(names) if axis not in axes and letter in mine + others)
        noted = self._attends(replace(scores, before=before), weights, values, (mine, others, output), result, depth)
        return depth if noted is None else noted

    def _bare(self, tensor, names):
        """A tensor without the axes along which it's repeated, and the names of those that are left."""
        kept = [size > 1 and step != 0 for size, step in zip(tensor.shape, tensor.stride())]
        one = tuple(slice(None) if keeps else 0 for keeps in kept)
        bare = tensor[one]
        if tensor in self._features:
            self._features[bare] = self._features[tensor][one]
        if self._is_fixed(tensor):
            self._fixed[bare] = True
        return bare, "".join(name for name, keeps in zip(names[len(names) - tensor.ndim :], kept) if keeps)

    def _derived(self, name, args, kwargs, tensors, result):
        """Follows scores through what is done to them: scaled, masked, reshaped, and the softmax."""
        if name in SOFTMAX:
            self._softmaxed(tensors[0], kwargs.get("dim", args[1] if len(args) > 1 else -1), result)
            return
        found = [(tensor, self._known[tensor]) for tensor in tensors if tensor in self._known]
        if not found:
            return
        source, scores = min(found, key=lambda one: one[1].alone)  # a softmax alone, only if there is no other
        if LAYERS.search(name):
            if len(args) > 1 and mixes_heads(source, args[1], self._heads()):
                scores = _talked(scores, source if scores.before is None else scores.before)
            elif not scores.talked or "norm" not in name:
                return
        elif scores.keys is not None and getattr(result, "shape", None) != source.shape:
            return
        elif name in TIMES and len(tensors) > 1 and result.numel() > _bare_size(source):
            other = tensors[1] if source is tensors[0] else tensors[0]
            self._weighted[result] = (source, other, scores)
            if result.numel() > source.numel():
                return
        elif "dropout" in name:
            if result is not source and not torch.equal(result, source):
                scores = replace(scores, before=source if scores.before is None else scores.before, dropped=True)
        elif scores.before is not None:
            scores = replace(scores, before=_moved(name, args, kwargs, source, scores))
        for one in result if isinstance(result, tuple) else (result,):
            if isinstance(one, Tensor) and one.is_floating_point() and _follows(one, source):
                self._known[one] = replace(scores, derived=True)

    def _softmaxed(self, source, axis, result):
        """Follows a softmax: of scores, or of anything else as what may be weights."""
        if axis is None:  # as PyTorch chooses it, with a warning
            axis = 0 if source.ndim in (0, 1, 3) else 1
        axis %= max(source.ndim, 1)
        scores = self._known.get(source, _Scores(alone=True))
        alone = scores.alone or (scores.keys is not None and axis not in scores.keys)
        learnt = alone and source.ndim > 0 and self._features.are_apart(source, axis) is True
        self._known[result] = _Scores(
            softmaxed=True,
            derived=True,
            alone=alone,
            learnt=learnt or scores.learnt,
            of_channels=scores.of_channels,
            size=source.numel(),
        )

    def _heads(self):
        """How many heads there are, as the nearest of the modules says that compute."""
        counts = (heads_of(part) for _, part, _, _ in reversed(self._calling))
        return next(filter(None, counts), None)

    def _held(self, name, weights, full=None):
        """What is held of weights; those of a kernel were grouped where they were computed."""
        full = full or weights.shape[-2:]
        if not self._holding.wants(name):
            return torch.empty(weights.shape, device="meta")
        self._shapes.append(self._size((*weights.shape[:-2], *full)))
        if not self._holding.allows(self._shapes):  # the module ends its pass: what places its parts counts on that
            return torch.empty(weights.shape, device="meta")
        held = whole(weights.detach())
        held = self._of_one(held) if self._are_by_text(weights.shape) else held
        with uncast(held):
            held = self._holding.summed(held) if weights.shape[-2:] == full else held
        return self.arrays.written(name, held.cpu()).expand(weights.shape[:-2] + held.shape[-2:])

    def _size(self, shape):
        """Weights of this shape as `TooMany` counts them: those of one text."""
        texts = self._texts if shape[0] == self._texts else 1
        return math.prod(shape[:-2]) // texts, *shape[-2:]

    def _note(self, weights, depth, notes=(), keys_after=(), source=None, heads=None, full=None):
        name, _, given, call = self._calling[-1]
        look = Look(
            name,
            self._held(name, weights, full),
            notes,
            keys_after,
            heads=heads or self._heads(),
            given=given,
            within=tuple((name, given) for name, _, given, _ in self._calling if name[-1:].isdigit()),
            call=call,
            depth=depth + 1,
            source=source,
            full=tuple(full or weights.shape[-2:]),
            group=group_of([part for _, part, _, _ in reversed(self._calling)]),
            number=len(self.looks),
        )
        self.looks.append(look)
        return depth + 1

    def _in_four_axes(self, look):
        weights = in_four_axes(look.weights, self._texts, look.heads)
        sizes = look.given[0].shape[1:] if look.given and look.heads is None and look.weights.ndim > 3 else ()
        if weights is None or 1 < weights.shape[1] in sizes:  # rows of an image, perhaps, or one query each
            name = look.name or type(self._module).__name__
            raise NotSeen(HOW_MANY.format(name=name, shape=list(look.weights.shape), texts=self._texts))
        by_text = look.weights.ndim != 3 and len(weights) != weights.shape[1]
        *first, _, _ = look.weights.shape
        rows = torch.arange(math.prod(first), device="cpu").reshape(*first, 1, 1).expand(look.weights.shape)
        rows = in_four_axes(rows, self._texts, look.heads)[..., 0, 0]  # [b, h]
        heads_at = tuple((look.number, head) for head in rows.T)
        return replace(look, weights=weights, by_text=by_text or 1 in weights.shape[:2], heads_at=(heads_at,))


def fused_weights(
    query,
    key,
    value=None,
    attn_mask=None,
    dropout_p=0.0,
    is_causal=False,
    scale=None,
    enable_gqa=False,
    groups=(None, None),
    **_,
):  # -> [..., q, k] on the CPU, notes
    """The weights of `F.scaled_dot_product_attention`, which takes the same and gives none.

    >>> fused_weights(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4), is_causal=True)[0][0, 0, 1]
    tensor([0.5000, 0.5000, 0.0000])

    A query that may look nowhere gets zeros. Weights are those before dropout, and a note says so. They are computed
    as float32, some queries at a time. Of `groups` of queries and of keys, a `Groups` or None each, the averages and
    sums are given.
    """
    query, key = whole(query), whole(key).float()
    q, k = query.shape[-2], key.shape[-2]
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    scale = query.shape[-1] ** -0.5 if scale is None else scale
    if hasattr(attn_mask, "_materialize"):  # torch.nn.attention.bias
        attn_mask = attn_mask._materialize(query.device)
    attn_mask = None if attn_mask is None else whole(attn_mask)
    asking, looked_at = groups
    means, sums = asking and asking.means(query, q), looked_at and looked_at.sums(query)
    notes = (DROPPED.format("scaled_dot_product_attention"),) * (dropout_p > 0)
    step = max(BLOCK // (math.prod(query.shape[:-2]) * k), 1)
    blocks, averages = [], 0
    for start in range(0, q, step):
        rows = slice(start, start + step)
        scores = (query[..., rows, :].float() * scale) @ key.mT
        if is_causal:
            later = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).triu(start + 1)
            scores.masked_fill_(later, -torch.inf)
        if attn_mask is not None:
            mask = attn_mask[..., rows, :] if attn_mask.ndim > 1 and attn_mask.shape[-2] > 1 else attn_mask
            scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        weights = scores.softmax(-1)
        weights = weights if attn_mask is None else weights.nan_to_num_(0)
        weights = weights if sums is None else sums(weights)
        if means is None:
            blocks.append(weights.cpu())
        else:
            averages = averages + means[:, rows] @ weights
    if means is not None:
        return averages.cpu(), notes
    return blocks[0] if len(blocks) == 1 else torch.cat(blocks, -2), notes


def weights_of_layer(args, kwargs):  # -> [b, h, q, k], the names of keys that the layer adds
    """The weights of each head of `F.multi_head_attention_forward`, which gives their mean, or none."""
    call = inspect.signature(F.multi_head_attention_forward).bind(*args, **kwargs)
    call.apply_defaults()
    added = ("a learned key",) * (call.arguments["bias_k"] is not None) + ("zero",) * call.arguments["add_zero_attn"]
    call.arguments |= {"need_weights": True, "average_attn_weights": False, "training": False}
    weights = F.multi_head_attention_forward(*call.args, **call.kwargs)[1]
    return (weights if weights.ndim == 4 else weights[None]).nan_to_num(0), added


def _once(looks, module):
    """Looks without those that are of the same weights as others.

    Raises `NotSeen` where several of one call of a module depend on none of the others.
    """
    kept = {}  # what's computed in one call at one depth
    for look in looks:
        kept.setdefault((look.call, look.depth), []).append(look)
    for key, group in kept.items():
        if len({id(look if look.source is None else look.source) for look in group}) > 1:
            raise NotSeen(SIDE_BY_SIDE.format(name=group[0].name or module, count=len(group)))
        kept[key] = max(group, key=lambda look: look.weights.ndim)
    return list(kept.values())


def _of_all_heads(look):
    """A look with the heads of all processes that have a part of them."""
    if look.group is None:
        return look
    weights = gathered(look.weights, look.group, look.heads)
    return replace(look, weights=weights, heads=weights.shape[-3])


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


def _talked(scores, before):
    """Scores whose heads were mixed; `before` is what they were, of which weights are kept."""
    return replace(scores, before=before, talked=True) if scores.softmaxed else scores


def _moved(name, args, kwargs, source, scores):
    """What was done to weights that were dropped or mixed, done to them as they were before, where it can be.

    Where heads talked, they're only moved.
    """
    before = scores.before
    if scores.talked and not MOVES.fullmatch(name):
        return before
    again = [before if value is source else value for value in args]
    if name == "__getitem__":
        return before[args[1]]
    method = getattr(Tensor, name, None)
    return method(*again, **kwargs) if method is not None and again and isinstance(again[0], Tensor) else before


def _follows(result, source):
    """Whether a result still is scores, by its axes: a sum over keys is none."""
    alike = result.ndim == source.ndim or result.shape[-1:] == source.shape[-1:]
    return result.numel() == source.numel() or (result.ndim > 1 and alike and result.shape[-1] > 1)


def _rows_are_shares(weights, close=SHARES):
    return bool(weights.min() >= 0) and bool(((weights.float().sum(-1) - 1).abs() < close).all())


def _bare_size(tensor):
    """How many numbers a tensor has, without those that are repeated."""
    return math.prod(size for size, step in zip(tensor.shape, tensor.stride()) if step)


def _is_hidden(value):
    return value.is_nested or torch._C._functorch.is_batchedtensor(value)


def _is_parameter(value):
    """Whether a tensor is learnt, or a view of one that is."""
    return isinstance(value, torch.nn.Parameter) or isinstance(value._base, torch.nn.Parameter)


def flat(values):
    """What is within tuples, lists and dicts."""
    if isinstance(values, dict):
        values = values.values()
    for value in values:
        if isinstance(value, (tuple, list, dict)):
            yield from flat(value)
        else:
            yield value


def uncast(tensor):
    """Within this, what is computed of a tensor isn't cast, whatever the module around it casts by itself."""
    device = tensor.device.type
    return torch.autocast(device, enabled=False) if torch.is_autocast_enabled(device) else nullcontext()


@contextmanager
def _uncompiled():
    """Compiled modules compute as they were written: what is compiled calls no function that could be watched."""
    compiler = sys.modules.get("torch._dynamo")  # seconds to import, and there only where something is compiled
    with torch.compiler.set_stance("force_eager") if compiler else nullcontext():
        yield
