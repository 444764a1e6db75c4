"""Pictures of timm's models, which have no configuration: written small, with timm's names for sizes and tokens."""

import warnings

import numpy as np
import pytest
import torch
from libraries import WIDTH, Attention, Block, PatchEmbed, ViT, blocks
from torch import nn

from manyheads.reading.patch_embeddings import patch_embeddings_of
from manyheads.widgets import HeadMap


class ConViT(ViT):
    """The token is put before the patches for the last layers alone."""

    def forward(self, x):
        x = self.blocks[0](self.patch_embed(x))
        return self.blocks[1](torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1))


class Visformer(nn.Module):
    """Stages of smaller and smaller grids, each with an embedding of its own."""

    def __init__(self):
        super().__init__()
        self.img_size = (16, 24)
        self.patch_embed1 = PatchEmbed((16, 24))
        self.patch_embed2 = PatchEmbed((4, 6), patch=2, channels=WIDTH)
        self.stage1, self.stage2 = blocks(), blocks()

    def forward(self, x):
        x = self.stage1(self.patch_embed1(x))
        return self.stage2(self.patch_embed2(x.mT.unflatten(-1, (4, 6))))


class Volo(nn.Module):
    """Its embedding says nothing, its positions do; at the end, a token alone asks."""

    def __init__(self):
        super().__init__()
        self.patch_embed, self.pos_embed = nn.Conv2d(3, WIDTH, 4, 4), nn.Parameter(torch.randn(1, 2, 3, WIDTH))
        self.network, self.post_network = nn.ModuleList([blocks()]), nn.ModuleList([Block(pools=True)])
        self.cls_token = nn.Parameter(torch.randn(1, 1, WIDTH))

    def forward(self, x):
        x = self.patch_embed(x).permute(0, 2, 3, 1) + self.pos_embed
        x = self.network[0](x.flatten(1, 2))
        return self.post_network[0](torch.cat([self.cls_token.expand(len(x), -1, -1), x], 1))


class CrossViT(nn.Module):
    """Two branches, which read the picture at two sizes; their embeddings have no `grid_size`."""

    def __init__(self):
        super().__init__()
        self.img_size, self.patch_embed = (8, 12), nn.ModuleList([PatchEmbed((8, 12)), PatchEmbed((12, 20))])
        for embedding in self.patch_embed:
            del embedding.grid_size
        for branch in range(2):
            setattr(self, f"cls_token_{branch}", nn.Parameter(torch.randn(1, 1, WIDTH)))
        self.blocks = nn.ModuleList([nn.ModuleList([Block(), Block()]) for _ in range(2)])

    def forward(self, x):
        branches = [x, nn.functional.interpolate(x, (12, 20))]
        for branch, embedding in enumerate(self.patch_embed):
            token = getattr(self, f"cls_token_{branch}").expand(len(x), -1, -1)
            branches[branch] = torch.cat([token, embedding(branches[branch])], 1)
        for block in self.blocks:
            branches = [layer(one) for layer, one in zip(block, branches)]
        return branches


class Siglip(ViT):
    """What the picture comes to is asked for by a token that was learnt, beside the blocks."""

    def __init__(self):
        super().__init__(cls=False)
        self.attn_pool = Attention(pools=True)

    def forward(self, x):
        return self.attn_pool(super().forward(x))


class NaFlex(nn.Module):
    """timm's NaFlexVit: it reads pixels of any size, or a dict of patches with their places."""

    def __init__(self):
        super().__init__()
        self.embeds, self.blocks = nn.Module(), blocks()
        self.embeds.patch_size, self.embeds.feat_ratio = (4, 4), lambda as_scalar=True: 4 if as_scalar else (4, 4)
        self.embeds.proj = nn.Linear(48, WIDTH)
        self.embeds.reg_token = nn.Parameter(torch.randn(1, 2, WIDTH))
        self.num_prefix_tokens = 2

    def forward(self, x, patch_coord=None, patch_valid=None, attn_mask=None):
        patches = x["patches"] if isinstance(x, dict) else nn.functional.unfold(x, 4, stride=4).mT
        registers = self.embeds.reg_token.expand(len(patches), -1, -1)
        return self.blocks(torch.cat([registers, self.embeds.proj(patches)], 1))


class Twins(ViT):
    """Its first layer looks within windows that have as many places as its last one's grid."""

    def __init__(self):
        super().__init__((8, 12), cls=False)
        self.patch_embed2 = PatchEmbed((2, 3), patch=1, channels=WIDTH)

    def forward(self, x):
        x = self.patch_embed(x)
        windows = self.blocks[0](torch.cat([x, x]))
        return self.blocks[1](windows[:1])


