"""Attentions as other tools hand them out, as attention maps: one call for all that `maps_of` knows.

What is known of each tool stands in one function: `of_output` for Hugging Face, `stitched` for the steps of `generate`,
`of_module` for PyTorch's layers, `of_cache` for TransformerLens. All else is an array, or lists that make one.
"""

import re

from torch import nn

from manyheads.maps.attention_map import AttentionMap
from manyheads.maps.bertviz_arguments import check_tokens, pretty
from manyheads.maps.torch_modules import watched_attention
from manyheads.maps.weights_from import EAGER, are_steps, array_of, has_weights, kind_of, rows_to_one, weights_of

FIELDS = {  # of a Hugging Face output
    "encoder_attentions": "encoder",
    "decoder_attentions": "decoder",
    "attentions": "",
    "cross_attentions": "cross",
}
PATTERN = "hook_pattern"  # how the names of a TransformerLens cache end where attention is


def maps_of(
    attentions,
    tokens=None,
    query_tokens=None,
    *,
    inputs=None,
    head_names=None,
    key_value_heads=None,
    normalised=True,
    prettify_tokens=True,
):
    """The attention maps in what some tool computed, by name; "" where there is one alone. As `HeadMap.of` takes it.

    >>> import numpy as np
    >>> weights = np.full((2, 3, 4, 4), 1 / 4)
    >>> {name: map.shape for name, map in maps_of(weights, list("abcd")).items()}
    {'': (2, 3, 4, 4)}
    >>> list(maps_of({"before": weights, "after": weights}, list("abcd")))
    ['before', 'after']
    """
    parts = parts_of(attentions, inputs)
    known = (tokens, query_tokens, head_names, key_value_heads, normalised, prettify_tokens)
    return {
        name: part if isinstance(part, AttentionMap) else map_of(part, role(name, parts), *known)
        for name, part in parts.items()
    }


def map_of(layers, part, tokens, query_tokens, head_names, key_value_heads, normalised, prettify_tokens):
    """The map of one part: the tokens that ask and those that are looked at depend on which part it is."""
    weights, notes = weights_of(layers, causal=part != "cross")
    kind = "shares"
    if normalised:
        weights, notes_on_rows = rows_to_one(weights)
    else:
        kind, notes_on_rows = kind_of(weights)
    queries = tokens if query_tokens is None else query_tokens
    queries = {"encoder": tokens, "decoder": query_tokens, "cross": query_tokens}.get(part, queries)
    keys = query_tokens if part == "decoder" else tokens
    spare = are_steps(layers)
    queries, notes_on_queries = tokens_for("query_tokens", queries, weights.shape[2], spare)
    keys, notes_on_keys = tokens_for("tokens", keys, weights.shape[3], spare)
    if prettify_tokens:
        queries, keys = pretty(queries), pretty(keys)
    heads = names_of_heads(weights.shape[1], head_names, key_value_heads)
    notes = dict.fromkeys((*notes, *notes_on_rows, *notes_on_queries, *notes_on_keys))  # each once
    return AttentionMap(queries, keys, weights, heads, notes=tuple(notes), kind=kind)


# --- What each tool hands out, as {name: layers}; layers are an array, a list of them, or the steps of `generate` --


def parts_of(attentions, inputs=None):
    """The parts of what a tool handed out, each with its name: the maps that will be.

    >>> import numpy as np
    >>> list(parts_of({"mine": np.ones((1, 1)), "theirs": np.ones((1, 1))}))
    ['mine', 'theirs']
    """
    if inputs is not None or isinstance(attentions, nn.Module):
        return of_module(attentions, inputs)
    if isinstance(attentions, AttentionMap):
        return {"": attentions}
    if any(hasattr(attentions, field) for field in FIELDS):
        return of_output(attentions)
    if hasattr(attentions, "items"):
        named = dict(attentions.items())
        return of_cache(named) if any(str(name).endswith(PATTERN) for name in named) else of_dict(named)
    return {"": of_layer_result(attentions)}


def of_output(output):
    """A Hugging Face output as it is, of an encoder, a decoder, both, or of `generate`.

    >>> from types import SimpleNamespace
    >>> list(of_output(SimpleNamespace(encoder_attentions=[1], decoder_attentions=[2], cross_attentions=[3])))
    ['encoder', 'decoder', 'cross']
    """
    found = {name: getattr(output, field, None) for field, name in FIELDS.items()}
    found = {name: layers for name, layers in found.items() if layers is not None and has_weights(layers)}
    if not found:
        raise ValueError(f"the output holds no attentions: {EAGER}")
    if len(found) == 1:
        return {"": found.popitem()[1]} if "cross" not in found else found
    return {name or "decoder": layers for name, layers in found.items()}


def of_module(module, inputs):
    """The layers of a PyTorch module that was called with `inputs`; those of an encoder and a decoder apart.

    >>> import torch
    >>> both = nn.Transformer(d_model=4, nhead=2, num_encoder_layers=1, num_decoder_layers=1, batch_first=True)
    >>> list(of_module(both, (torch.ones(1, 3, 4), torch.ones(1, 2, 4))))
    ['encoder', 'decoder', 'cross']
    """
    if not isinstance(module, nn.Module):
        raise TypeError(f"inputs are what a torch module is called with; got {type(module).__name__} for the module")
    if inputs is None:
        raise TypeError(f"HeadMap.of({type(module).__name__}, ...) needs inputs, what the module is called with")
    return by_stack((name, array_of(weights)) for name, weights in watched_attention(module, inputs))


def of_cache(cache):
    """A TransformerLens cache, or any dict with its names.

    >>> of_cache({"blocks.0.attn.hook_pattern": [[1]], "blocks.0.hook_mlp_out": [[2]]})
    {'': [array([[1.]], dtype=float32)]}
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
    """Layers with the names of their modules, as stacks of layers: those whose names differ in numbers alone.

    >>> by_stack([("encoder.0.attn", 1), ("encoder.1.attn", 2), ("decoder.0.attn", 3), ("decoder.0.cross_attn", 4)])
    {'encoder': [1, 2], 'decoder': [3], 'cross': [4]}
    """
    stacks = {}
    for name, layer in named:
        stacks.setdefault(re.sub(r"\d+", "", name), []).append(layer)
    if len(stacks) == 1:
        return {"": stacks.popitem()[1]}
    roles = [role(name, stacks) for name in stacks]
    names = roles if len(set(roles)) == len(stacks) else stacks
    return dict(zip(names, stacks.values()))


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
    check_tokens(name, tokens, "a map")
    if spare and len(tokens) == count + 1:
        return list(tokens[:-1]), (f"The last token, {tokens[-1]!r}, was not read any more: it looks at nothing yet.",)
    if len(tokens) != count:
        raise ValueError(f"there are {count} places for {name}, got {len(tokens)}: {list(tokens)}")
    return list(tokens), ()


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
