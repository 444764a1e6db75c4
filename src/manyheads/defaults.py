"""Our models compute where they're put, in float32, whatever a reader has set for new tensors."""

import inspect
from contextlib import contextmanager
from functools import wraps
from typing import TypeVar

import torch
from torch import nn

Model = TypeVar("Model")


@contextmanager
def new_tensors(device="cpu", dtype=torch.float32):
    """Within this, new tensors stand on this device, and floating ones are of this dtype.

    >>> with new_tensors(dtype=torch.float64):
    ...     torch.ones(1).dtype
    torch.float64
    >>> torch.ones(1).dtype
    torch.float32
    """
    before = torch.get_default_dtype()
    torch.set_default_dtype(dtype)
    try:
        with torch.device(device):
            yield
    finally:
        torch.set_default_dtype(before)


def where_it_is(head_model: type[Model]) -> type[Model]:
    """Let the public methods of a class of head models make their tensors where the model is. Returns the class.

    The model is the module itself, or its `model`.
    """
    for name, method in list(vars(head_model).items()):
        if inspect.isfunction(method) and (name == "__call__" or not name.startswith("_")):
            setattr(head_model, name, _there(method))
    return head_model


def _there(method):
    @wraps(method)
    def run(self, *arguments, **named):
        module = self if isinstance(self, nn.Module) else self.model
        with new_tensors(next(module.parameters()).device):
            return method(self, *arguments, **named)

    return run
