"""Which places of a map are patches, by the configurations of transformers; and what an image may be given as."""

import base64
import io
import re
from dataclasses import replace

import numpy as np
import pytest
import torch
import transformers as hf
from PIL import Image, ImageDraw

from manyheads.drawing.plain import plain_html
from manyheads.maps import AttentionMap
from manyheads.maps.wire import map_dict
from manyheads.reading.patches import (
    ANOTHER,
    MIDDLE,
    NORMALISED,
    PatchGrid,
    Picture,
    patch_grid,
    picture_from,
    sees_patches,
)
from manyheads.widgets import HeadMap

SMALL = {"image_size": 28, "patch_size": 14}
LLAVA = hf.LlavaConfig(vision_config=hf.CLIPVisionConfig(**SMALL), image_token_index=9)


@pytest.fixture
def photograph():
    """A house at the left and a sun at the right, 120 by 60 pixels."""
    image = Image.new("RGB", (120, 60), (120, 170, 220))
    draw = ImageDraw.Draw(image)
    draw.rectangle([8, 30, 40, 56], fill=(180, 60, 40))
    draw.ellipse([84, 6, 108, 30], fill=(255, 240, 180))
    draw.rectangle([0, 50, 120, 60], fill=(60, 110, 50))
    return image


# --- Which places are patches


@pytest.mark.parametrize(
    ("config", "count", "options", "grid"),
    [
        (hf.ViTConfig(**SMALL), 5, {}, (2, 2, "[CLS]")),
        (hf.ViTConfig(image_size=(28, 42), patch_size=14), 7, {}, (2, 3, "[CLS]")),
        (hf.DeiTConfig(**SMALL), 6, {}, (2, 2, "[CLS]", "[DISTILL]")),
        (
            hf.Dinov2WithRegistersConfig(image_size=28, patch_size=7),
            21,
            {},
            (4, 4, "[CLS]", "register 1", "register 2", "register 3", "register 4"),
        ),
        (hf.CLIPVisionConfig(**SMALL), 5, {}, (2, 2, "[CLS]")),
        (hf.CLIPConfig(vision_config={"image_size": 28, "patch_size": 14}), 5, {}, (2, 2, "[CLS]")),
        (hf.SiglipVisionConfig(**SMALL), 4, {}, (2, 2)),
        (hf.ViTConfig(**SMALL), 10, {}, (3, 3, "[CLS]")),  # interpolated, and only the count tells
        (hf.ViTConfig(**SMALL), 7, {"size": (42, 28)}, (3, 2, "[CLS]")),
        (hf.ViTConfig(**SMALL), 13, {"grid": (3, 4)}, (3, 4, "[CLS]")),
        (hf.DeiTConfig(**SMALL), 14, {"grid": (3, 4)}, (3, 4, "[CLS]", "[DISTILL]")),
        (None, 13, {"grid": (3, 4)}, (3, 4, "[CLS]")),
        (LLAVA, 4, {}, (2, 2)),
        (
            hf.Idefics3Config(vision_config={"image_size": 56, "patch_size": 14}),
            4,
            {},
            (2, 2),
        ),  # four patches to a token
    ],
    ids=lambda value: getattr(value, "model_type", None),
)
def test_the_configuration_says_which_places_are_patches(config, count, options, grid):
    rows, columns, *special = grid
    found = patch_grid(config, count, **options)
    assert found == PatchGrid(rows, columns, tuple(special))
    assert len(found.names) == count
    assert found.names[-1] == f"patch {rows},{columns}"
    assert config is None or sees_patches(config)


