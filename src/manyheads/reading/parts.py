"""What a tool hands out as the parts that become maps: layers, and what's known of them."""

import re
from dataclasses import dataclass, field, replace
from typing import Any

from manyheads.reading.weights import are_steps, pick_layers

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
DECODES = ("", "decoder", "text")  # parts whose queries are the last of their keys, where the model keeps a cache
# The numbers in blocks.3.attn1 but for the last, which is a part of the module's own name, beside attn2.
NUMBERS = r"\d+(?=.*\.)|(?<![^\W\d_])\d+"
# What modules are called whatever they're for: others tell them apart.
EVERYWHERE = re.compile(
    "module|(base_)?model|net(work)?|trunk|backbone|transformer|encoder|(res)?blocks?|layers?|h|attention|attn|self"
    "|self_attn|self_attention|mha"
)


@dataclass(frozen=True)
class Part:
    """Layers that become one map: an array, a list of them, a dict of them by number, or the steps of `generate`."""

    layers: Any
    notes: tuple = ()
    texts: int | None = None  # how many texts were read at once, where that's known: windows are more
    decodes: bool = False  # whether queries are known to be the last of the keys, as with a cache
    cached: int | None = None  # how many tokens were read before, into a cache, where that's known
    slides: bool = False  # whether the cache lets go of tokens that are too far
    sinks: bool = False  # whether the model has sinks that are no tokens
    keys_after: tuple = ()  # the names of keys that a layer adds at the end
    window: int | None = None  # how many keys are around each query, where keys are counted from it
    array: Any = None  # the array that all layers which are held fill, where that's a map's own
    full: tuple | None = None  # how many queries and keys each layer saw, which may hold groups of them
    heads_at: dict = field(default_factory=dict)  # where the heads of a layer were seen, by the id of its weights
    output: Any = None  # what the model returned
    config: Any = None  # of a Hugging Face model, or what a module says of its patches
    name: str = ""
    among: tuple = ("",)  # the names of all parts
    chosen: Any = None  # the numbers of the layers that are wanted, None for all

    @property
    def role(self):
        """What it is to the model: see `find_role`."""
        return find_role(self.name, self.among)

    @property
    def steps(self):
        """Whether its layers are the steps of `generate`."""
        return are_steps(self.layers)

    def in_windows(self):
        """Whether layers look at pieces of what was read, each for itself: at more than there were texts.

        >>> import numpy as np
        >>> Part([np.ones((4, 2, 9, 9))], texts=1).in_windows(), Part([np.ones((1, 2, 9, 9))], texts=1).in_windows()
        (True, False)
        """
        if self.texts is None or self.steps:
            return False
        return any(getattr(layer, "ndim", 0) == 4 and len(layer) > self.texts for layer in self.numbered().values())

    def keys_before(self, queries, keys):
        """How many of the keys stand before the tokens that ask; after them may be empty places of a cache.

        >>> Part([], cached=5).keys_before(queries=3, keys=20), Part([], cached=6).keys_before(queries=2, keys=5)
        (5, 3)
        """
        return (keys if self.cached is None else min(keys, self.cached + queries)) - queries

    def numbered(self):
        """The layers that are there, by their numbers, from 0."""
        layers = self.layers.items() if isinstance(self.layers, dict) else enumerate(self.layers)
        return {number: layer for number, layer in layers if layer is not None}


