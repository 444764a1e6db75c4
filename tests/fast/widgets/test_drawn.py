"""What stands in a page before its scripts run: the figures as the book's build draws them from their data."""

import base64
import io
import json

import numpy as np
from bs4 import BeautifulSoup
from drawn import drawn, weights_of
from PIL import Image

from manyheads.maps import AttentionMap
from manyheads.shared.names import FULL
from manyheads.widgets.saving import head_map_element

LAYERS, HEADS, QUERIES, KEYS = 2, 3, 5, 7
EVIL = "<img src=x onerror=alert(1)>"


def rectangle():
    weights = np.random.default_rng(0).dirichlet(np.full(KEYS, 0.3), (LAYERS, HEADS, QUERIES))
    return AttentionMap([f"q{i}" for i in range(QUERIES)], [f"k{i}" for i in range(KEYS)], weights)


def data_of(html):
    """What a figure's element brings along."""
    return json.loads(BeautifulSoup(html, "html.parser").select_one("script[type='application/json']").string)


def picture_of(page):
    """The pixels of the first picture, [y, x, rgba]."""
    source = page.select_one("img[src^='data:image/png']")["src"]
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(source.split(",")[1])))).astype(float)


def cells_of(picture, rows, columns):
    """The deepest pixel within each cell of a head's picture, [row, column, rgba]: below 0, a cell is hatched."""
    found = np.empty((rows, columns, 4))
    for row, column in np.ndindex(rows, columns):
        inside = [
            slice(-(-at * size // count), (at + 1) * size // count)
            for at, count, size in ((row, rows, picture.shape[0]), (column, columns, picture.shape[1]))
        ]
        cell = picture[tuple(inside)].reshape(-1, 4)
        found[row, column] = cell[cell[:, 3].argmax()]
    return found


def test_markup_is_never_the_readers():
    attention = AttentionMap([EVIL], [EVIL], [[[[1.0]]]], [EVIL], {EVIL: {EVIL: 1.0}}, (EVIL,), written=EVIL)
    compared = AttentionMap(["b"], ["b"], [[[[1.0]]]])
    figures = [
        head_map_element(attention, compared, sentence=EVIL, compare=EVIL, model='"><script>', status=EVIL, view=view)
        for view in ("paint", "matrix", "grid", "lines")
    ]
    for html, page in zip(figures, drawn(*figures)):
        assert html.count("<script") == 1
        assert data_of(html)["queryTokens"] == [EVIL]
        assert not page.select("[onerror]")
        assert len(page.select("script")) == 1
        assert EVIL in page.get_text()


def test_a_grid_is_a_picture():
    (page,) = drawn(head_map_element(rectangle(), view="grid", layer=1))
    side = picture_of(page).shape[0] // LAYERS
    head = picture_of(page)[side:, side : 2 * side]  # the second of the second layer
    depths = np.minimum(rectangle().weights[1, 1] / FULL, 1)
    np.testing.assert_allclose(cells_of(head, QUERIES, KEYS)[..., 3] / 255, depths, atol=1 / 254)
    np.testing.assert_allclose(weights_of(page), rectangle().weights[1, 0, 0], atol=6e-5)
