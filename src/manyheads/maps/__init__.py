"""AttentionMap, the one idea that carries everything, and what may be made of it."""

from manyheads.maps.attention_map import AttentionMap, is_special, readable
from manyheads.maps.names import HEAD_COLOURS

__all__ = ["HEAD_COLOURS", "AttentionMap", "is_special", "readable"]
