"""What a module says of the patches that it cuts a picture into, where it has no configuration: by timm's names.

Modules of timm, open_clip and torchvision keep the sizes of pictures and patches as attributes, and the tokens that
they put before the patches as parameters.
"""

import math
from dataclasses import dataclass

CLS_TOKENS = ("cls_token", "class_token", "class_embedding", "cls_token_0")
IMAGE_SIZES = ("img_size", "image_size")


@dataclass(frozen=True)
class Embedding:
    """A layer that makes patches: its grid for pictures of a size, and a patch's size in pixels; None for unknown."""

    grid: tuple | None = None
    size: tuple | None = None
    stride: tuple | None = None
    pads: bool = False  # a picture that isn't a multiple of a patch, instead of leaving the rest out

    def grid_of(self, size):
        """The (rows, columns) that pixels of this size make; None where that isn't known.

        >>> Embedding(stride=(16, 16)).grid_of((32, 50)), Embedding(stride=(16, 16), pads=True).grid_of((32, 50))
        ((2, 3), (2, 4))
        """
        if size is None or size == self.size or self.stride is None:
            return self.grid
        rounded = math.ceil if self.pads else math.floor
        return tuple(rounded(side / patch) for side, patch in zip(size, self.stride))


@dataclass(frozen=True)
class PatchEmbeddings:
    """All layers of a model that make patches, the tokens before the patches, and the pictures that it's made for."""

    embeddings: tuple
    special: tuple = ()
    size: tuple | None = None

    def grids(self, size=None):
        """The grids of patches that the model makes of pixels of this size, (rows, columns) each.

        >>> stages = (Embedding((4, 4), (32, 32), (8, 8)), Embedding((2, 2), (4, 4), (2, 2)))
        >>> PatchEmbeddings(stages, size=(32, 32)).grids(), PatchEmbeddings(stages, size=(32, 32)).grids((32, 48))
        ([(4, 4), (2, 2)], [(4, 6)])

        Of another size than the one that it's made for, those of the layers that see the pixels alone are known.
        """
        if size is None or self.size is None or size == self.size:
            found = [one.grid or one.grid_of(size) for one in self.embeddings]
        else:
            found = [one.grid_of(size) for one in self.embeddings if one.size in (None, self.size)]
        return [grid for grid in dict.fromkeys(found) if grid is not None]


def patch_embeddings_of(module):
    """What the first part of a module that says something of its patches says; None where none does.

    >>> from torch import nn, zeros
    >>> model = nn.Module()
    >>> model.cls_token, model.patch_embed = nn.Parameter(zeros(1, 1, 8)), nn.Conv2d(3, 8, 16, 16)
    >>> model.patch_embed.img_size, model.patch_embed.patch_size = (32, 48), (16, 16)
    >>> found = patch_embeddings_of(model)
    >>> found.special, found.grids()
    (('[CLS]',), [(2, 3)])
    """
    for part in module.modules():
        layers = [part, *(inner for child in part.children() for inner in (child, *_listed(child)))]
        found = {layer: one for layer in layers if (one := _embedding(layer)) is not None}
        if found:
            embeddings = tuple(found.values())
            return PatchEmbeddings(embeddings, _special_in(part, *found), _size_of(part) or embeddings[0].size)
    return None


def _embedding(layer):
    """What one layer says; None where it doesn't make patches, or gives the size of a kernel for that of a patch."""
    patch, grid = _pair(layer, "patch_size"), _pair(layer, "grid_size")
    size = _size_of(layer)
    ratio = getattr(layer, "feat_ratio", None)  # pixels to a patch, those of a backbone before it included
    if patch is None:
        return _by_positions(layer)
    if grid is None and size is not None:
        grid = tuple(side // one for side, one in zip(size, patch))
        if getattr(layer, "num_patches", None) not in (None, grid[0] * grid[1]):
            return None
    if grid is None and ratio is None:
        return None
    stride = tuple(ratio(as_scalar=False)) if callable(ratio) else patch
    return Embedding(grid, size, stride, bool(getattr(layer, "dynamic_img_pad", False)))


def _by_positions(layer):
    """A grid by the shape of its learnt positions, [1, rows, columns, width], as VOLO has them."""
    shape = tuple(getattr(getattr(layer, "pos_embed", None), "shape", ()))
    return Embedding(shape[1:3]) if len(shape) == 4 and shape[0] == 1 else None


def _size_of(holder):
    return next(filter(None, (_pair(holder, name) for name in IMAGE_SIZES)), None)


def _special_in(*holders):
    """The names of the tokens before the patches, as many as `num_prefix_tokens` says, where it's said."""
    held = {}
    for holder in reversed(holders):
        held |= vars(holder) | holder._parameters
    registers = held.get("reg_token")
    count = held.get("num_reg_tokens", 0) if registers is None else registers.shape[-2]
    names = ["[CLS]"] * any(held.get(name) is not None for name in CLS_TOKENS)
    names += ["[DISTILL]"] * (held.get("dist_token") is not None)
    names += [f"register {number + 1}" for number in range(count)]
    prefix = held.get("num_prefix_tokens", len(names))
    return tuple([*names, *(f"prefix {number + 1}" for number in range(len(names), prefix))][:prefix])


def _listed(child):
    """The layers in a list of layers."""
    return child.children() if type(child).__name__ in ("ModuleList", "ModuleDict") else ()


def _pair(holder, name):
    """An attribute of one whole number for both sides, or of two, as a pair; None for anything else.

    Its own attributes: models of diffusers look others up in their configuration, and warn.
    """
    try:
        value = object.__getattribute__(holder, name)
    except AttributeError:
        return None
    pair = tuple(value) if isinstance(value, (tuple, list)) else (value, value)
    whole = len(pair) == 2 and all(isinstance(side, int) and not isinstance(side, bool) and side > 0 for side in pair)
    return pair if whole else None
