"""The drawing model as a head model: a drawing goes in, what every head looks at and what is shut in come out."""

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import ArrayLike, NDArray
from torch import nn

from manyheads.defaults import new_tensors, where_it_is
from manyheads.inputs import checked_heads
from manyheads.maps import AttentionMap
from manyheads.models.drawing.network import DrawingConfig, DrawingNetwork
from manyheads.models.drawing.paper import notes_on, read_drawing, written
from manyheads.models.drawing.strokes import SIDE
from manyheads.models.keeping import fill, kept_file, kept_files, read_model, write_model
from manyheads.models.registry import checked_head
from manyheads.reading.patches import PatchGrid, picture_from

PLACES = "places shut in"


@dataclass(frozen=True)
class Answer:
    """What the model says of a drawing: how many `places` are shut in, and which dots, `filled`.

    `filled` is float32 [32, 32], the probability of each dot; `places` is the likeliest number, and 3 is 3 or more.
    """

    places: int
    filled: NDArray[np.float32]


@where_it_is
class DrawingModel(nn.Module):
    """A small vision transformer that says what a drawing shuts in: call it with one and it gives the map.

    >>> import numpy as np
    >>> from manyheads import load_drawing
    >>> model = load_drawing()
    >>> ring = [[[0.5 + 0.3 * np.cos(a), 0.5 + 0.3 * np.sin(a)] for a in np.linspace(0, 2 * np.pi, 40)]]
    >>> attention = model(ring)
    >>> attention.shape, attention.key_tokens[:3]  # layers, heads, queries, keys
    ((3, 4, 65, 65), ['[CLS]', 'patch 1,1', 'patch 1,2'])
    >>> list(attention.predictions["places shut in"])
    ['0', '1', '2', '3 or more']

    A drawing is an array [32, 32] of numbers from 0 to 1, or booleans, where 1 is ink; a Pillow image of any size,
    where dark is ink and lines are about a sixteenth of the width; strokes, `[[[x, y], ...], ...]` from 0 to 1; or its
    text, which `written` gives and links carry. The paper is cut into 64 patches of 4 x 4 dots. `head_mask` is
    [layer, h]; False turns a head off. `gap_head` is the (layer, head) that looks at the gap of what is open, `carrier`
    that of layer 1 without which the least is filled: both were found by measuring, and training alone made them so.
    `history` is what was measured while it learned.

    Raises `TypeError` or `ValueError` for what is no drawing; `ValueError` for a head mask of another shape.
    """

    reads = "drawing"

    __call__: Callable[..., AttentionMap]  # of nn.Module, which calls `forward`

    def __init__(
        self,
        config: DrawingConfig = DrawingConfig(),
        roles: dict[str, list[int]] | None = None,
        history: Sequence[Any] = (),
    ) -> None:
        super().__init__()
        self.config, self.history = config, list(history)
        self.roles = roles or {"gap": [config.layers - 1, 0], "carrier": [0, 0]}
        self.num_layers, self.num_heads = config.layers, config.heads
        self.head_names = [f"head {head + 1}" for head in range(config.heads)]
        self.network = DrawingNetwork(config)
        self.name = "drawing"  # as pages call it; a model of a reader's own is called as its file

    @property
    def gap_head(self) -> tuple[int, int]:
        return tuple(self.roles["gap"])

    @property
    def carrier(self) -> tuple[int, int]:
        return tuple(self.roles["carrier"])

    def written(self, drawing: Any) -> str:
        """The drawing as text, such as `16_8-16_24`, a stroke of two points; see `HeadMap`.

        >>> from manyheads import load_drawing
        >>> load_drawing().written([[[0.5, 0.25], [0.5, 0.75]]])
        '16_8-16_24'
        """
        return written(drawing)

    def forward(self, drawing: Any, head_mask: ArrayLike | None = None) -> AttentionMap:
        text = written(drawing)
        ink, grid = read_drawing(text), self.config.grid
        _, places, maps = self._computed(ink, head_mask)
        labels = [*map(str, range(self.config.most)), f"{self.config.most} or more"]
        names = PatchGrid(grid, grid, ("[CLS]",)).names
        picture, _ = picture_from(np.rint(255 * (1 - ink)).astype(np.uint8), grid, grid, key_start=1, query_start=1)
        return AttentionMap(
            *(names, names, maps[0].numpy(force=True), self.head_names),
            {PLACES: dict(zip(labels, places[0].softmax(-1).tolist()))},
            notes_on(text),
            picture=picture,
        )

    def answer(
        self,
        drawing: Any,
        head_mask: ArrayLike | None = None,
        hidden: Mapping[tuple[int, int], NDArray[np.bool_]] | None = None,
    ) -> Answer:
        """How many places are shut in, and which dots, as `Answer`.

        >>> from manyheads import load_drawing
        >>> model = load_drawing()
        >>> cup = [[[0.25, 0.2], [0.25, 0.8], [0.75, 0.8], [0.75, 0.2]]]
        >>> model.answer(cup).places
        0
        >>> top = np.zeros((8, 8), dtype=bool)
        >>> top[:2] = True
        >>> model.answer(cup, hidden={model.gap_head: top}).filled.shape
        (32, 32)

        `hidden` keeps single heads from looking at some patches: {(layer, head): boolean [64] or [8, 8]}, both counted
        from 0.

        Raises as calling it does; `ValueError` for a head that it hasn't, `TypeError` or `ValueError` for patches that
        aren't boolean or of another shape.
        """
        masks = self._masks(hidden or {})
        dots, places, _ = self._computed(read_drawing(written(drawing)), head_mask, masks)
        return Answer(int(places[0].argmax()), dots[0].sigmoid().numpy(force=True))

    def _masks(self, hidden):  # {(layer, head): [patches]} -> {layer: [1, h, t, t]}
        grid, masks = self.config.grid, {}
        count = 1 + grid**2
        for (layer, head), patches in hidden.items():
            checked_head(self, layer, head)
            patches = np.asarray(patches)
            if patches.dtype != bool:
                raise TypeError(f"hidden patches must be boolean, True for one that is hidden, got {patches.dtype}")
            if patches.shape not in ((grid**2,), (grid, grid)):
                raise ValueError(f"hidden patches must be [{grid**2}] or [{grid}, {grid}], got {list(patches.shape)}")
            mask = masks.setdefault(layer, torch.ones(1, self.num_heads, count, count, dtype=torch.bool))
            mask[0, head, :, 1:] = torch.tensor(~patches.ravel())
        return masks

    @torch.no_grad()
    def _computed(self, ink, head_mask, masks=None):  # -> [1, s, s], [1, number], [1, layer, h, t, t]
        return self.network(torch.tensor(ink)[None], checked_heads(head_mask, self.num_layers, self.num_heads), masks)

    def save(self, path: str | os.PathLike[str], dtype: torch.dtype = torch.float32) -> None:
        """Write the weights as safetensors; the header says what they are."""
        header = {"config": asdict(self.config), "roles": self.roles, "history": self.history}
        header["words"] = {"places": PLACES}
        write_model(path, self.network, header, dtype)

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "DrawingModel":
        """Read what `save` wrote; raises `ValueError` when a tensor is missing, extra or of another shape."""
        header, config, tensors = read_model(path, "drawing model", {"roles", "history"}, DrawingConfig)
        check_header(path, config, header["roles"])
        with new_tensors():
            model = cls(config, header["roles"], header["history"])
        fill(model.network, tensors, path)
        return model.eval()


