"""Attention as a module computes it, whoever wrote it: weights are taken beside each call, and nothing is replaced.

Three things are attention: `F.scaled_dot_product_attention`, PyTorch's own layers, and own code, as `ScoreFollower`
sees it.
"""

import inspect
import math
import re
import sys
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from itertools import count

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode

from manyheads.reading.arguments import tensors_in
from manyheads.reading.attention_calls import AttentionCall, Given, settle_calls
from manyheads.reading.axes import DOTS
from manyheads.reading.clusters import group_of, make_whole
from manyheads.reading.kernels import DROPPED, fused_weights, uncast, weights_of_layer
from manyheads.reading.layer_arrays import LayerArrays
from manyheads.reading.scores import Product, Register, ScoreFollower
from manyheads.reading.sentences import Holding, TooMany
from manyheads.reading.tags import Call, Features

OTHER_KERNELS = re.compile(
    "flash|flex_attention|efficient_attention|xformers|sage_?attn|fused_attention|cudnn_attention"
)
TALKED = "The heads talk after the softmax: these are the weights of each before that; what multiplies values is mixed."
FUSED = inspect.signature(fused_weights)


@dataclass(frozen=True)
class Running:
    """A module that computes, by its name, the tensors that it was called with, and which of all calls that was."""

    name: str
    module: torch.nn.Module
    run: int = 0
    given: tuple[Given, ...] = ()
    handed: frozenset[Given] = frozenset()  # these, and what they are views of


