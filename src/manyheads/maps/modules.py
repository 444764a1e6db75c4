"""What a module looks at, whatever it is and whatever is around it.

A Hugging Face model hands out its attentions when it computes eagerly. Of all other modules, and of what such a model
keeps to itself, `Watch` sees the calls.
"""

import inspect
import re
from dataclasses import replace

import torch

from manyheads.maps.inputs_from import fitted
from manyheads.maps.looking import copied, looked_at
from manyheads.maps.outputs import attentions_in, has_outputs, of_output
from manyheads.maps.parts import Part, by_stack, numbered, tower
from manyheads.maps.patches import tells_of_patches
from manyheads.maps.watching import Watch

DECODER_TOO = (
    "a {} is an encoder and a decoder that reads a text of its own: give inputs=dict(input_ids=..., "
    "decoder_input_ids=...), or labels"
)
CALLED_AGAIN = (
    "{name} attends {count} times, for inputs that are read one beside another or step by step: give that part of the "
    "model as the module, with the inputs of one call"
)
BESIDE = "Not all of these are layers that build on each other: {}. Some read side by side."
NOT_SEEN = "{} is computed by {}, which gives no weights: it's left out."
BATCH_FIRST = (
    "These layers read [sequence, batch, width], so this is one token of {texts} texts; with batch_first=True, or "
    "inputs.transpose(0, 1), it's one text."
)
FAST_PATH = (
    "PyTorch's fast path skips what was put on these layers, so the model computes something else than is shown."
)


def of_module(module, inputs, batch=0, before=None, groups=None):
    """The parts of a module that is called with `inputs`, by name: what each of their layers looks at.

    >>> from torch import nn, ones
    >>> both = nn.Transformer(d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> list(of_module(both, (ones(1, 3, 4), ones(1, 2, 4))))
    ['encoder', 'decoder', 'cross']

    `inputs` are a tensor, a tuple of arguments, or a dict of named ones. The module computes what it always computes,
    without dropout and without gradients; it's left as it was, as are the inputs. `before` is called with the module
    before it computes; what it changes is put back. Of a long text, weights are summed over `groups` of tokens.

    Raises `ValueError` where no
    attention is seen, with what to do about it.
    """
    texts = texts_in(inputs)
    with looked_at(module):
        for model in models_in(module):
            set_kernel(model, "eager" if groups is None else "sdpa")
        if before is not None:
            before(module)
        whole = is_hugging_face(module) and groups is None and all_eager(module)
        if whole and not has_towers(module):
            output = called_eagerly(module, inputs)
            parts = parts_of_output(output, batch, texts)
            if parts and are_weights(parts):
                return described(parts, module, output)
        with Watch(module, texts, groups) as watch:
            output = called_eagerly(module, inputs) if whole else called(module, inputs)
        looks = texts_before_heads(watch.looks, module, inputs, texts)
        notes = (FAST_PATH,) * fast_path_differs(module, inputs, output) + batch_second(module, inputs)
    parts = parts_of_output(output, batch, texts) if whole and has_towers(module) else {}
    parts = with_towers(parts, looks, texts) if parts else of_looks(looks, texts)
    if not parts:
        raise ValueError(why_nothing(module, watch.unknown))
    unseen = tuple(NOT_SEEN.format(place or type(module).__name__, kernel) for kernel, place in watch.unknown.items())
    return described(parts, module, output, (*notes, *unseen))


def called(module, inputs, **more):
    """What a module returns for a copy of the inputs."""
    arguments, named = fitted(module, *arguments_of(copied(inputs)))
    return module(*arguments, **{**named, **more})


def called_eagerly(model, inputs):
    """What a Hugging Face model returns with its attentions."""
    name = type(model).__name__
    try:
        return called(model, inputs, output_attentions=True, return_dict=True)
    except RuntimeError as error:
        raise ValueError(f"{name} fails with eager attention, which gives its maps: {error}") from error
    except ValueError as error:
        if "decoder_input" in str(error) or "input_ids or inputs_embeds" in str(error):
            raise ValueError(DECODER_TOO.format(name)) from error
        raise


