"""What a module looks at, whatever it is and whatever is around it.

`Watch` sees the calls of attention beside the kernel that the model computes with. A Hugging Face model that computes
eagerly hands out its attentions as well, and one of whose calls they can't be told is made to.
"""

import re
from dataclasses import dataclass, replace
from typing import Any

import torch

from manyheads.reading.arguments import (
    arguments_of,
    call_module,
    copy_inputs,
    take_first_text,
    tensors_in,
    texts_in,
    tokens_cached,
)
from manyheads.reading.attention_calls import NotSeen, add_towers, parts_of_calls
from manyheads.reading.clusters import holds_map, is_sharded
from manyheads.reading.looking import configurations_of, leave_untouched
from manyheads.reading.outputs import attentions_in, parts_of_output
from manyheads.reading.parts import DECODES, renumber
from manyheads.reading.patches import tells_of_patches
from manyheads.reading.request import has_outputs
from manyheads.reading.sentences import Holding
from manyheads.reading.watching import Watch
from manyheads.reading.weights import is_held

NOT_SEEN = "{} is computed by {}, which gives no weights: it's left out."
OVER_CHANNELS = "Attention over channels, where features look at features and no place at another, is left out: {}."
CHANNELS_ALONE = (
    "{} attends over channels ({}): it compares features, summed over places, so its features look at features and no "
    "place looks at another"
)
BATCH_FIRST = (
    "These layers read [sequence, batch, width], so this is one token of {texts} texts; with batch_first=True, or "
    "inputs.transpose(0, 1), it's one text."
)
FAST_PATH = (
    "PyTorch's fast path skips what was put on these layers, so the model computes something else than is shown."
)
MASK_ADDED = (
    "This model was loaded with eager attention, which adds its mask to the scores: True counts as 1, hiding nothing. "
    "sdpa attention takes such a mask; eager attention takes one of numbers, 0 for what may be looked at, else -inf."
)
UNCAPPED = (
    "This model's configuration caps scores (attn_logit_softcapping={cap:g}), which its sdpa attention leaves out: "
    'these are the weights that it computed with. With attn_implementation="eager" it caps them, and they differ.'
)
EAGER, WATCHED = {"eager"}, {"eager", "sdpa"}  # kernels of Hugging Face that hand out weights, that can be watched
HANDED_OUT = {"output_attentions": True, "return_dict": True}  # what an eager model is asked for
HANDED_OUT_ALONE = "This part alone is shown, which the model hands out. Of the others: {error}."
EAGERLY_ELSE = (
    "{} gives its maps by eager attention alone, and that computes something else for these inputs than its {} "
    'attention does: load it with attn_implementation="eager" to see what it then looks at'
)
ALIKE = {torch.bfloat16: 0.1, torch.float16: 0.02}  # how far two kernels may differ, of the largest number; else 1e-3


@dataclass(frozen=True)
class ModuleCall:
    """A module that is called with `inputs`, of so many texts; which of these is shown, and what is held of it."""

    module: torch.nn.Module
    inputs: Any
    batch: int
    texts: int
    holding: Holding


def parts_of_module(module, inputs, batch=0, before=None, holding=Holding()):
    """The parts of a module that is called with `inputs`, by name: what each of their layers looks at.

    >>> from torch import nn, ones
    >>> both = nn.Transformer(d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> list(parts_of_module(both, (ones(1, 3, 4), ones(1, 2, 4))))
    ['encoder', 'decoder', 'cross']

    `inputs` are a tensor, a tuple of arguments, or a dict of named ones; they're brought to where the module is. It
    computes what it always computes, without dropout and without gradients; it's left as it was, as are the inputs.
    `before` is called with the module before it computes; what it changes is put back. `holding` says what is held of
    the weights. Of a module in pieces on several processes, the first gets the parts, the others none.

    Raises `NotSeen`, a `ValueError`, where no attention is seen, with what to do about it; `TooMany` for more weights
    than may be held; and whatever the module raises.
    """
    first = holds_map(module)
    if window_of(config_of(module)) is not None:
        holding = Holding()  # no layer by layer, no groups
    elif is_sharded(module):
        holding = replace(holding, layers=None)  # all processes have to do the same
    call = ModuleCall(module, inputs, batch, texts_in(inputs), holding)
    with leave_untouched(module):
        kernels = kernels_of(module)
        if not kernels <= WATCHED:
            set_kernel(module, "sdpa")
        if before is not None:
            before(module)
        parts, output, notes = parts_of_call(call, kernels)
        notes += note_on_cap(module)
    if not first:
        return {}
    if holding.layers is not None and lacks(parts, holding.layers):  # whose numbers aren't those of their names
        return parts_of_module(module, inputs, batch, before, replace(holding, layers=None))
    return describe(parts, module, output, tokens_cached(module, inputs), notes)


