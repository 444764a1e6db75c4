"""Weights as PyTorch's layer has them and as ours do: in a state dict, and in the layer itself.

`nn.MultiheadAttention` keeps queries, keys and values in one `in_proj_weight`, our modules in three layers.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor, nn

LAYERS = ("query", "key", "value")
SEPARATE = {f"{name[0]}_proj_weight": f"{name}.weight" for name in LAYERS}  # where PyTorch's widths differ
PACKED = {f"{layer}.{kind}" for layer in LAYERS for kind in ("weight", "bias")}

Memo = dict[Any, tuple[Any, Any]]  # what was converted, and into what


def from_torch_names(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give a state dict in which each `nn.MultiheadAttention` has the names of our modules; all else stays.

    >>> model = nn.ModuleDict({"mix": nn.MultiheadAttention(8, 2), "last": nn.Linear(8, 1)})
    >>> list(from_torch_names(model.state_dict()))[:3]
    ['mix.query.weight', 'mix.key.weight', 'mix.value.weight']

    The tensors share memory with those of `state`.
    """
    prefixes = {name.removesuffix("out_proj.weight") for name in state if name.endswith("out_proj.weight")}
    attentions = {
        prefix for prefix in prefixes if f"{prefix}in_proj_weight" in state or f"{prefix}q_proj_weight" in state
    }
    converted: dict[str, Tensor] = {}
    for name, tensor in state.items():
        prefix, own = _cut(name, attentions)
        converted |= {f"{prefix}{new}": part for new, part in ours(own, tensor).items()} if own else {name: tensor}
    return converted