def stack_layers(named):
    """Layers with the names of their modules, as stacks of layers by number: those whose names differ in numbers alone.

    >>> stack_layers([("encoder.9.attn", 2), ("encoder.4.attn", 1), ("decoder.0.attn", 3), ("decoder.0.cross_attn", 4)])
    {'encoder': {4: 1, 9: 2}, 'decoder': {0: 3}, 'cross': {0: 4}}
    >>> list(stack_layers([("text_model.layers.0.attn", 1), ("vision_tower.layers.0.attn", 2)]))
    ['text', 'image']
    >>> list(stack_layers([("blocks.0.attn1", 1), ("blocks.0.attn2", 2)]))
    ['decoder', 'cross']
    """
    named, stacks = [*named], {}
    number = NUMBERS if all(re.search(NUMBERS, name) for name, _ in named) else r"\d+"
    for name, layer in named:
        numbers = tuple(map(int, re.findall(number, name)))
        stacks.setdefault(re.sub(number, "", name), []).append((numbers, layer))
    stacks = {name: order_by_number(stack) for name, stack in stacks.items()}
    if len(stacks) == 1:
        return {"": stacks.popitem()[1]}
    return dict(zip(names_of_stacks(list(stacks)), stacks.values()))


def names_of_stacks(names):
    """What stacks of layers are called, by the names of their modules without numbers: by their roles, or what differs.

    >>> names_of_stacks(["visual.transformer.resblocks..attn", "visual.pool.attn", "transformer.resblocks..attn"])
    ['image', 'image, pool', 'text']
    >>> names_of_stacks(["blocks..attn", "cls_attn_blocks..attn"])
    ['blocks', 'cls_attn_blocks']

    Beside the tower of an image, a stack without a word of its own is the model's main one, which reads the text.
    """
    roles = {name: find_tower(name) or find_role(name, names) for name in names}
    roles = {name: None if found == name else found for name, found in roles.items()}
    bare = [name for name in names if roles[name] is None and not _own_words(name)]
    known = set(roles.values())
    if len(bare) == 1 and known & {"image", "audio"} and "text" not in known:
        roles[bare[0]] = "text"
    called = {}
    for one in roles.values():
        group = [name for name in names if roles[name] == one]
        called |= dict(zip(group, _names_of_one_role(one, group)))
    plain = [".".join(_words(name)) for name in names]
    return [called[name] for name in names] if len(set(called.values())) == len(names) else plain


def _names_of_one_role(one, names):
    if one and len(names) == 1:
        return [one]
    if one is None:
        return [words or _words(name)[0] for name, words in zip(names, tell_apart(names))]
    crosses = [name for name in names if CROSSING.search(name)] if one != "cross" else []
    groups = [("cross", crosses), ("", [name for name in names if name not in crosses])]
    called = {}
    for role_in_tower, group in groups:
        for name, words in zip(group, tell_apart(group)):
            called[name] = ", ".join(filter(None, (one, role_in_tower, words if len(group) > 1 else "")))
    return [called[name] for name in names]


def tell_apart(names):
    """What tells modules apart: the words of their names that no others have, none for a name without any.

    >>> tell_apart(["visual.transformer..attn", "visual.attn_pool.attn"]), tell_apart(["left.layers", "right.layers"])
    (['', 'attn_pool'], ['left', 'right'])
    """
    found = [_own_words(name) for name in names]
    shared = set.intersection(*map(set, found)) if len(found) > 1 else set()
    return [".".join(word for word in words if word not in shared) for words in found]


def _own_words(name):
    return [word for word in _words(name) if not EVERYWHERE.fullmatch(word) and word not in TOWERS]


def _words(name):
    return [word for word in name.split(".") if word]


