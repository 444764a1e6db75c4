"""What a module looks at, whatever it is and whatever is around it.

`Watch` sees the calls of attention beside the kernel that the model computes with. A Hugging Face model that computes
eagerly hands out its attentions as well, and one of whose calls they can't be told is made to.
"""

import inspect
import re
from dataclasses import replace

import torch

from manyheads.reading.calling import fitted
from manyheads.reading.clusters import holds_map, is_sharded
from manyheads.reading.looking import copied, looked_at
from manyheads.reading.outputs import attentions_in, has_outputs, of_output
from manyheads.reading.parts import TOWERS, Part, by_stack, numbered, tower
from manyheads.reading.patches import tells_of_patches
from manyheads.reading.placing import brought
from manyheads.reading.sentences import Holding
from manyheads.reading.watching import NotSeen, Watch, calls_in_a_row, heads_side_by_side

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
EAGER, WATCHED = {"eager"}, {"eager", "sdpa"}  # kernels of Hugging Face that hand out weights, that can be watched
HANDED_OUT = {"output_attentions": True, "return_dict": True}  # what an eager model is asked for
EAGERLY_ELSE = (
    "{} gives its maps by eager attention alone, and that computes something else for these inputs than its {} "
    'attention does: load it with attn_implementation="eager" to see what it then looks at'
)
DECODES = ("", "decoder", "text")  # parts whose queries are the last of their keys, where the model keeps a cache
ALIKE = {torch.bfloat16: 0.1, torch.float16: 0.02}  # how far two kernels may differ, of the largest number; else 1e-3


def of_module(module, inputs, batch=0, before=None, holding=Holding()):
    """The parts of a module that is called with `inputs`, by name: what each of their layers looks at.

    >>> from torch import nn, ones
    >>> both = nn.Transformer(d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> list(of_module(both, (ones(1, 3, 4), ones(1, 2, 4))))
    ['encoder', 'decoder', 'cross']

    `inputs` are a tensor, a tuple of arguments, or a dict of named ones; they're brought to where the module is. It
    computes what it always computes, without dropout and without gradients; it's left as it was, as are the inputs.
    `before` is called with the module before it computes; what it changes is put back. `holding` says what is held of
    the weights. Of a module in pieces on several processes, the first gets the parts, the others none.

    Raises `NotSeen`, a `ValueError`, where no attention is seen, with what to do about it; `TooMany` for more weights
    than may be held; and whatever the module raises.
    """
    first, texts = holds_map(module), texts_in(inputs)
    if window_of(config_of(module)) is not None:
        holding = Holding()  # no layer by layer, no groups
    elif is_sharded(module):
        holding = replace(holding, layers=None)  # all processes have to do the same
    with looked_at(module):
        own = kernels_of(module)
        if not own <= WATCHED:
            set_kernel(module, "sdpa")
        if before is not None:
            before(module)
        try:
            parts, output, notes = watched(module, inputs, batch, texts, holding)
        except NotSeen:
            parts, output, notes = *handed_out(module, inputs, batch, texts, own), ()
            if not parts:
                raise
    if not first:
        return {}
    if holding.layers is not None and lacks(parts, holding.layers):  # whose numbers aren't those of their names
        return of_module(module, inputs, batch, before, replace(holding, layers=None))
    return described(parts, module, output, notes)


def watched(module, inputs, batch, texts, holding):
    """The parts of a module by what is seen of its calls, what it returned, and notes.

    What a Hugging Face model hands out goes before that, where it's eager and all of it is held.
    """
    alone = is_hugging_face(module) and not is_sharded(module)
    eager = alone and kernels_of(module) <= EAGER and holding.layers is None and not holding.groups
    with Watch(module, texts, holding, batch) as watch:
        output = called(module, inputs, **(HANDED_OUT if eager else {}))
    looks = texts_before_heads(watch.looks, module, inputs, texts, holding)
    notes = (FAST_PATH,) * fast_path_differs(module, inputs, output) + batch_second(module, inputs)
    unseen = watch.unknown.items()
    notes += tuple(NOT_SEEN.format(place or type(module).__name__, kernel) for kernel, place in unseen)
    notes += tuple(OVER_CHANNELS.format(", ".join(runs_of(places))) for places in [watch.over_channels] if places)
    parts = parts_of_output(output, batch, texts) if eager else {}
    if parts:
        notes = (MASK_ADDED,) * has_boolean_mask(inputs)
        return with_towers(parts, looks, texts) if has_towers(module) else parts, output, notes
    parts = of_looks(looks, texts, watch.arrays)
    if not parts:
        raise NotSeen(why_nothing(module, watch.unknown, watch.over_channels))
    return parts, output, notes


