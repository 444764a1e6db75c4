"""A model that says which places of a drawing are shut in, and shows which head finds the gap."""

from manyheads.models.drawing.head_model import Answer, DrawingModel, load_drawing, load_variant, page_files
from manyheads.models.drawing.network import DrawingConfig
from manyheads.models.drawing.paper import read_drawing, read_strokes, write_ink, write_strokes
from manyheads.models.drawing.strokes import READY, inked, shut_in

__all__ = [
    "READY",
    "Answer",
    "DrawingConfig",
    "DrawingModel",
    "inked",
    "load_drawing",
    "load_variant",
    "page_files",
    "read_drawing",
    "read_strokes",
    "shut_in",
    "write_ink",
    "write_strokes",
]