def order_by_number(stack):
    """Layers by the number in which the names of their modules differ; in the order of all numbers, where it's not one.

    >>> order_by_number([((0, 9), "b"), ((0, 4), "a")]), order_by_number([((1, 0), "c"), ((0, 1), "b"), ((0, 0), "a")])
    ({4: 'a', 9: 'b'}, ['a', 'b', 'c'])
    >>> order_by_number([((0,), "a"), ((1,), "b"), ((0,), "a again")])  # of modules that are called again, as they were
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


def find_role(name, names):
    """What a stack of layers is to a model, by its name among the names of all: encoder, decoder, cross or as it is.

    >>> names = ["layers.self_attn", "layers.multihead_attn"]
    >>> [find_role(name, names) for name in names]
    ['decoder', 'cross']
    """
    crosses = [other for other in names if CROSSING.search(other)]
    if name in crosses:
        return "cross"
    of_tower = name.partition(", ")[0]
    if of_tower in ("image", "audio"):
        return of_tower
    if "encoder" in name or "decoder" in name:
        return "encoder" if "encoder" in name else "decoder"
    if of_tower == "text":
        return of_tower
    return "decoder" if crosses else name


def find_tower(name):
    """What a part of a model reads, by the first word of its name that tells; None for no such word.

    >>> find_tower("model.vision_tower.encoder.layers"), find_tower("model.layers")
    ('image', None)
    """
    found = re.search("|".join(TOWERS), name)
    return found and TOWERS[found[0]]


def renumber(layers, numbers):
    """Layers by their numbers in the model, where only some of its layers have attention.

    >>> renumber(("second", "fourth"), [1, 3]), renumber(("first", "second"), None)
    ({1: 'second', 3: 'fourth'}, ('first', 'second'))
    """
    known = isinstance(layers, dict) or numbers is None or len(numbers) != len(layers)
    return layers if known else dict(zip(numbers, layers))


def group_alike(parts, chosen=None):
    """The parts whose layers are of one shape, of which a map is made: others in groups that are, by their numbers.

    >>> import numpy as np
    >>> wide, narrow = np.ones((16, 2, 4, 4)), np.ones((4, 4, 4, 4))
    >>> list(group_alike({"branches": Part([wide, narrow, wide, narrow])}))
    ['branches, layers 1, 3', 'branches, layers 2, 4']
    """
    found = {}
    for name, part in parts.items():
        layers = getattr(part, "layers", None)  # a map has none
        listed = isinstance(layers, (list, tuple, dict)) and not are_steps(layers)
        numbered = part.numbered() if listed else {}
        seen = dict(zip(numbered, getattr(part, "full", None) or ()))
        groups = {}
        for number in pick_layers(sorted(numbered), chosen if numbered else None):
            groups.setdefault((getattr(numbered[number], "shape", None), seen.get(number)), []).append(number)
        if len(groups) < 2:
            found[name] = part if layers is None else replace(part, chosen=chosen)
            continue
        for numbers in groups.values():
            layers, full = ({number: each.get(number) for number in numbers} for each in (numbered, seen))
            one = replace(part, layers=layers, array=None, full=tuple(full.values()) if seen else None)
            found[", ".join(filter(None, (name, name_runs(numbers))))] = one
    names = tuple(found)
    return {
        name: replace(part, name=name, among=names) if hasattr(part, "layers") else part for name, part in found.items()
    }


def name_runs(numbers):
    """Layers by their numbers, from 0, those that follow each other in one.

    >>> name_runs([4]), name_runs([0, 1, 2]), name_runs([0, 2, 3])
    ('layer 5', 'layers 1 to 3', 'layers 1, 3 to 4')
    """
    starts = [number for number in sorted(numbers) if number - 1 not in numbers]
    ends = [number for number in sorted(numbers) if number + 1 not in numbers]
    runs = [f"{start + 1}" if start == end else f"{start + 1} to {end + 1}" for start, end in zip(starts, ends)]
    return f"layer{'s' * (len(numbers) > 1)} {', '.join(runs)}"


def choose_part(parts, wanted):
    """The part that somebody names, or those that have it in their name; all for None.

    >>> list(choose_part({"text_model": 1, "vision_model": 2}, "text"))
    ['text_model']
    >>> list(choose_part({"cross, down": 1, "cross, up": 2, "decoder, up": 3}, "cross"))
    ['cross, down', 'cross, up']

    Raises `ValueError` where none is called so.
    """
    if wanted is None:
        return parts
    found = [wanted] if wanted in parts else [name for name in parts if str(wanted) in name]
    if not found:
        raise ValueError(f"part must be one of {', '.join(map(repr, parts))}, got {wanted!r}")
    return {name: parts[name] for name in found}