def load_drawing(path: str | os.PathLike[str] | None = None) -> DrawingModel:
    """Load the drawing model, which says what is shut in. Or one of your own, by the path of what its `save` wrote.

    >>> model = load_drawing()
    >>> model.num_layers, model.num_heads
    (3, 4)

    Show what its heads look at by `HeadMap(drawing, model=load_drawing())`.

    Raises `ValueError` for a file that isn't the one we trained, and for one of yours that doesn't fit;
    `FileNotFoundError` where there is none.
    """
    model = DrawingModel.load(kept_file("drawing") if path is None else path)
    if path is not None:
        model.name = Path(path).name
    return model


@cache
def load_variant(_variant):
    """The drawing model of the pages, which has no variants; loaded once."""
    return load_drawing()


def page_files():
    """The paths of all that a page needs for the drawing model."""
    return kept_files("drawing")


def check_header(path, config, roles):
    """Refuse a header by which no model can be made.

    >>> check_header("mine.safetensors", DrawingConfig(patch=5), {})
    Traceback (most recent call last):
    ValueError: mine.safetensors doesn't fit: patches of 5 dots don't divide 32
    """
    for name in ("patch", "layers", "heads", "width", "hidden", "most"):
        size = getattr(config, name)
        if type(size) is not int or size < 1:
            raise ValueError(f"{path} doesn't fit: {name} must be a whole number from 1, got {size!r}")
    if SIDE % config.patch:
        raise ValueError(f"{path} doesn't fit: patches of {config.patch} dots don't divide {SIDE}")
    shape = [config.layers, config.heads]
    for name in ("gap", "carrier"):
        place = roles.get(name) if isinstance(roles, dict) else None
        if place not in [[layer, head] for layer in range(config.layers) for head in range(config.heads)]:
            raise ValueError(f"{path} doesn't fit: the role {name!r} must be a head of {shape}, from 0, got {place}")
