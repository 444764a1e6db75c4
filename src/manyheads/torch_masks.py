"""PyTorch's masks, which mean the opposite of ours: True forbids, and a float is added, so that -inf forbids."""

import math
from collections.abc import Collection

import torch
from torch import Tensor
from torch.nn import functional as F

from manyheads.attention import attend, attention_scores, fused_attend, masked_softmax


def added_to_scores(
    attn_mask: Tensor | None, key_padding_mask: Tensor | None, shape: tuple[int, ...], dtype: torch.dtype
) -> Tensor | None:  # [..., h, q, k]
    """Both of PyTorch's masks as one, to be added to the scores of a shape [..., h, q, k].

    >>> added_to_scores(None, torch.tensor([False, True]), (1, 1, 2), torch.float32)
    tensor([[[0., -inf]]])
    """
    *batch, heads, queries, keys = shape
    texts = math.prod(batch)
    added = None
    if attn_mask is not None:
        expected = ((queries, keys), (texts * heads, queries, keys))
        mask = as_float("attn_mask", attn_mask, expected, dtype)
        added = mask if mask.ndim == 2 else mask.view(shape)
    if key_padding_mask is not None:
        mask = as_float("key_padding_mask", key_padding_mask, ((*batch, keys),), dtype)
        padding = mask[..., None, None, :]  # [..., h = 1, q = 1, k]
        added = padding if added is None else added + padding
    return added


def as_float(name: str, mask: Tensor, shapes: Collection[tuple[int, ...]], dtype: torch.dtype) -> Tensor:
    """A mask of one of these shapes, as what is added: minus infinity where a boolean one is True.

    >>> as_float("attn_mask", torch.tensor([[False, True]]), [(1, 2)], torch.float32)
    tensor([[0., -inf]])
    """
    if mask.dtype != torch.bool and not mask.is_floating_point():
        raise TypeError(f"{name} must be boolean, True for what is forbidden, or floating-point, got {mask.dtype}")
    if tuple(mask.shape) not in shapes:
        expected = " or ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"{name} must be {expected}, got {list(mask.shape)}")
    if mask.dtype == torch.bool:
        return torch.zeros_like(mask, dtype=dtype).masked_fill(mask, -math.inf)
    return mask.to(dtype)


def attend_adding(
    queries: Tensor, keys: Tensor, values: Tensor, added: Tensor | None = None, *, dropout: float = 0.0
) -> tuple[Tensor, Tensor]:  # [..., q, d_k], [..., k, d_k], [..., k, d_v] -> [..., q, d_v], [..., q, k]
    """Do what `attend` does, with something added to the scores; minus infinity forbids.

    >>> added = torch.tensor([[0, -math.inf]])
    >>> attend_adding(torch.ones(1, 4), torch.ones(2, 4), torch.ones(2, 3), added)
    (tensor([[1., 1., 1.]]), tensor([[1., 0.]]))
    """
    if added is None:
        return attend(queries, keys, values, dropout=dropout)
    mask = added != -math.inf  # NaN stays, so that the output shows it
    scores = attention_scores(queries, keys) + added.masked_fill(~mask, 0)  # [..., q, k]
    weights = masked_softmax(scores, mask)  # [..., q, k]
    context = F.dropout(weights, dropout) @ values  # [..., q, d_v]
    return context, weights


def fused_attend_adding(
    queries: Tensor, keys: Tensor, values: Tensor, added: Tensor | None = None, *, dropout: float = 0.0
) -> Tensor:  # [..., q, d_k], [..., k, d_k], [..., k, d_v] -> [..., q, d_v]
    """Give the context of `attend_adding`, without the weights, by PyTorch's fused kernel.

    >>> added = torch.tensor([[0, -math.inf]])
    >>> fused_attend_adding(torch.ones(1, 4), torch.ones(2, 4), torch.ones(2, 3), added)
    tensor([[1., 1., 1.]])
    """
    if added is None:
        return fused_attend(queries, keys, values, dropout=dropout)
    blind = (added == -math.inf).all(dim=-1, keepdim=True)  # [..., q, 1]: queries without keys
    added = added.masked_fill(blind, 0)
    context = F.scaled_dot_product_attention(queries, keys, values, attn_mask=added, dropout_p=dropout)
    return context.masked_fill(blind, 0)
