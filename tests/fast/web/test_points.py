"""points.ts, the twin: of the same vectors, the same words at the same places, near the same landmarks."""

import base64

import numpy as np
import pytest
from node import ask_node

from manyheads.models.encoder import load_encoder
from manyheads.models.points.page_data import word_points_data
from manyheads.models.points.plane import build_plane, landmarks, lost
from manyheads.models.registry import all_but

DRIVER = """
import { placesOf, pointsOf, WordPlane } from "./math/points.ts";
const reading = ({ tokens, shape, values }) => ({
  queryTokens: tokens,
  states: { shape, values: new Float32Array(new Uint8Array(Buffer.from(values, "base64")).buffer) },
});
const plane = new WordPlane(given.directions, given.landmarks.map(reading), 4);
answer({
  read: given.texts.map((text) => plane.read(reading(text))),
  baked: given.baked.map(pointsOf),
  without: given.without.map((text, at) => plane.read(reading(text), reading(given.texts[at]))),
  masked: given.texts.map(({ tokens }) => placesOf(tokens, given.masked)),
});
"""
OFF, MASKED = [(0, 4), (2, 0)], ["the", "barks"]
TEXTS = [
    "I went to the bank, and watched the boats.",
    "Her dog barks unbelievably!",
    "tea",
    "Ein 2½-stöckiges Café – 東京",
    "...",
    "",
]


@pytest.fixture(scope="module")
def compared():
    """What Python and the page make of texts, with some of the landmarks."""
    encoder, words = load_encoder(), landmarks()[::8]
    plane = build_plane(encoder, words)
    mask = all_but(encoder, OFF)
    baked = word_points_data(plane, [(text, OFF, ()) for text in TEXTS])["readings"]
    given = {"directions": plane.directions.tolist(), "baked": baked, "masked": MASKED}
    for name, (texts, head_mask) in {
        "landmarks": (words, None),
        "texts": (TEXTS, None),
        "without": (TEXTS, mask),
    }.items():
        given[name] = [
            {"tokens": tokens, "shape": states.shape, "values": base64.b64encode(states.tobytes()).decode()}
            for tokens, states in encoder.states(texts, head_mask)
        ]
    whole, left = ([plane.read(text, head_mask=each) for text in TEXTS] for each in (None, mask))
    return {"read": whole, "without": left, "baked": left}, ask_node(DRIVER, given)


@pytest.mark.parametrize("made", ["read", "without", "baked"])
def test_words_are_the_same_points(compared, made):
    ours, page = compared
    for points, wholes, found in zip(ours[made], ours["read"], page[made], strict=True):
        assert [point.text for point in points] == [each["text"] for each in found]
        for point, whole, each in zip(points, wholes, found, strict=True):
            np.testing.assert_allclose(each["places"], point.places, atol=1e-4)
            assert each["near"] == point.near.tolist()
            if made != "read":
                np.testing.assert_allclose(each["lost"], lost(whole.vectors, point.vectors), atol=1e-4)


def test_masked_words_are_found_whole_wherever_they_stand(compared):
    _, page = compared
    assert page["masked"] == [[4, 9], [3, 4], [], [], [], []]
