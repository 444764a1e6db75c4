"""Attention as a module computes it, whoever wrote it: weights are taken beside each call, and nothing is replaced.

Three things are attention: `F.scaled_dot_product_attention`, PyTorch's own layers, and own code, in which products of
two activations become weights that multiply values.
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

from manyheads.maps.axes import axes_of_activation, contracted_last, heads_of, in_four_axes, mixes_heads
from manyheads.maps.clusters import gathered, group_of, whole
from manyheads.maps.sentences import Holding, TooMany

PRODUCTS = ("matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "baddbmm", "einsum")
OTHER_KERNELS = re.compile(
    "flash|flex_attention|efficient_attention|xformers|sage_?attn|fused_attention|cudnn_attention"
)
LAYERS = re.compile("linear|conv|(layer|group|batch|instance|rms)_norm")
SHARES = 1e-3  # how far from 1 a row of shares may sum, in half precision
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


@dataclass(frozen=True)
class _Scores:
    """Where a tensor comes from that's made of a product of two activations."""

    softmaxed: bool = False
    derived: bool = False  # whether it's more than the product
    before_dropout: Tensor | None = None
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
    held of the weights stands on the CPU, in 16 bits where the module computes in 16: all, or what `holding` says, of
    other layers the shape alone. Of several texts, all have the numbers of one, number `batch`, where it's plain which
    axis is that of texts. `unknown` holds the names of fused kernels that were called and give no weights.

    Raises `NotSeen` where it can't be told what was looked at, `TooMany` for more weights than may be held.
    """

    def __init__(self, module, texts=1, holding=Holding(), batch=0):
        super().__init__()
        self._batch = batch  # the text that's held, of several
        self._holding, self._shapes = holding, []  # of what is held, as `TooMany` has them
        self.looks, self.unknown = [], {}
        self._module, self._texts = module, texts
        self._calling = [("", module, (), 0)]  # what computes: name, module, what it was called with, which call
        self._calls = 0
        self._numbers, self._next = WeakIdKeyDictionary(), count()  # tensor -> Given
        self._known = WeakIdKeyDictionary()  # tensor -> _Scores
        self._depth = WeakIdKeyDictionary()  # tensor -> of the looks that it's computed from

    def __enter__(self):
        self._after = ExitStack()
        for name, part in self._module.named_modules():
            for handle in self._follow(name.replace("_orig_mod.", "").replace("_orig_mod", ""), part):
                self._after.callback(handle.remove)
        self._after.enter_context(_uncompiled())
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self._after.close()
        if error[0] is None:
            if not self._holding.allows(self._shapes):
                raise TooMany(self._shapes)
            looks = [_of_all_heads(look) for look in _once(self.looks, type(self._module).__name__)]
            self.looks = [self._in_four_axes(look) for look in looks]

    def _follow(self, name, part):
        def enter(_, args, kwargs):
            self._calls += 1
            given = tuple(self._given(value) for value in _flat((args, kwargs)) if isinstance(value, Tensor))
            self._calling.append((name, part, given, self._calls))

        def leave(*_):
            self._calling.pop()

        if isinstance(part, torch.jit.ScriptModule):
            return ()
        before = part.register_forward_pre_hook(enter, with_kwargs=True)
        return before, part.register_forward_hook(leave, always_call=True)

    def _given(self, tensor):
        if tensor not in self._numbers:
            self._numbers[tensor] = Given(next(self._next), tuple(tensor.shape), tensor.is_floating_point())
        return self._numbers[tensor]

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", None) or str(func)
        if name.endswith("_") and self.looks and type(args[0]) is Tensor:
            self._keep(args[0])
        result = func(*args, **kwargs)
        if any(isinstance(value, Tensor) and _is_hidden(value) for value in _flat((args, kwargs))):
            self._hides(name)
            return result
        depth = max(
            (self._depth.get(value, 0) for value in _flat((args, kwargs)) if isinstance(value, Tensor)), default=0
        )
        if "scaled_dot_product_attention" in name and not name.startswith("_"):
            depth = self._fused(depth, args, kwargs)
        elif func is F.multi_head_attention_forward:
            weights, added = weights_of_layer(args, kwargs)
            depth = self._note(weights, depth, keys_after=added, heads=weights.shape[1])
        elif OTHER_KERNELS.search(str(func)) or OTHER_KERNELS.search(name):
            self.unknown.setdefault(name.removesuffix(".default"), self._calling[-1][0])
        elif name in PRODUCTS:
            depth = self._multiplied(name, list(_flat((args, kwargs))), result, depth)
        elif isinstance(result, (Tensor, tuple)):
            self._derived(name, args, kwargs, result)
        if depth:
            for one in _flat((result, args[:1] if name.endswith("_") else ())):
                if isinstance(one, Tensor):
                    self._depth[one] = depth
        return result

    def _fused(self, depth, args, kwargs):
        call = dict(zip(inspect.signature(fused_weights).parameters, args)) | kwargs
        query, key = call["query"], call["key"]
        shape = (*query.shape[:-1], key.shape[-2])
        groups = self._holding.sides(*shape[-2:])
        if not (self._holding.wants(self._calling[-1][0]) and self._holding.allows(self._shapes)):
            return self._note(torch.empty(shape, device="meta"), depth)
        if self._are_by_text(shape):
            of_one = {name: call.get(name) for name in ("query", "key", "attn_mask")}
            call |= {name: self._of_one(value) for name, value in of_one.items() if isinstance(value, Tensor)}
        weights, notes = fused_weights(**call, groups=groups)
        return self._note(weights.expand(*shape[:-2], -1, -1), depth, notes, full=shape[-2:])

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

    def _keep(self, tensor):
        """Copies the weights of looks that are about to be written to."""
        memory = tensor.untyped_storage().data_ptr()
        for number, look in enumerate(self.looks):
            if look.weights.untyped_storage().data_ptr() == memory:
                self.looks[number] = replace(look, weights=look.weights.clone())

    def _multiplied(self, name, values, result, depth):
        """Notes weights that multiply values; a product of two activations makes scores."""
        equation = values[0] if name == "einsum" and isinstance(values[0], str) else None
        operands = [value for value in values if isinstance(value, Tensor)]
        if len(operands) < 2 or (name == "einsum" and (equation is None or len(operands) > 2)):
            return depth
        operands = operands[-2:]
        learnt = [_is_parameter(operand) for operand in operands]
        for place, operand in enumerate(operands):
            scores = self._known.get(operand)
            if scores is None:
                continue
            if learnt[1 - place]:  # heads are mixed
                if mixes_heads(operand, operands[1 - place], self._heads()):
                    self._known[result] = scores
                return depth
            if scores.keys is not None:
                continue
            weights = operand if scores.before_dropout is None else scores.before_dropout
            weights = contracted_last(weights, place, equation, self._heads())
            shares = scores.softmaxed or (scores.derived and weights is not None and _rows_are_shares(weights))
            if weights is not None and weights.ndim > 1 and shares:
                dropped = DROPPED.format(self._calling[-1][0] or type(self._module).__name__)
                notes = (dropped,) if scores.before_dropout is not None else ()
                source = scores.source if weights.numel() == scores.size else object()
                return self._note(weights, depth, notes, source=source)
        if not all(learnt):
            keys = axes_of_activation(equation, learnt, result) if any(learnt) else None
            self._known[result] = _Scores(keys=keys, size=result.numel())
        return depth

    def _derived(self, name, args, kwargs, result):
        """Follows scores through what is done to them: scaled, masked, reshaped, and the softmax."""
        found = [(value, self._known[value]) for value in _flat((args, kwargs)) if _is_known(value, self._known)]
        if not found:
            return
        source, scores = found[0]
        if LAYERS.search(name) and not (len(args) > 1 and mixes_heads(source, args[1], self._heads())):
            return
        if name in ("softmax", "_softmax", "softmax_"):
            axis = kwargs.get("dim", args[1] if len(args) > 1 else -1)
            if scores.keys is not None and (not isinstance(axis, int) or axis % source.ndim not in scores.keys):
                return
            scores = _Scores(softmaxed=True, size=source.numel())
        elif scores.keys is not None and getattr(result, "shape", None) != source.shape:
            return
        elif "dropout" in name:
            same = result is source or torch.equal(result, source)
            scores = scores if same else replace(scores, before_dropout=source)
        elif scores.before_dropout is not None:
            scores = replace(scores, before_dropout=_moved(name, args, kwargs, source, scores.before_dropout))
        for one in result if isinstance(result, tuple) else (result,):
            if isinstance(one, Tensor) and one.is_floating_point() and _follows(one, source):
                self._known[one] = replace(scores, derived=True)

    def _heads(self):
        """How many heads there are, as the nearest of the modules says that compute."""
        counts = (heads_of(part) for _, part, _, _ in reversed(self._calling))
        return next(filter(None, counts), None)

    def _held(self, name, weights, full=None):
        """What is held of weights; those of a kernel were grouped where they were computed."""
        full = full or weights.shape[-2:]
        if not self._holding.wants(name):
            return torch.empty(weights.shape, device="meta")
        texts = self._texts if len(weights) == self._texts else 1
        self._shapes.append((math.prod(weights.shape[:-2]) // texts, *full))
        if not self._holding.allows(self._shapes):  # the module ends its pass: what places its parts counts on that
            return torch.empty(weights.shape, device="meta")
        held = whole(weights.detach())
        held = self._of_one(held).clone() if self._are_by_text(weights.shape) else held
        held = (self._holding.summed(held) if weights.shape[-2:] == full else held).cpu()
        return held.expand(len(weights), *held.shape[1:])

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
        return replace(look, weights=weights, by_text=by_text or 1 in weights.shape[:2])


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
    as float32, some queries at a time, and given as float16 where the model computes in 16 bits. Of `groups` of
    queries and of keys, a `Groups` or None each, the averages and sums are given.
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
    dtype = torch.float16 if query.element_size() == 2 and asking is None else torch.float32
    step = max(BLOCK // (math.prod(query.shape[:-2]) * k), 1)
    blocks, averages = [], 0
    for start in range(0, q, step):
        rows = slice(start, start + step)
        scores = query[..., rows, :].float() @ key.mT * scale
        if is_causal:
            allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril(start)
            scores = scores.masked_fill(~allowed, -torch.inf)
        if attn_mask is not None:
            mask = attn_mask[..., rows, :] if attn_mask.ndim > 1 and attn_mask.shape[-2] > 1 else attn_mask
            scores = scores.masked_fill(~mask, -torch.inf) if mask.dtype == torch.bool else scores + mask
        weights = scores.softmax(-1).nan_to_num(0)
        weights = weights if sums is None else sums(weights)
        if means is None:
            blocks.append(weights.to(dtype).cpu())
        else:
            averages = averages + means[:, rows] @ weights
    weights = torch.cat(blocks, -2) if asking is None else averages.cpu()
    return weights, (DROPPED.format("scaled_dot_product_attention"),) * (dropout_p > 0)


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


def _moved(name, args, kwargs, source, before):
    """What was done to dropped weights, done to them as they were before; None where it can't be done again."""
    again = [before if value is source else value for value in args]
    if name == "__getitem__":
        return before[args[1]]
    method = getattr(Tensor, name, None)
    return method(*again, **kwargs) if method is not None and again and isinstance(again[0], Tensor) else before


