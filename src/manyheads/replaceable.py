"""What would be lost where one attention takes the place of another: found before anything is replaced."""

import gc
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping

from torch import nn
from torch.optim import Optimizer

from manyheads.conversions import LAYERS, SEPARATE

PACKED = ("in_proj_weight", "in_proj_bias")
HOOKS = ("_forward_hooks", "_forward_pre_hooks", "_backward_hooks", "_backward_pre_hooks")


def refuse_to_replace(module: nn.Module, layers: Mapping[str, nn.MultiheadAttention], *, subclasses: bool) -> None:
    """Raise `ValueError` if `replace_attention` would change what these layers of a module do, or break a tie.

    >>> class Rotary(nn.MultiheadAttention):
    ...     def forward(self, *texts): ...
    >>> refuse_to_replace(nn.Module(), {"0.self_attn": Rotary(8, 2)}, subclasses=False)
    Traceback (most recent call last):
    ValueError: nothing was replaced. 0.self_attn is Rotary, with a forward of its own, which would be lost: \
replace it all the same with subclasses=True
    """
    complaints = [
        f"{name or 'the module'} {why}" for name, layer in layers.items() for why in _unlike_torch(layer, subclasses)
    ]
    owned = {id(parameter): name for name, parameter in _parts(layers, PACKED)}
    complaints += [
        f"{owned[id(parameter)]} is also {name}, and would be two: untie them before"
        for name, parameter in _others(module, set(layers.values()))
        if id(parameter) in owned
    ]
    _refuse("nothing was replaced", complaints)


def refuse_to_restore(module: nn.Module, layers: Mapping[str, nn.Module]) -> None:
    """Raise `ValueError` if `nn.MultiheadAttention` can't hold what these layers of a module have.

    >>> from manyheads.conversions import split_layers
    >>> layer = nn.MultiheadAttention(8, 2)
    >>> split_layers(layer, {})
    >>> layer.key = nn.Identity()
    >>> refuse_to_restore(layer, {"self_attn": layer})
    Traceback (most recent call last):
    ValueError: nothing was restored. self_attn.key is Identity, and must be nn.Linear: merge it into one before
    """
    complaints = [complaint for name, layer in layers.items() for complaint in _unlike_ours(name, layer)]
    if not complaints:
        complaints = list(_ties_between(module, layers))
    _refuse("nothing was restored", complaints)


def warn_of_optimizers(before: Iterable[nn.Parameter], module: nn.Module) -> None:
    """Warn of optimizers that hold some of the parameters from before, where the module no longer has them."""
    kept = {id(parameter) for parameter in module.parameters()}
    gone = {id(parameter) for parameter in before} - kept
    for optimizer in [found for found in gc.get_objects() if issubclass(type(found), Optimizer)] if gone else ():
        held = [parameter for group in optimizer.param_groups for parameter in group["params"]]
        lost = sum(id(parameter) in gone for parameter in held)
        if lost:
            warnings.warn(
                f"{type(optimizer).__name__} was made before: {lost} of its {len(held)} tensors are no longer the "
                "module's, and the new ones in their place would not be trained. Make the optimizer anew.",
                stacklevel=3,
            )


def _unlike_torch(layer: nn.MultiheadAttention, subclasses: bool) -> Iterator[str]:
    kind = type(layer)
    own = layer._parameters
    if "forward" in vars(layer):
        yield "has another forward set on it, which would be called in place of ours: delete that before"
    if not {*PACKED, *SEPARATE} <= own.keys():
        yield (
            "computes its in_proj weights (a parametrization, weight norm or pruning): remove that before, as with "
            "torch.nn.utils.parametrize.remove_parametrizations"
        )
    elif any(own[name] is not None and _has_hooks(own[name]) for name in PACKED):
        yield "has hooks on its in_proj parameters, which would be lost: remove them before"
    if kind.forward is not nn.MultiheadAttention.forward and not subclasses:
        yield (
            f"is {kind.__name__}, with a forward of its own, which would be lost: replace it all the same with "
            "subclasses=True"
        )
    if getattr(type(layer.out_proj), "forward", None) is not nn.Linear.forward:
        yield (
            f"has {type(layer.out_proj).__name__} as out_proj, which PyTorch's attention doesn't call and ours would: "
            "put an nn.Linear in its place before"
        )


