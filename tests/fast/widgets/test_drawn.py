"""What stands in a page before its scripts run: the figures as the book's build draws them from their data."""

import base64
import io
import json

import numpy as np
import pytest
import tints
from bs4 import BeautifulSoup
from drawn import drawn, weights_of
from PIL import Image

from manyheads.maps import AttentionMap
from manyheads.maps.names import FULL, LEGEND, NOTES, TONES
from manyheads.maps.written import percent
from manyheads.models.focus import load_focus_model
from manyheads.widgets import HeadMap
from manyheads.widgets.head_map import head_map_element

LAYERS, HEADS, QUERIES, KEYS = 2, 3, 5, 7
EVIL = "<img src=x onerror=alert(1)>"


def rectangle():
    weights = np.random.default_rng(0).dirichlet(np.full(KEYS, 0.3), (LAYERS, HEADS, QUERIES))
    return AttentionMap([f"q{i}" for i in range(QUERIES)], [f"k{i}" for i in range(KEYS)], weights)


def square():
    weights = np.random.default_rng(1).dirichlet(np.full(4, 0.5), (3, HEADS, 4))
    tokens = ["[CLS]", "tea", "pot", "[SEP]"]
    return AttentionMap(tokens, tokens, weights)


def two_heads(names=None):
    """The one looks at the first token only, the other at the second."""
    return AttentionMap(["a"], ["a", "b"], [[[[1, 0]], [[0, 1]]]], names)