def arguments_of(inputs):
    """What a module is called with, unnamed and named.

    >>> arguments_of({"input_ids": 1})
    ((), {'input_ids': 1})
    """
    if isinstance(inputs, dict) or hasattr(inputs, "keys"):  # as a tokenizer gives them
        return (), dict(inputs)
    return (inputs,) if isinstance(inputs, torch.Tensor) else tuple(inputs), {}


def named_inputs(module, inputs):
    """The inputs by the names of the module's parameters, as far as it names them.

    >>> sorted(named_inputs(torch.nn.Linear(2, 2), [torch.ones(1, 2)]))
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
    arguments, named = arguments_of(inputs)
    values = [value for value in (*arguments, *named.values()) if isinstance(value, torch.Tensor)]
    batched = (len(value) for value in values if value.ndim > (1 if not value.is_floating_point() else 2))
    return next(batched, 1)


def is_hugging_face(module):
    """Whether a module is a Hugging Face model, or passes for one, as those of peft do."""
    return hasattr(module, "set_attn_implementation") and hasattr(module, "config")


def models_in(module):
    """The outermost Hugging Face models of a module."""
    if is_hugging_face(module):
        return [module]
    return [model for child in module.children() for model in models_in(child)]


def set_kernel(model, name):
    """Lets a Hugging Face model compute its attention by this kernel, or eagerly where it has no other."""
    try:
        model.set_attn_implementation(name)
    except ValueError:
        model.set_attn_implementation("eager")


def all_eager(model):
    """Whether a Hugging Face model computes eagerly. Falcon stays on sdpa, whose masks its eager weights misread."""
    kinds = (getattr(part.config, "_attn_implementation", "eager") for part in model.modules() if is_hugging_face(part))
    return all(kind in ("eager", None) for kind in kinds)


def are_weights(parts):
    """Whether what a Hugging Face model hands out is weights, and not scores before their softmax."""
    layers = [layer for part in parts.values() for layer in part.layers if layer is not None]
    return all(isinstance(layer, torch.Tensor) and layer.ndim == 4 and not (layer < 0).any() for layer in layers)


def has_towers(model):
    """Whether a Hugging Face model has models in it that read different things, each with a configuration."""
    return any(getattr(model.config, name, None) is not None for name in getattr(model.config, "sub_configs", ()))


def parts_of_output(output, batch, texts):
    """The parts of a Hugging Face output; none where it holds no attentions."""
    return of_output(output, batch, texts) if attentions_in(output) or has_outputs(output) else {}


def of_looks(looks, texts):
    """What was seen as parts, by the names of the modules that looked."""
    looks = calls_joined(heads_joined(looks))
    return {name: part_of_stack(stack, texts) for name, stack in by_stack((look.name, look) for look in looks).items()}


def texts_before_heads(looks, module, inputs, texts):
    """Looks with texts before heads, where one axis is for both: what a module looks at in one text alone tells."""
    if texts == 1 or all(look.by_text for look in looks):
        return looks
    try:
        with Watch(module) as alone:
            called(module, one_text(copied(inputs), texts))
    except ValueError:  # even then it isn't known what are heads
        raise
    except Exception:  # inputs of which one text can't be had: heads after texts, as almost everywhere
        return looks
    if [look.name for look in looks] != [look.name for look in alone.looks]:
        return looks
    found = []
    for look, one in zip(looks, alone.looks):
        if not look.by_text and look.weights.shape == (texts, *one.weights.shape[1:]):
            turned = look.weights.flatten(0, 1).unflatten(0, (-1, texts)).transpose(0, 1)
            far = [(weights[:1] - one.weights).abs().max() for weights in (look.weights, turned)]
            look = look if far[0] <= far[1] else replace(look, weights=turned)
        found.append(look)
    return found


def one_text(inputs, texts):
    """The first text of inputs that hold so many.

    >>> [len(value) for value in one_text((torch.ones(3, 7), torch.ones(7, 7)), texts=3)]
    [1, 7]
    """
    if isinstance(inputs, torch.Tensor):
        return inputs[:1] if inputs.ndim and len(inputs) == texts else inputs
    if hasattr(inputs, "keys"):
        return {name: one_text(value, texts) for name, value in dict(inputs).items()}
    return type(inputs)(one_text(value, texts) for value in inputs) if type(inputs) in (list, tuple) else inputs


def heads_joined(looks):
    """Looks of which those of modules that are one head each, and are called with the same, are one.

    >>> from torch import ones
    >>> from manyheads.maps.watching import Look
    >>> read, weights = ones(2), ones(1, 1, 3, 3)
    >>> looks = [Look(f"heads.{head}", weights, within=((f"heads.{head}", (read,)),)) for head in (0, 1)]
    >>> [(look.name, list(look.weights.shape)) for look in heads_joined(looks)]
    [('heads', [1, 2, 3, 3])]
    """
    groups, joined = {}, []
    for look in looks:
        groups.setdefault(_layer_of_heads(look), []).append(look)
    for (_, name, *_), group in groups.items():
        if len({look.name for look in group}) == len(group) > 1:
            joined.append(replace(group[0], name=name, weights=torch.cat([look.weights for look in group], 1)))
        else:
            joined += group
    return joined


def _layer_of_heads(look):
    """The same for looks of modules that are heads of one layer: what they read, their name without its number."""
    if not look.within or not look.within[-1][1] or look.weights.shape[1] > 1:
        return id(look), look.name
    name, (given, *_) = look.within[-1]
    row = re.sub(r"[._]?\d+$", "", name) + look.name.removeprefix(name)
    return id(given), row, look.depth, look.weights.shape


def calls_joined(looks):
    """Looks of which those of one module that asks once in each call, of the same memory, are one: calls are queries.

    Raises `ValueError` where calls of a module are neither that nor layers that build on each other.
    """
    groups, joined = {}, []
    for look in looks:
        groups.setdefault(look.name, []).append(look)
    for look in looks:
        group = groups[look.name]
        shapes = {one.weights.shape for one in group}
        memory = set.intersection(*({id(one) for one in look.given if one.is_floating_point()} for look in group))
        calls = {one.call for one in group}
        if len(shapes) == 1 < len(calls) == len(group) and look.weights.shape[2] == 1 and memory:
            if look is group[0]:
                joined.append(replace(look, weights=torch.cat([one.weights for one in group], 2)))
        elif len(shapes) > 1 or len({one.depth for one in group}) < len(group):
            raise ValueError(CALLED_AGAIN.format(name=look.name or "the module", count=len(group)))
        else:
            joined.append(look)
    return joined


def part_of_stack(stack, texts):
    """The looks of one stack of layers, a list or a dict by number, as a part."""
    looks = list(stack.values()) if isinstance(stack, dict) else stack
    weights = [look.weights for look in looks]
    notes = tuple(dict.fromkeys(note for look in looks for note in look.notes))
    if len({look.depth for look in looks}) < len(looks):
        notes += (BESIDE.format(", ".join(look.name for look in looks)),)
    layers = dict(zip(stack, weights)) if isinstance(stack, dict) else weights
    return Part(layers, notes, texts, keys_after=looks[0].keys_after)


def with_towers(parts, looks, texts):
    """The parts that an output handed out, and what was seen of those towers that it says nothing of."""
    handed_out = {
        layer.data_ptr() for part in parts.values() for layer in part.layers if isinstance(layer, torch.Tensor)
    }
    stacks = {}
    for look in looks:
        stacks.setdefault(tower(look.name), []).append(look)
    known = {name for name, stack in stacks.items() if any(look.weights.data_ptr() in handed_out for look in stack)}
    beside = {name: stack for name, stack in stacks.items() if name and name not in {*known, *parts}}
    if not beside:
        return parts
    (first, part), *others = parts.items()
    named = {first or next(iter(known - {None}), "text"): part} | dict(others)
    return named | {name: largest(of_looks(stack, texts)) for name, stack in beside.items()}


def largest(parts):
    """The part of most layers: a tower's own, beside a last layer that pools."""
    return max(parts.values(), key=lambda part: len(part.layers))


