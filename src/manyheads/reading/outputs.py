"""What tools hand out, as the parts that become maps: outputs of Hugging Face, dicts, tables, tuples and arrays."""

from manyheads.reading.answers import follow_answer
from manyheads.reading.parts import DECODES, Part, find_tower, stack_layers
from manyheads.reading.request import ATTENTIONS, OF_TEXTS, PATTERN, fields_of, leaves
from manyheads.reading.weights import EAGER, array_of, has_weights


def parts_of_output(output, batch=0, texts=None):
    """A Hugging Face output as it is, of an encoder, a decoder, both, of `generate`, or of a model with such parts.

    >>> from types import SimpleNamespace
    >>> list(parts_of_output(SimpleNamespace(encoder_attentions=[1], decoder_attentions=[2], cross_attentions=[3])))
    ['encoder', 'decoder', 'cross']
    """
    found = attentions_in(output)
    if not found:
        within = {find_tower(name) or name: attentions_in(value) for name, value in fields_of(output).items()}
        named = {name: layers for name, layers in within.items() if layers}
        found = {
            ", ".join(filter(None, (name, role))): one for name, layers in named.items() for role, one in layers.items()
        }
    if not found:
        raise ValueError(f"the output holds no attentions: {EAGER}")
    if getattr(output, "sequences", None) is not None:
        found = {name: follow_answer(layers, output, batch) for name, layers in found.items()}
    if len(found) > 1 or "cross" in found:
        found = {name or "decoder": layers for name, layers in found.items()}
    else:
        found = {"": found.popitem()[1]}
    cache, texts = getattr(output, "past_key_values", None), texts or texts_of(output)
    slides = any(getattr(layer, "is_sliding", False) for layer in getattr(cache, "layers", ()))
    return {
        name: Part(layers, texts=texts, decodes=cache is not None and name in DECODES, slides=slides)
        for name, layers in found.items()
    }


def attentions_in(output):
    """The attentions that an output has by itself, by their part."""
    found = {name: getattr(output, field, None) for field, name in ATTENTIONS.items()}
    return {name: layers for name, layers in found.items() if layers is not None and has_weights(layers)}


def texts_of(output):
    """How many texts an output is of; None where it doesn't tell, as that of `generate`."""
    values = (getattr(output, name, None) for name in OF_TEXTS)
    return next((len(value) for value in values if getattr(value, "ndim", 0) > 1), None)


def parts_of_cache(cache):
    """A TransformerLens cache, or any dict with its names.

    >>> parts_of_cache({"blocks.5.attn.hook_pattern": [[1]], "blocks.5.hook_mlp_out": [[2]]})[""].layers
    {5: array([[1.]], dtype=float32)}
    """
    return _stacked((name, layer) for name, layer in cache.items() if str(name).endswith(PATTERN))


def parts_of_layers(named):
    """The layers of one model, in dicts as JAX names them.

    >>> import numpy as np
    >>> parts_of_layers({"layer_1": np.ones((1, 1)), "layer_0": np.zeros((1, 1))})[""].layers[0]
    array([[0.]], dtype=float32)
    """
    return _stacked(leaves(named))


def _stacked(named):
    stacks = stack_layers((name, array_of(layer)) for name, layer in named)
    return {name: Part(layers) for name, layers in stacks.items()}


def parts_of_weights(weights):
    """An array, or lists that make one, or what an `nn.MultiheadAttention` returned.

    Raises `ValueError` for the plain tuple that a Hugging Face model returns with `return_dict=False`.
    """
    if isinstance(weights, tuple) and is_whole_output(weights):
        raise ValueError("this is a model's output as a plain tuple: call it with return_dict=True")
    return {"": Part(weights_in_result(weights))}


def is_whole_output(parts):
    """Whether a tuple is what a Hugging Face model returns with `return_dict=False`.

    >>> import numpy as np
    >>> is_whole_output((np.ones((1, 5, 8)), (np.ones((1, 2, 5, 5)),))), is_whole_output((np.ones((1, 2, 5, 5)),))
    (True, False)
    """
    return any(hasattr(part, "ndim") for part in parts) and any(isinstance(part, tuple) for part in parts)


def weights_in_result(result):
    """The weights in what an `nn.MultiheadAttention` returned, (output, weights); what is none of its, as it is.

    >>> import numpy as np
    >>> weights_in_result((np.ones((1, 3, 4)), np.ones((1, 2, 3, 3)))).shape
    (1, 2, 3, 3)
    >>> weights_in_result((np.ones((1, 3, 4)), np.ones((1, 3, 3))))
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


def read_table(table):
    """The tokens of a table of pandas, or one like it, by its columns and its rows, and its numbers.

    Raises `TypeError` for a table of something else than weights.
    """
    weights = table.to_numpy()
    if weights.dtype.kind not in "fiub":
        raise TypeError(
            f"a table of weights has one column for each token that is looked at, got {list(table.columns)}"
        )
    return [str(name) for name in table.columns], [str(name) for name in table.index], weights
