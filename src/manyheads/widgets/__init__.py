"""Live figures for notebooks. All of them are in `manyheads`; the others than this wait for torch."""

from manyheads.widgets.head_map import HeadMap

__all__ = ["HeadMap"]