def described(parts, module, output, notes=()):
    """The parts of a module with what its parameters and its configuration tell."""
    config = next((getattr(model, "config", None) for model in models_in(module)), None)
    window = window_of(config)
    config = tells_of_patches(config, module)
    sinks = any("sink" in name.rpartition(".")[2] for name, _ in module.named_parameters())
    if is_hugging_face(module):
        numbers = layers_with_attention(module)
        parts = {name: replace(part, layers=numbered(part.layers, numbers)) for name, part in parts.items()}
    else:
        inner = {id(model): place for place, model in module.named_modules()}
        found = [f"{inner[id(model)]}, a {type(model).__name__}" for model in models_in(module)]
        notes = (*notes, *(f"Found in the {type(module).__name__}: {one}." for one in found))
    return {
        name: replace(
            part,
            sinks=sinks,
            output=output,
            config=config,
            window=window,
            notes=tuple(dict.fromkeys((*part.notes, *notes))),
        )
        for name, part in parts.items()
    }


def window_of(config):
    """How many tokens a model looks at around each, where its maps are of those: Longformer's, and LED's."""
    windows = getattr(config, "attention_window", None)
    return max(windows) if isinstance(windows, (list, tuple)) else windows


def layers_with_attention(model):
    """The numbers of a Hugging Face model's layers that attend, from 0; None where its configuration doesn't tell."""
    kinds = getattr(model.config, "layers_block_type", None) or getattr(model.config, "layer_types", None)
    return kinds and [number for number, kind in enumerate(kinds) if "attention" in kind and "linear" not in kind]


