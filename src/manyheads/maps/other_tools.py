"""Attentions as other tools hand them out, as attention maps: one call for all that `maps_of` knows.

What is known of each tool stands in one function: `of_output` for Hugging Face, `stitched` for the steps of `generate`,
`of_module` for PyTorch's layers, `of_cache` for TransformerLens. All else is an array, or lists that make one.
"""

import re
import sys

import numpy as np

from manyheads.maps.attention_map import AttentionMap
from manyheads.maps.bertviz_arguments import pretty
from manyheads.maps.tokens_from import chosen_text, strings_of
from manyheads.maps.weights_from import EAGER, are_steps, array_of, has_weights, kind_of, rows_to_one, weights_of

FIELDS = {  # of a Hugging Face output
    "encoder_attentions": "encoder",
    "decoder_attentions": "decoder",
    "attentions": "",
    "cross_attentions": "cross",
}
OTHER_FIELDS = ("last_hidden_state", "logits", "hidden_states", "cache_params")  # of an output that has none of these
PATTERN = "hook_pattern"  # how the names of a TransformerLens cache end where attention is


def maps_of(
    attentions,
    tokens=None,
    query_tokens=None,
    *,
    inputs=None,
    batch=0,
    attention_mask=None,
    layers=None,
    layer_names=None,
    head_names=None,
    key_value_heads=None,
    normalised=True,
    prettify_tokens=True,
    tokenizer=None,
    value_norms=None,
):
    """The attention maps in what some tool computed, by name; "" where there is one alone. As `HeadMap.of` takes it.

    >>> import numpy as np
    >>> weights = np.full((2, 3, 4, 4), 1 / 4)
    >>> {name: map.shape for name, map in maps_of(weights, list("abcd")).items()}
    {'': (2, 3, 4, 4)}
    >>> list(maps_of({"before": weights, "after": weights}, list("abcd")))
    ['before', 'after']
    """
    parts = parts_of(attentions, inputs, batch)
    tokens, query_tokens = (
        strings_of(name, given, tokenizer, batch)
        for name, given in (("tokens", tokens), ("query_tokens", query_tokens))
    )
    maps = {}
    for name, part in parts.items():
        if isinstance(part, AttentionMap):
            maps[name] = part
            continue
        which = role(name, parts)
        weights, names, notes = weights_of(part, causal=which != "cross", batch=batch, chosen=layers)
        counts = weights.shape[2:]
        text = None if which == "decoder" else places_of_text(attention_mask, counts[1], batch)
        alike = which != "cross" and counts[0] == counts[1]  # the padding asks as well
        if text is not None:
            weights = weights[..., text][:, :, text] if alike else weights[..., text]
            notes += (f"{counts[1] - len(text)} padding tokens are left out.",) * (len(text) < counts[1])
        weights, kind, notes_on_rows = rows_to_one(weights) if normalised else (weights, *kind_of(weights))
        queries = tokens if query_tokens is None else query_tokens
        queries = {"encoder": tokens, "decoder": query_tokens, "cross": query_tokens}.get(which, queries)
        spare = are_steps(part)
        queries, notes_on_queries = tokens_for("query_tokens", queries, counts[0], spare)
        keys, notes_on_keys = tokens_for("tokens", query_tokens if which == "decoder" else tokens, counts[1], spare)
        if text is not None:
            keys, queries = [keys[place] for place in text], [queries[place] for place in text] if alike else queries
        if prettify_tokens:
            queries, keys = pretty(queries), pretty(keys)
        heads = names_of_heads(weights.shape[1], head_names, key_value_heads)
        notes = dict.fromkeys((*notes, *notes_on_rows, *notes_on_queries, *notes_on_keys))  # each once
        names = names if layer_names is None else list(layer_names)
        lengths = norms_of_part(value_norms, layers, text, parts)
        options = {"notes": tuple(notes), "kind": kind, "layer_names": names, "value_norms": lengths}
        maps[name] = AttentionMap(queries, keys, weights, heads, **options)
    return maps


# --- What each tool hands out, as {name: layers}; layers are an array, a list of them, or the steps of `generate` --


def parts_of(attentions, inputs=None, batch=0):
    """The parts of what a tool handed out, each with its name: the maps that will be.

    >>> import numpy as np
    >>> list(parts_of({"mine": np.ones((1, 1)), "theirs": np.ones((1, 1))}))
    ['mine', 'theirs']
    """
    if inputs is not None or is_module(attentions):
        return of_module(attentions, inputs, batch)
    if isinstance(attentions, AttentionMap):
        return {"": attentions}
    if any(hasattr(attentions, field) for field in FIELDS):
        return of_output(attentions, batch)
    if any(hasattr(attentions, field) for field in OTHER_FIELDS):
        raise ValueError(
            f"a {type(attentions).__name__} has no place for attentions: its model has none to give, as state-space "
            "models don't, or it is a hybrid that gives them elsewhere"
        )
    if hasattr(attentions, "items"):
        named = dict(attentions.items())
        return of_cache(named) if any(str(name).endswith(PATTERN) for name in named) else of_dict(named)
    if isinstance(attentions, tuple) and is_whole_output(attentions):
        raise ValueError("this is a model's output as a plain tuple: call it with return_dict=True")
    return {"": of_layer_result(attentions)}