def _follows(result, source):
    """Whether a result still is scores, by its axes: a sum over keys is none."""
    alike = result.ndim == source.ndim or result.shape[-1:] == source.shape[-1:]
    return result.numel() == source.numel() or (result.ndim > 1 and alike and result.shape[-1] > 1)


def _rows_are_shares(weights):
    return bool(weights.min() >= 0) and bool(((weights.float().sum(-1) - 1).abs() < SHARES).all())


def _is_known(value, known):
    return isinstance(value, Tensor) and value in known


def _is_hidden(value):
    return value.is_nested or torch._C._functorch.is_batchedtensor(value)


def _is_parameter(value):
    """Whether a tensor is learnt, or a view of one that is."""
    return isinstance(value, torch.nn.Parameter) or isinstance(value._base, torch.nn.Parameter)


def _flat(values):
    """What is within tuples, lists and dicts."""
    if isinstance(values, dict):
        values = values.values()
    for value in values:
        if isinstance(value, (tuple, list, dict)):
            yield from _flat(value)
        else:
            yield value


@contextmanager
def _uncompiled():
    """Compiled modules compute as they were written: what is compiled calls no function that could be watched."""
    compiler = sys.modules.get("torch._dynamo")  # seconds to import, and there only where something is compiled
    with torch.compiler.set_stance("force_eager") if compiler else nullcontext():
        yield
