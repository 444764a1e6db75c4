"""AttentionMap: which token looks at which, for every head of every layer."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from manyheads.drawing.endings import check_path
from manyheads.drawing.plot import plot
from manyheads.drawing.svg import svg
from manyheads.drawing.table import csv_rows
from manyheads.maps.checked import (
    check_mask,
    check_names,
    check_norms,
    check_tokens,
    check_weights,
    count_heads,
    count_layers,
)
from manyheads.maps.choosing import for_query, leave_out_special, merge_words, weigh_by_norms
from manyheads.maps.mixing import average_heads, heads_moved, roll_out
from manyheads.maps.picture import Picture, check_picture
from manyheads.maps.sources import Source, SourceTable, check_sources, table_of
from manyheads.shared.names import KINDS, NOTES
from manyheads.whole_files import write_texts

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from manyheads.reading.map_of import Arguments, Request, taking


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention weights over tokens: `weights[layer, head, query, key]`, each row summing to 1 (or all 0).

    >>> attention = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.2, 0.8], [0.5, 0.5]]]])
    >>> attention.shape
    (1, 1, 2, 2)
    >>> attention.weights.dtype
    dtype('float32')

    `predictions` maps a name to the probability of each label: `{"sentiment": {"positive": 0.9, ...}}`.
    `notes` are plain sentences about what was left out of the map, such as words beyond the longest input.
    `causal` says that each query may look at itself and at what stands before it. `mask[query, key]` is False where a
    query may not look, for masks of other shapes; a mask that turns out to be causal becomes `causal=True`. Without
    either, every query may look everywhere. `written` is the text that the model wrote, such as a translation.

    `layer_names` say which layers these are, such as `["layer 5", "layer 9"]`; else they are counted from "layer 1".
    `named_layer` is the layer, from 0, whose heads `head_names` name where those of the others have no names; figures
    open on it.

    `kind` says what the weights are: "shares" as above; "parts" of such rows, which sum to 1 at most; "amounts", 0 or
    more; "signed" numbers, such as the difference of two maps. All but shares keep their true values.

    `value_norms[layer, head, key]` say how long the vector is that a head would write from a token with all of its
    weight, |v W^O|, where the model can tell: see `value_weighted`.

    `picture` is what a model looked at in patches, a `Picture`: a figure paints the weights over it. `answer_start` is
    the key, from 0, with which what the model wrote begins, after a prompt: a figure draws a line before it.

    `sources` name some of the keys, such as the documents of a prompt, by their places: see `by_source`.

    The weights are a read-only copy of what is passed, and tokens and names are copies, so that a map stays as it was
    checked.

    Raises `TypeError` for tokens or names that are not strings; `ValueError` for weights, a mask, norms or a picture of
    another shape, for weights that are not of their kind, and for both `causal` and a mask.
    """

    query_tokens: list[str]
    key_tokens: list[str]
    weights: NDArray[np.float32]
    head_names: list[str] | None = None
    predictions: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kind: str = KINDS[0]
    mask: NDArray[np.bool_] | None = None
    causal: bool = False
    written: str | None = None
    layer_names: list[str] | None = None
    named_layer: int | None = None
    value_norms: NDArray[np.float32] | None = None
    picture: Picture | None = None
    answer_start: int | None = None
    sources: dict[str, Source] | None = None

    if TYPE_CHECKING:

        @staticmethod  # `map_of` puts itself here, but mypy has no type of it before it has that of this class
        @taking(Arguments)
        def of(request: Request) -> "AttentionMap":
            """The map of any attentions, as the tool that computed them hands them out: see `HeadMap.of`."""
            ...

        def __init__(  # takes more than is kept
            self,
            query_tokens: Sequence[str],
            key_tokens: Sequence[str],
            weights: ArrayLike,
            head_names: Sequence[str] | None = None,
            predictions: Mapping[str, Mapping[str, float]] = {},
            notes: Sequence[str] = (),
            kind: str = "shares",
            mask: ArrayLike | None = None,
            causal: bool = False,
            written: str | None = None,
            layer_names: Sequence[str] | None = None,
            named_layer: int | None = None,
            value_norms: ArrayLike | None = None,
            picture: Picture | None = None,
            answer_start: int | None = None,
            sources: Mapping[str, Source | Sequence[int]] | None = None,
        ) -> None: ...

    def __post_init__(self) -> None:
        expected = len(self.query_tokens), len(self.key_tokens)
        values = {name: check_tokens(name, getattr(self, name)) for name in ("query_tokens", "key_tokens")}
        values["weights"] = check_weights(self.weights, self.kind, expected)
        values["mask"], values["causal"] = check_mask(self.mask, self.causal, expected)
        layers, heads = values["weights"].shape[:2]
        values["value_norms"] = check_norms(self.value_norms, values["weights"].shape)
        values["picture"] = check_picture(self.picture, *expected)
        values["sources"] = check_sources(self.sources, expected[1])
        if self.kind == "signed":
            values["notes"] = tuple(dict.fromkeys((*self.notes, NOTES["signed"])))
        for axis, count, counted in (("head", heads, count_heads), ("layer", layers, count_layers)):
            values[f"{axis}_names"] = check_names(axis, getattr(self, f"{axis}_names"), counted(count))
        if self.named_layer is not None and not 0 <= self.named_layer < layers:
            raise ValueError(f"named_layer must be from 0 to {layers - 1}, got {self.named_layer}")
        if self.answer_start is not None and not 0 < self.answer_start < expected[1]:
            raise ValueError(f"answer_start must be a key after the first of {expected[1]}, got {self.answer_start}")
        for name, value in values.items():
            object.__setattr__(self, name, value)  # the class is frozen

    @property
    def shape(self) -> tuple[int, int, int, int]:
        """`(layers, heads, queries, keys)`."""
        return self.weights.shape

    @property
    def counts_layers(self) -> bool:
        """Whether the layers are all, from "layer 1" on."""
        return self.layer_names == count_layers(len(self.layer_names))

    def opened(self, layer: int | None = None) -> int:
        """The layer that a figure opens on: the one asked for, the last where there are fewer; else the named one.

        >>> attention = AttentionMap(["tea"], ["tea"], [[[[1]]], [[[1]]]], named_layer=1)
        >>> attention.opened(), attention.opened(0), attention.opened(5)
        (1, 0, 1)
        """
        return min((self.named_layer or 0) if layer is None else layer, self.shape[0] - 1)

    def head_name(self, layer: int, head: int) -> str:
        """The name of a head within its layer.

        >>> weights = [[[[1]]], [[[1]]]]
        >>> attention = AttentionMap(["tea"], ["tea"], weights, head_names=["object"], named_layer=1)
        >>> attention.head_name(0, 0), attention.head_name(1, 0)
        ('head 1', 'object')
        """
        return self.head_names[head] if self.named_layer in (None, layer) else count_heads(head + 1)[head]

    def head_title(self, layer: int, head: int) -> str:
        """The name of a head, after that of its layer unless it's the only one.

        >>> attention = AttentionMap(["tea"], ["tea"], [[[[1]]]], layer_names=["layer 5"])
        >>> attention.head_title(0, 0)
        'layer 5, head 1'
        """
        alone = self.shape[0] == 1 and self.counts_layers
        name = self.head_name(layer, head)
        return name if alone else f"{self.layer_names[layer]}, {name}"

    @property
    def allowed(self) -> NDArray[np.bool_] | None:  # [query, key], or None where every query may look everywhere
        """Where queries may look, causal or by the mask.

        >>> AttentionMap(["a", "b"], ["a", "b"], [[[[1, 0], [0.5, 0.5]]]], causal=True).allowed.tolist()
        [[True, False], [True, True]]
        """
        return np.tri(*self.shape[2:], dtype=bool) if self.causal else self.mask

    def average(self, head_mask: ArrayLike | None = None) -> "AttentionMap":
        """The mean over the heads (of shares, those that look at anything), as a map of one head.

        >>> attention = AttentionMap(["tea"], ["hot", "tea"], [[[[0.2, 0.8]], [[0.6, 0.4]]]])
        >>> attention.average().weights[0, 0]  # [layer, 2, query, key] -> [layer, 1, query, key]
        array([[0.4, 0.6]], dtype=float32)

        `head_mask`, [head] or [layer, head], is False for heads that are off: they are left out of the mean. Raises
        `ValueError` for one of another shape.
        """
        return average_heads(self, head_mask)

    def rollout(self) -> "AttentionMap":
        """How much of each input token reaches each position by a layer: attention rollout, as a map of one head.

        >>> attention = AttentionMap(["a", "b"], ["a", "b"], [[[[0, 1], [0, 1]]], [[[1, 0], [1, 0]]]])
        >>> attention.rollout().weights[:, 0]  # layer l holds R_l
        array([[[0.5 , 0.5 ],
                [0.  , 1.  ]],
        <BLANKLINE>
               [[0.5 , 0.5 ],
                [0.25, 0.75]]], dtype=float32)

        Each layer is taken to pass on half of what it had and half of what its heads, on average, look at:
        R_l = (A_l + I) / 2 · R_(l-1), R_0 = I, rows scaled to sum to 1 (Abnar & Zuidema 2020, arXiv:2005.00928).

        Raises `ValueError` for a map whose queries are not its keys, and for weights that are not shares.
        """
        return roll_out(self)

    def without_special(self) -> "AttentionMap":
        """The map without special tokens, each row scaled to sum to 1 again.

        >>> attention = AttentionMap(["[CLS]", "tea"], ["[CLS]", "hot", "tea"], [[[[1, 0, 0], [0.5, 0.2, 0.3]]]])
        >>> attention.without_special().weights[0, 0]
        array([[0.4, 0.6]], dtype=float32)

        A row that gave all to special tokens becomes 0. If all tokens are special, they are kept, and `notes` say so.
        Weights that are not shares are not scaled.
        """
        return leave_out_special(self)

    def merge_pieces(self) -> "AttentionMap":
        """The map of words: what looks at their pieces is summed, what their pieces look at is averaged.

        >>> tokens = ["hot", "un", "##tea"]
        >>> attention = AttentionMap(tokens, tokens, [[[[0.5, 0.25, 0.25], [0, 1, 0], [1, 0, 0]]]])
        >>> words = attention.merge_pieces()
        >>> words.key_tokens, words.weights[0, 0]
        (['hot', 'untea'], array([[0.5, 0.5],
               [0.5, 0.5]], dtype=float32))

        So rows still sum to 1. Pieces go on with the word before if they begin with "##"; where tokens carry the space
        before them (" tea", "Ġtea", "▁tea"), if a letter or digit follows one without a space. Pieces that look at
        nothing are left out of the average.
        """
        return merge_words(self)

    def for_query(self, query: int | tuple[int, int] | str) -> "AttentionMap":
        """What one token or several look at, as a map of one query: the mean of the rows from first to last.

        >>> attention = AttentionMap(["red", "car"], ["red", "car"], [[[[1, 0], [0.5, 0.5]]]])
        >>> attention.for_query((0, 1)).weights[0, 0]  # [layer, head, query, key] -> [layer, head, 1, key]
        array([[0.75, 0.25]], dtype=float32)
        >>> attention.for_query("red car").query_tokens
        ['red car']

        `query` is a place, a span `(first, last)`, both included and counted from 0, or a text that is found in the
        tokens that ask. The rows of several add up to how many they are; `notes` say so, and of how many this is the
        mean. Where some of them look at nothing, it's a mean of "parts".

        Raises `ValueError` for places that the map doesn't have, and for a text that stands nowhere or more than once,
        with its places; `TypeError` for anything else.
        """
        return for_query(self, query)

    def value_weighted(self) -> "AttentionMap":
        """How long the vector is that each head writes from each token: weights times `value_norms`, as "amounts".

        >>> sink = AttentionMap(["<s>", "tea"], ["<s>", "tea"], [[[[1, 0], [0.75, 0.25]]]], value_norms=[[[0, 2]]])
        >>> sink.value_weighted().weights[0, 0]
        array([[0. , 0. ],
               [0. , 0.5]], dtype=float32)

        A sink, which gets much attention and writes nothing, fades (Kobayashi et al. 2020, arXiv:2004.10102). Choose it
        first: a map of merged pieces, of a mean or of a rollout has no `value_norms`.

        Raises `ValueError` for a map without `value_norms`, and for weights that aren't shares.
        """
        return weigh_by_norms(self)

    def moved(self, other: "AttentionMap") -> NDArray[np.float64]:  # [layer, head]
        """How far each head moved in another model's map of the same tokens, 0 to 1: the mean over its rows.

        >>> before = AttentionMap(["hot", "tea"], ["hot", "tea"], [[[[1, 0], [0.25, 0.75]], [[1, 0], [1, 0]]]])
        >>> after = AttentionMap(["hot", "tea"], ["hot", "tea"], [[[[1, 0], [0.75, 0.25]], [[1, 0], [1, 0]]]])
        >>> before.moved(after)
        array([[0.25, 0.  ]])

        Of a row, it's the part of the attention that is given elsewhere: total variation distance, half of the sum of
        what the weights differ by. So of two files of one model, it says what quantising changed, head by head.

        Raises `ValueError` for maps of other layers, heads or tokens, and for weights that are no shares.
        """
        return heads_moved(self, other)

    def by_source(self, query: int | tuple[int, int] | str | None = None) -> SourceTable:
        """How much of a token's attention each of the `sources` gets, from each head; of the last token unless given.

        >>> attention = AttentionMap(["?"], ["hot", "tea", "?"], [[[[0.5, 0.25, 0.25]]]], sources={"drink": (0, 1)})
        >>> attention.by_source().looked_at.tolist()  # [layer, head, source]
        [[[0.75]]]

        `query` is that of `for_query`. Raises `ValueError` for a map without sources, and for a query that isn't there.
        """
        return table_of(self, query)

    def plot(
        self,
        layer: int | None = None,
        head: int | None = None,
        *,
        axes: "Axes | None" = None,
        size: tuple[float, float] | None = None,
    ) -> "Figure":
        """Draw the map with matplotlib: one head, all heads of one layer, one head of all layers, or all of all.

        >>> attention = AttentionMap(["tea", "!"], ["tea", "!"], [[[[0.2, 0.8], [0.5, 0.5]]] * 3] * 2)
        >>> figure = attention.plot(layer=1)
        >>> [panel.get_title() for panel in figure.axes[:3]]
        ['layer 2, head 1', 'layer 2, head 2', 'layer 2, head 3']

        Rows ask, columns are looked at; white is 0, dark blue 1. `layer` and `head` count from 0. One head may be drawn
        into `axes` of a figure of your own; else `size` is the new figure's, in inches. Where tokens would overlap,
        every second is named, or fewer; of more than 1,024 tokens, some share a point, which has the largest of their
        weights. Returns the `Figure`, which a notebook shows, and which `figure.savefig(path)` writes.

        Raises `ValueError` for a layer or head that does not exist, or for more heads than one in given `axes`;
        `TypeError` for one that is not a whole number.
        """
        return plot(self, layer, head, axes=axes, size=size)

    @overload
    def to_svg(self, path: None = None, *, layer: int | None = None, head: int | None = None) -> str: ...
    @overload
    def to_svg(self, path: str | os.PathLike[str], *, layer: int | None = None, head: int | None = None) -> Path: ...
    def to_svg(self, path=None, *, layer=None, head=None):
        """Draw the map as an SVG: one head, all heads of one layer, one head of all layers, or all of all.

        >>> attention = AttentionMap(["tea", "!"], ["tea", "!"], [[[[0.2, 0.8], [0.5, 0.5]]]])
        >>> attention.to_svg().count("<rect"), 'data-query="0" data-key="1" data-weight="0.8"' in attention.to_svg()
        (6, True)

        Rows ask, columns are looked at; a cell's depth is its weight's share of the largest of the row. Every cell
        carries its exact weight as `data-weight`, with `data-query` and `data-key`, in a group with `data-layer` and
        `data-head`. Of more than 40 000 weights, the strongest are drawn, and the picture says so. Returns the text;
        with a `path`, which ends in .svg, writes it there in UTF-8 and returns the `Path`.

        Raises as `plot` for a layer or head that does not exist; `ValueError` for a path of another ending, `OSError`
        for one that can't be written.
        """
        if path is None:
            return svg(self, layer, head)
        return write_texts(check_path(path, ".svg"), [svg(self, layer, head)])

    @overload
    def to_csv(self, path: None = None) -> str: ...
    @overload
    def to_csv(self, path: str | os.PathLike[str]) -> Path: ...
    def to_csv(self, path=None):
        """Write all weights as rows: layer, head, query, key (counted from 0), query_token, key_token, weight.

        >>> print(AttentionMap(["tea", ","], ["tea", ","], [[[[0.2, 0.8], [0.5, 0.5]]]]).to_csv())
        layer,head,query,key,query_token,key_token,weight
        0,0,0,0,tea,tea,0.2
        0,0,0,1,tea,",",0.8
        0,0,1,0,",",tea,0.5
        0,0,1,1,",",",",0.5
        <BLANKLINE>

        Returns the text; with a `path`, which ends in .csv, writes it there in UTF-8 and returns the `Path`. The
        weights are exact: reading them gives the same float32. What is masked has none. Tokens are written as they are:
        a spreadsheet that takes "=tea" for a formula has to be told that the column is text. Where layers have names of
        their own, `layer_name` is a last column.

        Raises `ValueError` for a path of another ending, `OSError` for one that can't be written.
        """
        if path is None:
            return "".join(csv_rows(self))
        return write_texts(check_path(path, ".csv"), csv_rows(self))
