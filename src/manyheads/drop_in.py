"""Our attention where PyTorch's own stands: the arguments of `nn.MultiheadAttention`, and its masks.

Those masks mean the opposite of ours: True forbids, and a float is added to the scores, so that -inf forbids.
"""

import math

import torch
from torch import nn
from torch.nn import functional as F

from manyheads.attention import (
    MultiHeadAttention,
    attend,
    attention_scores,
    fused_attend,
    join_heads,
    masked_softmax,
)
from manyheads.inputs import check_inputs


class DropInAttention(MultiHeadAttention):
    """A `MultiHeadAttention` that is called as `nn.MultiheadAttention` is, and gives what it gives.

    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> layer.self_attn = DropInAttention.from_torch(layer.self_attn)
    >>> layer(torch.randn(3, 5, 8), src_key_padding_mask=torch.zeros(3, 5, dtype=torch.bool)).shape
    torch.Size([3, 5, 8])

    Texts are [b, t, d], without `batch_first` [t, b, d], or [t, d]. `attn_mask` is [q, k] or [b * h, q, k],
    `key_padding_mask` is [b, k] or [k]; in both True forbids, and a float is added to the scores. Gives the output and
    the weights: the mean over the heads, [b, q, k], unless `average_attn_weights=False`: [b, h, q, k].
    `is_causal` says no more than that `attn_mask` is causal.

    It differs in two things: a query that may attend to no key gets zeros, not NaN, and the weights returned are those
    before dropout. Raises `ValueError` for masks of other shapes, `TypeError` for masks of whole numbers.
    """

    def __init__(self, embed_dim, num_heads, dropout=0.0, bias=True, *, batch_first=False, **options):
        super().__init__(embed_dim, num_heads, dropout=dropout, bias=bias, **options)
        self.batch_first = batch_first

    def forward(
        self,
        query,
        key,
        value,
        key_padding_mask=None,
        need_weights=True,
        attn_mask=None,
        average_attn_weights=True,
        is_causal=False,
    ):
        if query.is_nested:
            raise ValueError("nested tensors are not read: set use_nested_tensor = False on the TransformerEncoder")
        if is_causal and attn_mask is None:
            raise ValueError("is_causal says that attn_mask is causal, got no attn_mask")
        turned = query.ndim == 3 and not self.batch_first
        if turned:
            query, key, value = (text.transpose(0, 1) for text in (query, key, value))  # [b, t, d]
        query, key, value, _ = check_inputs(query, key, value, None, self.embed_dim)
        queries, keys, values = self.project(query, key, value)  # [..., h, q, d], 2 × [..., h, k, d]
        shape = (*queries.shape[:-1], keys.shape[-2])  # [..., h, q, k]
        added = added_to_scores(attn_mask, key_padding_mask, shape, queries.dtype)
        dropout = self.dropout if self.training else 0.0
        if need_weights:
            context, weights = attend_adding(queries, keys, values, added, dropout=dropout)
        else:
            context, weights = fused_attend_adding(queries, keys, values, added, dropout=dropout), None
        output = self.output(join_heads(context))  # [..., q, d]
        if turned:
            output = output.transpose(0, 1)  # [q, b, d]
        if need_weights and average_attn_weights:
            weights = weights.mean(dim=-3)  # [..., q, k]
        return output, weights

    @classmethod
    def from_torch(cls, layer):
        """Take over the weights of a `torch.nn.MultiheadAttention`; `ValueError` where it has what we have not.

        >>> DropInAttention.from_torch(nn.MultiheadAttention(8, 2, batch_first=True)).batch_first
        True
        """
        module = super().from_torch(layer)
        module.batch_first = layer.batch_first
        return module

    def to_torch(self):
        """Give a `torch.nn.MultiheadAttention` with the same weights; `ValueError` where the widths are not one width.

        >>> DropInAttention(embed_dim=8, num_heads=2).to_torch().in_proj_weight.shape
        torch.Size([24, 8])
        """
        return super().to_torch(batch_first=self.batch_first)

    # What PyTorch's transformer layers read of their attention. Where all widths are said to be one, they compute
    # without calling it.
    _qkv_same_embed_dim = False

    @property
    def in_proj_weight(self):  # [3 * d, d]
        return torch.cat([self.query.weight, self.key.weight, self.value.weight])

    @property
    def in_proj_bias(self):  # [3 * d]
        if self.output.bias is None:
            return None
        return torch.cat([self.query.bias, self.key.bias, self.value.bias])

    @property
    def out_proj(self):
        return self.output


def replace_attention(module):
    """Put ours in the place of every `nn.MultiheadAttention` in a module, with its weights; give the module.

    >>> model = nn.Transformer(d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> [name for name, part in replace_attention(model).named_modules() if isinstance(part, DropInAttention)]
    ['encoder.layers.0.self_attn', 'decoder.layers.0.self_attn', 'decoder.layers.0.multihead_attn']
    """
    for part in list(module.modules()):
        if isinstance(part, nn.TransformerEncoder):
            part.use_nested_tensor = False
        for name, child in part.named_children():
            if isinstance(child, nn.MultiheadAttention):
                setattr(part, name, DropInAttention.from_torch(child))
    return module


def added_to_scores(attn_mask, key_padding_mask, shape, dtype):  # -> [..., h, q, k], or None
    """Both of PyTorch's masks as one, to be added to the scores of a shape [..., h, q, k].

    >>> added_to_scores(None, torch.tensor([False, True]), (1, 1, 2), torch.float32)
    tensor([[[0., -inf]]])
    """
    *batch, heads, queries, keys = shape
    texts = math.prod(batch)
    masks = []
    if attn_mask is not None:
        expected = ((queries, keys), (texts * heads, queries, keys))
        mask = as_float("attn_mask", attn_mask, expected, dtype)
        masks.append(mask if mask.ndim == 2 else mask.view(shape))
    if key_padding_mask is not None:
        mask = as_float("key_padding_mask", key_padding_mask, ((*batch, keys),), dtype)
        masks.append(mask[..., None, None, :])
    return sum(masks) if masks else None


def as_float(name, mask, shapes, dtype):
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


def attend_adding(queries, keys, values, added=None, *, dropout=0.0):
    # [..., q, d_k], [..., k, d_k], [..., k, d_v] -> [..., q, d_v], [..., q, k]
    """Do what `attend` does, with something added to the scores; minus infinity forbids.

    >>> added = torch.tensor([[0, -math.inf]])
    >>> attend_adding(torch.ones(1, 4), torch.ones(2, 4), torch.ones(2, 3), added)
    (tensor([[1., 1., 1.]]), tensor([[1., 0.]]))
    """
    if added is None:
        return attend(queries, keys, values, dropout=dropout)
    mask = added > -math.inf
    scores = attention_scores(queries, keys) + added.masked_fill(~mask, 0)  # [..., q, k]
    weights = masked_softmax(scores, mask)  # [..., q, k]
    context = F.dropout(weights, dropout) @ values  # [..., q, d_v]
    return context, weights


def fused_attend_adding(queries, keys, values, added=None, *, dropout=0.0):
    # [..., q, d_k], [..., k, d_k], [..., k, d_v] -> [..., q, d_v]
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
