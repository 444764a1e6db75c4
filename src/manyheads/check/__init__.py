"""A reader's own function against the one of attention.py: the first rung that fails, and a hint, not a traceback.

`check.NAME(mine)` asks whether `mine` does what `manyheads.attention.NAME` does; `check.module` is for a class, and
`check.equals` and `check.holds` are for the answers to other exercises. All axes that can differ do, so that a lost
transpose shows. A hint is a guess: it names the well-known mistake that gives just these numbers, where there is one.
"""

from manyheads.check.answers import equals, holds, seal
from manyheads.check.heads import module, multi_head_attention
from manyheads.check.masks import causal_mask, padding_mask
from manyheads.check.report import Report

__all__ = ["Report", "causal_mask", "equals", "holds", "module", "multi_head_attention", "padding_mask", "seal"]