def to_torch_names(state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Give a state dict in which each of our modules has the names of `nn.MultiheadAttention`; all else stays.

    >>> state = nn.MultiheadAttention(8, 2).state_dict()
    >>> list(to_torch_names(from_torch_names(state))) == list(state)
    True

    Ours is taken to be whatever has layers `query`, `key`, `value` and `output` side by side. Raises `ValueError` where
    PyTorch's layer couldn't hold them: it has as many columns for queries, keys and values as for words.
    """
    suffix = "query.weight"
    prefixes = {name.removesuffix(suffix) for name in state if name.endswith(suffix)}
    needed = [f"{layer}.weight" for layer in (*LAYERS, "output")]
    attentions = {prefix for prefix in prefixes if all(f"{prefix}{name}" in state for name in needed)}
    packed = {prefix: _packed(prefix, state) for prefix in attentions}
    converted: dict[str, Tensor] = {}
    for name, tensor in state.items():
        prefix, own = _cut(name, attentions)
        if own in PACKED:
            converted |= packed.pop(prefix, {})  # all of them where the first stands
        elif own.startswith("output."):
            converted[f"{prefix}out_proj.{own.removeprefix('output.')}"] = tensor
        else:
            converted[name] = tensor
    return converted


def ours(name: str, tensor: Tensor) -> dict[str, Tensor]:
    """What one tensor of an `nn.MultiheadAttention` is called in our modules, where it may be three.

    >>> list(ours("in_proj_bias", torch.ones(12)))
    ['query.bias', 'key.bias', 'value.bias']
    """
    if name in ("in_proj_weight", "in_proj_bias"):
        kind = name.removeprefix("in_proj_")
        return {f"{layer}.{kind}": part for layer, part in zip(LAYERS, tensor.chunk(3))}
    name = SEPARATE.get(name, name)
    if name.startswith("out_proj."):
        name = f"output.{name.removeprefix('out_proj.')}"
    return {name: tensor}


def _cut(name: str, prefixes: set[str]) -> tuple[str, str]:
    """A name's prefix, of these, and the rest; an empty rest where the name has none of them."""
    found = max((prefix for prefix in prefixes if name.startswith(prefix)), key=len, default=None)
    return ("", "") if found is None else (found, name.removeprefix(found))


def _packed(prefix: str, state: Mapping[str, Tensor]) -> dict[str, Tensor]:
    weights = [state[f"{prefix}{layer}.weight"] for layer in LAYERS]
    width = len(state[f"{prefix}output.weight"])
    if {len(weight) for weight in weights} != {width}:
        widths = [len(weight) for weight in weights]
        raise ValueError(
            f"{prefix}query, key and value must be as wide as words, {width}, for nn.MultiheadAttention, got {widths}"
        )
    if len({weight.shape for weight in weights}) == 1:
        packed = {f"{prefix}in_proj_weight": torch.cat(weights)}
    else:
        packed = {f"{prefix}{name}": weight for name, weight in zip(SEPARATE, weights)}
    if f"{prefix}query.bias" in state:
        packed[f"{prefix}in_proj_bias"] = torch.cat([state[f"{prefix}{layer}.bias"] for layer in LAYERS])
    return packed


def split_layers(attention: nn.MultiheadAttention, memo: Memo) -> None:
    """Keep the weights of a layer of PyTorch's as `query`, `key`, `value` and `output`, in the layer itself.

    >>> layer = nn.MultiheadAttention(8, 2)
    >>> split_layers(layer, {})
    >>> [name for name, _ in layer.named_parameters()][:2]
    ['query.weight', 'query.bias']

    What requires a gradient still does, and gradients are kept. Layers split with one memo share what they shared.
    """
    own = attention._parameters
    weights = _pieces(own.pop("in_proj_weight"), memo)
    separate = [own.pop(name) for name in SEPARATE]
    biases = _pieces(own.pop("in_proj_bias"), memo)
    output = attention._modules.pop("out_proj")
    for name, *parts in zip(LAYERS, weights, separate, biases):
        weight, bias = parts[0] if parts[1] is None else parts[1], parts[2]
        layer = nn.Linear(weight.shape[1], weight.shape[0], bias=bias is not None, device="meta")  # draws nothing
        layer.weight, layer.bias = weight, bias
        setattr(attention, name, layer.train(attention.training))
    attention.output = output
    attention.attention_dim = attention.value_dim = attention.embed_dim
    attention._qkv_same_embed_dim = False  # else PyTorch's transformer layers compute without calling it


def join_layers(attention: nn.Module, memo: Memo) -> None:
    """Undo `split_layers`.

    >>> layer = nn.MultiheadAttention(8, 2)
    >>> names = list(layer.state_dict())
    >>> split_layers(layer, {})
    >>> join_layers(layer, {})
    >>> list(layer.state_dict()) == names
    True
    """
    layers = [attention._modules.pop(name) for name in LAYERS]
    weights = [layer.weight for layer in layers]
    one_width = attention.kdim == attention.vdim == attention.embed_dim
    biases = None if layers[0].bias is None else _joined([layer.bias for layer in layers], memo)
    parameters = {"in_proj_weight": _joined(weights, memo) if one_width else None}
    parameters |= {name: None if one_width else weight for name, weight in zip(SEPARATE, weights)}
    parameters |= {"in_proj_bias": biases, **attention._parameters}  # in PyTorch's order
    attention._parameters.clear()
    attention._parameters.update(parameters)
    attention.out_proj = attention._modules.pop("output")
    del attention.attention_dim, attention.value_dim
    attention._qkv_same_embed_dim = one_width


def _pieces(packed: nn.Parameter | None, memo: Memo) -> Sequence[nn.Parameter | None]:
    if packed is None:
        return [None] * 3
    if id(packed) not in memo:
        pieces = [nn.Parameter(part.clone(), packed.requires_grad) for part in packed.detach().chunk(3)]
        if packed.grad is not None:
            for piece, grad in zip(pieces, packed.grad.chunk(3)):
                piece.grad = grad.clone()
        memo[id(packed)] = (packed, pieces)  # with the old one, so that no other gets its id
    return memo[id(packed)][1]


def _joined(pieces: list[nn.Parameter], memo: Memo) -> nn.Parameter:
    key = tuple(map(id, pieces))
    if key not in memo:
        packed = nn.Parameter(torch.cat([piece.detach() for piece in pieces]), pieces[0].requires_grad)
        if all(piece.grad is not None for piece in pieces):
            packed.grad = torch.cat([piece.grad for piece in pieces])
        memo[key] = (pieces, packed)
    return memo[key][1]
