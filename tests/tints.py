"""How deep cells are tinted, 0 to 1, read off their background."""

import re

import numpy as np

from manyheads.maps.names import DEPTH

OPACITY = "(cell) => Number(/([\\d.]+)\\)$/.exec(cell.style.backgroundColor)[1])"


def of_cells(cells):
    """Of the cells in a browser."""
    return np.array(cells.evaluate_all(f"(all) => all.map({OPACITY})")) / DEPTH


def of_html(html):
    """Of the cells of a drawn page."""
    opacities = re.findall(r"background-color: ?#[0-9A-F]{6}([0-9a-f]{2})", html)
    return np.array([int(opacity, 16) for opacity in opacities]) / 255 / DEPTH
