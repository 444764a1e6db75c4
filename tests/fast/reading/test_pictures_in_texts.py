"""Where a picture lies in a text: at the run that its model says, or that a grid fills; elsewhere it's refused."""

import numpy as np
import pytest
import torch
import transformers
from close import assert_close
from libraries import TEXT, VISION, VOCABULARY, llava, made, photograph, qwen
from torch import nn
from vision_language import family, picture, pixtral
from vision_language import qwen as any_qwen

from manyheads.maps import AttentionMap
from manyheads.widgets import HeadMap

IMAGE = VOCABULARY["<image>"]
WRITING = {"output_attentions": True, "return_dict_in_generate": True, "max_new_tokens": 4, "do_sample": False}
PIXELS = torch.randn(1, 3, 28, 28, generator=torch.Generator().manual_seed(0))
NAMES = ["<s>", "user", *["<image>"] * 16, *"what is this ? a cat".split()]
PATCHES = [f" patch {row},{column}" for row in range(1, 5) for column in range(1, 5)]


def written_by(make, text):
    """What a model writes about a picture, the inputs of its prompt, the model and its processor."""
    model, processor = make()
    model.set_attn_implementation("eager")
    prompt = processor(photograph(), [text], return_tensors="pt")
    return model.generate(**prompt, **WRITING), prompt, model, processor


LLAVA = (llava, "the <image> cat is", (4, 4), 1)
QWEN = (qwen, "the <|vision_start|> <image> <|vision_end|> cat is", (1, 2), 2)


def laid(shown):
    """The rows and columns of a map's picture, and the places where it begins."""
    picture = shown.attention.picture
    return picture.rows, picture.columns, picture.key_start, picture.query_start


# --- Under what a model wrote -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("make", "text", "grid", "start"), [LLAVA, QWEN], ids=["llava", "qwen"])
@pytest.mark.parametrize("named", [True, False])
def test_under_an_answer_a_picture_lies_where_its_tokens_are(make, text, grid, start, named):
    written, _, _, processor = written_by(make, text)
    shown = HeadMap.of(written, image=photograph(), grid=grid, tokenizer=processor if named else None)
    assert laid(shown) == (*grid, start, start)
    if named:
        assert shown.attention.key_tokens[start : start + 2] == [" patch 1,1", " patch 1,2"]
    else:
        assert shown.attention.key_tokens[:3] == ["1", "2", "3"], "what has no name is counted, and called nothing else"


@pytest.mark.parametrize(("make", "text", "grid", "start"), [LLAVA, QWEN], ids=["llava", "qwen"])
def test_the_line_of_the_refusal_shows_what_was_written_above_the_picture(make, text, grid, start):
    written, prompt, model, processor = written_by(make, text)
    with pytest.raises(
        ValueError, match=r"HeadMap.of\(model, inputs=dict\(inputs, input_ids=output.sequences\), ...\)"
    ):
        HeadMap.of(written, tokenizer=processor, image=photograph())
    inputs = dict(prompt, input_ids=written.sequences)
    shown = HeadMap.of(model, inputs=inputs, tokenizer=processor, image=photograph(), part="text")
    assert laid(shown) == (*grid, start, start)
    own = HeadMap.of(written).attention.weights
    assert_close(shown.attention.weights[:, :, :-1, :-1], own)
    assert "attention_mask is shorter than the text: what comes after it is taken for text." in shown.attention.notes


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ((3, 5), r"grid=\(3, 5\) is 15 patches, but no token stands 15 times in a row: the longest run is of 16"),
        ((5, 5), r"grid=\(5, 5\) is 25 patches, but the map has 23 places"),
        ((2, 4), r"but no token stands 8 times in a row: .* HeadMap.of\(model, inputs=dict\(inputs, input_ids="),
    ],
)
def test_a_grid_that_does_not_fill_the_run_of_an_answer_is_refused(grid, says):
    written, *_ = written_by(*LLAVA[:2])
    with pytest.raises(ValueError, match=says):
        HeadMap.of(written, image=photograph(), grid=grid)


# --- Of a model -------------------------------------------------------------------------------------------------------


def ids_with(*runs):
    """Ids of a text with so many tokens of a picture in a row, each run between words."""
    return torch.tensor([[8, *(one for count in runs for one in (*[IMAGE] * count, 9))]])


def test_a_grid_fills_the_run_of_its_text():
    inputs = {"input_ids": ids_with(16), "pixel_values": PIXELS}
    shown = HeadMap.of(llava()[0], inputs=inputs, image=photograph(), grid=(2, 8))
    assert laid(shown) == (2, 8, 1, 1)
    with pytest.raises(ValueError, match=r"\(3, 5\) is 15 patches, but the picture has 16 places .* fills them all"):
        HeadMap.of(llava()[0], inputs=inputs, image=photograph(), grid=(3, 5), part="text")


