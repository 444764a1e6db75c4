"""Somebody's code with types, for `mypy --strict tests/typed_use.py`. A test runs it."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

import manyheads
from manyheads import check
from manyheads.conversions import from_torch_names, to_torch_names
from manyheads.drop_in import DropInAttention, replace_attention, restore_attention

Array = NDArray[np.float64]


class Model(nn.Module):
    """A model that calls the drop-in by name, so that its hints are seen."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = DropInAttention(8, 2, dropout=0.1, kdim=4, vdim=4, batch_first=True, device="cpu")

    def forward(self, words: Tensor, facts: Tensor) -> Tensor:
        output, _ = self.attention.forward(words, facts, facts, need_weights=False, average_attn_weights=False)
        return output


def mine(X: Array, *rest: object, mask: NDArray[np.bool_] | None = None) -> tuple[Array, Array]:
    return X, X


def use() -> list[check.Report]:
    encoder: nn.TransformerEncoderLayer = replace_attention(nn.TransformerEncoderLayer(8, 2), subclasses=True)
    model: Model = restore_attention(replace_attention(Model()))
    state: dict[str, Tensor] = to_torch_names(from_torch_names(encoder.state_dict()))
    ours: DropInAttention = DropInAttention.from_torch(nn.MultiheadAttention(8, 2))
    ours.reset_parameters()
    theirs: nn.MultiheadAttention = ours.to_torch()
    theirs.load_state_dict({name.removeprefix("self_attn."): state[name] for name in state if "self_attn" in name})
    version: str = manyheads.__version__
    assert version
    assert model
    reports = [check.multi_head_attention(mine), check.module(lambda width, heads: Model())]
    reports += [check.causal_mask(torch.ones), check.padding_mask(lambda lengths, longest: lengths)]
    for report in reports:
        if not report and report.slower is not None:
            print(report.hint, report.slower + 1, report.rung, report.place)
    return reports
