"""Attention as a module computes it, whoever wrote it: weights are taken beside each call, and nothing is replaced.

Three things are attention: `F.scaled_dot_product_attention`, PyTorch's own layers, and own code, in which products of
two activations become weights that multiply values.
"""

import inspect
import re
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F
from torch.overrides import TorchFunctionMode
from torch.utils.weak import WeakIdKeyDictionary

PRODUCTS = ("matmul", "__matmul__", "__rmatmul__", "bmm", "mm", "baddbmm", "einsum")
OTHER_KERNELS = re.compile(
    "flash|flex_attention|efficient_attention|xformers|sage_?attn|fused_attention|cudnn_attention"
)
HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead", "heads", "h")  # as modules call their number
SHARES = 1e-3  # how far from 1 a row of shares may sum, in half precision
DROPPED = "{} drops weights at random in its call, whether the model trains or not: these are the weights before that."


@dataclass(frozen=True)
class Look:
    """What one call looked at: [b, h, q, k], by the name of the module that made it; b may be texts times windows."""

    name: str
    weights: Tensor
    notes: tuple = ()
    keys_after: tuple = ()  # the names of keys that a layer adds at the end


@dataclass(frozen=True)
class _Scores:
    """Where a tensor comes from that's made of a product of two activations."""

    softmaxed: bool = False
    before_dropout: Tensor | None = None


class Watch(TorchFunctionMode):
    """Within this, what each call of attention in a module looks at is noted in `looks`, in the order of the calls.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=12, nhead=3, batch_first=True).eval()
    >>> with Watch(layer, texts=1) as watch:
    ...     output = layer(torch.randn(1, 5, 12))
    >>> [(look.name, look.weights.shape) for look in watch.looks]
    [('self_attn', torch.Size([1, 3, 5, 5]))]

    `texts` is how many the module reads at once, by which heads are told from texts in weights of three axes. Of a long
    text only the sums over `groups` of tokens are kept, and one head is looked at at a time: see `sentences`.
    `unknown` holds the names of fused kernels that were called and give no weights.
    """

    def __init__(self, module, texts=1, groups=None):
        super().__init__()
        self._groups = groups
        self.looks, self.unknown = [], {}
        self._module, self._texts = module, texts
        self._calling = [("", module)]  # the names of the modules that are computing, each with itself
        self._known = WeakIdKeyDictionary()  # tensor -> _Scores

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

    def _follow(self, name, part):
        def enter(*_):
            self._calling.append((name, part))

        def leave(*_):
            self._calling.pop()

        return part.register_forward_pre_hook(enter), part.register_forward_hook(leave, always_call=True)

    def __torch_function__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        result = func(*args, **kwargs)
        name = getattr(func, "__name__", None) or str(func)
        if "scaled_dot_product_attention" in name and not name.startswith("_"):
            self._note(*self._fused(args, kwargs))
        elif func is F.multi_head_attention_forward:
            weights, added = weights_of_layer(args, kwargs)
            self._note(weights.cpu(), keys_after=added)
        elif OTHER_KERNELS.search(str(func)) or OTHER_KERNELS.search(name):
            self.unknown.setdefault(name.removesuffix(".default"), self._calling[-1][0])
        elif name in PRODUCTS:
            self._multiplied(name, args, result)
        elif isinstance(result, (Tensor, tuple)):
            self._derived(name, args, kwargs, result)
        return result

    def _fused(self, args, kwargs):
        call = dict(zip(inspect.signature(fused_weights).parameters, args)) | kwargs
        query, key = call["query"], call["key"]
        if not self._in_groups(query.shape[-2], key.shape[-2]) or query.ndim < 4:
            weights, notes = fused_weights(**call)
            return weights.cpu(), notes
        repeated = query.shape[-3] // key.shape[-3]
        heads = []
        for head in range(query.shape[-3]):
            at = head // repeated
            mask = call.get("attn_mask")
            mask = mask[..., head : head + 1, :, :] if getattr(mask, "ndim", 0) > 3 and mask.shape[-3] > 1 else mask
            one = {"query": query[..., head : head + 1, :, :], "key": key[..., at : at + 1, :, :], "attn_mask": mask}
            weights, notes = fused_weights(**call | one)
            heads.append(self._groups.summed(weights).cpu())
        return torch.cat(heads, dim=-3), notes

    def _in_groups(self, queries, keys):
        return self._groups is not None and queries == keys == self._groups.count

    def _multiplied(self, name, args, result):
        """Notes weights that multiply values; a product of two activations makes scores."""
        equation = args[0] if name == "einsum" and isinstance(args[0], str) else None
        operands = [value for value in _flat(args) if isinstance(value, Tensor)][-2:]
        if len(operands) < 2:
            return
        learnt = [_is_parameter(operand) for operand in operands]
        for place, operand in enumerate(operands):
            scores = self._known.get(operand)
            if scores is None:
                continue
            if learnt[1 - place]:  # heads are mixed
                self._known[result] = scores
                return
            weights = operand if scores.before_dropout is None else scores.before_dropout
            weights = _contracted_last(weights, place, equation)
            if weights is not None and weights.ndim > 1 and (scores.softmaxed or _rows_are_shares(weights)):
                dropped = DROPPED.format(self._calling[-1][0] or type(self._module).__name__)
                self._note(weights, (dropped,) if scores.before_dropout is not None else ())
                return
        if not any(learnt):
            self._known[result] = _Scores()

    def _derived(self, name, args, kwargs, result):
        """Follows scores through what is done to them: scaled, masked, reshaped, and the softmax."""
        found = [(value, self._known[value]) for value in _flat((args, kwargs)) if _is_known(value, self._known)]
        if not found:
            return
        source, scores = found[0]
        if name in ("softmax", "_softmax", "softmax_"):
            scores = _Scores(softmaxed=True)
        elif "dropout" in name:
            same = result is source or torch.equal(result, source)
            scores = scores if same else _Scores(scores.softmaxed, source)
        elif scores.before_dropout is not None:
            moved = _moved(name, args, kwargs, source, scores.before_dropout)
            scores = _Scores(scores.softmaxed, moved)
        for one in result if isinstance(result, tuple) else (result,):
            if isinstance(one, Tensor) and one.is_floating_point() and _follows(one, source):
                self._known[one] = scores

    def _note(self, weights, notes=(), keys_after=()):
        name, part = self._calling[-1]
        weights = self._groups.summed(weights) if self._in_groups(*weights.shape[-2:]) else weights
        weights = in_four_axes(weights, self._texts, heads_of(part)).detach()
        self.looks.append(Look(name, weights, notes, keys_after))


