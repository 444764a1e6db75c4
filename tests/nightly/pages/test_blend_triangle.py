"""What one head can make of three words is a triangle; what two heads find together lies outside of it."""

import re

import numpy as np
import pytest
from figures import open_figure
from live_maps import seen


@pytest.fixture
def figure(page, site):
    return open_figure(page, site, "blend-triangle")


def words(figure):
    """What the words carry: [word, thing and feeling]."""
    return np.array([pair.split() for pair in figure.get_attribute("values").split(",")], dtype=float)


def found(figure):
    """What is found, [thing, feeling], and the weights that stand above it, [head, word]."""
    numbers = re.findall(r"\d\.\d\d", seen(figure, "Wanted").inner_text())
    lines = [
        line.inner_text()
        for line in figure.get_by_text("coffee ").all()
        if line.is_visible() and "%" in line.inner_text()
    ]
    weights = [[float(share) / 100 for share in re.findall(r"([\d.]+) %", line)] for line in lines]
    return [float(number) for number in numbers[:2]], np.array(weights)


def drag(page, figure, blend, to):
    """Takes a blend by its middle to a place of the plot, given as [thing, feeling]."""
    start = blend.bounding_box()
    frame = figure.locator(".bt-plot").bounding_box()
    share = (np.array(to) + 0.1) / 1.3
    page.mouse.move(start["x"] + start["width"] / 2, start["y"] + start["height"] / 2)
    page.mouse.down()
    page.mouse.move(frame["x"] + share[0] * frame["width"], frame["y"] + (1 - share[1]) * frame["height"], steps=5)
    page.mouse.up()


@pytest.mark.parametrize("width", [360, 1400])
def test_one_head_stays_in_the_triangle_and_two_reach_the_star(page, figure, width):
    page.set_viewport_size({"width": width, "height": 900})
    figure.scroll_into_view_if_needed()
    drag(page, figure, figure.get_by_role("button", name="Blend of the head"), (1, 1))
    result, weights = found(figure)
    np.testing.assert_allclose(weights @ words(figure), [result], atol=0.01)
    np.testing.assert_allclose(weights.sum(1), 1, atol=0.01)
    assert result == pytest.approx([0.5, 0.5], abs=0.03), "the nearest blend"

    figure.get_by_role("radio", name="Two heads").check()
    drag(page, figure, figure.get_by_role("button", name="Blend of head 1"), (1, 0))
    drag(page, figure, figure.get_by_role("button", name="Blend of head 2"), (0, 1))
    result, weights = found(figure)
    assert result == pytest.approx([1, 1], abs=0.03)
    assert seen(figure, "There!").is_visible()
    np.testing.assert_allclose([(weights @ words(figure))[0, 0], (weights @ words(figure))[1, 1]], result, atol=0.02)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def test_arrow_keys_move_a_blend(figure):
    blend = figure.get_by_role("button", name="Blend of the head")
    before, _ = found(figure)
    blend.press("ArrowLeft")
    assert found(figure)[0][0] == pytest.approx(before[0] - 0.05, abs=0.006)
