"""AttentionMap: which token looks at which, for every head of every layer."""

import csv
import io
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from manyheads.maps.names import CSV_COLUMNS, ONLY_SPECIAL
from manyheads.maps.tokens import is_special


@dataclass(frozen=True, eq=False)
class AttentionMap:
    """Attention weights over tokens: `weights[layer, head, query, key]`, each row summing to 1 (or all 0).

    >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "tea"], [[[[0.2, 0.8], [0.5, 0.5]]]])
    >>> map.shape
    (1, 1, 2, 2)
    >>> map.weights.dtype
    dtype('float32')

    `predictions` maps a name to the probability of each label: `{"sentiment": {"positive": 0.9, ...}}`.
    `notes` are plain sentences about what was left out of the map, such as words beyond the longest input.

    Raises `TypeError` for tokens that are no strings, `ValueError` for weights of another shape or rows that sum to
    neither 1 nor 0.
    """

    query_tokens: list[str]
    key_tokens: list[str]
    weights: np.ndarray
    head_names: list[str] | None = None
    predictions: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def __post_init__(self):
        for name in ("query_tokens", "key_tokens"):
            tokens = getattr(self, name)
            if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
                raise TypeError(f"{name} must be a list of strings, got {tokens!r}")
            object.__setattr__(self, name, list(tokens))
        weights = np.asarray(self.weights, dtype=np.float32)
        object.__setattr__(self, "weights", weights)
        expected = (len(self.query_tokens), len(self.key_tokens))
        if weights.ndim != 4 or weights.shape[2:] != expected:
            raise ValueError(
                f"weights must have shape [layer, head, query, key] = [*, *, {expected[0]}, {expected[1]}] "
                f"for these tokens, got {list(weights.shape)}"
            )
        sums = weights.sum(-1)
        if not np.all((np.abs(sums - 1) < 1e-3) | (sums == 0)):
            raise ValueError(
                "each row of weights must sum to 1 (or be all zeros, for a query that attends to nothing); "
                f"sums run from {sums.min():.4g} to {sums.max():.4g}"
            )
        if self.head_names is None:
            object.__setattr__(self, "head_names", [f"head {head + 1}" for head in range(weights.shape[1])])
        elif len(self.head_names) != weights.shape[1]:
            raise ValueError(f"{len(self.head_names)} head names for {weights.shape[1]} heads")

    @property
    def shape(self):
        """`(layers, heads, queries, keys)`."""
        return self.weights.shape

    def average(self):
        """The mean over the heads (for each query those that look at anything), as a map of one head.

        >>> map = AttentionMap(["tea"], ["hot", "tea"], [[[[0.2, 0.8]], [[0.6, 0.4]]]])
        >>> map.average().weights[0, 0]  # [layer, 2, query, key] -> [layer, 1, query, key]
        array([[0.4, 0.6]], dtype=float32)
        """
        weights = _rows_to_one(self.weights.sum(axis=1, keepdims=True, dtype=np.float64))
        return replace(self, weights=weights, head_names=[f"mean of {self.shape[1]} heads"])

    def rollout(self):
        """How much of each input token reaches each position by a layer: attention rollout, as a map of one head.

        >>> map = AttentionMap(["a", "b"], ["a", "b"], [[[[0, 1], [0, 1]]], [[[1, 0], [1, 0]]]])
        >>> map.rollout().weights[:, 0]  # layer l holds R_l
        array([[[0.5 , 0.5 ],
                [0.  , 1.  ]],
        <BLANKLINE>
               [[0.5 , 0.5 ],
                [0.25, 0.75]]], dtype=float32)

        Each layer is taken to pass on half of what it had and half of what its heads, on average, look at:
        R_l = (A_l + I) / 2 · R_(l-1), R_0 = I, rows scaled to sum to 1 (Abnar & Zuidema 2020, arXiv:2005.00928).

        Raises `ValueError` for a map whose queries are not its keys.
        """
        if self.query_tokens != self.key_tokens:
            queries, keys = self.shape[2:]
            raise ValueError(f"rollout is for self-attention, of the same tokens; got {queries} and {keys} tokens")
        rolled = identity = np.eye(len(self.key_tokens))
        layers = []
        for mean in _rows_to_one(self.weights.sum(axis=1, dtype=np.float64)):  # [q, k]
            rolled = _rows_to_one(mean + identity) @ rolled
            layers.append(rolled[None])
        return replace(self, weights=np.stack(layers), head_names=["rollout"])

    def without_special(self):
        """The map without special tokens, each row scaled to sum to 1 again.

        >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "hot", "tea"], [[[[1, 0, 0], [0.5, 0.2, 0.3]]]])
        >>> map.without_special().weights[0, 0]
        array([[0.4, 0.6]], dtype=float32)

        A row that gave all to special tokens becomes 0. Where nothing else is there, they are kept, and `notes` say so.
        """
        queries, keys = (
            [place for place, token in enumerate(tokens) if not is_special(token)]
            for tokens in (self.query_tokens, self.key_tokens)
        )
        if not (queries and keys):
            return replace(self, notes=(*self.notes, ONLY_SPECIAL))
        weights = self.weights[:, :, queries][..., keys].astype(np.float64)
        return replace(
            self,
            query_tokens=[self.query_tokens[place] for place in queries],
            key_tokens=[self.key_tokens[place] for place in keys],
            weights=_rows_to_one(weights),
        )

    def plot(self, layer=None, head=None, *, axes=None, size=None):
        """Draw the map with matplotlib: one head, all heads of one layer, one head of all layers, or all of all.

        >>> map = AttentionMap(["tea", "!"], ["tea", "!"], [[[[0.2, 0.8], [0.5, 0.5]]] * 3] * 2)
        >>> figure = map.plot(layer=1)
        >>> [panel.get_title() for panel in figure.axes[:3]]
        ['layer 2, head 1', 'layer 2, head 2', 'layer 2, head 3']

        Rows ask, columns are looked at; white is 0, dark blue 1. `layer` and `head` count from 0. One head may be drawn
        into `axes` of a figure of your own; else `size` is the new figure's, in inches. Returns the `Figure`, which a
        notebook shows, and which `figure.savefig(path)` writes.

        Raises `ValueError` for a layer or head that is not there, or for more heads than one in given `axes`;
        `TypeError` for one that is no whole number.
        """
        from manyheads.maps.pictures import plot

        return plot(self, layer, head, axes=axes, size=size)

    def to_svg(self, path=None, *, layer=None, head=None):
        """Draw the map as an SVG: one head, all heads of one layer, one head of all layers, or all of all.

        >>> map = AttentionMap(["tea", "!"], ["tea", "!"], [[[[0.2, 0.8], [0.5, 0.5]]]])
        >>> map.to_svg().count("<rect"), 'data-query="0" data-key="1" data-weight="0.8"' in map.to_svg()
        (6, True)

        Rows ask, columns are looked at; a cell's depth is its weight's share of the largest of the row. Every cell
        carries its exact weight as `data-weight`, with `data-query` and `data-key`, in a group with `data-layer` and
        `data-head`: so does the SVG that a page saves. Of more than 40 000 weights, the strongest are drawn, and the
        picture says so. Returns the text; with a `path`, writes it there in UTF-8.

        Raises as `plot` for a layer or head that is not there.
        """
        from manyheads.maps.svg import svg

        text = svg(self, layer, head)
        if path is not None:
            Path(path).write_text(text, encoding="utf-8", newline="")
        return text

    def to_csv(self, path=None):
        """Write all weights as rows: layer, head, query, key (counted from 0), query_token, key_token, weight.

        >>> print(AttentionMap(["tea", ","], ["tea", ","], [[[[0.2, 0.8], [0.5, 0.5]]]]).to_csv())
        layer,head,query,key,query_token,key_token,weight
        0,0,0,0,tea,tea,0.2
        0,0,0,1,tea,",",0.8
        0,0,1,0,",",tea,0.5
        0,0,1,1,",",",",0.5
        <BLANKLINE>

        Returns the text; with a `path`, writes it there in UTF-8. The weights are exact: reading them gives the same
        float32.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(CSV_COLUMNS)
        for (layer, head, query, key), weight in np.ndenumerate(self.weights):
            writer.writerow([layer, head, query, key, self.query_tokens[query], self.key_tokens[key], str(weight)])
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8", newline="")
        return text.getvalue()


def _rows_to_one(weights):  # [..., q, k] -> [..., q, k]
    sums = weights.sum(-1, keepdims=True)
    return np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
