"""Our attention where PyTorch's own stands: the arguments of `nn.MultiheadAttention`, and its masks, which forbid."""

import copy
from typing import Any, TypeVar

import torch
from torch import Tensor, nn
from torch.nn import functional as F

from manyheads.attention import MultiHeadAttention, join_heads, split_heads
from manyheads.conversions import Memo, join_layers, ours, split_layers
from manyheads.inputs import check_width
from manyheads.replaceable import refuse_to_replace, refuse_to_restore, warn_of_optimizers
from manyheads.torch_masks import added_to_scores, attend_adding, fused_attend_adding

Module = TypeVar("Module", bound=nn.Module)


class DropInAttention(MultiHeadAttention):
    """A `MultiHeadAttention` that is made and called as `nn.MultiheadAttention` is, and gives what it gives.

    >>> layer = nn.TransformerEncoderLayer(d_model=8, nhead=2, batch_first=True)
    >>> layer.self_attn = DropInAttention.from_torch(layer.self_attn)
    >>> layer(torch.randn(3, 5, 8), src_key_padding_mask=torch.zeros(3, 5, dtype=torch.bool)).shape
    torch.Size([3, 5, 8])

    Texts are [b, t, d], without `batch_first` [t, b, d], or [t, d]; keys are `kdim` wide and values `vdim`. `attn_mask`
    is [q, k] or [b * h, q, k], `key_padding_mask` is [b, k] or [k]; in both True forbids, and a float is added to the
    scores. Gives the output and the weights: the mean over the heads, [b, q, k], unless `average_attn_weights=False`:
    [b, h, q, k]. `add_bias_kv` and `add_zero_attn` each add a key at the end. It differs in

        no key allowed      the output is the last layer's bias and the weights are 0, not NaN
        dropout             the weights returned are those before dropout
        is_causal           says no more than that attn_mask is causal: attn_mask is still read
        bad input           ValueError with the shapes, TypeError for masks of whole numbers
        layers              query, key, value and output are modules and called, with their hooks
        state dict          has the names of MultiHeadAttention; it loads those of both
        nested tensors      read where query, key and value are one; PyTorch reads them in its fast path alone
    """

    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        dropout: float = 0.0,
        bias: bool = True,
        add_bias_kv: bool = False,
        add_zero_attn: bool = False,
        kdim: int | None = None,
        vdim: int | None = None,
        batch_first: bool = False,
        device: torch.device | str | None = None,
        dtype: torch.dtype | None = None,
    ) -> None:
        check_width(num_heads, embed_dim=embed_dim)
        nn.Module.__init__(self)
        theirs = nn.MultiheadAttention(
            embed_dim, num_heads, dropout, bias, add_bias_kv, add_zero_attn, kdim, vdim, batch_first, device, dtype
        )
        vars(self).update(vars(theirs))  # made by PyTorch, so that a seed gives the same numbers in both
        split_layers(self, {})

    @torch.no_grad()
    def reset_parameters(self) -> None:
        """Draw all weights anew, as PyTorch draws them; biases are 0."""
        options = (self.bias_k is not None, self.add_zero_attn, self.kdim, self.vdim, self.batch_first)
        weight, bias = self.output.weight, self.output.bias is not None
        fresh = DropInAttention(
            self.embed_dim, self.num_heads, self.dropout, bias, *options, weight.device, weight.dtype
        )
        self.load_state_dict(fresh.state_dict())

    def forward(
        self,
        query: Tensor,
        key: Tensor,
        value: Tensor,
        key_padding_mask: Tensor | None = None,
        need_weights: bool = True,
        attn_mask: Tensor | None = None,
        average_attn_weights: bool = True,
        is_causal: bool = False,
    ) -> tuple[Tensor, Tensor | None]:
        if is_causal and attn_mask is None:
            raise ValueError("is_causal says that attn_mask is causal, got no attn_mask")
        if getattr(query, "is_nested", False):
            masked = key_padding_mask is not None or attn_mask is not None
            if masked or key is not query or value is not query or not self.batch_first:
                raise ValueError(
                    "nested tensors are read where query, key and value are the same one, without masks and with "
                    "batch_first=True: give padded texts and key_padding_mask instead"
                )
            return self._attend_nested(query, need_weights, average_attn_weights)
        self._check_texts(query, key, value)
        turned = query.ndim == 3 and not self.batch_first
        if turned:
            query, key, value = (text.transpose(0, 1) for text in (query, key, value))  # [b, t, d]
        queries, keys, values = self.query(query), self.key(key), self.value(value)  # [..., t, h * d]
        if self.bias_k is not None:
            keys = torch.cat([keys, self.bias_k[0].expand(*keys.shape[:-2], -1, -1)], dim=-2)
            values = torch.cat([values, self.bias_v[0].expand(*values.shape[:-2], -1, -1)], dim=-2)
        if self.add_zero_attn:
            keys, values = (F.pad(text, (0, 0, 0, 1)) for text in (keys, values))
        queries, keys, values = (
            split_heads(text, self.num_heads) for text in (queries, keys, values)
        )  # [..., h, t, d]
        shape = (*queries.shape[:-1], key.shape[-2])  # [..., h, q, k]
        added = added_to_scores(attn_mask, key_padding_mask, shape, queries.dtype)
        if added is not None:
            added = F.pad(added, (0, keys.shape[-2] - key.shape[-2]))  # the keys added at the end are open to all
        dropout = self.dropout if self.training else 0.0
        weights = None
        if need_weights:
            context, weights = attend_adding(queries, keys, values, added, dropout=dropout)
            if average_attn_weights:
                weights = weights.mean(dim=-3)  # [..., q, k]
        else:
            context = fused_attend_adding(queries, keys, values, added, dropout=dropout)
        output = self.output(join_heads(context))  # [..., q, d]
        return output.transpose(0, 1) if turned else output, weights

    def _attend_nested(self, texts: Tensor, need_weights: bool, average: bool) -> tuple[Tensor, Tensor | None]:
        """Read texts of several lengths, as `nn.TransformerEncoder` packs them where padding is marked."""
        lengths = [len(text) for text in texts.unbind()]
        padded = texts.to_padded_tensor(0.0)  # [b, t, d]
        places = torch.arange(padded.shape[1], device=padded.device)
        padding = places >= torch.tensor(lengths, device=padded.device)[:, None]  # [b, t]
        output, weights = self.forward(padded, padded, padded, padding, need_weights, average_attn_weights=average)
        return torch.nested.as_nested_tensor([text[:length] for text, length in zip(output, lengths)]), weights

    def _check_texts(self, query: Tensor, key: Tensor, value: Tensor) -> None:
        widths = (self.embed_dim, self.kdim, self.vdim)
        texts = {"query": query, "key": key, "value": value}
        for (name, text), width in zip(texts.items(), widths):
            if not isinstance(text, Tensor) or not text.is_floating_point():
                got = getattr(text, "dtype", type(text).__name__)
                raise TypeError(f"{name} must be a floating-point tensor, got {got}")
            if text.ndim not in (2, 3) or text.shape[-1] != width:
                batched = "batch, length" if self.batch_first else "length, batch"
                raise ValueError(f"{name} must be [length, {width}] or [{batched}, {width}], got {list(text.shape)}")
        batch = 0 if self.batch_first else 1
        if (
            key.shape[:-1] != value.shape[:-1]
            or query.ndim != key.ndim
            or (query.ndim == 3 and query.shape[batch] != key.shape[batch])
        ):
            got = [list(text.shape) for text in texts.values()]
            raise ValueError(f"key and value must be of one length, and all of one batch, got {got}")

    def _load_from_state_dict(self, state_dict: dict[str, Tensor], prefix: str, *rest: Any) -> None:
        for name in [name for name in state_dict if name.startswith(prefix)]:  # PyTorch's names become ours
            renamed = ours(name.removeprefix(prefix), state_dict.pop(name))
            state_dict |= {f"{prefix}{new}": tensor for new, tensor in renamed.items()}
        super()._load_from_state_dict(state_dict, prefix, *rest)

    @classmethod
    def from_torch(cls, layer: nn.MultiheadAttention) -> "DropInAttention":
        """Make a copy of a `torch.nn.MultiheadAttention`, hooks and all; `ValueError` where something would be lost.

        >>> DropInAttention.from_torch(nn.MultiheadAttention(8, 2, batch_first=True)).batch_first
        True
        """
        if not isinstance(layer, nn.MultiheadAttention):
            raise TypeError(f"expected an nn.MultiheadAttention, got {type(layer).__name__}")
        refuse_to_replace(layer, {"": layer}, subclasses=False)
        return _replaced(copy.deepcopy(layer))

    def to_torch(self) -> nn.MultiheadAttention:
        """Make a copy that is a `torch.nn.MultiheadAttention`; `ValueError` where something would be lost.

        >>> DropInAttention(embed_dim=8, num_heads=2).to_torch().in_proj_weight.shape
        torch.Size([24, 8])
        """
        return _restored(copy.deepcopy(self))

    # What PyTorch's transformer layers read of their attention.
    @property
    def in_proj_weight(self) -> Tensor | None:  # [3 * d, d]
        return self._packed("weight") if self.embed_dim == self.kdim == self.vdim else None

    @property
    def in_proj_bias(self) -> Tensor | None:  # [3 * d]
        return self._packed("bias")

    def _packed(self, name: str) -> Tensor | None:
        """What the three layers have, as one; None where they have none, or are quantized and give it when called."""
        parts = [getattr(layer, name) for layer in (self.query, self.key, self.value)]
        return torch.cat(parts) if all(isinstance(part, Tensor) for part in parts) else None

    @property
    def out_proj(self) -> nn.Module:
        return self.output


