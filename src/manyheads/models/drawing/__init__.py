"""A model that says which places of a drawing are shut in, and shows which head finds the gap."""

from manyheads.models.drawing.network import DrawingConfig
from manyheads.models.drawing.strokes import inked, shut_in

__all__ = ["DrawingConfig", "inked", "shut_in"]