def one_row(*weights, **options):
    return AttentionMap(["a"], list("abcd")[: len(weights)], [[[weights]]], **options)


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
    map = AttentionMap([EVIL], [EVIL], [[[[1.0]]]], [EVIL], {EVIL: {EVIL: 1.0}}, (EVIL,), written=EVIL)
    compared = AttentionMap(["b"], ["b"], [[[[1.0]]]])
    figures = [
        head_map_element(map, compared, sentence=EVIL, compare=EVIL, model='"><script>', status=EVIL, view=view)
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


def test_what_is_drawn_is_what_was_chosen_and_the_map_itself_is_whole():
    html = head_map_element(square(), query=0, layer=2, special="remove", heads="average")
    (page,) = drawn(html)
    np.testing.assert_allclose(weights_of(page), square().average().without_special().weights[2, 0, 0], atol=6e-5)
    (asking,) = page.select("select[aria-label='Asked by'] option[selected]")
    assert asking.text == "tea"
    assert data_of(html)["shape"] == [3, HEADS, 4, 4]


def test_a_head_that_is_off_looks_so_and_is_left_out_of_the_average():
    each, average = drawn(
        head_map_element(two_heads(), off="0.0"), head_map_element(two_heads(), off="0.0", heads="average")
    )
    bodies = each.select(".hm-paint tbody")
    assert ["hm-off" in body.get("class", []) for body in bodies] == [True, False]
    assert [body.select_one("button")["aria-pressed"] for body in bodies] == ["false", "true"]
    assert weights_of(average) == [0, 1]


def test_a_head_has_its_colour_whatever_it_is_called():
    named = two_heads(["rollout", "mean of 2 heads"])
    own, mixed = drawn(head_map_element(named), head_map_element(two_heads(), heads="average"))
    painted = [body.select_one("td[data-weight]:not([data-weight^='0'])")["style"] for body in own.select("tbody")]
    for style, tone in zip(painted, TONES):
        assert f"background-color: {tone}" in style
    assert not any(tone in cell["style"] for cell in mixed.select("td[data-weight]") for tone in TONES[:2])


def test_scales_are_as_deep_as_they_say():
    log = AttentionMap(["a"], list("abcd"), np.array([[[[0.98, 0.0098, 0.000098, 0.0101]]]]) / 0.9999)
    even = one_row(0.1, 0.2, 0.2, 0.5)
    scales = (None, "relative", "linear")  # the last is what `relative` was called before
    logged, *pages = drawn(head_map_element(log, scale="log"), *(head_map_element(even, scale=one) for one in scales))
    np.testing.assert_allclose(tints.of_html(str(logged))[:3], [1, 0.5, 0], atol=0.01)
    assert NOTES["log"] in logged.get_text()
    np.testing.assert_allclose(tints.of_html(str(pages[0])), [0.25, 0.5, 0.5, 1], atol=0.003)
    assert "40 % of a head" in pages[0].get_text()
    for page in pages[1:]:
        np.testing.assert_allclose(tints.of_html(str(page)), [0.2, 0.4, 0.4, 1], atol=0.003)
        assert NOTES["relative"] in page.get_text()


def test_a_widget_knows_the_scales():
    assert [HeadMap.of(one_row(1), scale=name).scale for name in ("relative", "linear")] == ["relative"] * 2
    with pytest.raises(ValueError, match="'absolute', 'relative', 'log'"):
        HeadMap.of(one_row(1), scale="loud")


SENTENCES = [  # with the places of the tokens that both sentences have
    (["[CLS]", "no", "tea", "[SEP]"], [(0, 0), (2, 2), (3, 3)]),
    (["[CLS]", "tea", "[SEP]"], [(0, 0), (2, 1), (3, 2)]),
    (["nothing", "alike"], []),
]


def test_the_matrix_of_two_sentences_is_their_difference():
    """2 layers x 3 heads; layer 2 is shown."""
    random, first, asked = np.random.default_rng(0), ["[CLS]", "hot", "tea", "[SEP]"], []
    for second, _ in SENTENCES:
        shapes = ((tokens, (2, 3, len(tokens))) for tokens in (first, second))
        asked.append(
            [AttentionMap(each, each, random.dirichlet(np.full(len(each), 0.3), shape)) for each, shape in shapes]
        )
    pages = drawn(*(head_map_element(*maps, view="matrix", layer=1, compare="tea") for maps in asked))
    for page, maps, (_, pairs) in zip(pages, asked, SENTENCES, strict=True):
        one, other = (np.array(pairs, int).reshape(-1, 2)[:, side] for side in (0, 1))
        before, after = maps[0].weights[1][:, one[:, None], one], maps[1].weights[1][:, other[:, None], other]
        np.testing.assert_allclose(weights_of(page), (after - before).ravel(), atol=6e-5)
        depths = np.minimum(np.abs(after - before).ravel() / np.float32(FULL), 1)
        np.testing.assert_allclose(tints.of_html(str(page)), depths, atol=0.006)
        moved = (1 - np.minimum(before, after).sum(-1, dtype=np.float64)).sum(-1) / max(len(pairs), 1)  # [head]
        assert [place.text for place in page.select(".hm-moved")] == [f"moved {percent(share)}" for share in moved]
        places = [
            int(figure["style"].partition("order: ")[2].partition(";")[0]) for figure in page.select(".hm-matrix")
        ]
        assert np.argsort(-moved, kind="stable")[places].tolist() == [0, 1, 2]
        assert page.select(".hm-body.hm-signed")
        assert LEGEND["difference"][1].format(full=percent(FULL)) in page.get_text()


def test_the_grid_of_two_sentences_shows_what_differs(monkeypatch):
    monkeypatch.setenv("MANYHEADS_SITE_SCRIPTS", "_static")
    texts, model = ("The soup was good.", "The soup was bad."), load_focus_model()
    html = HeadMap(texts[0], compare=texts[1], view="grid")._repr_mimebundle_()[0]["text/html"]
    (page,) = drawn(html)
    first, second = (model(text).weights[0] for text in texts)  # [h, q, k]
    kept = [0, 1, 2, 3, 5, 6]  # all but the word that differs
    less = (second - first)[:, kept][..., kept]
    cells = np.stack([cells_of(head, 6, 6) for head in np.split(picture_of(page), 4, axis=1)])  # [h, q, k, rgba]
    np.testing.assert_allclose(cells[..., 3] / 255, np.minimum(abs(less) / FULL, 1), atol=0.003)
    reds = cells[..., 0] > cells[..., 2]
    assert (reds == (less >= 0))[abs(less) > 0.01].all()
    assert page.select_one(".hm-stage .hm-hint").text.startswith("Moved most: sentiment (")
    assert [row.th.text for row in page.select(".hm-paint tr")] == ["sentence type", "second sentence"]
    assert ["second sentence" in legend.text for legend in page.select(".hm-legend")] == [False, True]
    assert page.select_one(".hm-body.hm-signed .hm-paint.hm-plain")