@pytest.mark.parametrize(
    ("config", "count", "options", "message"),
    [
        (hf.ViTConfig(**SMALL), 8, {}, "8 places are no grid of patches, where the model lets expect 2 x 2"),
        (hf.ViTConfig(**SMALL), 10, {"size": (28, 42)}, "10 places are no grid of patches, where the model"),
        (hf.SwinConfig(window_size=7), 49, {}, "grid=(rows, columns)"),  # a window of the picture
        (None, 8, {}, "8 places are no grid of patches: say how many rows"),
        (None, 9, {}, "9 places are no grid of patches: say how many rows"),  # of a square, perhaps, and perhaps not
        (None, 8, {"grid": (3, 3)}, "grid=(3, 3) is 9 patches, but the map has 8 places"),
        (None, 15, {"grid": (3, 4)}, "grid=(3, 4) is 12 patches, and which of these 15 places they are isn't known"),
        (hf.ViTConfig(**SMALL), 14, {"grid": (3, 4)}, "tokens= says so, by names such as '[CLS]' and 'register 1'"),
        (None, 8, {"grid": (3, 0)}, "grid must be two whole numbers from 1 on"),
    ],
)
def test_what_does_not_fit_asks_for_the_grid(config, count, options, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        patch_grid(config, count, **options)


# --- What is shown


def read(picture):
    """The pixels of a picture as a page gets them."""
    return np.asarray(Image.open(io.BytesIO(base64.b64decode(picture.source.partition(",")[2]))).convert("RGB"), int)


def test_an_image_in_any_form_is_the_same_picture(photograph, tmp_path):
    photograph.save(tmp_path / "photograph.png")
    pixels = np.asarray(photograph)
    first = torch.tensor(pixels).permute(2, 0, 1)
    forms = [
        photograph,
        photograph.convert("RGBA"),
        str(tmp_path / "photograph.png"),
        tmp_path / "photograph.png",
        pixels,
        pixels.astype(np.int64),
        pixels / 255,
        pixels.astype(np.float32),
        first,
        first[None],
        (first / 255).requires_grad_(),
    ]
    for form in forms:
        picture, notes = picture_from(form, 2, 4)
        assert np.abs(read(picture) - pixels).max() <= 1, type(form)
        assert (picture.width, picture.height, notes) == (120, 60, ())
    grey = read(picture_from(pixels[..., 0], 2, 4)[0])
    assert np.array_equal(grey, np.repeat(pixels[..., :1], 3, axis=2))
    coarse = read(picture_from((first / 255).bfloat16(), 2, 4)[0])
    assert np.abs(coarse - pixels).max() <= 2


def test_normalised_pixels_are_scaled_back_and_it_is_told(photograph):
    pixels = (np.asarray(photograph) / 255 - 0.5) / 0.25
    picture, notes = picture_from(torch.tensor(pixels).permute(2, 0, 1)[None], 2, 4)
    drawn = read(picture)
    assert notes == (NORMALISED,)
    assert (drawn.min(), drawn.max()) == (0, 255)
    assert np.corrcoef(drawn.ravel(), pixels.ravel())[0, 1] > 0.999


def test_a_large_image_is_made_small():
    noise = np.random.default_rng(0).integers(0, 256, (300, 900, 3), dtype=np.uint8)
    picture, _ = picture_from(noise, 4, 12)
    assert (picture.width, picture.height) == (448, 149)
    assert picture.source.startswith("data:image/jpeg;base64,")  # shorter here


@pytest.mark.parametrize(
    ("image", "error", "message"),
    [
        ("pyproject.toml", ValueError, "no image that Pillow can read"),
        (7, TypeError, "an image is a PIL image, a path, or an array or tensor"),
        (None, TypeError, "got NoneType"),
        (np.zeros((2, 3, 8, 8)), ValueError, "there is a batch of 2 images: give one of them"),
        (np.zeros((5, 8, 8)), ValueError, "got an array of [5, 8, 8]"),
        (np.zeros(8), ValueError, "got an array of [8]"),
        (np.full((8, 8), np.nan), ValueError, "finite"),
        (np.zeros((8, 8), complex), TypeError, "got ndarray"),
    ],
)
def test_what_is_no_image_is_refused(image, error, message, tmp_path):
    if isinstance(image, str):
        image = tmp_path / image
        image.write_text("no image")
    with pytest.raises(error, match=re.escape(message)):
        picture_from(image, 1, 1)


def test_the_image_is_cropped_as_its_pixels_were(photograph):
    middle = photograph.crop((30, 0, 90, 60))
    pixels = (np.asarray(middle.resize((28, 28)), float) / 127.5 - 1).transpose(2, 0, 1)[None]
    picture, notes = picture_from(photograph, 2, 2, pixels=pixels)
    assert (picture.width, picture.height, notes) == (60, 60, (MIDDLE,))
    assert np.abs(read(picture) - np.asarray(middle)).max() <= 1
    squeezed = (np.asarray(photograph.resize((28, 28)), float) / 127.5 - 1).transpose(2, 0, 1)
    assert picture_from(photograph, 2, 2, pixels=squeezed)[0].width == 120
    upside_down = picture_from(photograph, 2, 2, pixels=squeezed[:, ::-1, ::-1])
    assert upside_down[1] == (ANOTHER,)


# --- In a map


@pytest.fixture
def attention(photograph):
    names = PatchGrid(2, 4, ("[CLS]", "register 1")).names
    weights = np.random.default_rng(0).dirichlet(np.full(10, 0.3), (2, 3, 10))
    return AttentionMap(names, names, weights, picture=picture_from(photograph, 2, 4, 2, 2)[0])


def test_a_picture_stays_with_its_patches(attention):
    for other in (attention.average(), attention.rollout(), attention.merge_pieces()):
        assert other.picture == attention.picture
    shorter = attention.without_special()
    assert shorter.key_tokens == attention.key_tokens[2:]
    assert (shorter.picture.key_start, shorter.picture.query_start) == (0, 0)


@pytest.mark.parametrize(
    ("changes", "error", "message"),
    [
        ({"rows": 3}, ValueError, "3 x 4 patches from key 2 on, but there are 10 keys"),
        ({"query_start": 3}, ValueError, "2 x 4 patches from query 3 on, but there are 10 queries"),
        ({"rows": 0}, ValueError, "from 1 on"),
        ({"source": "https://example.org/photograph.png"}, ValueError, "must be a data URL of an image"),
    ],
)
def test_a_picture_that_does_not_fit_is_refused(attention, changes, error, message):
    with pytest.raises(error, match=re.escape(message)):
        replace(attention, picture=replace(attention.picture, **changes))


def test_only_a_picture_is_one(attention, photograph):
    with pytest.raises(TypeError, match="must be a Picture, as picture_from makes it, got Image"):
        replace(attention, picture=photograph)


def test_it_travels_to_the_page_and_into_saved_files(attention, tmp_path):
    sent = map_dict(attention)["picture"]
    names = "src rows columns width height keyStart queryStart".split()
    assert Picture(*(sent[name] for name in names)) == attention.picture
    widget = HeadMap.of(attention, view="picture")
    assert widget._attention["picture"] == sent
    assert widget.save(tmp_path / "map.html").read_text(encoding="utf-8").count(attention.picture.source) == 1
    assert "<svg" in plain_html(attention)
    with pytest.raises(ValueError, match=r'view="picture" is for maps with a picture'):
        HeadMap.of(replace(attention, picture=None), view="picture")
