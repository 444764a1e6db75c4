"""The types of `attention.py`, whose lines end in shapes instead. A test holds both equal."""

from collections.abc import Callable, Sequence
from typing import Any, Literal, TypeAlias, overload

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import Tensor, nn

_Array: TypeAlias = NDArray[np.floating[Any]]
_Mask: TypeAlias = Tensor | None
_Device: TypeAlias = torch.device | str | int | None
_Cache: TypeAlias = tuple[Tensor, Tensor] | tuple[()]
_RotaryBase: TypeAlias = float | tuple[float, ...]

def softmax(scores: ArrayLike, mask: NDArray[np.bool_] | None = None) -> _Array: ...
def self_attention(
    X: ArrayLike, Wq: ArrayLike, Wk: ArrayLike, Wv: ArrayLike, mask: NDArray[np.bool_] | None = None
) -> tuple[_Array, _Array]: ...
def multi_head_attention(
    X: ArrayLike,
    Wq: ArrayLike,
    Wk: ArrayLike,
    Wv: ArrayLike,
    Wo: ArrayLike,
    num_heads: int,
    mask: NDArray[np.bool_] | None = None,
) -> tuple[_Array, _Array]: ...
def causal_mask(length: int, device: _Device = None) -> Tensor: ...
def padding_mask(lengths: Tensor | Sequence[int], longest: int) -> Tensor: ...
def attention_scores(queries: Tensor, keys: Tensor, scale: float | None = None, cap: float | None = None) -> Tensor: ...
def masked_softmax(scores: Tensor, mask: _Mask = None) -> Tensor: ...
def attend(
    queries: Tensor,
    keys: Tensor,
    values: Tensor,
    mask: _Mask = None,
    *,
    scale: float | None = None,
    cap: float | None = None,
    dropout: float = 0.0,
) -> tuple[Tensor, Tensor]: ...
def fused_attend(
    queries: Tensor, keys: Tensor, values: Tensor, mask: _Mask = None, *, dropout: float = 0.0
) -> Tensor: ...

class AttentionHead(nn.Module):
    embed_dim: int
    query: nn.Linear
    key: nn.Linear
    value: nn.Linear
    def __init__(
        self,
        embed_dim: int,
        head_dim: int,
        *,
        bias: bool = True,
        device: _Device = None,
        dtype: torch.dtype | None = None,
    ) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(
        self, query: Tensor, key: Tensor | None = None, value: Tensor | None = None, *, mask: _Mask = None
    ) -> tuple[Tensor, Tensor]: ...
    __call__: Callable[..., tuple[Tensor, Tensor]]

class LoopedMultiHeadAttention(nn.Module):
    embed_dim: int
    heads: nn.ModuleList
    output: nn.Linear
    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        attention_dim: int | None = None,
        bias: bool = True,
        device: _Device = None,
        dtype: torch.dtype | None = None,
    ) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(
        self, query: Tensor, key: Tensor | None = None, value: Tensor | None = None, *, mask: _Mask = None
    ) -> tuple[Tensor, Tensor]: ...
    __call__: Callable[..., tuple[Tensor, Tensor]]

def split_heads(x: Tensor, num_heads: int) -> Tensor: ...
def join_heads(x: Tensor) -> Tensor: ...
def silence_heads(context: Tensor, head_mask: _Mask = None) -> Tensor: ...
def share_heads(x: Tensor, num_heads: int) -> Tensor: ...
def rotate(x: Tensor, start: int = 0, base: _RotaryBase = 10_000.0) -> Tensor: ...
def extend(cache: _Cache, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]: ...

class MultiHeadAttention(nn.Module):
    embed_dim: int
    attention_dim: int
    value_dim: int
    num_heads: int
    num_kv_heads: int
    rotary_base: _RotaryBase | None
    dropout: float
    cap: float | None
    query: nn.Linear
    key: nn.Linear
    value: nn.Linear
    output: nn.Linear
    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        attention_dim: int | None = None,
        value_dim: int | None = None,
        num_kv_heads: int | None = None,
        rotary_base: _RotaryBase | None = None,
        bias: bool = True,
        dropout: float = 0.0,
        device: _Device = None,
        dtype: torch.dtype | None = None,
    ) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        mask: _Mask = None,
        head_mask: _Mask = None,
        need_weights: bool = True,
        cache: _Cache | None = None,
    ) -> tuple[Any, ...]: ...
    @overload
    def __call__(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        mask: _Mask = None,
        head_mask: _Mask = None,
        need_weights: Literal[True] = True,
        cache: None = None,
    ) -> tuple[Tensor, Tensor]: ...
    @overload
    def __call__(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        mask: _Mask = None,
        head_mask: _Mask = None,
        need_weights: bool = True,
        cache: None = None,
    ) -> tuple[Tensor, Tensor | None]: ...
    @overload
    def __call__(
        self,
        query: Tensor,
        key: Tensor | None = None,
        value: Tensor | None = None,
        *,
        mask: _Mask = None,
        head_mask: _Mask = None,
        need_weights: bool = True,
        cache: _Cache,
    ) -> tuple[Tensor, Tensor | None, tuple[Tensor, Tensor]]: ...
    def project(self, query: Tensor, key: Tensor, value: Tensor, past: int = 0) -> tuple[Tensor, Tensor, Tensor]: ...
    @classmethod
    def from_loop(cls, looped: LoopedMultiHeadAttention) -> MultiHeadAttention: ...
    @classmethod
    def from_torch(cls, layer: nn.MultiheadAttention) -> MultiHeadAttention: ...
    def to_torch(self, *, batch_first: bool = True) -> nn.MultiheadAttention: ...

def einsum_attention(
    queries: Tensor, keys: Tensor, values: Tensor, num_heads: int, mask: _Mask = None
) -> tuple[Tensor, Tensor]: ...

class AttentionBlock(nn.Module):
    attention: MultiHeadAttention
    dropout: nn.Dropout
    norm: nn.LayerNorm
    def __init__(
        self,
        embed_dim: int,
        num_heads: int,
        *,
        attention_dim: int | None = None,
        value_dim: int | None = None,
        bias: bool = True,
        dropout: float = 0.1,
        device: _Device = None,
        dtype: torch.dtype | None = None,
    ) -> None: ...
    def reset_parameters(self) -> None: ...
    def forward(
        self, query: Tensor, key: Tensor | None = None, value: Tensor | None = None, **options: Any
    ) -> tuple[Any, ...]: ...
    __call__: Callable[..., tuple[Any, ...]]

def steps(
    module: MultiHeadAttention, X: Tensor, head: int = 0, *, mask: _Mask = None, scaled: bool = True
) -> dict[str, Tensor]: ...
def contributions(
    module: MultiHeadAttention,
    query: Tensor,
    key: Tensor | None = None,
    value: Tensor | None = None,
    *,
    mask: _Mask = None,
    head_mask: _Mask = None,
    by_key: bool = False,
) -> Tensor: ...
