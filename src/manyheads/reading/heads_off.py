"""Heads of somebody's own model turned off: what the layer that reads their outputs, W^O, gets of them becomes zero."""

from dataclasses import dataclass, replace

import torch

from manyheads.reading.arguments import texts_in
from manyheads.reading.following import Following, follow
from manyheads.reading.modules import is_hugging_face, parts_of_module
from manyheads.reading.parts import choose_part, group_alike
from manyheads.reading.sentences import Holding
from manyheads.reading.weights import pick_layers

TALK = "its heads talk after the softmax, so what multiplies values is of no head alone"
NOT_READ = "no layer is seen to read its heads' outputs before they're mixed with something else"
NOT_PAIRED = "the weights that it hands out aren't seen to multiply values"


@dataclass(frozen=True)
class Head:
    """The outputs of one head: those of each look that it's of, and in which rows of these its own are, [b].

    The outputs know the modules that read them, so that whoever keeps a head keeps its model.
    """

    outputs: tuple = ()  # (`HeadOutputs`, rows), where they're wanted; none where it computes in pieces
    tags: torch.Tensor | None = None  # of all its outputs
    unseen: frozenset = frozenset()  # the names of modules that read them by a product which can't be followed
    why_not: str | None = None  # why they can't be told from those of others


def heads_of_layers(module, inputs, part=None, layers=None, batch=0, values=False, holding=Holding()):
    """The heads of each layer of a map, by the layer's number, in the map's order: what to turn off.

    >>> from torch import nn, ones
    >>> both = nn.Transformer(d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> found = heads_of_layers(both, (ones(1, 3, 4), ones(1, 2, 4)), part="cross", values=True)
    >>> {number: [head.outputs[0][0].reader.name for head in heads] for number, heads in found.items()}
    {0: ['decoder.layers.0.multihead_attn', 'decoder.layers.0.multihead_attn']}

    `part` and `layers` are those of the map, which is held as `holding` says. With `values`, their
    outputs are kept, and what the weights multiply. Raises `ValueError` where there are several parts and none is
    named.
    """
    texts, seen = texts_in(inputs), []
    holding = holding.of_layers(layers)
    held = holding if is_hugging_face(module) and not holding.groups else None  # by which what it hands out is told

    def before(module):
        seen.append(follow(module, lambda: Following(module, texts, values=values, holding=held)))

    parts = parts_of_module(module, inputs, batch, before, holding)
    runs = choose_part(group_alike(parts, layers), part)
    if len(runs) > 1:
        raise ValueError(f"this model has {', '.join(runs)}: part= names one")
    (one,) = runs.values()
    handed_out = [layer for each in parts.values() for layer in each.numbered().values()]
    numbered = one.numbered()
    numbers = pick_layers(sorted(numbered), one.chosen)
    found = {number: _heads_of(numbered[number], one.heads_at, seen[-1], handed_out) for number in numbers}
    return (
        found if values else {number: [replace(head, outputs=()) for head in heads] for number, heads in found.items()}
    )


def turn_off(module, inputs, heads, head_mask):
    """What turns off those `heads`, of a module's layers by number, for which `head_mask`, [layer][head], is False.

    A function of the module, which it changes: call it where `leave_untouched` puts that back. Raises `ValueError`
    where the outputs of a head can't be told from others.
    """
    off, unseen = [torch.empty(0, dtype=int, device="cpu")], set()
    for (number, layer), on in zip(heads.items(), head_mask):
        for head in (head for head, stays in zip(layer, on) if not stays):
            if head.why_not is not None:
                name = type(module).__name__
                raise ValueError(f"heads of a {name} can't be turned off in layer {number + 1}: {head.why_not}")
            off.append(head.tags)
            unseen |= head.unseen
    texts, off = texts_in(inputs), torch.cat(off)
    return lambda module: follow(module, lambda: Following(module, texts, off, unseen))


def _heads_of(weights, heads_at, modes, handed_out):
    """The heads of one layer, by its weights: those of looks, or those that a model handed out."""
    if id(weights) in heads_at:
        outputs = modes[0].outputs
        calls = [[(outputs[number], rows) for number, rows in heads] for heads in heads_at[id(weights)]]
        return [_head(of_calls) for of_calls in zip(*calls)]
    for mode in reversed(modes):
        found = [call for call in mode.calls if call.weights.data_ptr() == weights.data_ptr()]
        found = found or [call for call in mode.calls if _are_same(call.weights, weights)]
        if len(found) == 1:
            rows = torch.arange(len(weights) * weights.shape[1], device="cpu").reshape(weights.shape[:2])
            return [_head([(mode.outputs[found[0].number], one)]) for one in rows.T]
    return _heads_in_pieces(weights, modes[-1], handed_out)


def _are_same(seen, handed_out):
    """Whether weights that were seen are those that a model hands out, perhaps in another shape."""
    if seen.is_meta or seen.numel() != handed_out.numel() or seen.shape[-2:] != handed_out.shape[-2:]:
        return False
    return torch.equal(seen.reshape(handed_out.shape), handed_out.to(seen.device, seen.dtype))


def _head(outputs):
    if any(one.talked for one, _ in outputs):
        return Head(why_not=TALK)
    if any(one.reader is None for one, _ in outputs):
        return Head(why_not=NOT_READ)
    tags = torch.cat([one.tags(rows).flatten() for one, rows in outputs])
    return Head(tuple(outputs), tags, frozenset().union(*(one.unseen for one, _ in outputs)))


def _heads_in_pieces(weights, mode, handed_out):
    """The heads of a layer that computes in pieces, as far as W^O reads the pieces of each apart from the others'."""
    count, named = weights.shape[1], {}
    for call in mode.calls:
        named.setdefault(call.name, []).append(mode.outputs[call.number])
    place = next(place for place, layer in enumerate(handed_out) if layer is weights)
    pieces = [*named.values()][place] if len(named) == len(handed_out) else []
    if not pieces or not all(one.reader is not None and one.reader.ways for one in pieces):
        return [Head(why_not=NOT_PAIRED)] * count
    return [_head_in_pieces(pieces, head, count) for head in range(count)]


def _head_in_pieces(pieces, head, count):
    tags = []
    for outputs in pieces:
        way = outputs.reader.ways[-1]
        if way.shape[-1] % count:
            return Head(why_not=NOT_PAIRED)
        read = way.tags.expand(way.shape).unflatten(-1, (count, -1))[..., head, :]  # by the columns of this head
        read = read[torch.isin(read, outputs.all_tags())]
        own = [outputs.tags(rows).flatten() for rows in outputs.rows_of(head, count)]
        own = [one for one in own if torch.isin(read, one).all()]
        if not own:
            return Head(why_not=NOT_PAIRED)
        tags.append(own[0])
    return Head(tags=torch.cat(tags), unseen=frozenset().union(*(outputs.unseen for outputs in pieces)))