def replace_attention(module: Module, *, subclasses: bool = False) -> Module:
    """Make every `nn.MultiheadAttention` in a module a `DropInAttention`, and change nothing else; give the module.

    >>> model = nn.Transformer(d_model=8, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> [name for name, part in replace_attention(model).named_modules() if isinstance(part, DropInAttention)]
    ['encoder.layers.0.self_attn', 'decoder.layers.0.self_attn', 'decoder.layers.0.multihead_attn']

    Each stays the object that it is, so that hooks, names and what shares it stay; the module may be one itself. What
    is frozen or tied stays so. Its parameters are new: make the optimizer afterwards. A warning names one that was made
    before. `restore_attention` undoes it.

    Raises `ValueError`, before anything is replaced, where something would be lost: a subclass with a `forward` of its
    own, which is replaced with `subclasses=True`; weights that are computed, or shared with another kind of layer.
    """
    before = list(module.parameters())
    _replaced(module, subclasses=subclasses)
    warn_of_optimizers(before, module)
    return module


def _replaced(module: Module, *, subclasses: bool = False) -> Module:
    layers = {name: part for name, part in module.named_modules() if isinstance(part, nn.MultiheadAttention)}
    refuse_to_replace(module, layers, subclasses=subclasses)
    memo: Memo = {}
    for layer in layers.values():
        split_layers(layer, memo)
        layer._torch_class = type(layer)
        layer.__class__ = DropInAttention
    return module


def restore_attention(module: Module) -> Module:
    """Make every `DropInAttention` in a module the layer of PyTorch's that it was; give the module.

    >>> model = restore_attention(replace_attention(nn.TransformerEncoderLayer(d_model=8, nhead=2)))
    >>> type(model.self_attn).__name__, model.self_attn.in_proj_weight.shape
    ('MultiheadAttention', torch.Size([24, 8]))

    Weights are those of now. Raises `ValueError`, before anything is restored, where `nn.MultiheadAttention` can't hold
    them: hooks or other layers in place of `query`, `key` and `value`, one of them frozen and another not.
    """
    before = list(module.parameters())
    _restored(module)
    warn_of_optimizers(before, module)
    return module


def _restored(module: Module) -> Any:
    layers = {name: part for name, part in module.named_modules() if isinstance(part, DropInAttention)}
    refuse_to_restore(module, layers)
    memo: Memo = {}
    for layer in layers.values():
        join_layers(layer, memo)
        layer.__class__ = vars(layer).pop("_torch_class", nn.MultiheadAttention)
    return module
