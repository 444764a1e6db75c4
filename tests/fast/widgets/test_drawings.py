"""A map of a model that reads drawings: the drawing's text stands where others have a sentence."""

import numpy as np
import pytest
from PIL import Image
from traitlets import TraitError

from manyheads import HeadMap, load_drawing
from manyheads.drawing.element import BUILDING
from manyheads.models.drawing import READY, read_drawing

LINE = [[[0.25, 0.25], [0.75, 0.25]]]


def test_any_form_of_a_drawing_becomes_its_text(drawing):
    assert HeadMap(LINE, model=drawing).sentence == "8_8-24_8"
    assert HeadMap("8_8-24_8", model="drawing").sentence == "8_8-24_8"
    assert HeadMap(model="drawing").sentence == "", "empty paper"
    ink = read_drawing(READY["ring"])
    image = Image.fromarray(np.rint(255 * (1 - ink)).astype(np.uint8))
    for same in (ink, image):
        attention = HeadMap(same, model=drawing)
        assert attention.sentence.startswith("ink:")
        np.testing.assert_allclose(attention.attention.weights, drawing(READY["ring"]).weights, atol=0.02)


def test_the_page_is_told_what_the_model_reads():
    own = load_drawing()
    own.name = "mine.safetensors"
    assert [HeadMap(LINE, model=own).get_state()["_reads"], HeadMap("Tea?").get_state()["_reads"]] == [
        "drawing",
        "text",
    ]


def test_it_opens_on_the_picture_and_on_the_patch_at_its_middle(drawing):
    attention = HeadMap(LINE, model=drawing)
    assert (attention.view, attention.scale) == ("picture", "relative")
    assert attention.attention.key_tokens[attention.query] == "patch 5,5"
    chosen = HeadMap(LINE, model=drawing, view="grid", query=0, scale="absolute")
    assert (chosen.view, chosen.query, chosen.scale) == ("grid", 0, "absolute")
    assert HeadMap("Tea?").view == "paint"


def test_another_drawing_or_a_head_off_is_computed(drawing):
    attention = HeadMap(LINE, model=drawing)
    attention.sentence = drawing.written(read_drawing(READY["house"]))
    np.testing.assert_allclose(attention.attention.weights, drawing(READY["house"]).weights, atol=0.02)
    attention.head_mask = [[True] * 4, [False] * 4, [True] * 4]
    assert attention.attention.predictions == drawing(attention.sentence, attention.head_mask).predictions
    with pytest.raises(ValueError, match=r"got 'A cat\.'"):
        attention.sentence = "A cat."
    assert "could not be computed" in attention._status


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"sentence": np.zeros((32, 32))}, TypeError, 'must be a string, got ndarray; .* model="drawing"'),
        ({"sentence": "A cat.", "model": "drawing"}, ValueError, "written like 16_8-17.5_9~4_4, got 'A cat\\.'"),
        ({"sentence": 7, "model": "drawing"}, TypeError, "a drawing is an array .*; got int"),
        ({"models": ["focus", "drawing"]}, ValueError, "some of these read drawing and some text"),
        ({"model": "drawing", "compare": ""}, ValueError, "compare is for models that read text"),
    ],
)
def test_what_a_model_does_not_read_is_refused(arguments, error, message):
    with pytest.raises(error, match=message):
        HeadMap(**arguments)


def test_two_drawings_are_not_compared_later_either(drawing):
    attention = HeadMap(LINE, model=drawing)
    with pytest.raises(TraitError, match="show two drawings as two maps"):
        attention.compare = "4_4"
    assert attention.compare is None


def test_a_page_gets_the_drawing_and_a_saved_file_says_that_it_stays(drawing, monkeypatch, tmp_path):
    attention = HeadMap(LINE, model=drawing)
    saved = attention.save(tmp_path / "map.html").read_text(encoding="utf-8")
    assert "the drawing stays" in saved
    assert "<h2>" not in saved
    assert "<title>Attention</title>" in saved
    monkeypatch.setenv(BUILDING, "_static")
    opening = attention._repr_mimebundle_()[0]["text/html"].split(">")[0]
    for attribute in ('model="drawing"', 'sentence="8_8-24_8"', 'view="picture"', 'query="37"', 'scale="relative"'):
        assert attribute in opening
    assert "sentence" not in attention._status


def test_a_model_of_a_readers_own_is_shown_as_well(tmp_path):
    load_drawing().save(tmp_path / "mine.safetensors")
    attention = HeadMap(LINE, model=load_drawing(tmp_path / "mine.safetensors"))
    assert np.array_equal(attention.attention.weights, load_drawing()(LINE).weights)
