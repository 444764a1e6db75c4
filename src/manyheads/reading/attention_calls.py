"""The calls of attention that were seen while a module computed, and the parts that they make.

Where heads are modules of their own, or queries ask one after the other, several calls are one.
"""

import math
import re
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from manyheads.reading.axes import in_four_axes
from manyheads.reading.clusters import gather_heads
from manyheads.reading.parts import TOWERS, Part, find_tower, stack_layers

CALLED_AGAIN = (
    "{name} attends {count} times, for inputs that are read one beside another or step by step: give that part of the "
    "model as the module, with the inputs of one call"
)
BESIDE = "Not all of these are layers that build on each other: {}. Some read side by side."
HOW_MANY = (
    "{name} attends with weights of {shape} for texts={texts}, and which of these are heads isn't known: say how many "
    "there are, as in module.num_heads = 4, or give {}the weights, as HeadMap.of(weights, tokens)"
)
BY_CONVENTION = (
    "How many heads {name} has isn't said: F.scaled_dot_product_attention has them on the second of four axes, so "
    "these are {heads}."
)
SIDE_BY_SIDE = (
    "{name} attends {count} times side by side in one call, and whether these are heads, pieces of a text or something "
    "else can't be seen: let a module of its own compute each, or give the weights, as HeadMap.of(weights, tokens)"
)


class NotSeen(ValueError):
    """What a module looks at can't be told by watching it; says why, and what to do."""


@dataclass(frozen=True)
class Given:
    """A tensor that a module was called with, of which nothing is held: the same number is the same tensor."""

    number: int
    shape: tuple
    floating: bool


@dataclass(frozen=True)
class AttentionCall:
    """What one call of attention looked at: [b, h, q, k], of the module of this name; b may be texts times windows."""

    name: str
    weights: Tensor
    notes: tuple = ()
    keys_after: tuple = ()  # the names of keys that a layer adds at the end
    heads: int | None = None  # as the module says
    fused: bool = False  # whether `F.scaled_dot_product_attention` computes with them
    given: tuple[Given, ...] = ()  # the tensors that the module was called with
    by_text: bool = True  # whether texts surely stand before heads, where the weights have one axis for both
    within: tuple = ()  # the names of the modules around it that are counted, each with what it was called with
    run: int = 0  # which of all calls of modules made it
    depth: int = 0  # how many calls stand one upon the other, up to this one
    source: object = None  # the same for what's looked at by the same weights, all of them
    full: tuple = ()  # how many queries and keys there were, of which groups are held
    group: object = None  # of the processes that have a part of the heads each
    number: int = 0  # which of all calls this one was
    heads_at: tuple = ()  # of each call, of each head: which call it's of, and in which rows of its weights, [b]

    def turn(self, texts):
        """The same call, where heads stand before texts."""
        weights = self.weights.flatten(0, 1).unflatten(0, (-1, texts)).transpose(0, 1)
        rows = torch.stack([rows for _, rows in self.heads_at[0]], 1).flatten().unflatten(0, (-1, texts)).T  # [b, h]
        return replace(self, weights=weights, heads_at=(tuple((self.number, one) for one in rows.T),))


def parts_of_calls(calls, texts, arrays=None):
    """What was seen as parts, by the names of the modules; a text that has a picture goes before that."""
    calls = join_queries(join_heads(calls))
    stacks = stack_layers((call.name, call) for call in calls)
    towers = [
        name.partition(", ")[0] for name in stacks
    ]  # of "image, head", what pools an image, it's that of the image
    if set(towers) <= set(TOWERS.values()):
        depths = {tower: _first_of(stack).depth for tower, stack in reversed([*zip(towers, stacks.values())])}
        stacks = dict(sorted(stacks.items(), key=lambda stack: -depths[stack[0].partition(", ")[0]]))
    return {name: part_of_stack(stack, texts, arrays) for name, stack in stacks.items()}


def _first_of(stack):
    return next(iter(stack.values() if isinstance(stack, dict) else stack))


def join_heads(calls):
    """Calls of which those by modules that are one head each, and read the same, are one.

    >>> from manyheads.reading.attention_calls import Given, AttentionCall
    >>> read, weights = Given(0, (2,), True), torch.ones(1, 1, 3, 3)
    >>> names = "heads.0", "heads.1"
    >>> calls = [AttentionCall(name, weights, within=((name, (read,)),), heads_at=((),)) for name in names]
    >>> [(call.name, list(call.weights.shape)) for call in join_heads(calls)]
    [('heads', [1, 2, 3, 3])]
    """
    groups, joined = {}, []
    for call in calls:
        groups.setdefault(_layer_of_heads(call), []).append(call)
    for (_, name, *_), group in groups.items():
        if len({call.name for call in group}) == len(group) > 1:
            weights = torch.cat([call.weights for call in group], 1)
            heads_at = tuple(head for call in group for head in call.heads_at[0])
            joined.append(replace(group[0], name=name, weights=weights, heads_at=(heads_at,)))
        else:
            joined += group
    return joined


def _layer_of_heads(call):
    """The same for calls by modules that are heads of one layer: what they read, their name without its number."""
    if not call.within or not call.within[-1][1] or call.weights.shape[1] > 1:
        return id(call), call.name
    name, (given, *_) = call.within[-1]
    row = re.sub(r"[._]?\d+$", "", name) + call.name.removeprefix(name)
    return given, row, call.depth, call.weights.shape


