"""Inputs brought to where a module computes: to the device of its first layer and, where floating, to its dtype."""

from itertools import chain

import torch

from manyheads.reading.looking import mapped


def brought(inputs, module):
    """Inputs with their tensors where the first layer of a module takes them; what is there already stays as it is.

    >>> x = {"ids": torch.tensor([3]), "x": torch.ones(2, dtype=torch.float64)}
    >>> {name: one.dtype for name, one in brought(x, torch.nn.Linear(2, 2)).items()}
    {'ids': torch.int64, 'x': torch.float32}

    Modules that Accelerate spread over devices place inputs themselves.
    """
    weight = first_weight(module)
    if weight is None:
        return inputs
    device = None if weight.is_meta or places_itself(module) else device_of(weight)
    dtype = weight.dtype if weight.is_floating_point() else None

    def there(tensor):
        if hasattr(tensor, "device_mesh"):  # in pieces on several devices
            return tensor
        if tensor.is_floating_point() and dtype not in (None, tensor.dtype):
            tensor = narrowed(tensor, dtype)
        return tensor if device in (None, tensor.device) else tensor.to(device)

    return mapped(inputs, there)


def first_weight(module):
    """The weight of the first layer of a module, a matrix; of a module without one its first tensor, or None."""
    weights = (getattr(part, "weight", None) for part in module.modules())
    matrices = (weight for weight in weights if isinstance(weight, torch.Tensor) and weight.ndim > 1)
    return next(chain(matrices, module.parameters(), module.buffers()), None)


def device_of(tensor):
    """Where a tensor is computed with; of one in pieces on several devices, the kind of these."""
    mesh = getattr(tensor, "device_mesh", None)
    return tensor.device if mesh is None else torch.device(mesh.device_type)


def places_itself(module):
    """Whether Accelerate's hooks bring inputs to where each part of a module is."""
    return any(hasattr(part, "_hf_hook") for part in module.modules())


def narrowed(tensor, dtype):
    """A tensor as another dtype, in which what was finite stays so, such as a mask of large numbers.

    >>> narrowed(torch.tensor([-3e38, -torch.inf]), torch.float16)
    tensor([-65504.,    -inf], dtype=torch.float16)
    """
    limits = torch.finfo(dtype)
    finite = tensor.clamp(limits.min, limits.max)
    return torch.where(tensor.isinf(), tensor, finite).to(dtype)