def classify_module(module, holding):
    """How the parts of a module are had: "own", by watching it; of a Hugging Face model, "eager" or by a "kernel".

    >>> classify_module(torch.nn.Linear(2, 2), Holding())
    'own'

    One that computes eagerly hands out what it looks at, where all of it is held; the calls of others are watched.
    """
    if not is_hugging_face(module) or is_sharded(module):
        return "own"
    return "eager" if kernels_of(module) <= EAGER and holding.layers is None and not holding.groups else "kernel"


def parts_of_call(call, kernels):  # -> parts, what the module returned, notes
    """The parts of a module, as its kind has them; of a Hugging Face model that can't be told so, by what it hands out.

    `kernels` are those that it computes with, by itself.
    """
    kind = classify_module(call.module, call.holding)
    try:
        return take_handed_out(call) if kind == "eager" else take_seen(call, *watch(call))
    except NotSeen as error:
        found = None if kind == "own" else ask_eagerly(call, kernels)
        if found is None:
            raise
        parts, output, notes = found
        alone = len(parts) == 1 and has_towers(call.module)
        return parts, output, (*notes, *(HANDED_OUT_ALONE.format(error=error),) * alone)


def take_handed_out(call):
    """The parts that an eager Hugging Face model hands out, and what is seen of the towers that it says nothing of."""
    watched, output = watch(call, **HANDED_OUT)
    parts = handed_out(output, call)
    if not parts:
        return take_seen(call, watched, output)
    parts = add_towers(parts, watched.calls, call.texts) if has_towers(call.module) else parts
    return parts, output, (MASK_ADDED,) * has_boolean_mask(call.inputs)


def ask_eagerly(call, kernels):
    """The parts that a Hugging Face model hands out once it computes eagerly, as the others; None where it has none.

    Raises `ValueError` where its own `kernels` compute something else.
    """
    model, output = call.module, None if kernels <= EAGER else call_module(call.module, call.inputs)
    set_kernel(model, "eager")
    try:
        eager = call_module(model, call.inputs, **HANDED_OUT)
    except RuntimeError as error:
        raise ValueError(f"{type(model).__name__} fails with eager attention, which gives its maps: {error}") from error
    parts = handed_out(eager, call)
    if parts and not kernels <= EAGER and not outputs_alike(output, eager):
        raise ValueError(EAGERLY_ELSE.format(type(model).__name__, ", ".join(sorted(kernels - EAGER))))
    return (parts, eager, ()) if parts else None


def watch(call, **more):  # -> Watch, what the module returned
    """What is seen while a module computes, with texts before heads."""
    with Watch(call.module, call.texts, call.holding, call.batch) as watched:
        output = call_module(call.module, call.inputs, **more)
    watched.calls = tell_texts_from_heads(watched.calls, call)
    return watched, output


def tell_texts_from_heads(calls, module_call):
    """Calls with texts before heads, where one axis is for both: what a module looks at in one text alone tells."""
    texts = module_call.texts
    if texts == 1 or all(call.by_text for call in calls):
        return calls
    try:
        with Watch(module_call.module, 1, module_call.holding) as alone:
            call_module(module_call.module, take_first_text(copy_inputs(module_call.inputs), texts))
    except NotSeen:  # even then it isn't known what are heads
        raise
    except Exception:  # inputs of which one text can't be had: heads after texts, as almost everywhere
        return calls
    if [call.name for call in calls] != [call.name for call in alone.calls]:
        return calls
    found = []
    for call, one in zip(calls, alone.calls):
        if not call.by_text and not call.weights.is_meta and call.weights.shape == (texts, *one.weights.shape[1:]):
            turned = call.turn(texts)
            far = [(weights[:1] - one.weights).abs().max() for weights in (call.weights, turned.weights)]
            call = call if far[0] <= far[1] else turned
        found.append(call)
    return found