def join_queries(calls):
    """Calls of which those by one module that asks once each time, of the same memory, are one: each is a query.

    Raises `NotSeen` where those of a module are neither that nor layers that build on each other.
    """
    groups, joined = {}, []
    for call in calls:
        groups.setdefault(call.name, []).append(call)
    for call in calls:
        group = groups[call.name]
        shapes = {one.weights.shape for one in group}
        memory = set.intersection(*({one for one in call.given if one.floating} for call in group))
        runs = {one.run for one in group}
        if len(shapes) == 1 < len(runs) == len(group) and call.weights.shape[2] == 1 and memory:
            if call is group[0]:
                weights = torch.cat([one.weights for one in group], 2)
                heads_at = tuple(heads for one in group for heads in one.heads_at)
                joined.append(replace(call, weights=weights, heads_at=heads_at))
        elif len(shapes) > 1 or len({one.depth for one in group}) < len(group):
            raise NotSeen(CALLED_AGAIN.format(name=call.name or "the module", count=len(group)))
        else:
            joined.append(call)
    return joined


def part_of_stack(stack, texts, arrays=None):
    """The calls of one stack of layers, a list or a dict by number, as a part."""
    calls = list(stack.values()) if isinstance(stack, dict) else stack
    weights = [call.weights for call in calls]
    notes = tuple(dict.fromkeys(note for call in calls for note in call.notes))
    if len({call.depth for call in calls}) < len(calls):
        notes += (BESIDE.format(", ".join(call.name for call in calls)),)
    layers = dict(zip(stack, weights)) if isinstance(stack, dict) else weights
    heads_at = {id(call.weights): call.heads_at for call in calls}
    full = tuple(call.full for call in calls)
    held = [weights for weights in weights if not weights.is_meta]
    array = arrays and arrays.of(held)
    return Part(layers, notes, texts, keys_after=calls[0].keys_after, array=array, full=full, heads_at=heads_at)


def add_towers(parts, calls, texts):
    """The parts that an output handed out, and what was seen of those towers that it says nothing of."""
    handed_out = {
        layer.data_ptr() for part in parts.values() for layer in part.layers if isinstance(layer, torch.Tensor)
    }
    stacks = {}
    for call in calls:
        stacks.setdefault(find_tower(call.name), []).append(call)
    known = {name for name, stack in stacks.items() if any(call.weights.data_ptr() in handed_out for call in stack)}
    beside = {name: stack for name, stack in stacks.items() if name and name not in {*known, *parts}}
    if not beside:
        return parts
    (first, part), *others = parts.items()
    named = {first or next(iter(known - {None}), "text"): part} | dict(others)
    return named | {name: largest(parts_of_calls(stack, texts)) for name, stack in beside.items()}


def largest(parts):
    """The part of most layers: a tower's own, beside a last layer that pools."""
    return max(parts.values(), key=lambda part: len(part.layers))


def settle_calls(calls, module, texts):
    """Calls of a module of this name with all their heads, as [b, h, q, k], without those of the same weights.

    Raises `NotSeen` where it can't be told what are heads.
    """
    return [lay_out(with_all_heads(call), module, texts) for call in drop_repeats(calls, module)]


def drop_repeats(calls, module):
    """Calls without those that are of the same weights as others.

    Raises `NotSeen` where several in one run of a module depend on none of the others.
    """
    kept = {}  # what's computed in one run at one depth
    for call in calls:
        kept.setdefault((call.run, call.depth), []).append(call)
    for key, group in kept.items():
        if len({id(call if call.source is None else call.source) for call in group}) > 1:
            raise NotSeen(SIDE_BY_SIDE.format(name=group[0].name or module, count=len(group)))
        kept[key] = max(group, key=lambda call: call.weights.ndim)
    return list(kept.values())


def with_all_heads(call):
    """A call with the heads of all processes that have a part of them."""
    if call.group is None:
        return call
    weights = gather_heads(call.weights, call.group, call.heads)
    return replace(call, weights=weights, heads=weights.shape[-3])


def lay_out(call, module, texts):
    """A call whose weights are [b, h, q, k], and where each of its heads was seen."""
    weights, name = in_four_axes(call.weights, texts, call.heads), call.name or module
    sizes = call.given[0].shape[1:] if call.given and call.heads is None and call.weights.ndim > 3 else ()
    unsure = weights is not None and 1 < weights.shape[1] in sizes  # rows of an image, perhaps, or one query each
    by_convention = unsure and call.fused and call.weights.ndim == 4
    if weights is None or (unsure and not by_convention):
        one_text = "one text, or " * (texts > 1)
        raise NotSeen(HOW_MANY.format(one_text, name=name, shape=list(call.weights.shape), texts=texts))
    by_text = call.weights.ndim != 3 and len(weights) != weights.shape[1]
    *first, _, _ = call.weights.shape
    rows = torch.arange(math.prod(first), device="cpu").reshape(*first, 1, 1).expand(call.weights.shape)
    rows = in_four_axes(rows, texts, call.heads)[..., 0, 0]  # [b, h]
    heads_at = tuple((call.number, head) for head in rows.T)
    notes = (*call.notes, *(BY_CONVENTION.format(name=name, heads=weights.shape[1]),) * by_convention)
    by_text = by_text or 1 in weights.shape[:2]
    return replace(call, weights=weights, notes=notes, by_text=by_text, heads_at=(heads_at,))
