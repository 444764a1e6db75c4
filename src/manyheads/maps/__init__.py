"""AttentionMap, the one idea that carries everything, and what may be made of it."""

from manyheads.maps.attention_map import AttentionMap

__all__ = ["AttentionMap"]
