"""Shorter ways to the same numbers, for inference on a CPU; bench/attention.py measures what each is worth.

Nothing here looks at a number, and nothing at a size where a compiler watches, so that a module stays one graph for
torch.compile and torch.export, for inputs of all sizes.
"""

import itertools
import math

import torch
from torch import nn
from torch.nn import functional as F

SHORT, SMALL = 192, 2**21  # queries; weights: 8 MB
PIECE = 2**20  # weights for each thread: 4 MB
MANY, LARGE, PARTS = 2**17, 2**24, 8  # weights of a layer: 0.5 MB; multiplications: 0.1 to 0.2 ms
ONEDNN, MKL = torch.backends.mkldnn.is_available(), torch.backends.mkl.is_available()


def is_plain(x):
    """Tell whether this is float32 on a CPU, in inference, and nobody else has a hand in it.

    >>> is_plain(torch.ones(1))
    False

    Others are a compiler, autocast and what `torch.func` makes. Alone, we may overwrite what nobody needs any more, and
    write results where they belong.
    """
    if not x.is_cpu or x.dtype != torch.float32 or torch.is_grad_enabled() or torch.compiler.is_compiling():
        return False
    # The second is what torch.autograd asks; it has no public name.
    return not torch.is_autocast_enabled("cpu") and not torch._C._are_functorch_transforms_active()


def is_small(shape, like):
    """Tell whether a map of this shape may be held whole, where nobody asks for it, instead of left to a fused kernel.

    >>> with torch.inference_mode():
    ...     is_small((8, 4, 128, 128), torch.ones(1)), is_small((8, 4, 512, 512), torch.ones(1))
    (True, False)

    On a CPU, PyTorch's kernel goes through a short text 32 queries at a time, which takes up to half as long again as
    the whole map, and through a longer one in larger steps, which pay off (bench/attention.py). Where there will be
    gradients it never holds the map, and a compiler gets one way for all shapes.
    """
    return is_plain(like) and shape[-2] < SHORT and math.prod(shape) <= SMALL


def by_pieces(attend, queries, keys, values, mask, shape):
    """Give the contexts [..., h, q, d] and weights [..., h, q, k] that `attend` finds; in inference, piece by piece.

    >>> def attend(*piece):
    ...     print([None if x is None else list(x.shape) for x in piece])
    ...     return piece[2], piece[2]
    >>> X = torch.ones(6, 5, 5)  # the heads of all texts
    >>> by_pieces(attend, X, X, X, None, (2, 3, 5, 5))[0].shape
    [[6, 5, 5], [6, 5, 5], [6, 5, 5], None]
    torch.Size([2, 3, 5, 5])

    Queries, keys and values are [n, q or k, d], with one axis for the heads of all texts, and so is the mask that
    `attend` gets. A large map takes a sixth less time a few heads at a time (bench/attention.py): softmax and the
    second product find their scores still in the cache. In inference `attend` is told where to leave the weights.
    """
    mask = None if mask is None else mask.broadcast_to(shape).flatten(0, -3)
    if not is_plain(queries):
        context, weights = attend(queries, keys, values, mask)
    else:
        weights = queries.new_empty(len(queries), *shape[-2:])
        whole = queries, keys, values, mask, weights
        if weights.numel() <= torch.get_num_threads() * PIECE:
            context, _ = attend(*whole)
        else:
            few = torch.get_num_threads() * max(1, PIECE // math.prod(shape[-2:]))  # heads
            parts = [itertools.repeat(None) if x is None else x.split(few) for x in whole]  # there may be no mask
            context = torch.cat([attend(*piece)[0] for piece in zip(*parts, strict=False)])
    return context.view(*shape[:-1], context.shape[-1]), weights.view(*shape)


def linear(module, name, x):
    """Give `getattr(module, name)(x)`, without the detours in which nn.Module spends longer than on a small product.

    >>> linear(nn.Sequential(nn.Linear(3, 2)), "0", torch.ones(5, 3)).shape
    torch.Size([5, 2])

    In inference, float32 and many weights have shorter ways (bench/attention.py). A large product goes to oneDNN, which
    takes a tenth less time. A smaller one is made in parts, each by one thread: left alone, MKL divides it badly.
    A layer that is not a plain `nn.Linear` (put there to train only part of it, say), or has hooks, is called as ever.
    """
    layer = module._modules[name]
    if type(layer) is not nn.Linear or layer._forward_hooks or layer._forward_pre_hooks:
        return layer(x)
    weight, bias = layer._parameters["weight"], layer._parameters["bias"]
    if weight.numel() < MANY or not is_plain(x) or weight.dtype != torch.float32 or type(weight) is not nn.Parameter:
        return F.linear(x, weight, bias)
    if ONEDNN and x.numel() * len(weight) >= LARGE:
        return torch.ops.mkldnn._linear_pointwise(x, weight, bias, "none", [], "")
    if MKL and torch.get_num_threads() > 1 and len(weight) % PARTS == 0 and bias is not None:
        rows = x.reshape(1, -1, x.shape[-1]).expand(PARTS, -1, -1)  # [p, n, d]
        parts = torch.baddbmm(bias.view(PARTS, 1, -1), rows, weight.view(PARTS, -1, x.shape[-1]).mT)  # [p, n, e / p]
        return parts.transpose(0, 1).reshape(*x.shape[:-1], len(weight))  # [..., e]
    return F.linear(x, weight, bias)