def take_seen(call, watched, output):
    """The parts of a module by its calls, what it returned, and notes on what else was seen."""
    name = type(call.module).__name__
    notes = (FAST_PATH,) * fast_path_differs(call.module, call.inputs, output) + batch_second(call.module, call.inputs)
    notes += tuple(NOT_SEEN.format(place or name, kernel) for kernel, place in watched.unknown.items())
    if watched.over_channels:
        notes += (OVER_CHANNELS.format(", ".join(join_names(watched.over_channels))),)
    parts = parts_of_calls(watched.calls, call.texts, watched.arrays)
    if not parts:
        raise NotSeen(why_nothing(call.module, watched.unknown, watched.over_channels))
    return parts, output, notes


def handed_out(output, call):
    """The parts of a Hugging Face output; none where it holds no attentions, or scores before their softmax."""
    holds = attentions_in(output) or has_outputs(output)
    parts = parts_of_output(output, call.batch, call.texts) if holds else {}
    layers = [layer for part in parts.values() for layer in part.layers if layer is not None]
    alike = all(isinstance(layer, torch.Tensor) and layer.ndim == 4 and not (layer < 0).any() for layer in layers)
    return parts if alike else {}


def has_boolean_mask(inputs):
    """Whether inputs have a mask of True and False for each query and key, [b, h, q, k]."""
    return any(value.dtype == torch.bool and value.ndim == 4 for value in tensors_in(arguments_of(inputs)))


def outputs_alike(one, other):
    """Whether two outputs of a model are the same up to rounding, by their first numbers."""
    first, second = (next(filter(torch.is_floating_point, tensors_in([output])), None) for output in (one, other))
    if first is None or second is None:
        return True
    close = ALIKE.get(first.dtype, 1e-3) * max(float(first.abs().max()), 1e-6)
    return first.shape == second.shape and bool((first - second).abs().max() <= close)


def note_on_cap(module):
    """A note where scores should be capped, and the kernel that a model computes with doesn't."""
    models = [part for part in module.modules() if is_hugging_face(part) and kernels_of(part) == {"sdpa"}]
    caps = (getattr(config, "attn_logit_softcapping", None) for config in configurations_of(models))
    cap = next(filter(None, caps), None)
    return () if cap is None else (UNCAPPED.format(cap=cap),)


def lacks(parts, layers):
    """Whether layers that are wanted, by their numbers, weren't held."""
    numbered = [part.numbered() for part in parts.values()]
    wanted = [part[number] for part in numbered for number in layers if number in part]
    return not all(map(is_held, wanted)) or not wanted


def is_hugging_face(module):
    """Whether a module is a Hugging Face model, or passes for one, as those of peft do."""
    return hasattr(module, "set_attn_implementation") and hasattr(module, "config")


def models_in(module):
    """The outermost Hugging Face models of a module."""
    if is_hugging_face(module):
        return [module]
    return [model for child in module.children() for model in models_in(child)]


def kernels_of(module):
    """The kernels that the Hugging Face models in a module compute their attention by."""
    parts = [part for part in module.modules() if is_hugging_face(part)]
    return {getattr(part.config, "_attn_implementation", None) or "eager" for part in parts}


def set_kernel(module, name):
    """Lets the Hugging Face models in a module compute their attention by this kernel, or eagerly without it."""
    for model in models_in(module):
        try:
            model.set_attn_implementation(name)
        except ValueError:
            model.set_attn_implementation("eager")


def has_towers(model):
    """Whether a Hugging Face model has models in it that read different things, each with a configuration."""
    return any(getattr(model.config, name, None) is not None for name in getattr(model.config, "sub_configs", ()))


