"""drawing.ts and strokes.ts, the twins: the same ink, the same places, the same maps and answers for any drawing, heads on or off."""

import base64

import numpy as np
import pytest
import torch
from close import assert_close
from node import ask_node

from manyheads.models.drawing.network import DrawingConfig, DrawingNetwork
from manyheads.models.drawing.strokes import SIDE, inked, shut_in
from manyheads.models.keeping import fill, kept_file, read_model
from manyheads_recipes.drawing.data import drawings, tangle

BITS = {"float32": "<f4", "uint8": "u1"}

DRIVER = """
import { DrawingModel } from "./models/drawing.ts";
import { readSafetensors } from "./models/files.ts";
import { inked, readDrawing, readStrokes, shutIn, writeStrokes } from "./math/strokes.ts";
const pack = (array) => Buffer.from(array.buffer, array.byteOffset, array.byteLength).toString("base64");
"""


@pytest.fixture(scope="module")
def network():
    """PyTorch's, with the weights that are kept, whichever they are."""
    _, config, tensors = read_model(kept_file("drawing"), "drawing model", (), DrawingConfig)
    network = DrawingNetwork(config).eval()
    fill(network, tensors, kept_file("drawing"))
    return network


def unpack(text, kind="float32"):
    return np.frombuffer(base64.b64decode(text), BITS[kind])


def as_text(ink):
    """A drawing's ink as a text, and as that text can say it."""
    bits = np.round(255 * ink).astype(np.uint8)
    return "ink:" + base64.urlsafe_b64encode(bits.tobytes()).decode().rstrip("="), bits.astype(np.float32) / 255


def strokes_of(count, seed):
    rng = np.random.default_rng(seed)
    return [[stroke.clip(0, SIDE) / SIDE for stroke in tangle(rng)] for _ in range(count)]


def in_page(texts, head_mask=None):
    """What the page's model makes of drawings."""
    calls = (
        DRIVER
        + """
      const model = new DrawingModel(readSafetensors(new Uint8Array(readFileSync(given.file))));
      answer(given.texts.map((text) => {
        const { weights, filled, picture, ...map } = model.attend(text, given.headMask);
        return { ...map, weights: pack(weights), filled: pack(filled), ink: pack(picture.ink) };
      }));"""
    )
    return ask_node(calls, {"file": str(kept_file("drawing")), "texts": texts, "headMask": head_mask})


@pytest.mark.parametrize("head_mask", [None, "one", "several"])
def test_maps_and_answers_are_pytorchs(network, head_mask):
    config = network.config
    on = None
    if head_mask:
        on = torch.ones(config.layers, config.heads, dtype=torch.bool)
        on[-1, 0] = False
        on[:, -1] = head_mask == "one"
    texts, ink = zip(*map(as_text, drawings(200, seed=59)[0]))
    with torch.no_grad():
        dots, places, maps = network(torch.from_numpy(np.stack(ink)), on)
    filled, chances = dots.sigmoid().numpy(), places.softmax(-1).numpy()
    for at, found in enumerate(in_page(texts, on if on is None else on.tolist())):
        assert found["shape"] == list(maps[at].shape)
        assert_close(unpack(found["weights"]), maps[at].ravel(), terms=1000)
        assert_close(unpack(found["filled"]), filled[at].ravel(), terms=1000)
        assert_close(list(found["predictions"]["places shut in"].values()), chances[at], terms=1000)
        assert (unpack(found["ink"]) == ink[at].ravel()).all()


def test_places_of_the_map_are_called_as_those_of_any_picture():
    (found,) = in_page([""])
    assert found["queryTokens"] == found["keyTokens"]
    assert found["keyTokens"][:3] + found["keyTokens"][-1:] == ["[CLS]", "patch 1,1", "patch 1,2", "patch 8,8"]
    assert list(found["predictions"]["places shut in"]) == ["0", "1", "2", "3 or more"]


@pytest.mark.parametrize("width", [1.6, 2, 2.6])
def test_strokes_make_the_same_ink_and_shut_in_the_same_places(width):
    drawn = [*strokes_of(200, seed=60), [], [[[0.5, 0.5]]], [[[0, 0], [1, 1]], [[1, 0.25]]]]
    calls = (
        DRIVER
        + """
      answer(given.drawn.map((strokes) => {
        const ink = inked(strokes, given.width);
        return [pack(ink), pack(shutIn(ink))];
      }));"""
    )
    plain = [[np.asarray(stroke).tolist() for stroke in strokes] for strokes in drawn]
    for strokes, (ink, places) in zip(drawn, ask_node(calls, {"drawn": plain, "width": width}), strict=True):
        wanted = inked(strokes, width)
        assert_close(unpack(ink), wanted.ravel())
        assert (unpack(places, "uint8") == shut_in(wanted).ravel()).all()


def test_a_drawing_survives_as_a_text_to_the_tenth_of_a_dot():
    drawn = [[stroke.tolist() for stroke in strokes] for strokes in strokes_of(50, seed=61)]
    texts, back = ask_node(
        DRIVER + "const texts = given.map(writeStrokes); answer([texts, texts.map(readStrokes)]);", drawn
    )
    for strokes, text, read in zip(drawn, texts, back, strict=True):
        assert set(text) <= set("0123456789._-~")
        assert [len(stroke) for stroke in read] == [len(stroke) for stroke in strokes]
        for stroke, again in zip(strokes, read):
            np.testing.assert_allclose(again, stroke, rtol=0, atol=0.0501 / SIDE)


def test_texts_that_are_no_drawings_are_refused_and_long_ones_are_cut():
    fine = ["", "16_8", "16_8-17.5_9~4_4", "32_0", "ink:" + "A" * 1366]
    wrong = ["A sentence.", "16", "16_8-", "~", "16_8~~4_4", "-1_2", "33_2", "1e1_2", "ink:", "ink:AAAA", "ink:ö"]
    calls = (
        DRIVER
        + """
      const refusal = (text) => { try { readDrawing(text); return null; } catch ({ message, word }) { return [message, word]; } };
      const count = (text) => readStrokes(text).flat().length;
      answer([given.texts.map(refusal), given.long.map(count)]);"""
    )
    long = ["-".join(["1_1"] * 5000), "~".join(["1_1"] * 5000), "1_1-2_2~3_3"]
    refusals, counts = ask_node(calls, {"texts": fine + wrong, "long": long})
    assert refusals[: len(fine)] == [None] * len(fine)
    assert [word for _, word in refusals[len(fine) :]] == [None] * len(wrong)
    assert counts == [4000, 4000, 3]
    assert [found["notes"] for found in in_page(long)] == [
        ["Only the first 4,000 points of the drawing are read."]
    ] * 2 + [[]]
