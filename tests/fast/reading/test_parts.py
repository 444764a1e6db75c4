"""What the parts of a model are called: by their roles, and without chains of attributes."""

import pytest
import torch
from libraries import Clip, ClipTokenizer

from manyheads.reading.parts import names_of_stacks
from manyheads.widgets import HeadMap

NAMES = {
    "open_clip's CLIP": (["visual.transformer.resblocks..attn", "transformer.resblocks..attn"], ["image", "text"]),
    "open_clip's pooled tower": (
        ["visual.transformer.resblocks..attn", "visual.attn_pool.attn", "text.transformer.resblocks..attn"],
        ["image", "image, attn_pool", "text"],
    ),
    "timm's XCiT": (["blocks..attn", "cls_attn_blocks..attn"], ["blocks", "cls_attn_blocks"]),
    "timm's VOLO": (["network...attn", "post_network..attn"], ["network", "post_network"]),
    "timm's CrossViT": (["blocks..blocks...attn", "blocks..fusion..attn"], ["blocks", "fusion"]),
    "timm's SigLIP": (["blocks..attn", "attn_pool"], ["blocks", "attn_pool"]),
    "a tower that looks into another": (
        ["vision.blocks..attn", "text.layers..attention.self", "text.layers..crossattention.self"],
        ["image", "text", "text, cross"],
    ),
    "open_clip's CoCa": (
        [
            *("visual.transformer.resblocks..attn", "visual.attn_pool.attn", "text.transformer.resblocks..attn"),
            *("text_decoder.resblocks..attn", "text_decoder.cross_attn..attn"),
        ],
        ["image", "image, attn_pool", "text", "text, text_decoder", "text, cross"],
    ),
    "with an adapter around it": (["base_model.left.layers..attn", "base_model.right.layers..attn"], ["left", "right"]),
    "a model that reads no text": (["image_encoder.blocks..attn", "temporal.blocks..attn"], ["image", "temporal"]),
    "nothing tells apart": (["model.layers..attn", "model.blocks..attn"], ["model.layers.attn", "model.blocks.attn"]),
    "PyTorch's": (["layers..self_attn", "layers..multihead_attn"], ["decoder", "cross"]),
}


@pytest.mark.parametrize(("modules", "expected"), NAMES.values(), ids=list(NAMES))
def test_parts_are_called_by_what_they_read_or_what_tells_them_apart(modules, expected):
    assert names_of_stacks(modules) == expected


PIXELS, TOKENIZER = torch.rand(1, 3, 8, 12), ClipTokenizer()
IDS = TOKENIZER(["the cat sat"])


def test_open_clips_parts_are_image_and_text():
    shown = HeadMap.of(Clip(), inputs=(PIXELS, IDS), image=PIXELS)
    assert shown._models == ["image", "text"]
    assert shown.attention.key_tokens[:2] == ["[CLS]", "patch 1,1"]
    assert (shown.attention.picture.rows, shown.attention.picture.columns) == (2, 3)
    for part, places in (("image", 7), ("text", 8)):
        assert HeadMap.of(Clip(), inputs=(PIXELS, IDS), part=part).attention.shape == (2, 4, places, places)


def test_its_tokenizer_names_the_tokens_and_its_padding_is_left_out():
    words = ["<start_of_text>", "the", "c", "at", "sat", "<end_of_text>"]
    shown = HeadMap.of(Clip(), inputs=(PIXELS, IDS), tokenizer=TOKENIZER, part="text").attention
    assert shown.key_tokens == words
    assert shown.notes == ("2 padding tokens are left out.",)
    shown = HeadMap.of(Clip(), "the cat sat", tokenizer=TOKENIZER).attention  # by the name that its ids have
    assert shown.key_tokens == words


def test_padding_that_the_text_looks_at_stays_and_is_called_so():
    shown = HeadMap.of(Clip(causal=False), inputs=(PIXELS, IDS), tokenizer=TOKENIZER, part="text").attention
    assert shown.key_tokens[-3:] == ["<end_of_text>", "[PAD]", "[PAD]"]
    with pytest.raises(TypeError, match="tokenizer must be one that names tokens by their ids, got int"):
        HeadMap.of(Clip(), inputs=(PIXELS, IDS), tokenizer=5)
