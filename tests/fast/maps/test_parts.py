"""What the parts of a model are called: by their roles, and without chains of attributes."""

import pytest

from manyheads.maps.parts import names_of_stacks

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
    "with an adapter around it": (
        ["base_model.model.left.layers..attn", "base_model.model.right.layers..attn"],
        ["left", "right"],
    ),
    "a model that reads no text": (["image_encoder.blocks..attn", "temporal.blocks..attn"], ["image", "temporal"]),
    "what nothing tells apart": (
        ["model.layers..attn", "model.blocks..attn"],
        ["model.layers.attn", "model.blocks.attn"],
    ),
    "PyTorch's": (["layers..self_attn", "layers..multihead_attn"], ["decoder", "cross"]),
}


@pytest.mark.parametrize(("modules", "expected"), NAMES.values(), ids=list(NAMES))
def test_parts_are_called_by_what_they_read_or_what_tells_them_apart(modules, expected):
    assert names_of_stacks(modules) == expected
