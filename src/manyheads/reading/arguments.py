"""What a module is called with: its inputs as arguments, copied, and brought to where it computes."""

import copy
import inspect
from collections.abc import MutableMapping
from itertools import chain

import torch

from manyheads.reading.signatures import fit_arguments

DECODER_TOO = (
    "a {} is an encoder and a decoder that reads a text of its own: give inputs=dict(input_ids=..., "
    "decoder_input_ids=...), or labels"
)


def call_module(module, inputs, **more):
    """What a module returns for a copy of the inputs, brought to where it is."""
    arguments, named = bring(copy_inputs(fit_arguments(module, *arguments_of(inputs))), module)
    try:
        return module(*arguments, **{**named, **more})
    except ValueError as error:
        if "decoder_input" in str(error) or "input_ids or inputs_embeds" in str(error):
            raise ValueError(DECODER_TOO.format(type(module).__name__)) from error
        raise


def arguments_of(inputs):
    """What a module is called with, unnamed and named.

    >>> arguments_of({"input_ids": 1})
    ((), {'input_ids': 1})
    """
    if isinstance(inputs, dict) or hasattr(inputs, "keys"):  # as a tokenizer gives them
        return (), dict(inputs)
    return (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs), {}


def name_arguments(module, inputs):
    """The inputs by the names of the module's parameters, as far as it names them.

    >>> sorted(name_arguments(torch.nn.Linear(2, 2), [torch.ones(1, 2)]))
    ['input']
    """
    arguments, named = arguments_of(inputs)
    try:
        return dict(inspect.signature(module.forward).bind_partial(*arguments).arguments) | named
    except (TypeError, ValueError):  # too many, or of a compiled function
        return named


def texts_in(inputs):
    """How many texts the inputs hold: the first axis of what has one for them, else one.

    >>> texts_in(torch.ones(2, 7, dtype=int)), texts_in((torch.ones(7, 32),)), texts_in({"x": torch.ones(3, 1, 4, 4)})
    (2, 1, 3)
    """
    values = tensors_in(arguments_of(inputs))
    batched = (len(value) for value in values if value.ndim > (1 if not value.is_floating_point() else 2))
    return next(batched, 1)


def tokens_cached(module, inputs):
    """How many tokens were read before, into the cache among the inputs of a module; None without a cache.

    >>> from types import SimpleNamespace
    >>> tokens_cached(torch.nn.Linear(2, 2), {"past_key_values": SimpleNamespace(get_seq_length=lambda: 5)})
    5
    """
    cache = name_arguments(module, inputs).get("past_key_values")
    return int(cache.get_seq_length()) if hasattr(cache, "get_seq_length") else None


def take_first_text(inputs, texts):
    """The first text of inputs that hold so many.

    >>> [len(value) for value in take_first_text((torch.ones(3, 7), torch.ones(7, 7)), texts=3)]
    [1, 7]
    """
    if isinstance(inputs, torch.Tensor):
        return inputs[:1] if inputs.ndim and len(inputs) == texts else inputs
    if hasattr(inputs, "keys"):
        return {name: take_first_text(value, texts) for name, value in dict(inputs).items()}
    return type(inputs)(take_first_text(value, texts) for value in inputs) if type(inputs) in (list, tuple) else inputs


def copy_inputs(inputs):
    """Inputs that a model may write to, such as a cache that grows as it's read.

    >>> given = {"x": torch.ones(2), "pair": [torch.zeros(1), "tea"]}
    >>> taken = copy_inputs(given)
    >>> taken["x"].add_(1), given["x"]
    (tensor([2., 2.]), tensor([1., 1.]))
    """
    if hasattr(inputs, "get_seq_length") and not isinstance(inputs, type):
        cache = copy.copy(inputs)  # of Hugging Face, with layers that hold tensors
        vars(cache).update(copy_inputs(vars(inputs)))
        return cache
    return map_tensors(inputs, lambda tensor: tensor.detach().clone(), copy_inputs)


def map_tensors(inputs, change, again=None):
    """Inputs with a change made to their tensors, in tuples, lists and dicts, of any kind, as well.

    >>> map_tensors(({"x": torch.ones(2)}, "tea"), lambda tensor: tensor + 1)
    ({'x': tensor([2., 2.])}, 'tea')
    """
    again = again or (lambda value: map_tensors(value, change))
    if isinstance(inputs, torch.Tensor):
        return change(inputs)
    if isinstance(inputs, MutableMapping):
        taken = copy.copy(inputs)
        for name, value in inputs.items():
            taken[name] = again(value)
        return taken
    return type(inputs)(again(value) for value in inputs) if type(inputs) in (list, tuple) else inputs


def bring(inputs, module):
    """Inputs with their tensors where the first layer of a module takes them; what is there already stays as it is.

    >>> x = {"ids": torch.tensor([3]), "x": torch.ones(2, dtype=torch.float64)}
    >>> {name: one.dtype for name, one in bring(x, torch.nn.Linear(2, 2)).items()}
    {'ids': torch.int64, 'x': torch.float32}

    Modules that Accelerate spread over devices place inputs themselves.
    """
    weight = first_weight(module)
    if weight is None:
        return inputs
    places_itself = any(hasattr(part, "_hf_hook") for part in module.modules())
    mesh = getattr(weight, "device_mesh", None)  # of one in pieces on several devices
    device = weight.device if mesh is None else torch.device(mesh.device_type)
    device = None if weight.is_meta or places_itself else device
    dtype = weight.dtype if weight.is_floating_point() else None

    def placed(tensor):
        if hasattr(tensor, "device_mesh"):  # in pieces on several devices
            return tensor
        if tensor.is_floating_point() and dtype not in (None, tensor.dtype):
            tensor = narrow(tensor, dtype)
        return tensor if device in (None, tensor.device) else tensor.to(device)

    return map_tensors(inputs, placed)


def first_weight(module):
    """The weight of the first layer of a module, a matrix; of a module without one its first tensor, or None."""
    weights = (getattr(part, "weight", None) for part in module.modules())
    matrices = (weight for weight in weights if isinstance(weight, torch.Tensor) and weight.ndim > 1)
    return next(chain(matrices, module.parameters(), module.buffers()), None)


def narrow(tensor, dtype):
    """A tensor as another dtype, in which what was finite stays so, such as a mask of large numbers.

    >>> narrow(torch.tensor([-3e38, -torch.inf]), torch.float16)
    tensor([-65504.,    -inf], dtype=torch.float16)
    """
    limits = torch.finfo(dtype)
    finite = tensor.clamp(limits.min, limits.max)
    return torch.where(tensor.isinf(), tensor, finite).to(dtype)


def tensors_in(values):
    """The tensors within tuples, lists and dicts."""
    return (value for value in flat(values) if isinstance(value, torch.Tensor))


def flat(values):
    """What is within tuples, lists and dicts."""
    if isinstance(values, dict):
        values = values.values()
    for value in values:
        if isinstance(value, (tuple, list, dict)):
            yield from flat(value)
        else:
            yield value