class Watch(TorchFunctionMode):
    """Within this, each call of attention in a module is noted in `calls`, in their order.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=12, nhead=3, batch_first=True).eval()
    >>> with Watch(layer, texts=1) as watch:
    ...     output = layer(torch.randn(1, 5, 12))
    >>> [(call.name, call.weights.shape) for call in watch.calls]
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
        self.calls, self.unknown, self.over_channels = [], {}, []
        self.arrays = LayerArrays(name for name, _ in module.named_modules() if holding.wants(name))
        self._module, self._texts, self._batch = module, texts, batch
        self._holding, self._shapes = holding, []  # of what is held, as `TooMany` has them
        self._running, self._runs, self._numbers = [Running("", module)], 0, count()
        self._known, self._features = Register(), Features()
        self._follower = ScoreFollower(self._known, self._features, self._running)

    def __enter__(self):
        self._after = ExitStack()
        for tensor in (*self._module.parameters(), *self._module.buffers()):
            self._known[tensor].fixed = True
        for name, part in self._module.named_modules():
            for handle in self._hook(name.replace("_orig_mod.", "").replace("_orig_mod", ""), part):
                self._after.callback(handle.remove)
        self._after.enter_context(uncompiled())
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        self._after.close()
        if error[0] is None:
            self._finish()

    def _finish(self):
        if not self._holding.allows(self._shapes):
            raise TooMany(self._shapes)
        self.calls = settle_calls(self.calls, type(self._module).__name__, self._texts)

    # --- Which module computes --------------------------------------------------------------------------------------

    def _hook(self, name, part):
        if isinstance(part, torch.jit.ScriptModule):
            return ()
        before = part.register_forward_pre_hook(
            lambda _, args, kwargs: self.enter(name, part, args, kwargs), with_kwargs=True
        )
        return before, part.register_forward_hook(lambda _, __, output: self._leave(part, output), always_call=True)

    def enter(self, name, part, args, kwargs):
        """Notes that a part of the module begins to compute; returns other arguments for it, or None."""
        self._runs += 1
        tensors = [*tensors_in((args, kwargs))]
        with unfollowed():
            if part is self._module:
                self._features.of_inputs(tensors)
            wholes = [tensor._base for tensor in tensors if tensor._base is not None]
            given, handed = (tuple(map(self._number, some)) for some in (tensors, (*tensors, *wholes)))
        self._running.append(Running(name, part, self._runs, given, frozenset(handed)))

    def _leave(self, part, output):
        self._running.pop()
        steps = isinstance(part, (torch.nn.RNNBase, torch.nn.RNNCellBase))
        with unfollowed():
            for value in tensors_in([output]):
                self._features.mark(value, id(part) % 2**30)
                if steps:
                    self._known[value].memory = True
        if steps:  # what comes next is another step
            self._runs += 1
            self._running[-1] = replace(self._running[-1], run=self._runs)

    def _number(self, tensor):
        known = self._known[tensor]
        if known.given is None:
            known.given = Given(next(self._numbers), tuple(tensor.shape), tensor.is_floating_point())
        return known.given

    # --- What it computes -------------------------------------------------------------------------------------------

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        name = getattr(func, "__name__", None) or str(func)
        result = func(*args, **kwargs)
        tensors = (*tensors_in((args, kwargs)),)
        if any(map(is_hidden, tensors)):
            self._note_hidden(name)
            return result
        self._known.settle(name, tensors, result)
        depth = max((self._known.get(tensor).depth for tensor in tensors), default=0)
        depth += self._note_attention(Call(func, name, args, kwargs, tensors, result), depth)
        if depth:
            for one in tensors_in((result, args[:1] if name.endswith("_") else ())):
                self._known[one].depth = depth
        return result

    def _note_attention(self, call, depth):  # -> whether it was noted
        """Notes a function that is attention; follows scores and features through others."""
        func, name, args, kwargs, result = call.func, call.name, call.args, call.kwargs, call.result
        if "scaled_dot_product_attention" in name and not name.startswith("_"):
            return self._note_fused(args, kwargs, result, depth)
        if func is F.multi_head_attention_forward:
            return self._note_layer(args, kwargs, depth)
        if OTHER_KERNELS.search(str(func)) or OTHER_KERNELS.search(name):
            self.unknown.setdefault(name.removesuffix(".default"), self._running[-1].name)
        elif call.does == "multiplies":
            return self._note_product(self._follower.multiply(name, args, kwargs, result), result, depth)
        elif name == "sum" and call.tensors and self._known.get(call.tensors[0]).weighted is not None:
            return self._note_product(self._follower.sum(call.tensors[0], args, kwargs), result, depth)
        elif isinstance(result, (Tensor, tuple)):
            self._follower.derive(call)
            self._features.follow(call)
        return False

    def _note_hidden(self, name):
        """Notes attention within vmap, or of nested tensors, whose weights can't be had."""
        if "softmax" in name or "attention" in name:
            self.unknown.setdefault(f"{name} within vmap or of nested tensors", self._running[-1].name)

    def _note_fused(self, args, kwargs, result, depth):
        """Notes what `F.scaled_dot_product_attention` looks at, unless that's over channels."""
        call = dict(zip(FUSED.parameters, args)) | kwargs
        query, key, value = call["query"], call["key"], call["value"]
        more = DOTS[: query.ndim - 2]
        if self._follower.sums_over_places((query, key), (f"{more}qd", f"{more}kd", f"{more}qk")):
            self.over_channels.append(self._running[-1].name)
            return False
        if call.get("enable_gqa"):
            value = value.repeat_interleave(query.shape[-3] // value.shape[-3], -3)
        product = Product((f"{more}qk", f"{more}kd", f"{more}qd"), more, query.shape[:-2], value)
        self._follow_product(product, result)
        return self._note_fused_weights(call, depth)

    def _note_fused_weights(self, call, depth):
        query, key = call["query"], call["key"]
        shape = (*query.shape[:-1], key.shape[-2])
        groups = self._holding.sides(*shape[-2:])
        name = self._running[-1].name
        if not (self._holding.wants(name) and self._holding.allows([*self._shapes, self._size(shape)])):
            return self._note(torch.empty(shape, device="meta"), depth, fused=True)
        if self._are_by_text(shape):
            of_one = {name: call.get(name) for name in ("query", "key", "attn_mask")}
            call |= {name: self._of_one(value) for name, value in of_one.items() if isinstance(value, Tensor)}
        with uncast(query):
            place = partial(self.arrays.place, name)
            weights, notes = fused_weights(**call, groups=groups, place=place, advance=self._holding.advance)
        return self._note(weights.expand(*shape[:-2], -1, -1), depth, notes, full=shape[-2:], fused=True)

    def _note_layer(self, args, kwargs, depth):
        """Notes what one of PyTorch's layers looks at."""
        weights, added = weights_of_layer(args, kwargs)
        return self._note(weights, depth, keys_after=added, heads=weights.shape[1])

    def _note_product(self, product, result, depth):
        """Notes what own code looks at, where a product is of weights and values, and not over channels."""
        if product is None:
            return False
        scores, name = product.scores, self._running[-1].name
        if scores.of_channels:
            self.over_channels.append(name)
            return False
        dropped = DROPPED.format(name or type(self._module).__name__)
        self._follow_product(product, result)
        notes = (dropped,) * scores.dropped + (TALKED,) * scores.talked
        return self._note(product.weights, depth, notes, source=scores.source)

    def _follow_product(self, product, result):
        """Called with each product of weights and values, for whoever follows it; the next call is of that."""

    # --- What is held of it -----------------------------------------------------------------------------------------

    def _note(
        self, weights, depth, notes=(), keys_after=(), source=None, heads=None, full=None, fused=False
    ):  # -> True
        running = self._running[-1]
        call = AttentionCall(
            running.name,
            self._hold(running.name, weights, full),
            notes,
            keys_after,
            heads=heads or self._follower.heads(),
            fused=fused,
            given=running.given,
            within=tuple((one.name, one.given) for one in self._running if one.name[-1:].isdigit()),
            run=running.run,
            depth=depth + 1,
            source=source,
            full=tuple(full or weights.shape[-2:]),
            group=group_of([one.module for one in reversed(self._running)]),
            number=len(self.calls),
        )
        self.calls.append(call)
        return True

    def _hold(self, name, weights, full=None):
        """What is held of weights; those of a kernel were grouped and put in their place as they were computed."""
        if not self._holding.wants(name):
            return torch.empty(weights.shape, device="meta")
        self._shapes.append(self._size((*weights.shape[:-2], *(full or weights.shape[-2:]))))
        if full is not None:
            return weights
        if not self._holding.allows(self._shapes):  # the module ends its pass: what places its parts counts on that
            return torch.empty(weights.shape, device="meta")
        held = make_whole(weights.detach())
        held = self._of_one(held) if self._are_by_text(weights.shape) else held
        with uncast(held):
            held = self._holding.summed(held)
        self._holding.advance(math.prod(self._shapes[-1]))
        return self.arrays.write(name, held.cpu()).expand(weights.shape[:-2] + held.shape[-2:])

    def _size(self, shape):
        """Weights of this shape as `TooMany` counts them: those of one text."""
        texts = self._texts if shape[0] == self._texts else 1
        return math.prod(shape[:-2]) // texts, *shape[-2:]

    def _are_by_text(self, shape):
        """Whether weights of this shape surely are [text, head, query, key], of several texts."""
        return len(shape) == 4 and shape[0] == self._texts > max(self._batch, 1) and shape[1] != shape[0]

    def _of_one(self, tensor):
        """The part of a tensor that's of the text that is held, where its first axis is that of texts."""
        by_text = tensor.ndim == 4 and len(tensor) == self._texts
        return tensor[self._batch : self._batch + 1] if by_text else tensor


def unfollowed():
    """Within this, what is computed is seen by no mode and no kind of tensor: PyTorch has no public name for it."""
    return torch._C.DisableTorchFunction()


def is_hidden(value):
    """Whether the numbers of a tensor can't be had: within vmap, and of nested tensors."""
    return value.is_nested or torch._C._functorch.is_batchedtensor(value)


@contextmanager
def uncompiled():
    """Compiled modules compute as they were written: what is compiled calls no function that could be watched."""
    compiler = sys.modules.get("torch._dynamo")  # seconds to import, and there only where something is compiled
    with torch.compiler.set_stance("force_eager") if compiler else nullcontext():
        yield
