"""The attention weights of a PyTorch module: those of each `nn.MultiheadAttention` in it, head by head."""

import inspect
from contextlib import ExitStack

from torch import Tensor, backends, no_grad
from torch.nn import TransformerEncoder


def watched_attention(module, inputs):
    """Call a module and return what each `nn.MultiheadAttention` in it looked at, unaveraged, with its name, in order.

    >>> import torch
    >>> layer = torch.nn.TransformerEncoderLayer(d_model=12, nhead=3, batch_first=True)
    >>> [(name, weights.shape) for name, weights in watched_attention(layer, torch.randn(1, 5, 12))]
    [('self_attn', torch.Size([1, 3, 5, 5]))]

    `inputs` is what the module is called with: a tensor, a tuple of arguments, or a dict of named ones. The module
    computes what it always computes, without dropout and without gradients. Raises `ValueError` where there is no
    `nn.MultiheadAttention`.
    """
    layers = {name: part for name, part in module.named_modules() if is_attention(part)}
    if not layers:
        raise ValueError(
            f"there is no nn.MultiheadAttention in {type(module).__name__}: give what it computes instead, as "
            "model(..., output_attentions=True)"
        )
    arguments, named = arguments_of(inputs)
    seen = []
    nested = [part for part in module.modules() if isinstance(part, TransformerEncoder) and part.use_nested_tensor]
    fast = backends.mha.get_fastpath_enabled()
    training = {part for part in module.modules() if part.training}
    with ExitStack() as after, no_grad():
        for name, layer in layers.items():
            for handle in _watch(layer, name, seen):
                after.callback(handle.remove)
        after.callback(lambda: [setattr(part, "training", True) for part in training])
        after.callback(lambda: [setattr(part, "use_nested_tensor", True) for part in nested])
        after.callback(backends.mha.set_fastpath_enabled, fast)
        for part in nested:
            part.use_nested_tensor = False  # it packs padded texts, and so their maps
        backends.mha.set_fastpath_enabled(False)  # it never calls what is watched
        module.eval()
        module(*arguments, **named)
    if not seen:
        raise ValueError(
            f"{type(module).__name__} did not call any of its attention for these inputs: {', '.join(layers)}"
        )
    return seen


def eager_output(model, inputs):
    """What a Hugging Face model returns with its attentions, whichever kernel it computes them with at other times.

    `inputs` are as of `watched_attention`. The model is left as it was. Raises `ValueError` where it can't compute so.
    """
    arguments, named = arguments_of(inputs)
    before, training = model.config._attn_implementation, model.training
    with ExitStack() as after, no_grad():
        after.callback(model.train, training)
        after.callback(model.set_attn_implementation, before)
        model.set_attn_implementation("eager")
        try:
            return model.eval()(*arguments, **{**named, "output_attentions": True, "return_dict": True})
        except RuntimeError as error:
            name = type(model).__name__
            raise ValueError(f"{name} fails with eager attention, which gives its maps: {error}") from error


def layers_with_attention(model):
    """The numbers of a Hugging Face model's layers that attend, from 0; None where its configuration doesn't tell."""
    kinds = getattr(model.config, "layers_block_type", None) or getattr(model.config, "layer_types", None)
    return kinds and [number for number, kind in enumerate(kinds) if "attention" in kind and "linear" not in kind]


def is_attention(module):
    """Whether a module is an `nn.MultiheadAttention`, or is called as one and gives weights of each head.

    >>> import torch
    >>> is_attention(torch.nn.MultiheadAttention(embed_dim=4, num_heads=2)), is_attention(torch.nn.Linear(2, 2))
    (True, False)
    """
    try:
        return "average_attn_weights" in inspect.signature(module.forward).parameters
    except ValueError:  # of a compiled function
        return False


def arguments_of(inputs):
    """What a module is called with, unnamed and named.

    >>> arguments_of({"input_ids": 1})
    ((), {'input_ids': 1})
    """
    if isinstance(inputs, dict) or hasattr(inputs, "keys"):  # as a tokenizer gives them
        return (), dict(inputs)
    return (inputs,) if isinstance(inputs, Tensor) else tuple(inputs), {}


def _watch(layer, name, seen):
    """Hooks that ask a layer for its weights, [b, h, q, k] or [h, q, k], and give its caller what it asked for."""
    requested = []

    def ask(_, arguments, named):
        call = inspect.signature(layer.forward).bind(*arguments, **named)
        call.apply_defaults()
        requested.append((call.arguments["need_weights"], call.arguments["average_attn_weights"]))
        call.arguments |= {"need_weights": True, "average_attn_weights": False}
        return call.args, call.kwargs

    def note(_, arguments, results):
        output, weights = results
        seen.append((name, weights))
        wanted, average = requested.pop()
        return output, (weights.mean(-3) if average else weights) if wanted else None

    return layer.register_forward_pre_hook(ask, with_kwargs=True), layer.register_forward_hook(note)
