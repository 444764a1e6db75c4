"""What each tool hands out, as parts with names.

What is known of each tool stands in one place: `outputs` for Hugging Face, `stitched` for the steps of `generate`,
`modules` for whatever computes, `of_cache` for TransformerLens. All else is an array, or lists that make one.
"""

import re
import sys

from manyheads.maps.attention_map import AttentionMap
from manyheads.reading.outputs import OTHER_FIELDS, is_output, of_output
from manyheads.reading.parts import Part, by_stack
from manyheads.reading.sentences import Holding
from manyheads.reading.weights_from import array_of

PATTERN = "hook_pattern"  # how the names of a TransformerLens cache end where attention is
OF_LAYERS = re.compile(r"(layer|block|^h)s?[._ ]?\d", re.IGNORECASE)  # how dicts of JAX name their layers


def parts_of(source, inputs=None, batch=0, before=None, holding=Holding()):
    """The parts of what a tool handed out, each with its name: the maps that will be.

    >>> import numpy as np
    >>> list(parts_of({"mine": np.ones((1, 1)), "theirs": np.ones((1, 1))}))
    ['mine', 'theirs']
    """
    source = getattr(source, "_module", source) if type(source).__module__.startswith("nnsight") else source
    if is_module(source):
        if inputs is None:
            raise TypeError(
                f"HeadMap.of({type(source).__name__}, ...) needs inputs, what the module is called with; or a text and "
                "tokenizer=, the model's own; or image= and its processor as tokenizer="
            )
        from manyheads.reading.modules import of_module

        return of_module(source, inputs, batch, before, holding)
    if modules_among(source):
        return of_dict(source, inputs, batch, before, holding)
    if inputs is not None and not is_output(source):
        raise TypeError(f"inputs are what a torch module is called with; got {type(source).__name__} for the module")
    shown = getattr(source, "attention", source)  # of a HeadMap
    if isinstance(shown, AttentionMap):
        return {"": shown}
    if is_output(source):
        return of_output(source, batch)
    if any(hasattr(source, field) for field in OTHER_FIELDS):
        raise ValueError(
            f"a {type(source).__name__} has no place for attentions: its model has none to give, as state-space "
            "models don't, or it is a hybrid that gives them elsewhere"
        )
    if hasattr(source, "items") and not hasattr(source, "ndim"):
        named = dict(source.items())
        return of_cache(named) if any(str(name).endswith(PATTERN) for name in named) else of_dict(named)
    if isinstance(source, tuple) and is_whole_output(source):
        raise ValueError("this is a model's output as a plain tuple: call it with return_dict=True")
    return {"": Part(of_layer_result(source))}


def modules_among(source):
    """Whether something is a module, or a dict with modules in it."""
    return is_module(source) or (type(source) is dict and any(map(is_module, source.values())))


def named_of(source, inputs):
    """The inputs by the names that a module gives them, or by their own."""
    if inputs is None or not modules_among(source):
        return dict(inputs) if hasattr(inputs, "keys") else {}
    from manyheads.reading.modules import named_inputs

    return named_inputs(source if is_module(source) else next(iter(source.values())), inputs)


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


def of_cache(cache):
    """A TransformerLens cache, or any dict with its names.

    >>> of_cache({"blocks.5.attn.hook_pattern": [[1]], "blocks.5.hook_mlp_out": [[2]]})[""].layers
    {5: array([[1.]], dtype=float32)}
    """
    stacks = by_stack((name, array_of(layer)) for name, layer in cache.items() if name.endswith(PATTERN))
    return {name: Part(layers) for name, layers in stacks.items()}


def of_dict(named, inputs=None, batch=0, before=None, holding=Holding()):
    """Several of what is known here, by names of one's own; or the layers of one model, as JAX names them.

    >>> import numpy as np
    >>> of_dict({"layer_1": np.ones((1, 1)), "layer_0": np.zeros((1, 1))})[""].layers[0]
    array([[0.]], dtype=float32)
    """
    leaves = dict(_leaves(named))
    if leaves and all(OF_LAYERS.search(name) for name in leaves):
        stacks = by_stack((name, array_of(layer)) for name, layer in leaves.items())
        return {name: Part(layers) for name, layers in stacks.items()}
    parts = {}
    for key, source in named.items():
        found = parts_of(source, inputs if is_module(source) else None, batch, before, holding)
        parts |= {f"{key}, {name}".removesuffix(", "): part for name, part in found.items()}
    return parts


def _leaves(named, before=""):
    """The arrays in dicts within dicts, by their path; what JAX sows is in a tuple of one."""
    for name, value in named.items():
        path = f"{before}.{name}" if before else str(name)
        value = value[0] if isinstance(value, tuple) and len(value) == 1 else value
        if isinstance(value, dict):
            yield from _leaves(value, path)
        else:
            yield path, value


def names_in_table(table):
    """The tokens of a table of pandas, or one like it, by its columns and its rows, and its numbers.

    Raises `TypeError` for a table of something else than weights.
    """
    weights = table.to_numpy()
    if weights.dtype.kind not in "fiub":
        raise TypeError(
            f"a table of weights has one column for each token that is looked at, got {list(table.columns)}"
        )
    return [str(name) for name in table.columns], [str(name) for name in table.index], weights


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