def fast_path_differs(module, inputs, output):
    """Whether PyTorch computes something else when nobody watches, as its fast path does with a LoRA on attention."""
    layers = [part for part in module.modules() if isinstance(part, torch.nn.TransformerEncoderLayer)]
    if all(type(layer.self_attn) is torch.nn.MultiheadAttention for layer in layers):
        return False
    unwatched = called(module, inputs)
    return isinstance(output, torch.Tensor) and not torch.allclose(output, unwatched, rtol=1e-3, atol=1e-4)


def batch_second(module, inputs):
    """A note where a text of several tokens was given as several texts of one, to layers that aren't `batch_first`."""
    first = next((value for value in arguments_of(inputs)[0] if isinstance(value, torch.Tensor)), torch.empty(0))
    layers = [part for part in module.modules() if isinstance(part, torch.nn.MultiheadAttention)]
    second = layers and not any(layer.batch_first for layer in layers)
    slip = second and first.ndim == 3 and len(first) == 1 < first.shape[1]
    return (BATCH_FIRST.format(texts=first.shape[1]),) if slip else ()


def why_nothing(module, unknown):
    """Why there is no map of a module, and what to do."""
    name = type(module).__name__
    if unknown:
        kernels = ", ".join(f"{kernel} ({place or name})" for kernel, place in unknown.items())
        return (
            f"{name} computes its attention by {kernels}, which gives no weights: let it call "
            'F.scaled_dot_product_attention instead, by attn_implementation="sdpa" or a setting of its own'
        )
    if models_in(module):
        return f"{name} gives no attentions, not even eagerly: its layers may be of another kind"
    if any(isinstance(part, torch.jit.ScriptModule) for part in module.modules()):
        return (
            f"{name} is compiled by TorchScript, which shows nothing of what it computes: give the module before that"
        )
    attending = [place for place, part in module.named_modules() if isinstance(part, torch.nn.MultiheadAttention)]
    if attending:
        return f"{name} did not call any of its attention for these inputs: {', '.join(attending)}"
    return (
        f"there is no attention to be seen in {name}: it called neither F.scaled_dot_product_attention nor "
        "nn.MultiheadAttention, and no softmax of its multiplied values; give the weights that it computes, as "
        "HeadMap.of(weights, tokens)"
    )