def test_two_pictures_take_two_images():
    inputs = {"input_ids": ids_with(16, 16), "pixel_values": torch.cat([PIXELS, PIXELS.flip(3)])}
    for options in ({}, {"grid": (4, 4)}):
        attention = HeadMap.of(llava()[0], inputs=inputs, image=[photograph()] * 2, **options).attention
        picture, after = attention.picture, np.arange(16).reshape(4, 4)
        assert (picture.rows, picture.columns, picture.key_start, picture.query_start) == (4, 9, 1, 1)
        shown = np.array([-1 if place is None else place for place in picture.places]).reshape(4, 9)
        assert (shown == np.hstack([after, np.full((4, 1), -1), after + 17])).all()
        assert "2 pictures stand side by side, in the order of the text." in attention.notes
    named = HeadMap.of(llava()[0], inputs=inputs, tokenizer=llava()[1]).attention.key_tokens
    assert named[16:20] == [" piece 1, patch 4,4", "cat", " piece 2, patch 1,1", " piece 2, patch 1,2"]


def internvl():
    vision = {**VISION, "image_size": [28, 28], "patch_size": [7, 7]}
    text = {"model_type": "qwen2", **TEXT, "num_key_value_heads": 2}
    config = transformers.InternVLConfig(vision_config=vision, text_config=text, image_token_id=IMAGE)
    return made("InternVLForConditionalGeneration", config)


def test_tiles_that_are_not_seen_to_be_parts_of_the_picture_stand_side_by_side():
    inputs = {"input_ids": ids_with(8), "pixel_values": PIXELS.repeat(2, 1, 1, 1)}
    attention = HeadMap.of(internvl(), inputs=inputs, image=photograph()).attention
    assert attention.picture.places == (0, 1, None, 4, 5, 2, 3, None, 6, 7)
    assert attention.notes[-1].startswith(
        "Where these 2 pieces lie in a picture isn't known: each is drawn as the model"
    )
    with pytest.raises(ValueError, match=r"grid=\(2, 4\) is 8 patches, but the map has 4 places"):
        HeadMap.of(internvl(), inputs=inputs, image=photograph(), grid=(2, 4))
    one = {"input_ids": ids_with(4), "pixel_values": PIXELS}
    assert laid(HeadMap.of(internvl(), inputs=one, image=photograph())) == (2, 2, 1, 1)


@torch.no_grad()
def test_a_picture_after_a_cache_lies_after_what_was_read_before():
    model, _ = llava()
    past = model(input_ids=torch.tensor([[8, 9, 10]])).past_key_values
    inputs = {"input_ids": ids_with(16), "pixel_values": PIXELS, "past_key_values": past}
    shown = HeadMap.of(model, inputs=inputs, image=photograph(), part="text")
    assert laid(shown) == (4, 4, 4, 1)


def test_a_picture_stays_with_its_patches_where_padding_is_left_out():
    inputs = {"input_ids": torch.cat([torch.zeros(1, 3, dtype=int), ids_with(16)], 1), "pixel_values": PIXELS}
    inputs["attention_mask"] = (torch.arange(21) > 2).int()[None]
    assert laid(HeadMap.of(llava()[0], inputs=inputs, image=photograph(), part="text")) == (4, 4, 1, 1)


def siglip(text):
    vision = {"model_type": "siglip_vision_model", **VISION}
    return {"vision_config": vision, "text_config": {**TEXT, "num_key_value_heads": 2, "head_dim": 8, **text}}


PALIGEMMA = ("PaliGemma", siglip({"model_type": "gemma"}) | {"projection_dim": 32}, 16)
GEMMA = ("Gemma3", siglip({"model_type": "gemma3_text"}) | {"mm_tokens_per_image": 4}, 4)


@pytest.mark.parametrize(("kind", "options", "patches"), [PALIGEMMA, GEMMA], ids=["paligemma", "gemma"])
def test_the_text_opens_before_the_picture_that_it_looks_at(kind, options, patches):
    config = getattr(transformers, f"{kind}Config")(**options, image_token_id=IMAGE)
    model = made(f"{kind}ForConditionalGeneration", config, "sdpa")
    inputs = {"input_ids": ids_with(patches), "pixel_values": PIXELS}
    shown = HeadMap.of(
        model, inputs=inputs | {"token_type_ids": (inputs["input_ids"] == IMAGE).int()}, image=photograph()
    )
    assert shown._models[:2] == ["text", "image"]
    assert shown.attention.picture.key_start == 1


