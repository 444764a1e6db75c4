"""The drawing model: what a drawing may be, how it's written, and what heads that are off or can't look leave."""

import re
from dataclasses import asdict

import numpy as np
import pytest
import torch
from close import assert_close
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from manyheads import DrawingModel, load_drawing
from manyheads.models.drawing import READY, DrawingConfig, read_drawing, read_strokes, shut_in, write_ink, write_strokes
from manyheads.models.drawing.network import DrawingNetwork
from manyheads.models.keeping import write_model

SHUT = {"open ring": 0, "ring": 1, "cup": 0, "house with an open door": 0, "house": 1}
SHUT |= {"spiral": 0, "figure eight": 2, "tiny gap": 0}
numbers = st.floats(0, 1, allow_subnormal=False)
strokes = st.lists(st.lists(st.tuples(numbers, numbers), min_size=1, max_size=6), max_size=5)


def square():
    """A square of black ink on white paper."""
    image = Image.new("L", (32, 32), "white")
    ImageDraw.Draw(image).rectangle([8, 8, 24, 24], outline="black", width=3)
    return image


# --- The text of a drawing -----------------------------------------------------------------------------------------


@given(strokes)
def test_strokes_are_read_as_they_were_written(given):
    text = write_strokes(given)
    back = read_strokes(text)
    assert [len(stroke) for stroke in back] == [len(stroke) for stroke in given]
    for stroke, points in zip(given, back):
        assert np.abs(np.subtract(stroke, points)).max() <= 0.05 / 32 + 1e-9
    assert write_strokes(back) == text
    assert re.fullmatch(r"[\d._~-]*", text), "a link carries it as it is"


@given(st.lists(st.integers(0, 255), min_size=16, max_size=16))
def test_ink_is_read_as_it_was_written(steps):
    ink = np.resize(np.array(steps, np.float32) / 255, (32, 32))
    text = write_ink(ink)
    assert np.array_equal(read_drawing(text), ink)
    assert re.fullmatch(r"ink:[\w-]{1366}", text)


def test_a_half_rounds_as_pages_round_it():
    assert write_strokes([[[0.25 / 32, 0.35 / 32]]]) == "0.3_0.4"


def test_empty_paper_is_a_drawing():
    assert write_strokes([]) == write_strokes([[]]) == ""
    assert read_strokes("") == []
    assert not read_drawing("").any()
    assert read_drawing(load_drawing().written([])).shape == (32, 32)


@pytest.mark.parametrize(
    "text",
    ["tea", "16", "16_8-", "~16_8", "16_8~~4_4", "16_8_4", "-1_4", "16_33", "16_8 4_4", "1e1_4", "ink:", "ink:AAAA"],
)
def test_a_text_that_no_drawing_has_is_refused(text):
    with pytest.raises(ValueError, match="drawing"):
        read_drawing(text)


def test_of_many_points_the_first_are_read_and_the_model_says_so():
    text = "-".join(["4_4"] * 3999) + "~28_4-28_28~4_28"
    assert [len(stroke) for stroke in read_strokes(text)] == [3999, 1]
    assert load_drawing()(text).notes == ("Only the first 4,000 points of the drawing are read.",)


def test_the_drawings_that_stand_ready_shut_in_what_they_should():
    assert {name: shut_in(read_drawing(text)).max() for name, text in READY.items()} == SHUT
    for text in READY.values():
        assert write_strokes(read_strokes(text)) == text


# --- What a drawing may be -----------------------------------------------------------------------------------------


def test_arrays_images_strokes_and_text_are_one_drawing():
    written = load_drawing().written
    ink = 1 - np.asarray(square()) / 255
    text = written(ink)
    for same in (
        text,
        ink > 0,
        ink.tolist(),
        torch.tensor(ink),
        square(),
        square().resize((320, 320), 0),
        square().convert("RGB"),
    ):
        assert written(same) == text
    clear = Image.new("RGBA", (32, 32))  # transparent black
    clear.paste("black", mask=Image.fromarray(np.uint8(255 * ink)))
    assert written(clear) == text
    line = [[0.25, 0.25], [0.75, 0.25]]
    for same in ([line], np.array([line]), [np.array(line)], [[tuple(point) for point in line]]):
        assert written(same) == "8_8-24_8"


@pytest.mark.parametrize(
    ("drawing", "message"),
    [
        (np.zeros((28, 28)), r"is \[32, 32\], got \[28, 28\]: make an image .* PIL.Image.fromarray"),
        (np.full((32, 32), 255, np.uint8), "from 0 to 1, where 1 is ink, got others: make an image"),
        (np.full((32, 32), -0.1), "from 0 to 1"),
        (np.full((32, 32), np.nan), "from 0 to 1"),
        ([[0.5, 0.5], [0.25, 0.5]], r"put one stroke into brackets"),
        ([[[0.5, 1.5]]], r"from 0 to 1, got \[0.5, 1.5\]"),
        ([[[0.5, 0.5, 1]]], r"a point of a stroke is \[x, y\]"),
        ("A sentence.", "16_8-17.5_9~4_4, got 'A sentence.'"),
    ],
)
def test_what_does_not_fit_is_told_what_to_do(drawing, message):
    with pytest.raises(ValueError, match=message):
        load_drawing()(drawing)


@pytest.mark.parametrize("drawing", [7, None, {"x": 1}, [["a"]]])
def test_what_is_no_drawing_is_told_what_is_one(drawing):
    with pytest.raises(TypeError, match=r"a drawing is an array .* a Pillow image, .* strokes .* or its text; got"):
        load_drawing()(drawing)


# --- The model -----------------------------------------------------------------------------------------------------


