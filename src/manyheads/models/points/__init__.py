"""Words as points on a plane of the encoder's vectors, among landmarks."""

from manyheads.models.points.page_data import word_points_data
from manyheads.models.points.plane import WordPlane, WordPoint, load_plane, lost

__all__ = ["WordPlane", "WordPoint", "load_plane", "lost", "word_points_data"]