def has_boolean_mask(inputs):
    """Whether inputs have a mask of True and False for each query and key, [b, h, q, k]."""
    arguments, named = arguments_of(inputs)
    tensors = [value for value in (*arguments, *named.values()) if isinstance(value, torch.Tensor)]
    return any(value.dtype == torch.bool and value.ndim == 4 for value in tensors)


def handed_out(model, inputs, batch, texts, own):
    """The parts that a Hugging Face model hands out when it computes eagerly, and its output; none where it has none.

    Raises `ValueError` where its `own` kernels compute something else.
    """
    if not is_hugging_face(model) or is_sharded(model):
        return {}, None
    output = None if own <= EAGER else called(model, inputs)
    set_kernel(model, "eager")
    try:
        eager = called(model, inputs, **HANDED_OUT)
    except RuntimeError as error:
        raise ValueError(f"{type(model).__name__} fails with eager attention, which gives its maps: {error}") from error
    parts = parts_of_output(eager, batch, texts)
    if parts and not own <= EAGER and not outputs_alike(output, eager):
        raise ValueError(EAGERLY_ELSE.format(type(model).__name__, ", ".join(sorted(own - EAGER))))
    return parts, eager


def parts_of_output(output, batch, texts):
    """The parts of a Hugging Face output; none where it holds no attentions, or scores before their softmax."""
    parts = of_output(output, batch, texts) if attentions_in(output) or has_outputs(output) else {}
    layers = [layer for part in parts.values() for layer in part.layers if layer is not None]
    alike = all(isinstance(layer, torch.Tensor) and layer.ndim == 4 and not (layer < 0).any() for layer in layers)
    return parts if alike else {}


def called(module, inputs, **more):
    """What a module returns for a copy of the inputs, brought to where it is."""
    arguments, named = brought(copied(fitted(module, *arguments_of(inputs))), module)
    try:
        return module(*arguments, **{**named, **more})
    except ValueError as error:
        if "decoder_input" in str(error) or "input_ids or inputs_embeds" in str(error):
            raise ValueError(DECODER_TOO.format(type(module).__name__)) from error
        raise


def outputs_alike(one, other):
    """Whether two outputs of a model are the same up to rounding, by their first numbers."""
    pairs = zip(_numbers(one), _numbers(other))
    for first, second in pairs:
        close = ALIKE.get(first.dtype, 1e-3) * max(float(first.abs().max()), 1e-6)
        return first.shape == second.shape and bool((first - second).abs().max() <= close)
    return True


def _numbers(output):
    """The tensors of an output, those of floating numbers."""
    values = output.values() if hasattr(output, "values") else output if isinstance(output, tuple) else (output,)
    return (value for value in values if isinstance(value, torch.Tensor) and value.is_floating_point())


def lacks(parts, layers):
    """Whether layers that are wanted, by their numbers, weren't held."""
    held = [part.layers if isinstance(part.layers, dict) else dict(enumerate(part.layers)) for part in parts.values()]
    wanted = [part[number] for part in held for number in layers if number in part]
    return any(getattr(layer, "is_meta", False) for layer in wanted) or not wanted


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


def of_looks(looks, texts, arrays=None):
    """What was seen as parts, by the names of the modules that looked; a text that has a picture goes before that."""
    looks = calls_joined(heads_joined(looks))
    stacks = by_stack((look.name, look) for look in looks)
    if set(stacks) <= set(TOWERS.values()):
        stacks = dict(sorted(stacks.items(), key=lambda stack: -_first_of(stack[1]).depth))
    return {name: part_of_stack(stack, texts, arrays) for name, stack in stacks.items()}


def _first_of(stack):
    return next(iter(stack.values() if isinstance(stack, dict) else stack))


