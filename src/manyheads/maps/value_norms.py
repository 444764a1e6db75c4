"""How long the vectors are that the heads of any model write: its values, through W^O. For maps weighted by them."""

from contextlib import ExitStack

import torch

from manyheads.maps.torch_modules import arguments_of

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


@torch.no_grad()
def value_norms(model, inputs=None, batch=0):  # -> [layer, head, key]
    """How long the vector is that each head would write from each token with all of its weight, for `HeadMap.of`.

    >>> from transformers import BertConfig, BertModel
    >>> config = BertConfig(hidden_size=12, num_attention_heads=3, num_hidden_layers=2, intermediate_size=12)
    >>> value_norms(BertModel(config), {"input_ids": torch.tensor([[5, 6, 7, 8]])}).shape
    (2, 3, 4)

    `model` is one of Hugging Face with an encoder or a decoder alone, which is called with `inputs`, of which `batch`
    is measured; it's left as it was. Or it's the cache of a TransformerLens run. Weights times these are what attention
    does (Kobayashi et al. 2020, arXiv:2004.10102). The bias of the output isn't counted: no head writes it.

    Raises `ValueError` for a model whose values or outputs aren't known by name, or are joined with others.
    """
    if inputs is None:
        layers = range(model.model.cfg.n_layers)
        pairs = [(model["v", layer][batch].transpose(0, 1), model.model.W_O[layer]) for layer in layers]
        return torch.stack([norms(*pair) for pair in pairs]).numpy()
    pairs = [pair for part in model.modules() if (pair := pair_of(part))]
    if not pairs:
        known = ", ".join("/".join(names) for names in LAYERS)
        raise ValueError(f"{type(model).__name__} has no layers of values and outputs by these names: {known}")
    heads = model.config.num_attention_heads
    seen, training = {}, model.training
    arguments, named = arguments_of(inputs)
    with ExitStack() as after:
        after.callback(model.train, training)
        for number, (value, _) in enumerate(pairs):
            keep = value.register_forward_hook(lambda _, __, values, number=number: seen.update({number: values}))
            after.callback(keep.remove)
        model.eval()(*arguments, **named)
    found = []
    for number, (value, output) in enumerate(pairs):
        values, rows = seen[number][batch], rows_of(output, heads)
        if is_conv1d(value):  # queries, keys and values in one
            values = values.chunk(3, -1)[-1]
        found.append(norms(values.unflatten(-1, (-1, rows.shape[1])).transpose(0, 1), rows))
    return torch.stack(found).cpu().numpy()


@torch.no_grad()
def norms(values, rows):  # [g, k, d_v], [h, d_v, d] -> [h, k]
    """The lengths of values through W^O, where each of g heads of values serves as many heads of queries.

    >>> norms(torch.ones(2, 5, 3), torch.ones(4, 3, 7)).shape
    torch.Size([4, 5])
    """
    shared = values.repeat_interleave(len(rows) // len(values), dim=0)  # [h, k, d_v]
    return (shared.float() @ rows.float()).norm(dim=-1)


def rows_of(output, heads):  # -> [h, d_v, d]
    """The block of W^O behind each head, from the layer that has it.

    >>> rows_of(torch.nn.Linear(12, 7), heads=4).shape
    torch.Size([4, 3, 7])
    """
    return (output.weight if is_conv1d(output) else output.weight.mT).unflatten(0, (heads, -1))


def pair_of(module):
    """The layers of a module that make values and outputs; None for another module."""
    for names in LAYERS:
        try:
            return tuple(module.get_submodule(name) for name in names)
        except AttributeError:
            continue
    return None


def is_conv1d(layer):
    """Whether a layer keeps its weights as GPT-2 does, inputs first."""
    return type(layer).__name__ == "Conv1D"
