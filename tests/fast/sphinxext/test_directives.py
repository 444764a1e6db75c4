"""What a directive refuses, for the page would make something else of it without a word."""

import numpy as np
import pytest

from manyheads.maps.attention_map import AttentionMap
from manyheads.sphinxext.directives import FirstLookDirective, check_places

MAP = AttentionMap(list("abc"), list("abc"), np.full((1, 2, 3, 3), 1 / 3))


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"layer": 1}, "layer counts from 0 to 0, got 1"),
        ({"head": 2}, "head counts from 0 to 1, got 2"),
        ({"query": 3}, "query counts from 0 to 2, got 3"),
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
        FirstLookDirective.html(None, "They never like tea.", options)
