"""What a directive refuses, for the page would make something else of it without a word."""

import json

import numpy as np
import pytest
from bs4 import BeautifulSoup

from manyheads import load_drawing
from manyheads.drawing.element import write_heads
from manyheads.figures.elements import check_places, make
from manyheads.maps.attention_map import AttentionMap
from manyheads.models.drawing import READY

MAP = AttentionMap(list("abc"), list("abc"), np.full((1, 2, 3, 3), 1 / 3))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"layer": 1}, "layer counts from 0 to 0, got 1"),
        ({"head": 2}, "head counts from 0 to 1, got 2"),
        ({"query": 3}, "query must be from 0 to 2 for this map, got 3"),
        ({"first": 50}, "first counts from 0 to 2, got 50"),
        ({"last": 3}, "last counts from 0 to 2, got 3"),
        ({"first": 2, "last": 1}, "last must not come before first, got 1 and 2"),
    ],
)
def test_places_that_a_map_has_not_are_refused(options, told):
    with pytest.raises(ValueError, match=told):
        check_places(MAP, options)


def test_places_that_a_map_has_are_taken():
    check_places(MAP, {"layer": 0, "head": 1, "query": 2, "first": 1, "last": 1})


@pytest.mark.parametrize(
    ("options", "told"),
    [({"head": 4}, "head counts from 0 to 3, got 4"), ({"answer": "taste"}, "answer must be one of .*, got 'taste'")],
)
def test_a_first_look_names_a_head_and_an_answer_that_there_are(options, told):
    with pytest.raises(ValueError, match=told):
        make("first-look", "They never like tea.", options)


def board(words="", **options):
    return BeautifulSoup(make("drawing-board", words, options), "html.parser").contents[0]


def test_a_drawing_board_stands_around_a_map_with_its_drawing_and_its_answer():
    figure = board("ring", goal="two", exercise="eight", off="0.1 2.0", layer=1)
    assert figure.attrs == {"goal": "two", "exercise": "eight"}
    attention, data = figure.find_all(True, recursive=False)
    assert {name: attention[name] for name in ("model", "sentence", "view", "off", "layer", "query")} == {
        **{"model": "drawing", "sentence": READY["ring"], "view": "picture", "off": "0.1 2.0", "layer": "1"},
        "query": "37",
    }
    mask = np.ones((3, 4), bool)
    mask[0, 1] = mask[2, 0] = False
    answer = load_drawing().answer(READY["ring"], mask)
    assert (data.name, data["type"]) == ("script", "application/json")
    assert json.loads(data.string) == {"filled": "".join("01"[int(dot > 0.5)] for dot in answer.filled.ravel())}
    baked = json.loads(attention.find("script").string)
    assert baked["predictions"]["places shut in"] == pytest.approx(
        load_drawing()(READY["ring"], mask).predictions["places shut in"]
    )


def test_a_drawing_board_knows_heads_by_their_roles():
    model = load_drawing()
    gap, carrier = (write_heads([head]) for head in (model.gap_head, model.carrier))
    figure = board("cup", off="carrier 1.0", guess="gap")
    assert (figure["guess"], figure.find("head-map")["off"]) == (gap, f"{carrier} 1.0")


def test_a_drawing_board_may_have_strokes_or_nothing_on_it():
    assert board(strokes="4_4-8_8", query=3).find("head-map")["sentence"] == "4_4-8_8"
    assert board().find("head-map")["sentence"] == ""


@pytest.mark.parametrize(
    ("words", "options", "told"),
    [
        ("teapot", {}, "the ready drawings are open ring, ring, .*, got 'teapot'"),
        ("ring", {"strokes": "4_4"}, "a ready drawing, or give strokes, not both"),
        ("", {"strokes": "tea"}, "got 'tea'"),
        ("ring", {"off": "3.0"}, "there is no head 0 in layer 3"),
        ("ring", {"guess": "teapot"}, "heads are written like 23.4, layer and head from 0, got 'teapot'"),
        ("ring", {"query": 65}, "query must be from 0 to 64 for this map, got 65"),
    ],
)
def test_a_drawing_board_refuses_what_there_is_not(words, options, told):
    with pytest.raises(ValueError, match=told):
        board(words, **options)
