"""What a tool hands out as the parts that become maps: layers, and what's known of them."""

import re
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any

from manyheads.maps.weights_from import are_steps, picked

# The parts of a model that reads more than text are called by what the names of their modules hold.
TOWERS = {
    "vision": "image",
    "visual": "image",
    "image": "image",
    "audio": "audio",
    "speech": "audio",
    "text": "text",
    "language": "text",
}
CROSSING = re.compile("cross|multihead_attn|encdec|encoder_attn|attn2", re.IGNORECASE)


@dataclass(frozen=True)
class Part:
    """Layers that become one map: an array, a list of them, a dict of them by number, or the steps of `generate`."""

    layers: Any
    notes: tuple = ()
    texts: int | None = None  # how many texts were read at once, where that's known: windows are more
    decodes: bool = False  # whether queries are known to be the last of the keys, as with a cache
    sinks: bool = False  # whether the model has sinks that are no tokens
    keys_after: tuple = ()  # the names of keys that a layer adds at the end
    window: int | None = None  # how many keys are around each query, where keys are counted from it
    full: tuple | None = None  # how many queries and keys were seen, where layers may hold groups of them
    output: Any = None  # what the model returned
    config: Any = None  # of a Hugging Face model


def by_stack(named):
    """Layers with the names of their modules, as stacks of layers by number: those whose names differ in numbers alone.

    >>> by_stack([("encoder.9.attn", 2), ("encoder.4.attn", 1), ("decoder.0.attn", 3), ("decoder.0.cross_attn", 4)])
    {'encoder': {4: 1, 9: 2}, 'decoder': {0: 3}, 'cross': {0: 4}}
    >>> list(by_stack([("text_model.layers.0.attn", 1), ("vision_tower.layers.0.attn", 2)]))
    ['text', 'image']
    """
    stacks = {}
    for name, layer in named:
        numbers = tuple(map(int, re.findall(r"\d+", name)))
        stacks.setdefault(re.sub(r"\d+", "", name), []).append((numbers, layer))
    stacks = {name: by_number(stack) for name, stack in stacks.items()}
    if len(stacks) == 1:
        return {"": stacks.popitem()[1]}
    known = [tower(name) or role(name, stacks) for name in stacks]
    plain = [re.sub(r"\.+", ".", name).strip(".") for name in stacks]
    return dict(zip(known if len(set(known)) == len(stacks) else plain, stacks.values()))


def by_number(stack):
    """Layers by the number in which the names of their modules differ; in the order of all numbers, where it's not one.

    >>> by_number([((0, 9), "b"), ((0, 4), "a")]), by_number([((1, 0), "c"), ((0, 1), "b"), ((0, 0), "a")])
    ({4: 'a', 9: 'b'}, ['a', 'b', 'c'])
    >>> by_number([((0,), "a"), ((1,), "b"), ((0,), "a again")])  # of modules that are called again, as they were
    ['a', 'b', 'a again']
    """
    if len({numbers for numbers, _ in stack}) < len(stack):
        return [layer for _, layer in stack]
    ordered = sorted(stack, key=lambda entry: entry[0])
    columns = [
        column for column in zip(*(numbers for numbers, _ in ordered)) if len(ordered) == 1 or len(set(column)) > 1
    ]
    if len(columns) == 1 and len(set(columns[0])) == len(ordered):
        return dict(zip(columns[0], (layer for _, layer in ordered)))
    return [layer for _, layer in ordered]


def role(name, names):
    """What a stack of layers is to a model, by its name among the names of all: encoder, decoder, cross or as it is.

    >>> names = ["layers.self_attn", "layers.multihead_attn"]
    >>> [role(name, names) for name in names]
    ['decoder', 'cross']
    """
    crosses = [other for other in names if CROSSING.search(other)]
    if name in crosses:
        return "cross"
    if "encoder" in name:
        return "encoder"
    return "decoder" if "decoder" in name or crosses else name


def tower(name):
    """What a part of a model reads, by the first word of its name that tells; None for no such word.

    >>> tower("model.vision_tower.encoder.layers"), tower("model.layers")
    ('image', None)
    """
    found = re.search("|".join(TOWERS), name)
    return found and TOWERS[found[0]]


def numbered(layers, numbers):
    """Layers by their numbers in the model, where only some of its layers have attention.

    >>> numbered(("second", "fourth"), [1, 3]), numbered(("first", "second"), None)
    ({1: 'second', 3: 'fourth'}, ('first', 'second'))
    """
    known = isinstance(layers, dict) or numbers is None or len(numbers) != len(layers)
    return layers if known else dict(zip(numbers, layers))


def alike(parts, chosen=None):
    """The parts whose layers are of one shape, of which a map is made: others in runs that are, by their numbers.

    >>> import numpy as np
    >>> wide, narrow = np.ones((16, 2, 4, 4)), np.ones((4, 4, 4, 4))
    >>> list(alike({"": Part([wide, wide, narrow])}))
    ['layers 1 to 2', 'layer 3']
    """
    found = {}
    for name, part in parts.items():
        layers = getattr(part, "layers", None)  # a map has none
        listed = isinstance(layers, (list, tuple, dict)) and not are_steps(layers)
        counted = dict(layers.items() if isinstance(layers, dict) else enumerate(layers)) if listed else {}
        present = [number for number, layer in sorted(counted.items()) if layer is not None]
        shapes = [getattr(counted[number], "shape", None) for number in picked(present, chosen if present else None)]
        if len(set(shapes)) < 2:
            found[name] = part
            continue
        for _, run in groupby(picked(present, chosen), key=lambda number: counted[number].shape):
            run = list(run)
            which = f"layer {run[0] + 1}" if len(run) == 1 else f"layers {run[0] + 1} to {run[-1] + 1}"
            layers = {number: counted[number] for number in run}
            found[", ".join(filter(None, (name, which)))] = replace(part, layers=layers)
    return found


def chosen_part(parts, wanted):
    """The part that somebody names, whole or by a word of its name; all for None.

    >>> list(chosen_part({"text_model": 1, "vision_model": 2}, "text"))
    ['text_model']

    Raises `ValueError` where none or several are called so.
    """
    if wanted is None:
        return parts
    found = [wanted] if wanted in parts else [name for name in parts if str(wanted) in name]
    if len(found) != 1:
        raise ValueError(f"part must be one of {', '.join(map(repr, parts))}, got {wanted!r}")
    return {found[0]: parts[found[0]]}
