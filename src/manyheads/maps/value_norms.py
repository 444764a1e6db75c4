"""How long the vectors are that the heads of any model write: its values, through W^O. For maps weighted by them."""

from contextlib import ExitStack

import torch

from manyheads.maps.looking import looked_at
from manyheads.maps.modules import called
from manyheads.maps.parts import by_stack, chosen_part

# What modules of Hugging Face call the layers that make values and outputs, relative to the one that holds both.
LAYERS = (
    ("v_proj", "o_proj"),
    ("v_proj", "out_proj"),
    ("v_lin", "out_lin"),
    ("self.value", "output.dense"),
    ("attention.value", "output.dense"),
    ("c_attn", "c_proj"),
    ("v", "o"),
)
JOINED = ("c_attn",)  # queries, keys and values in one, in this order


@torch.no_grad()
def value_norms(model, inputs=None, batch=0, part=None):  # -> [layer, head, key]
    """How long the vector is that each head would write from each token with all of its weight, for `HeadMap.of`.

    >>> from transformers import BertConfig, BertModel
    >>> config = BertConfig(hidden_size=12, num_attention_heads=3, num_hidden_layers=2, intermediate_size=12)
    >>> value_norms(BertModel(config), {"input_ids": torch.tensor([[5, 6, 7, 8]])}).shape
    (2, 3, 4)

    `model` is one of Hugging Face, which is called with `inputs`, of which `batch` is measured; it's left as it was.
    Its layers are measured by what they do: a LoRA on them counts, and so do weights of 8 bits or weights that are
    fetched when they're needed. Of a model with several stacks of layers, `part` names one, as of `HeadMap.of`. Or
    it's the cache of a TransformerLens run. Weights times these are what attention does (Kobayashi et al. 2020,
    arXiv:2004.10102). The bias of the output isn't counted: no head writes it.

    Raises `ValueError` for a model whose values or outputs aren't known by name, or are joined with others.
    """
    if inputs is None:
        layers = range(model.model.cfg.n_layers)
        pairs = [(model["v", layer][batch].transpose(0, 1), model.model.W_O[layer]) for layer in layers]
        return torch.stack([norms(*pair) for pair in pairs]).numpy()
    named = [(name, (part, pair)) for name, part in model.named_modules() if (pair := pair_of(part))]
    if not named:
        known = ", ".join("/".join(names) for names in LAYERS)
        raise ValueError(f"{type(model).__name__} has no layers of values and outputs by these names: {known}")
    stacks = chosen_part(by_stack(named), part)
    if len(stacks) > 1:
        raise ValueError(f"value_norms are of one stack of layers, and this model has {', '.join(stacks)}: part= names one")
    (stack,) = stacks.values()
    attending = list(stack.values()) if isinstance(stack, dict) else stack
    with looked_at(model):
        seen = values_of([value for _, (value, _) in attending], model, inputs)
        found = [measured(*one, values[batch]) for one, values in zip(attending, seen)]
    return torch.stack(found).cpu().numpy()


def values_of(layers, model, inputs):
    """What the layers that make values give, [b, k, d_v] each, when the model reads the inputs."""
    seen = {}
    with ExitStack() as after:
        for number, layer in enumerate(layers):
            keep = layer.register_forward_hook(lambda _, __, values, number=number: seen.update({number: values}))
            after.callback(keep.remove)
        called(model, inputs)
    if len(seen) < len(layers):
        raise ValueError(f"{len(layers) - len(seen)} of {len(layers)} layers of values weren't called for these inputs")
    return [seen[number] for number in range(len(layers))]


def measured(attention, pair, values):  # values [k, d_v] -> [h, k]
    """How long the vectors are that the heads of one layer write from the values."""
    value, output = pair
    joined = any(getattr(attention, name, None) is value for name in JOINED)
    values = values.chunk(3, -1)[-1] if joined else values
    heads = heads_in(attention)
    rows = rows_by_calling(output, heads, values)
    if values.shape[-1] % rows.shape[1]:
        raise ValueError(f"{type(value).__name__} gives {values.shape[-1]} values, which isn't a multiple of {rows.shape[1]}")
    return norms(values.unflatten(-1, (-1, rows.shape[1])).transpose(0, 1), rows)


def heads_in(attention):
    """How many heads of queries an attention layer has, by what it or its configuration says."""
    names = ("num_heads", "num_attention_heads", "n_heads", "n_head")
    for holder in (attention, getattr(attention, "self", None), getattr(attention, "attention", None)):
        for source in (holder, getattr(holder, "config", None)):
            for name in names:
                if isinstance(count := getattr(source, name, None), int):
                    return count
    raise ValueError(f"{type(attention).__name__} doesn't say how many heads it has")


def rows_by_calling(output, heads, like):  # -> [h, d_v, d]
    """The block of W^O behind each head, by what the layer does with a basis: as it is, whatever was put on it.

    >>> layer = torch.nn.Linear(12, 7)
    >>> torch.allclose(rows_by_calling(layer, 4, torch.ones(1)), rows_of(layer, 4), atol=1e-6)
    True
    """
    width = width_in(output)
    basis = torch.eye(width, dtype=like.dtype, device=like.device)
    rows = output(basis) - output(torch.zeros_like(basis[:1]))
    return rows.unflatten(0, (heads, -1))


def width_in(layer):
    """How wide the vectors are that a layer takes."""
    for inner in layer.modules():  # of a layer with a LoRA, the one below it
        if isinstance(width := getattr(inner, "in_features", None), int):
            return width
        if isinstance(width := getattr(inner, "nx", None), int):  # of Conv1D
            return width
    raise ValueError(f"how wide the vectors are that a {type(layer).__name__} takes isn't known")


@torch.no_grad()
def norms(values, rows):  # [g, k, d_v], [h, d_v, d] -> [h, k]
    """The lengths of values through W^O, where each of g heads of values serves as many heads of queries.

    >>> norms(torch.ones(2, 5, 3), torch.ones(4, 3, 7)).shape
    torch.Size([4, 5])
    """
    shared = values.repeat_interleave(len(rows) // len(values), dim=0)  # [h, k, d_v]
    return (shared.float() @ rows.float()).norm(dim=-1)


def rows_of(output, heads):  # -> [h, d_v, d]
    """The block of W^O behind each head of one of our own models, from the layer that has it.

    >>> rows_of(torch.nn.Linear(12, 7), heads=4).shape
    torch.Size([4, 3, 7])
    """
    return output.weight.mT.unflatten(0, (heads, -1))


def pair_of(module):
    """The layers of a module that make values and outputs; None for another module."""
    for names in LAYERS:
        try:
            return tuple(module.get_submodule(name) for name in names)
        except AttributeError:
            continue
    return None
