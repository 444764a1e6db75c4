"""How long the vectors are that the heads of any model write: its values, through W^O. For maps weighted by them."""

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from manyheads.reading.heads_off import heads_of_layers
from manyheads.reading.looking import leave_untouched

SHARDED = "value_norms of a {} aren't known while its parameters are sharded, as by FSDP2 or tensor parallelism"
NO_VALUES = "it computes in pieces, or by several values"
BETWEEN = "something scales or mixes its heads' outputs before {} reads them"
SEVERAL = "several layers read its heads' outputs: {}"
NOT_LINEAR = "what reads its heads' outputs, {}, isn't linear"


@torch.no_grad()
def value_norms(
    model: Any, inputs: Any = None, batch: int = 0, part: str | None = None
) -> NDArray[np.float32]:  # [layer, head, key]
    """How long the vector is that each head would write from each token with all of its weight, for `HeadMap.of`.

    >>> from transformers import BertConfig, BertModel
    >>> config = BertConfig(hidden_size=12, num_attention_heads=3, num_hidden_layers=2, intermediate_size=12)
    >>> value_norms(BertModel(config), {"input_ids": torch.tensor([[5, 6, 7, 8]])}).shape
    (2, 3, 4)

    `model` is a torch module, which is called with `inputs`, of which `batch` is measured; it's left as it was. The
    values are what its weights are seen to multiply, and W^O is the layer that is seen to read that: by what it does,
    so that a LoRA counts, and so do weights of 4 bits or weights that are fetched when they're needed. Of a model with
    several stacks of layers, `part` names one, as of `HeadMap.of`. Or it's the cache of a TransformerLens run. Weights
    times these are what attention does (Kobayashi et al. 2020, arXiv:2004.10102). The bias of the output isn't
    counted: no head writes it.

    Raises `ValueError` for a model that isn't seen to multiply values, or where something stands between its heads and
    W^O.
    """
    if inputs is None:
        layers = range(model.model.cfg.n_layers)
        pairs = [(model["v", layer][batch].transpose(0, 1), model.model.W_O[layer]) for layer in layers]
        return torch.stack([norms(*pair) for pair in pairs]).numpy()
    if any(hasattr(parameter, "device_mesh") for parameter in model.parameters()):
        raise ValueError(SHARDED.format(type(model).__name__))
    found = heads_of_layers(model, inputs, part, batch=batch, values=True)
    layers = []
    with leave_untouched(model):
        for number, heads in found.items():
            measured = _measured(heads, batch)
            if isinstance(measured, str):
                name = type(model).__name__
                raise ValueError(f"value_norms of a {name} aren't known in layer {number + 1}: {measured}")
            layers.append(measured)
    return torch.stack(layers).cpu().numpy()


def _measured(heads, batch):  # -> [h, k], or why it isn't known
    """How long the vectors are that the heads of one layer write, for one text."""
    found, read = [], {}  # read: by what heads output, the tags of that and what W^O makes of it
    for head in heads:
        why_not = _why_not(head)
        if why_not is not None:
            return why_not
        outputs, rows = head.outputs[0]
        if outputs not in read:
            tags = [one.tags(where[batch]) for other in heads for one, where in other.outputs if one is outputs]
            read[outputs] = torch.cat(tags), outputs.reader.of(torch.cat(tags))
        tags, through = read[outputs]
        if through is None:
            return NOT_LINEAR.format(outputs.reader.name)
        values = outputs.values.flatten(0, len(outputs.rows) - 1)[rows[batch]]  # [k, d_v]
        own = torch.isin(tags, outputs.tags(rows[batch])).to(through.device)
        found.append(norms(values[None], through[own][None])[0])
    return torch.stack(found)


def _why_not(head):
    """Why it isn't known what a head writes, or None."""
    outputs = head.outputs[0][0] if head.outputs else None
    if head.why_not is not None or outputs is None or outputs.values is None:
        return head.why_not or NO_VALUES
    if len(outputs.readers) > 1:
        return SEVERAL.format(", ".join(dict.fromkeys(outputs.readers.values())))
    return None if outputs.reader.plain else BETWEEN.format(outputs.reader.name)


@torch.no_grad()
def norms(values, rows):  # [g, k, d_v], [h, d_v, d] -> [h, k]
    """The lengths of values through W^O, where each of g heads of values serves as many heads of queries.

    >>> norms(torch.ones(2, 5, 3), torch.ones(4, 3, 7)).shape
    torch.Size([4, 5])
    """
    shared = values.repeat_interleave(len(rows) // len(values), dim=0)  # [h, k, d_v]
    return (shared.float() @ rows.float()).norm(dim=-1)


def held(output, written):  # [..., d] -> [..., d], or 1
    """By what each number is multiplied that a matrix has written, where a norm comes before it's added.

    The norm's factor is held still at what it is for all that is `written`; so what its parts write adds up.

    >>> held(torch.nn.Linear(12, 7), torch.ones(7))
    1
    """
    norm = getattr(output, "norm", None)
    return 1 if norm is None else norm.weight / (written.square().mean(-1, keepdim=True) + norm.eps).sqrt()


def rows_of(output, heads):  # -> [h, d_v, d]
    """The block of W^O behind each head of one of our own models, from the layer that has it.

    >>> rows_of(torch.nn.Linear(12, 7), heads=4).shape
    torch.Size([4, 3, 7])
    """
    return output.weight.mT.unflatten(0, (heads, -1))