def test_windows_of_a_picture_that_are_not_shown_are_named():
    positions = {"rope_type": "default", "mrope_section": [2, 1, 1], "rope_theta": 10000.0}
    sizes = {"depth": 2, "hidden_size": 32, "num_heads": 4, "patch_size": 14, "out_hidden_size": 32, "window_size": 56}
    config = transformers.Qwen2_5_VLConfig(
        text_config={**TEXT, "num_key_value_heads": 2, "rope_parameters": positions},
        vision_config={**sizes, "intermediate_size": 32, "fullatt_block_indexes": [1]},
        image_token_id=IMAGE,
        vision_start_token_id=VOCABULARY["<|vision_start|>"],
        vision_end_token_id=VOCABULARY["<|vision_end|>"],
    )
    read = qwen()[1](photograph((112, 112)), [QWEN[1]], return_tensors="pt")
    shown = HeadMap.of(made("Qwen2_5_VLForConditionalGeneration", config), inputs=read, image=photograph((112, 112)))
    assert laid(shown) == (4, 4, 2, 2)
    assert (
        "This part alone is shown, which the model hands out. Of the others: model.visual" in shown.attention.notes[0]
    )


def places(shown):
    """The places of a map's picture as a table, from the key where it begins; -1 for no patch."""
    picture = shown.attention.picture
    after = [-1 if place is None else place for place in picture.after]
    return np.reshape(after, (picture.rows, picture.columns)).tolist()


def test_a_picture_that_keeps_its_shape_has_ends_of_lines_between_its_rows():
    rows = [[60] * 4 + [61], [60] * 4 + [62], [5], [60, 60, 61], [60, 60, 61], [60, 60, 62], [6]]
    pixels = torch.zeros(2, 3, 12, 16)
    pixels[0, :, :8], pixels[1, :, :, :8] = torch.randn(3, 8, 16), torch.randn(3, 12, 8)
    inputs = {"input_ids": torch.tensor([sum(rows, [1])]), "pixel_values": pixels}
    inputs["image_sizes"] = torch.tensor([[8, 16], [12, 8]])
    shown = HeadMap.of(pixtral(), inputs=inputs, image=[picture(64, 32), picture(32, 48)])
    first, second = [[0, 1, 2, 3], [5, 6, 7, 8], [-1] * 4], [[11, 12], [14, 15], [17, 18]]
    assert places(shown) == [[*one, -1, *other] for one, other in zip(first, second)]


@pytest.mark.parametrize(("kind", "between"), [("Qwen2VL", 0), ("Qwen3VL", 3)])
def test_frames_of_a_video_stand_in_a_row(kind, between):
    model, processor = any_qwen(kind)
    video, (start, end) = processor.video_token_id, [5, 6]
    frames = [video, video, video, *[end, 4, start][:between]] * 3
    patch = model.config.vision_config.patch_size
    inputs = {"input_ids": torch.tensor([[4, start, *frames, 7]]), "video_grid_thw": torch.tensor([[3, 2, 6]])}
    inputs["pixel_values_videos"] = torch.randn(36, 6 * patch**2)
    inputs["mm_token_type_ids"] = (inputs["input_ids"] == video).int() * 2
    for count in (3, 6):  # two are read as one
        shown = HeadMap.of(model, inputs=inputs, tokenizer=processor, image=[picture(96, 32)] * count)
        step = 3 + between
        assert places(shown) == [[0, 1, 2, -1, step, step + 1, step + 2, -1, 2 * step, 2 * step + 1, 2 * step + 2]]
        assert shown.attention.key_tokens[2 + step] == " frame 2, patch 1,1"
    with pytest.raises(ValueError, match=r"the text has 3 frames, and image= has 1: image=\[...\] takes one for each"):
        HeadMap.of(model, inputs=inputs, image=picture(96, 32))


def test_tiles_that_a_model_packs_anew_are_refused():
    vision, text = {"model_type": "clip_vision_model", **VISION}, {"model_type": "llama", **TEXT}
    config = {"vision_config": vision, "text_config": text, "image_token_id": IMAGE, "image_grid_pinpoints": [[28, 56]]}
    model = made("LlavaNextForConditionalGeneration", transformers.LlavaNextConfig(**config))
    inputs = {"input_ids": ids_with(16 + 4 * 8 + 4), "pixel_values": PIXELS.expand(3, -1, -1, -1)[None]}
    inputs["image_sizes"] = torch.tensor([[28, 56]])
    with pytest.raises(
        ValueError, match=r"packs the tiles of a picture anew \(image_grid_pinpoints\): where each lies"
    ):
        HeadMap.of(model, inputs=inputs, image=photograph())


