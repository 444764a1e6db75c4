"""Two words that move together keep their score, though every arrow turns."""

import pytest
import torch
from figures import open_figure
from live_maps import seen

from manyheads.attention import rotate

WORD = torch.tensor([1.0, 1, 1, 1, 0, 0, 0, 0])


@pytest.fixture
def figure(page, site):
    return open_figure(page, site, "rotary-positions")


def shown(figure):
    places = [figure.get_by_role("slider", name=f"Position of the {name}").input_value() for name in ("query", "key")]
    score = seen(figure, "Score").inner_text().rpartition(" ")[2]
    angles = figure.locator("figcaption b").all_inner_texts()
    return [int(place) for place in places], float(score), angles


def test_moved_alone_the_score_changes_and_moved_together_it_stays(figure):
    key = figure.get_by_role("slider", name="Position of the key")
    (query, _), before, angles = shown(figure)
    key.fill("12")
    (_, place), score, turned = shown(figure)
    assert score != before
    assert turned != angles
    turned_words = [rotate(WORD[None], start=at)[0] for at in (query, place)]
    assert score == pytest.approx(float(turned_words[0] @ turned_words[1]), abs=0.005)

    arrow = figure.locator("i").first
    pointed = arrow.bounding_box()
    figure.get_by_role("checkbox", name="Move both").check()
    key.fill("16")
    assert shown(figure) == ([query + 4, 16], score, turned)
    assert arrow.bounding_box() != pointed, "all arrows turn"
    key.fill("0")
    assert shown(figure)[1:] == (score, turned), "at the end of a slider both stop"


@pytest.mark.parametrize("width", [360, 1400])
def test_four_dials_stand_side_by_side(page, figure, width):
    page.set_viewport_size({"width": width, "height": 900})
    boxes = [dial.bounding_box() for dial in figure.get_by_role("figure").all()]
    assert len(boxes) == 4
    assert len({box["y"] for box in boxes}) == 1
    frame = figure.bounding_box()
    assert frame["x"] < boxes[0]["x"]
    assert boxes[3]["x"] + boxes[3]["width"] < frame["x"] + frame["width"]
