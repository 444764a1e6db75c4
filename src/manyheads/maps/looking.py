"""Looking at a model changes nothing: whatever a look may change is put back, also after an error or Ctrl-C."""

import copy
import random
import threading
from contextlib import contextmanager

import numpy as np
import torch

_ONE_AT_A_TIME = threading.RLock()  # two looks at one model would take each other's changes for how it was


@contextmanager
def looked_at(module):
    """Within this, a module computes without dropout and gradients; afterwards all of it is as it was.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=12, nhead=3)
    >>> _ = layer.norm1.eval()
    >>> with looked_at(layer):
    ...     layer.training, layer.norm2.training
    (False, False)
    >>> layer.training, layer.norm2.training, layer.norm1.training
    (True, True, False)

    Put back are the attributes of each part (training, hooks, what it counts or keeps), parameters and buffers (those
    that are replaced, buffers that are written to), its configurations, random numbers and PyTorch's switches.
    `train` and `eval` aren't called, since some modules merge weights in them. One thread looks at a time.
    """
    with _ONE_AT_A_TIME:
        parts = [*dict.fromkeys(module.modules())]
        training = [(part, part.training) for part in parts]
        put_back = [_keep(thing) for thing in (*parts, *configurations_of(parts))]
        put_back += [_keep_values(part) for part in parts] + [_keep_random_numbers(), _keep_switches()]
        try:
            for part in parts:
                part.training = False
            with torch.no_grad():
                yield module
        finally:
            for part, was in training:
                part.training = was
            for one in put_back:
                one()


def copied(inputs):
    """Inputs that a model may write to, such as a cache that grows as it's read.

    >>> given = {"x": torch.ones(2), "pair": [torch.zeros(1), "tea"]}
    >>> taken = copied(given)
    >>> taken["x"].add_(1), given["x"]
    (tensor([2., 2.]), tensor([1., 1.]))
    """
    if isinstance(inputs, torch.Tensor):
        return inputs.detach().clone()
    if isinstance(inputs, dict):
        return {name: copied(value) for name, value in inputs.items()}
    if type(inputs) in (list, tuple):
        return type(inputs)(copied(value) for value in inputs)
    if not hasattr(inputs, "get_seq_length"):
        return inputs
    cache = copy.copy(inputs)  # of Hugging Face, with layers that hold tensors
    vars(cache).update(copied(vars(inputs)))
    return cache


def configurations_of(parts):
    """The configurations of modules and those within them, such as a text model's and an image model's."""
    waiting = [getattr(part, "config", None) for part in parts]
    found = {}
    while waiting:
        config = waiting.pop()
        if hasattr(config, "to_dict") and id(config) not in found:
            found[id(config)] = config
            waiting += vars(config).values()
    return list(found.values())


def _keep(thing):
    """Keeps the attributes of a thing, and what its lists and dicts hold; returns what puts them back."""
    attributes = vars(thing)
    before = dict(attributes)
    held = [(value, copy.copy(value)) for value in before.values() if isinstance(value, (dict, list, set))]

    def put_back():
        for value, then in held:
            if isinstance(value, list):
                value[:] = then
            else:
                value.clear()
                value.update(then)
        for name in [name for name in attributes if name not in before]:
            del attributes[name]
        attributes.update(before)

    return put_back


def _keep_values(part):
    """Keeps the numbers of a module's own buffers, which a call may write into."""
    buffers = [buffer for buffer in part.buffers(recurse=False) if not buffer.is_meta]
    before = [(buffer, buffer._version, buffer.detach().clone()) for buffer in buffers if not buffer.is_inference()]

    def put_back():
        with torch.no_grad():
            for buffer, version, values in before:
                if buffer._version != version:
                    buffer.copy_(values)

    return put_back


def _keep_random_numbers():
    python, arrays, tensors = random.getstate(), np.random.get_state(), torch.get_rng_state()  # noqa: NPY002
    cuda = torch.cuda.get_rng_state_all() if torch.cuda.is_initialized() else None

    def put_back():
        random.setstate(python)
        np.random.set_state(arrays)  # noqa: NPY002
        torch.set_rng_state(tensors)
        if cuda is not None:
            torch.cuda.set_rng_state_all(cuda)

    return put_back


def _keep_switches():
    fast = torch.backends.mha.get_fastpath_enabled()
    return lambda: torch.backends.mha.set_fastpath_enabled(fast)