def test_several_answers_to_several_texts_have_the_picture_of_theirs():
    model, processor = family("internvl")
    model.set_attn_implementation("eager")
    texts, pictures = ["what is <IMG_CONTEXT> ?", "<IMG_CONTEXT> a cat"], [picture(64, 96), picture(192, 96, 1)]
    inputs = processor(images=pictures, text=texts, return_tensors="pt", padding=True)
    written = model.generate(**inputs, **WRITING | {"do_sample": True}, num_return_sequences=2)
    for answer in range(4):
        shown = HeadMap.of(written, inputs=inputs, tokenizer=processor, image=pictures[answer // 2], batch=answer)
        alone = HeadMap.of(model, inputs=inputs, tokenizer=processor, image=pictures[answer // 2], batch=answer // 2)
        assert places(shown) == places(alone)
        own = alone.attention.weights
        assert_close(shown.attention.weights[..., : own.shape[2], : own.shape[3]], own)
        assert shown.attention.answer_start == own.shape[3]


# --- Of weights, and of maps ------------------------------------------------------------------------------------------

WEIGHTS = np.full((1, 2, 24, 24), 1 / 24, np.float32)
CAUSAL = (np.tri(24) / np.arange(1, 25)[:, None]).astype(np.float32)[None, None].repeat(2, 1)


@pytest.mark.parametrize("weights", [WEIGHTS, CAUSAL])
def test_names_say_where_the_patches_are(weights):
    for source, *names in ((weights, NAMES), (AttentionMap(NAMES, NAMES, weights),)):
        assert laid(HeadMap.of(source, *names, image=photograph(), grid=(4, 4))) == (4, 4, 2, 2)
    named = [*NAMES[:2], *PATCHES, *NAMES[18:]]
    assert laid(HeadMap.of(AttentionMap(named, named, weights), image=photograph())) == (4, 4, 2, 2)
    with pytest.raises(ValueError, match=r"grid=\(2, 8\) is given, but the places are called patches of another"):
        HeadMap.of(weights, named, image=photograph(), grid=(2, 8))
    both = ["<s>", *["<image>"] * 9, "and", *["<image>"] * 9, *"what is this ?".split()]
    with pytest.raises(ValueError, match="the text has 2 pictures"):
        HeadMap.of(weights, both, image=photograph(), grid=(3, 3))


def test_what_has_no_names_is_no_picture_unless_all_of_it_is():
    for weights in (CAUSAL, AttentionMap(list(map(str, range(1, 25))), list(map(str, range(1, 25))), CAUSAL)):
        assert laid(HeadMap.of(weights, image=photograph(), grid=(4, 6))) == (4, 6, 0, 0)
        with pytest.raises(ValueError, match=r"which of the 24 places of this text they are isn't known: tokens=, or"):
            HeadMap.of(weights, image=photograph(), grid=(4, 4))
    with pytest.raises(ValueError, match="which of these 24 places they are isn't known: tokens= says so, by names"):
        HeadMap.of(WEIGHTS, image=photograph(), grid=(4, 4))
    registers = ["[CLS]", *(f"register {number}" for number in range(1, 8)), *(f"p{place}" for place in range(16))]
    assert laid(HeadMap.of(WEIGHTS, registers, image=photograph(), grid=(4, 4))) == (4, 4, 8, 8)
    words = AttentionMap(list("abcdefghi"), list("abcdefghi"), WEIGHTS[..., :9, :9] * 24 / 9)
    with pytest.raises(ValueError, match=r"no part of this map looks at patches of the image: grid=\(rows, columns\)"):
        HeadMap.of(words, image=photograph())


class Mine(nn.Module):
    """Somebody's own vision transformer, which says nothing of its patches."""

    def __init__(self, before):
        super().__init__()
        self.before, self.patches = nn.Parameter(torch.randn(1, before, 32)), nn.Conv2d(3, 32, 7, 7)
        self.layer = nn.TransformerEncoderLayer(32, 4, 32, batch_first=True)

    def forward(self, pixels):
        return self.layer(torch.cat([self.before, self.patches(pixels).flatten(2).mT], 1))


def test_names_say_what_stands_before_the_patches_of_ones_own_model():
    names = ["[CLS]", "register 1", "register 2", *(f"p{place}" for place in range(16))]
    shown = HeadMap.of(Mine(3).eval(), names, inputs=PIXELS, image=photograph(), grid=(4, 4))
    assert laid(shown) == (4, 4, 3, 3)
    with pytest.raises(ValueError, match="isn't known: tokens= says so"):
        HeadMap.of(Mine(3).eval(), inputs=PIXELS, image=photograph(), grid=(4, 4))
