"""points.ts, the twin: of the same vectors, the same words at the same places, near the same landmarks."""

import base64

import numpy as np
import pytest
from node import ask_node

from manyheads.models.encoder import load_encoder
from manyheads.models.points.page_data import word_points_data
from manyheads.models.points.plane import build_plane, landmarks

DRIVER = """
import { pointsOf, WordPlane } from "./math/points.ts";
const reading = ({ tokens, shape, values }) => ({
  queryTokens: tokens,
  states: { shape, values: new Float32Array(new Uint8Array(Buffer.from(values, "base64")).buffer) },
});
const plane = new WordPlane(given.directions, given.landmarks.map(reading), 4);
answer({ read: given.texts.map((text) => plane.read(reading(text))), baked: given.baked.map(pointsOf) });
"""
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
    baked = [word_points_data(plane, [text])["sentences"][text] for text in TEXTS]
    given = {"directions": plane.directions.tolist(), "baked": baked}
    for name, texts in {"landmarks": words, "texts": TEXTS}.items():
        given[name] = [
            {"tokens": tokens, "shape": states.shape, "values": base64.b64encode(states.tobytes()).decode()}
            for tokens, states in encoder.states(texts)
        ]
    return [plane.read(text) for text in TEXTS], ask_node(DRIVER, given)


@pytest.mark.parametrize("made", ["read", "baked"])
def test_words_are_the_same_points(compared, made):
    ours, page = compared
    for points, found in zip(ours, page[made], strict=True):
        assert [point.text for point in points] == [each["text"] for each in found]
        for point, each in zip(points, found, strict=True):
            np.testing.assert_allclose(each["places"], point.places, atol=1e-4)
            assert each["near"] == point.near.tolist()