def texts_before_heads(looks, module, inputs, texts, holding=Holding()):
    """Looks with texts before heads, where one axis is for both: what a module looks at in one text alone tells."""
    if texts == 1 or all(look.by_text for look in looks):
        return looks
    try:
        with Watch(module, 1, holding) as alone:
            called(module, one_text(copied(inputs), texts))
    except NotSeen:  # even then it isn't known what are heads
        raise
    except Exception:  # inputs of which one text can't be had: heads after texts, as almost everywhere
        return looks
    if [look.name for look in looks] != [look.name for look in alone.looks]:
        return looks
    found = []
    for look, one in zip(looks, alone.looks):
        if not look.by_text and not look.weights.is_meta and look.weights.shape == (texts, *one.weights.shape[1:]):
            turned = look.turned(texts)
            far = [(weights[:1] - one.weights).abs().max() for weights in (look.weights, turned.weights)]
            look = look if far[0] <= far[1] else turned
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

    >>> from manyheads.reading.watching import Given, Look
    >>> read, weights = Given(0, (2,), True), torch.ones(1, 1, 3, 3)
    >>> looks = [
    ...     Look(f"heads.{head}", weights, within=((f"heads.{head}", (read,)),), heads_at=((),)) for head in (0, 1)
    ... ]
    >>> [(look.name, list(look.weights.shape)) for look in heads_joined(looks)]
    [('heads', [1, 2, 3, 3])]
    """
    groups, joined = {}, []
    for look in looks:
        groups.setdefault(_layer_of_heads(look), []).append(look)
    for (_, name, *_), group in groups.items():
        if len({look.name for look in group}) == len(group) > 1:
            joined.append(heads_side_by_side(group, name))
        else:
            joined += group
    return joined


def _layer_of_heads(look):
    """The same for looks of modules that are heads of one layer: what they read, their name without its number."""
    if not look.within or not look.within[-1][1] or look.weights.shape[1] > 1:
        return id(look), look.name
    name, (given, *_) = look.within[-1]
    row = re.sub(r"[._]?\d+$", "", name) + look.name.removeprefix(name)
    return given, row, look.depth, look.weights.shape


def calls_joined(looks):
    """Looks of which those of one module that asks once in each call, of the same memory, are one: calls are queries.

    Raises `NotSeen` where calls of a module are neither that nor layers that build on each other.
    """
    groups, joined = {}, []
    for look in looks:
        groups.setdefault(look.name, []).append(look)
    for look in looks:
        group = groups[look.name]
        shapes = {one.weights.shape for one in group}
        memory = set.intersection(*({one for one in look.given if one.floating} for look in group))
        calls = {one.call for one in group}
        if len(shapes) == 1 < len(calls) == len(group) and look.weights.shape[2] == 1 and memory:
            if look is group[0]:
                joined.append(calls_in_a_row(group))
        elif len(shapes) > 1 or len({one.depth for one in group}) < len(group):
            raise NotSeen(CALLED_AGAIN.format(name=look.name or "the module", count=len(group)))
        else:
            joined.append(look)
    return joined


def part_of_stack(stack, texts, arrays=None):
    """The looks of one stack of layers, a list or a dict by number, as a part."""
    looks = list(stack.values()) if isinstance(stack, dict) else stack
    weights = [look.weights for look in looks]
    notes = tuple(dict.fromkeys(note for look in looks for note in look.notes))
    if len({look.depth for look in looks}) < len(looks):
        notes += (BESIDE.format(", ".join(look.name for look in looks)),)
    layers = dict(zip(stack, weights)) if isinstance(stack, dict) else weights
    heads_at = {id(look.weights): look.heads_at for look in looks}
    full = tuple(look.full for look in looks)
    held = [weights for weights in weights if not weights.is_meta]
    array = arrays and arrays.of(held)
    return Part(layers, notes, texts, keys_after=looks[0].keys_after, array=array, full=full, heads_at=heads_at)


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
    config = config_of(module)
    window = window_of(config)
    config = tells_of_patches(config, module)
    cached = getattr(output, "past_key_values", None) is not None
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
            decodes=part.decodes or (cached and name in DECODES),
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
    unwatched = called(module, inputs)
    return isinstance(output, torch.Tensor) and not torch.allclose(output, unwatched, rtol=1e-3, atol=1e-4)


def batch_second(module, inputs):
    """A note where a text of several tokens was given as several texts of one, to layers that aren't `batch_first`."""
    first = next((value for value in arguments_of(inputs)[0] if isinstance(value, torch.Tensor)), torch.empty(0))
    layers = [part for part in module.modules() if isinstance(part, torch.nn.MultiheadAttention)]
    second = layers and not any(layer.batch_first for layer in layers)
    slip = second and first.ndim == 3 and len(first) == 1 < first.shape[1]
    return (BATCH_FIRST.format(texts=first.shape[1]),) if slip else ()


def runs_of(names):
    """Names of modules, of which those that differ in numbers alone are one.

    >>> runs_of(["blocks.0.attn", "blocks.1.attn", "blocks.2.attn", "head"])
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
        return CHANNELS_ALONE.format(name, ", ".join(place or "itself" for place in runs_of(over_channels)))
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
