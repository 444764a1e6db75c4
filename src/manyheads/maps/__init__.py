"""AttentionMap, the one idea that carries everything, and what may be made of it."""

from manyheads.maps.attention_map import AttentionMap
from manyheads.maps.names import HEAD_COLOURS
from manyheads.maps.tokens import is_special, readable

__all__ = ["HEAD_COLOURS", "AttentionMap", "is_special", "readable"]