def fused_weights(
    query, key, value=None, attn_mask=None, dropout_p=0.0, is_causal=False, scale=None, enable_gqa=False, **_
):  # -> [..., q, k], notes
    """The weights of `F.scaled_dot_product_attention`, which takes the same and gives none.

    >>> fused_weights(torch.ones(1, 2, 3, 4), torch.ones(1, 2, 3, 4), is_causal=True)[0][0, 0, 1]
    tensor([0.5000, 0.5000, 0.0000])

    A query that may look nowhere gets zeros. Weights are those before dropout, and a note says so.
    """
    query, key = query.float(), key.float()
    if enable_gqa:
        key = key.repeat_interleave(query.shape[-3] // key.shape[-3], -3)
    scores = query @ key.mT * (query.shape[-1] ** -0.5 if scale is None else scale)
    if is_causal:
        allowed = torch.ones(scores.shape[-2:], dtype=torch.bool, device=scores.device).tril()
        scores = scores.masked_fill(~allowed, -torch.inf)
    if attn_mask is not None:
        if hasattr(attn_mask, "_materialize"):  # torch.nn.attention.bias
            attn_mask = attn_mask._materialize(scores.device)
        scores = scores.masked_fill(~attn_mask, -torch.inf) if attn_mask.dtype == torch.bool else scores + attn_mask
    weights = scores.softmax(-1).nan_to_num(0)
    return weights, (DROPPED.format("scaled_dot_product_attention"),) * (dropout_p > 0)


def weights_of_layer(args, kwargs):  # -> [b, h, q, k], the names of keys that the layer adds
    """The weights of each head of `F.multi_head_attention_forward`, which gives their mean, or none."""
    call = inspect.signature(F.multi_head_attention_forward).bind(*args, **kwargs)
    call.apply_defaults()
    added = ("a learned key",) * (call.arguments["bias_k"] is not None) + ("zero",) * call.arguments["add_zero_attn"]
    call.arguments |= {"need_weights": True, "average_attn_weights": False, "training": False}
    weights = F.multi_head_attention_forward(*call.args, **call.kwargs)[1]
    return (weights if weights.ndim == 4 else weights[None]).nan_to_num(0), added


def in_four_axes(weights, texts, heads=None):  # 2 axes or more -> [b, h, q, k]
    """Weights with an axis for texts and one for heads; `heads` is how many there are, where that's known.

    >>> [list(in_four_axes(torch.ones(shape), texts=2).shape) for shape in ((6, 5, 5), (2, 5, 5), (3, 2, 5, 5))]
    [[2, 3, 5, 5], [2, 1, 5, 5], [2, 3, 5, 5]]
    >>> list(in_four_axes(torch.ones(2, 9, 3, 4, 4), texts=2).shape)  # nine windows of each text
    [18, 3, 4, 4]
    """
    if weights.ndim == 2:
        return weights[None, None]
    if weights.ndim == 3:
        of_texts = len(weights) % texts == 0 and (
            heads is None or len(weights) % heads or len(weights) == texts * heads
        )
        return weights.unflatten(0, (-1, len(weights) // texts if of_texts else heads or 1))
    weights = weights.flatten(0, -4) if weights.ndim > 4 else weights
    heads_first = weights.shape[1] == texts and (weights.shape[0] == heads or weights.shape[0] % texts)
    return weights.transpose(0, 1) if heads_first else weights


def heads_of(part):
    """How many heads a module says that it has; None where it doesn't.

    >>> heads_of(torch.nn.MultiheadAttention(embed_dim=4, num_heads=2)), heads_of(torch.nn.Linear(2, 2))
    (2, None)
    """
    counts = (getattr(part, name, None) for name in HEADS)
    return next((count for count in counts if isinstance(count, int) and count > 0), None)


def _contracted_last(weights, place, equation):
    """Weights as [..., q, k], where k is summed over; None where they and the values share more than that."""
    if equation is None:
        return weights if place == 0 else weights.mT
    inputs, _, output = equation.replace(" ", "").partition("->")
    letters = inputs.split(",")
    if "..." in equation:
        dots = weights.ndim - len(letters[place].replace("...", ""))
        filler = "ABCDEFGH"[: max(dots, 0)]
        letters = [one.replace("...", filler) for one in letters]
        output = output.replace("...", filler)
    mine, values = letters[place], letters[1 - place]
    summed = [letter for letter in mine if letter in values and letter not in output]
    asking = [letter for letter in mine if letter not in values and letter in output]
    if len(summed) != 1 or len(asking) != 1 or len(mine) != weights.ndim:
        return None
    others = [letter for letter in mine if letter not in (*summed, *asking)]
    return weights.permute([mine.index(letter) for letter in (*others, *asking, *summed)])


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
    stance = getattr(torch.compiler, "set_stance", None)  # from torch 2.6 on
    with stance("force_eager") if stance else nullcontext():
        yield