CLS = ("[CLS]",)
MODELS = {  # the model, the pixels, for each part: rows, columns, what stands before, whether the patches ask
    "ViT": (ViT, (8, 12), {"": (2, 3, CLS, True)}),
    "DeiT, distilled": (lambda: ViT(dist=True), (8, 12), {"": (2, 3, ("[CLS]", "[DISTILL]"), True)}),
    "DINOv2": (lambda: ViT(registers=2), (8, 12), {"": (2, 3, ("[CLS]", "register 1", "register 2"), True)}),
    "registers alone": (lambda: ViT(cls=False, registers=1), (8, 12), {"": (2, 3, ("register 1",), True)}),
    "another size": (lambda: ViT(dynamic=True), (4, 24), {"": (1, 6, CLS, True)}),
    "another size, padded": (lambda: ViT(dynamic=True, pads=True), (7, 18), {"": (2, 5, CLS, True)}),
    "ConViT": (ConViT, (8, 12), {"layer 1": (2, 3, (), True), "layer 2": (2, 3, CLS, True)}),
    "Visformer": (Visformer, (16, 24), {"layers 1 to 2": (4, 6, (), True), "layers 3 to 4": (2, 3, (), True)}),
    "VOLO": (Volo, (8, 12), {"network": (2, 3, (), True), "post_network": (2, 3, CLS, False)}),
    "CrossViT": (CrossViT, (8, 12), {"layers 1, 3": (2, 3, CLS, True), "layers 2, 4": (3, 5, CLS, True)}),
    "SigLIP": (Siglip, (8, 12), {"blocks": (2, 3, (), True), "attn_pool": (2, 3, (), False)}),
    "NaFlex": (NaFlex, (8, 20), {"": (2, 5, ("register 1", "register 2"), True)}),
}


@pytest.mark.parametrize(("make", "size", "parts"), MODELS.values(), ids=list(MODELS))
def test_each_part_that_is_a_grid_of_patches_is_painted(make, size, parts):
    torch.manual_seed(0)
    model, pixels = make().eval(), torch.rand(1, 3, *size)
    shown = HeadMap.of(model, inputs=pixels, image=pixels)
    assert shown._models == list(parts)
    for number, (rows, columns, special, asks) in enumerate(parts.values()):
        shown.model_index = number
        attention, start = shown.attention, len(special)
        found = attention.picture
        assert (found.rows, found.columns, found.key_start) == (rows, columns, start)
        assert found.query_start == (start if asks else None)
        assert attention.key_tokens[:start] == list(special)
        assert attention.key_tokens[-1] == f"patch {rows},{columns}"
        assert attention.query_tokens == (attention.key_tokens if asks else list(special) or ["1"])
    part = list(parts)[-1] or None
    assert HeadMap.of(model, inputs=pixels, part=part).attention.key_tokens == attention.key_tokens, (
        "without a picture too"
    )


def test_the_patch_whose_pixels_change_is_the_one_that_is_named():
    torch.manual_seed(0)
    model, pixels = ViT(dynamic=True).eval(), torch.rand(1, 3, 12, 20)
    before = HeadMap.of(model, inputs=pixels).attention
    pixels[..., 4:8, 12:16] = 2
    after = HeadMap.of(model, inputs=pixels).attention
    far = np.abs(after.weights - before.weights)[0, :, 0].max(0)  # from [CLS]
    assert before.key_tokens[int(far.argmax())] == "patch 2,4"


def test_patches_that_come_as_a_dict_say_their_places():
    model, patches = NaFlex(), torch.rand(1, 6, 48)
    places = torch.tensor([[[row, column] for row in range(2) for column in range(3)]])
    valid = torch.ones(1, 6, dtype=bool)
    inputs = {"patches": patches, "patch_coord": places, "patch_valid": valid}
    shown = HeadMap.of(model, inputs=inputs, image=torch.rand(3, 8, 12)).attention
    assert (shown.picture.rows, shown.picture.columns, shown.picture.key_start) == (2, 3, 2)
    assert shown.key_tokens[-1] == "patch 2,3"
    valid[:, 5:] = False
    assert HeadMap.of(model, inputs=inputs).attention.key_tokens[-1] == "8", "padding is no patch"


def test_windows_are_no_picture_though_they_have_as_many_places():
    pixels = torch.rand(1, 3, 8, 12)
    shown = HeadMap.of(Twins(), inputs=pixels, image=pixels)
    assert shown._models == ["layer 1", "layer 2"]
    assert shown.attention.picture is None
    assert shown.attention.key_tokens[0] == "1"
    shown.model_index = 1
    assert shown.attention.picture.rows == 2


def test_what_has_no_such_grid_keeps_the_refusal():
    model = ViT()
    model.patch_embed.grid_size = (3, 3)
    pixels = torch.rand(1, 3, 8, 12)
    with pytest.raises(ValueError, match="7 places are no grid of patches, where the model lets expect 3 x 3: say how"):
        HeadMap.of(model, inputs=pixels, image=pixels)
    assert HeadMap.of(model, inputs=pixels).attention.key_tokens[0] == "1"
    assert HeadMap.of(model, inputs=pixels, image=pixels, grid=(2, 3)).attention.picture.columns == 3
    mine = [f"p{place}" for place in range(7)]
    assert HeadMap.of(model, mine, inputs=pixels, image=pixels, grid=(2, 3)).attention.key_tokens == mine


def test_the_size_of_a_kernel_is_no_size_of_a_patch():
    layer = nn.Module()
    layer.patch_size = (7, 7)
    stem = nn.Sequential(layer)
    assert patch_embeddings_of(stem) is None
    layer.img_size, layer.num_patches = (28, 28), 49  # of a stride of 4
    assert patch_embeddings_of(stem) is None


class Configured(nn.Module):
    """A module that looks up in its configuration what it hasn't itself, and warns, as diffusers' do."""

    def __getattr__(self, name):
        if name == "patch_size":
            warnings.warn("Accessing config attribute directly is deprecated", FutureWarning, stacklevel=2)
            return 2
        return super().__getattr__(name)


def test_what_a_configuration_says_is_not_asked_of_the_module():
    assert patch_embeddings_of(nn.Sequential(Configured())) is None
