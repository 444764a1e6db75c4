"""The steps of the formula: every matrix on the path from words to output, for one head."""

import torch

from manyheads import attention
from manyheads.defaults import new_tensors
from manyheads.shared.names import PADDING


def attention_input(model, sentence, module=None):
    """What enters `model.attention`, or another module, when the model reads a sentence, [n, d], and the map of it."""
    seen = []
    hook = (module or model.attention).register_forward_pre_hook(lambda _, inputs: seen.append(inputs[-1]))
    try:
        attention = model(sentence)
    finally:
        hook.remove()
    return seen[0].reshape(len(attention.key_tokens), -1), attention


def attention_of(model, layer=0):
    """The attention that the steps go through: `model.attention`, or of a pretrained model that of a layer."""
    if hasattr(model, "attention_layer"):
        return model.attention_layer(layer)
    module = getattr(model, "attention", None)
    if not isinstance(module, attention.MultiHeadAttention):
        raise TypeError(f"model must hold a MultiHeadAttention as model.attention, got {type(model).__name__}")
    return module


@torch.no_grad()
def formula_steps(model, sentence, head=0, *, layer=0, causal=False, padding=False, scaled=True):
    """All matrices of one head, by name, as float32 [rows, columns], with the tokens and names that go with them.

    `maps`, [h, q, k], are what every head of the layer looks at. Where the model draws conclusions, there are
    `reading`, `parts` and `answer` of its `ledger`, and the `labels`.

    `layer` chooses among those of an encoder or decoder. `causal` lets no token look ahead, which a decoder never does;
    `padding` adds three tokens that nothing may look at, and without `scaled` nothing is divided by the root of the
    width. Raises `ValueError` for a head or a layer that isn't there, `TypeError` for a model without
    `model.attention`.

    >>> from manyheads.models.focus import load_focus_model
    >>> steps = formula_steps(load_focus_model(), "Tea, please!")
    >>> {name: steps[name].shape for name in ("X", "Q", "weights", "concat", "output")}
    {'X': (6, 160), 'Q': (6, 16), 'weights': (6, 6), 'concat': (6, 64), 'output': (6, 160)}
    """
    module = attention_of(model, layer)
    _check_head(model, head)
    if hasattr(model, "attention_layer"):
        X, attention = model.layer_input(sentence, layer), model(sentence)
    else:
        X, attention = attention_input(model, sentence)
    with new_tensors(X.device):
        return _steps(module, model, X, attention, head, causal, padding, scaled)


@torch.no_grad()
def first_steps(model, sentence, head=0):
    """The same for one head of the focus model's layer 1, which reads the word vectors themselves.

    >>> from manyheads.models.focus import load_focus_model
    >>> steps = first_steps(load_focus_model(), "None of them like tea.", head=3)
    >>> weights = steps["weights"][steps["tokens"].index("like")]
    >>> steps["tokens"][weights.argmax()], steps["headNames"][3]
    ('none', 'head 4')
    """
    _check_head(model, head)
    X, attention = attention_input(model, sentence, model.first)
    names = {"headNames": [attention.head_name(0, each) for each in range(model.num_heads)]}
    with new_tensors(X.device):
        return _steps(model.first, model, X, attention, head) | names


def _check_head(model, head):
    if not 0 <= head < model.num_heads:
        raise ValueError(f"head must be from 0 to {model.num_heads - 1}, got {head}")


def _steps(module, model, X, attention_map, head, causal=False, padding=False, scaled=True):
    decodes = attention_map.causal and hasattr(model, "attention_layer")
    causal, tokens = causal or decodes, attention_map.key_tokens
    padded = PADDING["count"] if padding else 0
    X = torch.nn.functional.pad(X, (0, 0, 0, padded))  # the words of padding are zeros
    mask = attention.padding_mask(len(tokens), len(X))[0].expand(len(X), -1)
    if causal:
        mask = mask & attention.causal_mask(len(X))
    how = {"mask": mask if causal or padding else None, "scaled": scaled}
    steps = attention.steps(module, X, head, **how)
    steps["maps"] = torch.stack([attention.steps(module, X, each, **how)["weights"] for each in range(model.num_heads)])
    named = {"tokens": [*tokens, *[PADDING["token"]] * padded], "head": head, "headNames": list(model.head_names)}
    named |= {"scaled": scaled, "biased": module.query.bias is not None, "notes": list(attention_map.notes)}
    if module.rotary_base is not None:
        named["rotaryBase"] = module.rotary_base
    if decodes:
        named |= {"kvHeads": module.num_kv_heads, "decodes": True, "norms": model.norms, "cap": module.cap or 0}
    if attention_map.predictions and hasattr(model, "ledger") and module is model.attention:
        ledger = model.ledger(steps["concat"][0])  # of [CLS]
        named["labels"] = [list(label) for label in ledger.pop("labels")]
        steps |= ledger
    return named | {name: matrix.float().numpy(force=True) for name, matrix in steps.items()}


def head_parameters(module, head):
    """What is learned, one head's columns of it, as the formula writes it: [in, out]."""
    parameters = {"Wo": module.output.weight.T, "bo": module.output.bias}
    groups = module.num_kv_heads
    for letter, layer, parts in (
        ("q", module.query, module.num_heads),
        ("k", module.key, groups),
        ("v", module.value, groups),
    ):
        own = head * parts // module.num_heads
        parameters[f"W{letter}"] = layer.weight.chunk(parts)[own].T
        if layer.bias is not None:
            parameters[f"b{letter}"] = layer.bias.chunk(parts)[own]
    if hasattr(module, "query_norm"):
        parameters |= {"gq": module.query_norm.weight, "gk": module.key_norm.weight}
    return {name: value.numpy(force=True) for name, value in parameters.items() if value is not None}