def _unlike_ours(name: str, layer: nn.Module) -> Iterator[str]:
    widths = {"query": layer.embed_dim, "key": layer.kdim, "value": layer.vdim}
    linears = {part: getattr(layer, part) for part in LAYERS}
    plain = True
    for part, linear in linears.items():
        complaint = _unlike_linear(linear, (layer.embed_dim, widths[part]))
        if complaint:
            plain = False
            yield f"{_dotted(name, part)} {complaint}"
    if not plain:
        return
    name = name or "the module"
    if len({linear.bias is None for linear in linears.values()}) > 1:
        yield f"{name} has a bias for some of query, key and value: give all of them one, which may be zeros"
        return
    one_width = set(widths.values()) == {layer.embed_dim}
    for kind in ("weight", "bias") if one_width else ("bias",):
        pieces = [getattr(linear, kind) for linear in linears.values()]
        if len({piece is not None and piece.requires_grad for piece in pieces}) > 1:
            yield f"{name} has the {kind} of some of query, key and value frozen: freeze all of them or none"


def _unlike_linear(linear: nn.Module, shape: tuple[int, int]) -> str | None:
    if type(linear) is not nn.Linear:
        return f"is {type(linear).__name__}, and must be nn.Linear: merge it into one before"
    if linear._parameters.get("weight") is None or set(linear._parameters) != {"weight", "bias"}:
        return "computes its weight (weight norm or pruning): make that permanent before"
    if linear.weight.shape != shape:
        return f"must have a weight of {list(shape)}, got {list(linear.weight.shape)}"
    if any(getattr(linear, kind) for kind in HOOKS) or any(map(_has_hooks, linear.parameters())):
        return "has hooks, which would be lost: remove them before"
    return None


def _has_hooks(parameter: nn.Parameter) -> bool:
    return bool(parameter._backward_hooks or parameter._post_accumulate_grad_hooks)


def _ties_between(module: nn.Module, layers: Mapping[str, nn.Module]) -> Iterator[str]:
    """Parameters that would be in one of PyTorch's, and somewhere else."""
    places: dict[int, dict[object, str]] = {}
    projections = {getattr(layer, part) for layer in layers.values() for part in LAYERS}
    for name, layer in layers.items():
        one_width = layer.kdim == layer.vdim == layer.embed_dim
        for kind in ("weight", "bias") if one_width else ("bias",):
            pieces = {part: getattr(getattr(layer, part), kind) for part in LAYERS}
            together = tuple(map(id, pieces.values()))
            for part, piece in pieces.items():
                if piece is not None:
                    places.setdefault(id(piece), {})[together, part] = _dotted(name, part, kind)
    for name, parameter in _others(module, projections):
        if id(parameter) in places:
            places[id(parameter)][name] = name
    for names in places.values():
        if len(names) > 1:
            yield f"{' and '.join(names.values())} are one, and would be two: untie them before"


def _parts(layers: Mapping[str, nn.Module], names: Collection[str]) -> Iterator[tuple[str, nn.Parameter]]:
    for prefix, layer in layers.items():
        for name in names:
            if (parameter := layer._parameters.get(name)) is not None:
                yield _dotted(prefix, name), parameter


def _others(module: nn.Module, layers: Collection[nn.Module]) -> Iterator[tuple[str, nn.Parameter]]:
    """The parameters that lie directly in other modules than these layers."""
    for name, part in module.named_modules():
        if part not in layers:
            yield from _parts({name: part}, list(part._parameters))


def _dotted(*names: str) -> str:
    return ".".join(filter(None, names))


def _refuse(what: str, complaints: list[str]) -> None:
    if complaints:
        raise ValueError(f"{what}. {'; '.join(complaints)}")
