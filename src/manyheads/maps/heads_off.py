"""Heads of somebody's own model turned off: their part of what the output projection reads becomes zero."""

import torch

from manyheads.maps.axes import heads_of
from manyheads.maps.parts import by_stack

# What modules call the layer that mixes their heads, W^O.
OUTPUTS = (
    *("o_proj", "out_proj", "c_proj", "out_lin", "output.dense", "attention.output.dense", "o", "wo", "w_o", "W_o"),
    *("proj", "proj_out", "to_out.0", "to_out", "dense", "out"),
)


def output_projections(module):
    """The layers that mix heads, by the part of the model and by number, each with the module whose heads it mixes.

    >>> both = torch.nn.Transformer(d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> {name: list(layers) for name, layers in output_projections(both).items()}
    {'encoder': [0], 'decoder': [0], 'cross': [0]}
    """
    found = [
        (name, (part, output)) for name, part in module.named_modules() if (output := _output_of(part)) is not None
    ]
    names = [f"{name}." for name, _ in found]
    innermost = [  # a block that holds an attention mixes no heads itself
        (name.replace("_orig_mod.", ""), pair)
        for name, pair in found
        if not any(other != f"{name}." and other.startswith(f"{name}." if name else "") for other in names)
    ]
    stacks = by_stack(innermost)
    return {name: layers if isinstance(layers, dict) else dict(enumerate(layers)) for name, layers in stacks.items()}


def turn_off(module, part, numbers, head_mask):
    """Turns off the heads for which `head_mask`, [layer][head], is False, in the layers of these numbers of a part.

    Of all its layers, where `numbers` is None.
    It adds hooks and replaces parameters: do it where `looked_at` puts them back. Raises `ValueError` where the layer
    that mixes the heads isn't known.
    """
    layers = output_projections(module).get(part, {})
    numbers = sorted(layers) if numbers is None else numbers
    for place, on in enumerate(head_mask):
        if all(on):
            continue
        number = numbers[place] if len(numbers) == len(head_mask) else None
        if number not in layers:
            raise ValueError(
                f"heads of a {type(module).__name__} can't be turned off: the layer that mixes them has none of these "
                f"names: {', '.join(OUTPUTS)}"
            )
        _silence(*layers[number], torch.tensor(on))


def _output_of(part):
    if heads_in(part) is None:
        return None
    for name in OUTPUTS:
        try:
            return part.get_submodule(name)
        except AttributeError:
            continue
    return None


def heads_in(part):
    """How many heads a module has, by what it, the part of it that attends, or their configuration says; else None.

    >>> heads_in(torch.nn.MultiheadAttention(embed_dim=4, num_heads=2)), heads_in(torch.nn.Linear(2, 2))
    (2, None)
    """
    attending = (part, getattr(part, "self", None), getattr(part, "attention", None))
    return next((count for count in map(heads_of, attending) if count is not None), None)


def _silence(part, output, on):  # on [h], True for a head that stays
    if isinstance(part, torch.nn.MultiheadAttention):  # it reads the weight, and never calls the layer
        weight = output.weight
        if hasattr(weight, "device_mesh"):
            raise ValueError("heads of an nn.MultiheadAttention can't be turned off while its parameters are sharded")
        width = weight.shape[1] // len(on)
        kept = on.to(weight.device).repeat_interleave(width)
        output._parameters["weight"] = torch.nn.Parameter(weight.detach() * kept, requires_grad=False)
        return

    def without(_, arguments):
        (heads, *others) = arguments
        kept = on.to(heads.device).repeat_interleave(heads.shape[-1] // len(on))
        return (heads * kept, *others)

    output.register_forward_pre_hook(without)