def describe(parts, module, output, cached, notes=()):
    """The parts of a module with what its parameters and its configuration tell; `cached` is as of `Part`."""
    config = config_of(module)
    window = window_of(config)
    config = tells_of_patches(config, module)
    caches = getattr(output, "past_key_values", None) is not None
    sinks = any("sink" in name.rpartition(".")[2] for name, _ in module.named_parameters())
    if is_hugging_face(module):
        numbers = layers_with_attention(module)
        parts = {name: replace(part, layers=renumber(part.layers, numbers)) for name, part in parts.items()}
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
            decodes=part.decodes or (caches and name in DECODES),
            cached=cached if name in DECODES else None,
            window=window,
            notes=tuple(dict.fromkeys((*part.notes, *notes))),
        )
        for name, part in parts.items()
    }


def config_of(module):
    """The configuration of the first Hugging Face model in a module; None without one."""
    return next((model.config for model in models_in(module)), None)


def window_of(config):
    """How many tokens a model looks at around each, where its maps are of those: Longformer's, and LED's."""
    windows = getattr(config, "attention_window", None)
    return max(windows) if isinstance(windows, (list, tuple)) else windows


def layers_with_attention(model):
    """The numbers of a Hugging Face model's layers that attend, from 0; None where its configuration doesn't tell."""
    kinds = getattr(model.config, "layers_block_type", None) or getattr(model.config, "layer_types", None)
    attending = re.compile("(?!.*linear).*attention|hybrid$")
    return kinds and [number for number, kind in enumerate(kinds) if attending.match(kind)]


def fast_path_differs(module, inputs, output):
    """Whether PyTorch computes something else when nobody watches, as its fast path does with a LoRA on attention."""
    layers = [part for part in module.modules() if isinstance(part, torch.nn.TransformerEncoderLayer)]
    if all(type(layer.self_attn) is torch.nn.MultiheadAttention for layer in layers):
        return False
    unwatched = call_module(module, inputs)
    if not isinstance(output, torch.Tensor) or not output.is_floating_point():
        return False
    rounding = max(1e-3, 8 * torch.finfo(output.dtype).eps) * float(output.nan_to_num().abs().max())
    return not torch.allclose(output, unwatched, rtol=0, atol=rounding, equal_nan=True)


def batch_second(module, inputs):
    """A note where a text of several tokens was given as several texts of one, to layers that aren't `batch_first`."""
    first = next(tensors_in(arguments_of(inputs)[0]), torch.empty(0))
    layers = [part for part in module.modules() if isinstance(part, torch.nn.MultiheadAttention)]
    second = layers and not any(layer.batch_first for layer in layers)
    slip = second and first.ndim == 3 and len(first) == 1 < first.shape[1]
    return (BATCH_FIRST.format(texts=first.shape[1]),) if slip else ()


def join_names(names):
    """Names of modules, of which those that differ in numbers alone are one.

    >>> join_names(["blocks.0.attn", "blocks.1.attn", "blocks.2.attn", "head"])
    ['blocks.0.attn to blocks.2.attn', 'head']
    """
    runs = {}
    for name in names:
        runs.setdefault(re.sub(r"\d+", "", name), []).append(name)
    return [run[0] if run[0] == run[-1] else f"{run[0]} to {run[-1]}" for run in runs.values()]


def why_nothing(module, unknown, over_channels=()):
    """Why there is no map of a module, and what to do."""
    name = type(module).__name__
    if unknown:
        kernels = ", ".join(f"{kernel} ({place or name})" for kernel, place in unknown.items())
        return (
            f"{name} computes its attention by {kernels}, which gives no weights: let it call "
            'F.scaled_dot_product_attention instead, by attn_implementation="sdpa" or a setting of its own'
        )
    if over_channels:
        return CHANNELS_ALONE.format(name, ", ".join(place or "itself" for place in join_names(over_channels)))
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
        "nn.MultiheadAttention, and none of its softmaxes is known to weigh places, by products of queries and keys or "
        "by one score for each place, and to multiply values that have as many; give the weights that it computes, as "
        "HeadMap.of(weights, tokens)"
    )
