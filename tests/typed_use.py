"""Somebody's code with types, for `mypy --strict tests/typed_use.py`. A test runs it."""

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

import manyheads
from manyheads import check

Array = NDArray[np.float64]


def mine(X: Array, *rest: object, mask: NDArray[np.bool_] | None = None) -> tuple[Array, Array]:
    return X, X


def use() -> list[check.Report]:
    version: str = manyheads.__version__
    assert version
    reports = [check.multi_head_attention(mine), check.module(lambda width, heads: nn.Linear(width, heads))]
    reports += [check.causal_mask(torch.ones), check.padding_mask(lambda lengths, longest: lengths)]
    for report in reports:
        if not report and report.slower is not None:
            print(report.hint, report.slower + 1, report.rung, report.place)
    return reports