def is_module(thing):
    """Whether something is a torch module; it never imports torch, which a module has imported."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(thing, torch.nn.Module)


def is_whole_output(parts):
    """Whether a tuple is what a Hugging Face model returns with `return_dict=False`.

    >>> import numpy as np
    >>> is_whole_output((np.ones((1, 5, 8)), (np.ones((1, 2, 5, 5)),))), is_whole_output((np.ones((1, 2, 5, 5)),))
    (True, False)
    """
    return any(hasattr(part, "ndim") for part in parts) and any(isinstance(part, tuple) for part in parts)


def of_output(output, batch=0):
    """A Hugging Face output as it is, of an encoder, a decoder, both, or of `generate`.

    >>> from types import SimpleNamespace
    >>> list(of_output(SimpleNamespace(encoder_attentions=[1], decoder_attentions=[2], cross_attentions=[3])))
    ['encoder', 'decoder', 'cross']
    """
    found = {name: getattr(output, field, None) for field, name in FIELDS.items()}
    found = {name: layers for name, layers in found.items() if layers is not None and has_weights(layers)}
    if not found:
        raise ValueError(f"the output holds no attentions: {EAGER}")
    if (beams := getattr(output, "beam_indices", None)) is not None:
        rows = [int(row) for row in beams[chosen_text(batch, len(beams))]]
        found = {name: followed(layers, rows) if are_steps(layers) else layers for name, layers in found.items()}
    if len(found) == 1:
        return {"": found.popitem()[1]} if "cross" not in found else found
    return {name or "decoder": layers for name, layers in found.items()}


def followed(steps, rows):
    """The steps of `generate` for one beam, which was another row of the batch at each step."""
    return [[layer[row : row + 1] for layer in step] for step, row in zip(steps, rows) if row >= 0]


def of_module(module, inputs, batch=0):
    """The layers of a PyTorch module that was called with `inputs`; those of an encoder and a decoder apart.

    >>> from torch import nn, ones
    >>> both = nn.Transformer(d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> list(of_module(both, (ones(1, 3, 4), ones(1, 2, 4))))
    ['encoder', 'decoder', 'cross']
    """
    if not is_module(module):
        raise TypeError(f"inputs are what a torch module is called with; got {type(module).__name__} for the module")
    if inputs is None:
        raise TypeError(f"HeadMap.of({type(module).__name__}, ...) needs inputs, what the module is called with")
    from manyheads.maps.torch_modules import eager_output, layers_with_attention, watched_attention

    if hasattr(module, "set_attn_implementation"):  # of Hugging Face
        output = eager_output(module, inputs)
        if not any(has_weights(getattr(output, field, None) or ()) for field in FIELDS):
            name = type(module).__name__
            raise ValueError(f"{name} gives no attentions, not even eagerly: its layers may be of another kind")
        parts = of_output(output, batch)
        return {name: numbered(layers, layers_with_attention(module)) for name, layers in parts.items()}
    return by_stack((name, array_of(weights)) for name, weights in watched_attention(module, inputs))


def numbered(layers, numbers):
    """Layers by their numbers in the model, where only some of its layers have attention.

    >>> numbered(("second", "fourth"), [1, 3]), numbered(("first", "second"), None)
    ({1: 'second', 3: 'fourth'}, ('first', 'second'))
    """
    return layers if numbers is None or len(numbers) != len(layers) else dict(zip(numbers, layers))


def of_cache(cache):
    """A TransformerLens cache, or any dict with its names.

    >>> of_cache({"blocks.5.attn.hook_pattern": [[1]], "blocks.5.hook_mlp_out": [[2]]})
    {'': {5: array([[1.]], dtype=float32)}}
    """
    return by_stack((name, array_of(layer)) for name, layer in cache.items() if name.endswith(PATTERN))


def of_dict(named):
    """Several of what is known here, by names of one's own."""
    parts = {}
    for key, attentions in named.items():
        found = parts_of(attentions)
        parts |= {f"{key}, {name}".removesuffix(", "): layers for name, layers in found.items()}
    return parts


def of_layer_result(result):
    """The weights in what an `nn.MultiheadAttention` returned, (output, weights); what is none of its, as it is.

    >>> import numpy as np
    >>> of_layer_result((np.ones((1, 3, 4)), np.ones((1, 2, 3, 3)))).shape
    (1, 2, 3, 3)
    >>> of_layer_result((np.ones((1, 3, 4)), np.ones((1, 3, 3))))
    Traceback (most recent call last):
    ValueError: these weights are averaged over the heads: ask nn.MultiheadAttention for average_attn_weights=False
    """
    if not isinstance(result, tuple) or len(result) != 2 or not hasattr(result[0], "ndim"):
        return result
    output, weights = result
    if weights is None:
        raise ValueError("there are no weights: ask nn.MultiheadAttention for need_weights=True")
    if weights.ndim == output.ndim + 1 and weights.shape[-2] == output.shape[-2]:
        return array_of(weights)
    if weights.ndim == output.ndim <= 3 and weights.shape[:-1] == output.shape[:-1] and weights.shape != output.shape:
        raise ValueError(
            "these weights are averaged over the heads: ask nn.MultiheadAttention for average_attn_weights=False"
        )
    return result


def by_stack(named):
    """Layers with the names of their modules, as stacks of layers by number: those whose names differ in numbers alone.

    >>> by_stack([("encoder.9.attn", 2), ("encoder.4.attn", 1), ("decoder.0.attn", 3), ("decoder.0.cross_attn", 4)])
    {'encoder': {4: 1, 9: 2}, 'decoder': {0: 3}, 'cross': {0: 4}}
    """
    stacks = {}
    for name, layer in named:
        numbers = tuple(map(int, re.findall(r"\d+", name)))
        stacks.setdefault(re.sub(r"\d+", "", name), []).append((numbers, layer))
    stacks = {name: by_number(stack) for name, stack in stacks.items()}
    if len(stacks) == 1:
        return {"": stacks.popitem()[1]}
    roles = [role(name, stacks) for name in stacks]
    names = roles if len(set(roles)) == len(stacks) else stacks
    return dict(zip(names, stacks.values()))


def by_number(stack):
    """Layers by the number in which the names of their modules differ; in the order of all numbers, where it's not one.

    >>> by_number([((0, 9), "b"), ((0, 4), "a")]), by_number([((1, 0), "c"), ((0, 1), "b"), ((0, 0), "a")])
    ({4: 'a', 9: 'b'}, ['a', 'b', 'c'])
    """
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
    crosses = [other for other in names if "cross" in other or "multihead_attn" in other]
    if name in crosses:
        return "cross"
    if "encoder" in name:
        return "encoder"
    return "decoder" if "decoder" in name or crosses else name


# --- Tokens and heads of one part ------------------------------------------------------------------------------


def tokens_for(name, tokens, count, spare=False):
    """As many tokens as there are places, counted where none were given, and a note where they were changed.

    >>> tokens_for("tokens", ["a", "b", "c"], 2, spare=True)
    (['a', 'b'], ("The last token, 'c', was not read any more: it looks at nothing yet.",))
    >>> tokens_for("tokens", None, 3)
    (['1', '2', '3'], ('tokens are not given: places are counted.',))

    With `spare`, there may be one more: the last that `generate` wrote.
    """
    if tokens is None:
        return [str(place + 1) for place in range(count)], (f"{name} are not given: places are counted.",)
    if spare and len(tokens) == count + 1:
        return list(tokens[:-1]), (f"The last token, {tokens[-1]!r}, was not read any more: it looks at nothing yet.",)
    if len(tokens) != count:
        raise ValueError(f"there are {count} places for {name}, got {len(tokens)}: {list(tokens)}")
    return list(tokens), ()


def norms_of_part(norms, layers, text, parts):
    """The `value_norms` of the chosen layers and the places that aren't padding.

    >>> norms_of_part(np.ones((6, 12, 9)), layers=[0, 5], text=[0, 1, 2], parts={"": None}).shape
    (2, 12, 3)
    """
    if norms is None:
        return None
    if len(parts) > 1:
        raise ValueError(f"value_norms are of one map; this makes {len(parts)}: {', '.join(parts)}")
    norms = np.asarray(norms)
    norms = norms if layers is None else norms[list(layers)]
    return norms if text is None else norms[..., text]


def places_of_text(attention_mask, count, batch=0):
    """The places that aren't padding, by the mask that a tokenizer gave; None for no mask.

    >>> places_of_text([[0, 1, 1], [1, 1, 1]], count=3)
    [1, 2]

    Raises `ValueError` for a mask of other than `count` places.
    """
    if attention_mask is None:
        return None
    mask = np.asarray(attention_mask.cpu() if hasattr(attention_mask, "cpu") else attention_mask)
    if mask.ndim == 2:
        mask = mask[chosen_text(batch, len(mask))]
    if mask.shape != (count,):
        raise ValueError(f"attention_mask must be [{count}] or [batch, {count}], 0 for padding, got {list(mask.shape)}")
    return np.flatnonzero(mask).tolist()


def names_of_heads(count, head_names=None, key_value_heads=None):
    """Names of one's own, or of the group that shares keys and values, in grouped-query attention; None for neither.

    >>> names_of_heads(4, key_value_heads=2)
    ['group 1, head 1', 'group 1, head 2', 'group 2, head 3', 'group 2, head 4']
    """
    if head_names is not None:
        if key_value_heads is not None:
            raise ValueError("give head_names or key_value_heads, not both")
        return list(head_names)
    if key_value_heads is None:
        return None
    if not 1 <= key_value_heads <= count or count % key_value_heads:
        raise ValueError(f"key_value_heads must divide the {count} heads, got {key_value_heads}")
    return [f"group {head // (count // key_value_heads) + 1}, head {head + 1}" for head in range(count)]