def test_it_gives_a_map_with_the_drawing_beneath():
    model = load_drawing()
    attention = model(READY["ring"])
    assert attention.shape == (3, 4, 65, 65)
    assert attention.key_tokens[:2] + attention.key_tokens[-1:] == ["[CLS]", "patch 1,1", "patch 8,8"]
    picture = attention.picture
    assert (picture.rows, picture.columns, picture.key_start, picture.query_start) == (8, 8, 1, 1)
    assert (picture.width, picture.height) == (32, 32)
    assert picture.source.startswith("data:image/png")
    places = attention.predictions["places shut in"]
    assert list(places) == ["0", "1", "2", "3 or more"]
    answer = model.answer(READY["ring"])
    assert answer.places == max(range(4), key=list(places.values()).__getitem__)
    assert (answer.filled.shape, answer.filled.dtype) == ((32, 32), np.float32)
    assert ((answer.filled >= 0) & (answer.filled <= 1)).all()


def test_it_computes_what_its_network_does():
    model = load_drawing()
    ink = read_drawing(READY["house"])
    with torch.no_grad():
        dots, _, maps = model.network(torch.tensor(ink)[None])
    assert_close(model(READY["house"]).weights, maps[0])
    assert_close(model.answer(READY["house"]).filled, dots[0].sigmoid())


def test_a_head_that_is_off_changes_what_comes_after_it():
    model = load_drawing()
    mask = np.ones((3, 4), bool)
    mask[model.carrier] = False
    attention, whole = model(READY["ring"], mask), model(READY["ring"])
    assert np.array_equal(attention.weights[0], whole.weights[0])
    assert not np.allclose(attention.weights[1:], whole.weights[1:], atol=1e-3)
    assert attention.predictions != whole.predictions
    assert not np.allclose(model.answer(READY["ring"], mask).filled, model.answer(READY["ring"]).filled)


def test_patches_are_hidden_from_one_head_alone():
    model, seen = load_drawing(), {}
    corner = np.zeros((8, 8), bool)
    corner[:2, :3] = True

    def keep(layer):
        return lambda module, inputs, output: seen.update({layer: output[1][0]})

    hooks = [block.register_forward_hook(keep(layer)) for layer, block in enumerate(model.network.blocks)]
    model.answer(READY["ring"], hidden={(1, 2): corner})
    one = dict(seen)
    model.answer(READY["ring"], hidden={(1, 2): corner.ravel()})
    for hook in hooks:
        hook.remove()
    assert all(torch.equal(one[layer], seen[layer]) for layer in one)
    hides = torch.tensor(np.concatenate([[False], corner.ravel()]))
    assert not seen[1][2][:, hides].any()
    for head in (0, 1, 3):
        assert (seen[1][head][:, hides] > 0).all()
    assert (seen[2][:, :, hides] > 0).all()
    np.testing.assert_allclose(seen[1][2].sum(-1), 1, atol=1e-5)


@pytest.mark.parametrize(
    ("hidden", "message"),
    [
        ({(3, 0): np.zeros(64, bool)}, "there is no head 0 in layer 3"),
        ({(1, 0): np.zeros(65, bool)}, r"must be \[64\] or \[8, 8\], got \[65\]"),
    ],
)
def test_what_cannot_be_hidden_is_refused(hidden, message):
    with pytest.raises(ValueError, match=message):
        load_drawing().answer("", hidden=hidden)
    with pytest.raises(TypeError, match="must be boolean"):
        load_drawing().answer("", hidden={(1, 0): np.zeros(64)})


OTHER = DrawingConfig(patch=8, layers=2, heads=3, width=12, most=1)


def saved(path, **changes):
    network = DrawingNetwork(OTHER)
    header = {
        "config": asdict(OTHER),
        "roles": {"gap": [1, 2], "carrier": [0, 1]},
        "history": [],
        "words": {},
    } | changes
    write_model(path, network, {name: value for name, value in header.items() if value is not None}, torch.float32)
    return network


def test_a_model_of_a_readers_own_is_read_from_its_file(tmp_path):
    network = saved(tmp_path / "mine.safetensors")
    model = load_drawing(tmp_path / "mine.safetensors")
    assert (model.name, model.gap_head, model.carrier) == ("mine.safetensors", (1, 2), (0, 1))
    attention = model(READY["ring"])
    assert (attention.shape, attention.picture.rows) == ((2, 3, 17, 17), 4)
    assert list(attention.predictions["places shut in"]) == ["0", "1 or more"]
    with torch.no_grad():
        expected = network.eval()(torch.tensor(read_drawing(READY["ring"]))[None])[2]
    assert_close(attention.weights, expected[0])


def test_what_is_saved_is_read_again(tmp_path):
    model = DrawingModel(OTHER).eval()
    model.save(tmp_path / "mine.safetensors")
    assert np.array_equal(load_drawing(tmp_path / "mine.safetensors")("").weights, model("").weights)


@pytest.mark.parametrize(
    ("message", "changes"),
    [
        ("its header lacks roles", {"roles": None}),
        ("the role 'gap' must be a head of .2, 3., from 0, got .0, 3.", {"roles": {"gap": [0, 3]}}),
        ("heads must be a whole number from 1, got 'two'", {"config": asdict(OTHER) | {"heads": "two"}}),
        ("these differ: .*row", {"config": asdict(OTHER) | {"patch": 4}}),
    ],
)
def test_a_file_that_does_not_fit_is_refused(tmp_path, message, changes):
    saved(tmp_path / "mine.safetensors", **changes)
    with pytest.raises(ValueError, match=message):
        load_drawing(tmp_path / "mine.safetensors")
