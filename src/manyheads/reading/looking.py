"""Looking at a model changes nothing: whatever a look may change is put back, also after an error or Ctrl-C."""

import copy
import random
import sys
import threading
from contextlib import contextmanager

import numpy as np
import torch

_ONE_AT_A_TIME = threading.RLock()  # two looks at one model would take each other's changes for how it was
LONGEST = 4096  # entries of a list or dict in which caches are looked for: vocabularies have more
REGISTERED = ("_parameters", "_buffers", "_modules")  # where a module has what is kept by itself


@contextmanager
def leave_untouched(module):
    """Within this, a module computes without dropout and gradients; afterwards it is as it was.

    >>> layer = torch.nn.TransformerEncoderLayer(d_model=12, nhead=3)
    >>> _ = layer.norm1.eval()
    >>> with leave_untouched(layer):
    ...     layer.training, layer.norm2.training
    (False, False)
    >>> layer.training, layer.norm2.training, layer.norm1.training
    (True, True, False)

    Put back are the attributes of each part (training, hooks, what it counts), parameters and buffers (those that are
    replaced, buffers that are written to), its configurations, random numbers (PyTorch's, NumPy's and Python's, and a
    part's own `torch.Generator`), and PyTorch's switches. So are caches: tensors in an attribute, also in lists and
    dicts there, and what an object holds that has tensors or is a cache of Hugging Face. What other objects count, and
    what lies deeper within them, isn't. A model that FSDP2 shards is sharded again by FSDP2 itself.

    `train` and `eval` aren't called, since some modules merge weights in them. One thread looks at a time; another
    that trains the same model meanwhile finds it in evaluation mode.
    """
    with _ONE_AT_A_TIME:
        parts = [*dict.fromkeys(module.modules())]
        training = [(part, part.training) for part in parts]
        put_back = [_keep_shards(parts)]
        sharded = {inner for part in parts if _shards(part) for inner in part.modules()}
        put_back += [_keep(part, () if part not in sharded else ("_parameters",)) for part in parts]
        put_back += [_keep(config) for config in configurations_of(parts)]
        put_back += [_keep_values([*part.buffers(recurse=False)]) for part in parts]
        put_back += [*_keep_caches(parts), _keep_random_numbers(), _keep_switches()]
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


def _keep(thing, others=()):
    """Keeps the attributes of a thing but `others`, and what its lists and dicts hold; returns what puts them back."""
    attributes = vars(thing)
    before = {name: value for name, value in attributes.items() if name not in others}
    held = [(value, copy.copy(value)) for value in _containers(before.values())]

    def put_back():
        for value, then in held:
            if _same(value, then):  # some kinds of dicts can't be written to
                continue
            if isinstance(value, list):
                value[:] = then
            else:
                value.clear()
                value.update(then)
        for name in [name for name in attributes if name not in (*before, *others)]:
            del attributes[name]
        attributes.update(before)

    return put_back


def _same(container, other):
    """Whether two lists, dicts or sets hold the very same things."""
    if isinstance(container, dict) and list(container) != list(other):
        return False
    both = [container.values(), other.values()] if isinstance(container, dict) else [container, other]
    ids = [list(map(id, values)) for values in both]
    return set(ids[0]) == set(ids[1]) if isinstance(container, set) else ids[0] == ids[1]


def _containers(values):
    """The lists, dicts and sets among values, and those within them, each once."""
    waiting, found = [*values], {}
    while waiting:
        value = waiting.pop()
        if isinstance(value, (dict, list, set, tuple)) and id(value) not in found:
            found[id(value)] = value
            waiting += _entries(value)
    return [value for value in found.values() if not isinstance(value, tuple)]


def _entries(container):
    """What a list, tuple or dict holds, unless it's too long to be a cache."""
    if len(container) > LONGEST or isinstance(container, set):
        return []
    return [*container.values()] if isinstance(container, dict) else [*container]


def _keep_shards(parts):
    """Lets FSDP2 shard again what it gathered, or gather what it sharded: it alone knows which it has."""
    sharded = [part for part in parts if _shards(part)]
    before = [list(map(id, part.parameters())) for part in sharded]
    gathered = [not any(hasattr(one, "device_mesh") for one in part.parameters()) for part in sharded]

    def put_back():
        for part, then, whole in zip(sharded, before, gathered):
            if list(map(id, part.parameters())) != then:
                part.unshard() if whole else part.reshard()

    return put_back


def _shards(part):
    """Whether FSDP2 shards the parameters of a part of a model."""
    fsdp = sys.modules.get("torch.distributed.fsdp")  # there only where somebody shards
    return isinstance(part, getattr(fsdp, "FSDPModule", ()))


def _keep_values(tensors):
    """Keeps the numbers of tensors that a call may write into."""
    present = [tensor for tensor in tensors if not tensor.is_meta]
    before = [
        (tensor, None if tensor.is_inference() else tensor._version, tensor.detach().clone()) for tensor in present
    ]

    def put_back():
        for tensor, version, values in before:
            if version is None or tensor._version != version:
                with torch.inference_mode(tensor.is_inference()), torch.no_grad():
                    tensor.copy_(values)

    return put_back


def _keep_caches(parts):
    """Keeps what parts hold beside parameters and buffers: tensors, and the objects that have some."""
    waiting = [value for part in parts for name, value in vars(part).items() if name not in REGISTERED]
    known, tensors, put_back = {}, [], []
    while waiting:
        value = waiting.pop()
        if id(value) in known:
            continue
        known[id(value)] = value
        if isinstance(value, torch.nn.Parameter):
            continue
        if isinstance(value, torch.Tensor):
            tensors.append(value)
        elif isinstance(value, torch.Generator):
            put_back.append(_keep_state(value))
        elif isinstance(value, (dict, list, tuple)):
            waiting += _entries(value)
        elif _is_cache(value):
            put_back.append(_keep(value))
            waiting += vars(value).values()
    return [*put_back, _keep_values(tensors)]


def _is_cache(thing):
    """Whether an object is a cache: one of Hugging Face, or one's own with tensors in its attributes."""
    if not hasattr(thing, "__dict__") or callable(thing) or type(thing).__module__.startswith("torch."):
        return False
    if hasattr(thing, "get_seq_length"):
        return True
    attributes = [*vars(thing).values()]
    within = [entry for value in attributes if isinstance(value, (dict, list, tuple)) for entry in _entries(value)]
    return any(isinstance(value, torch.Tensor) for value in (*attributes, *within))


def _keep_state(generator):
    state = generator.get_state()
    return lambda: generator.set_state(state)


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
