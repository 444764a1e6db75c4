"""AttentionMap: which token looks at which, for every head of every layer."""

import csv
import io
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from manyheads.maps.choosing import merged, rows_to_one, strongest, without_sinks, words_only
from manyheads.maps.compared_heads import similar_heads, totals
from manyheads.maps.names import CSV_COLUMNS, KINDS, NOTES


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
    `mask[query, key]` is False where a query may not look, as in causal attention; without one, all may be looked at.
    `translation` is the text that a translator wrote.

    `kind` says what the weights are: "shares" as above; "parts" of such rows, which sum to 1 at most; "amounts", 0 or
    more; "signed" numbers, such as the difference of two maps. All but shares keep their true values.

    Raises `TypeError` for tokens that are no strings, `ValueError` for weights of another shape, and for those that are
    not of their kind, or a mask of another shape.
    """

    query_tokens: list[str]
    key_tokens: list[str]
    weights: np.ndarray
    head_names: list[str] | None = None
    predictions: dict[str, dict[str, float]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    kind: str = KINDS[0]
    mask: np.ndarray | None = None
    translation: str | None = None

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
        if self.mask is not None:
            object.__setattr__(self, "mask", np.asarray(self.mask, dtype=bool))
            if self.mask.shape != expected:
                raise ValueError(f"mask must have shape [query, key] = {list(expected)}, got {list(self.mask.shape)}")
        _check_kind(self.kind, weights)
        if self.kind == "signed":
            object.__setattr__(self, "notes", tuple(dict.fromkeys((*self.notes, NOTES["signed"]))))
        if self.head_names is None:
            object.__setattr__(self, "head_names", [f"head {head + 1}" for head in range(weights.shape[1])])
        elif len(self.head_names) != weights.shape[1]:
            raise ValueError(f"{len(self.head_names)} head names for {weights.shape[1]} heads")

    @property
    def shape(self):
        """`(layers, heads, queries, keys)`."""
        return self.weights.shape

    def average(self):
        """The mean over the heads (of shares, those that look at anything), as a map of one head.

        >>> map = AttentionMap(["tea"], ["hot", "tea"], [[[[0.2, 0.8]], [[0.6, 0.4]]]])
        >>> map.average().weights[0, 0]  # [layer, 2, query, key] -> [layer, 1, query, key]
        array([[0.4, 0.6]], dtype=float32)
        """
        sums = self.weights.sum(axis=1, keepdims=True, dtype=np.float64)
        weights = rows_to_one(sums) if self.kind == "shares" else sums / self.shape[1]
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

        Raises `ValueError` for a map whose queries are not its keys, and for weights that are no shares.
        """
        if self.kind != "shares":
            raise ValueError(f"rollout is for rows that sum to 1, got {self.kind}")
        if self.query_tokens != self.key_tokens:
            queries, keys = self.shape[2:]
            raise ValueError(f"rollout is for self-attention, of the same tokens; got {queries} and {keys} tokens")
        rolled = identity = np.eye(len(self.key_tokens))
        layers = []
        for mean in rows_to_one(self.weights.sum(axis=1, dtype=np.float64)):  # [q, k]
            rolled = rows_to_one(mean + identity) @ rolled
            layers.append(rolled[None])
        return replace(self, weights=np.stack(layers), head_names=["rollout"])

    def without_special(self):
        """The map without special tokens, each row scaled to sum to 1 again.

        >>> map = AttentionMap(["[CLS]", "tea"], ["[CLS]", "hot", "tea"], [[[[1, 0, 0], [0.5, 0.2, 0.3]]]])
        >>> map.without_special().weights[0, 0]
        array([[0.4, 0.6]], dtype=float32)

        A row that gave all to special tokens becomes 0. Where nothing else is there, they are kept, and `notes` say so.
        Weights that are no shares are not scaled.
        """
        return words_only(self)

    def merge_pieces(self):
        """The map of words: what looks at their pieces is summed, what their pieces look at is averaged.

        >>> tokens = ["hot", "un", "##tea"]
        >>> map = AttentionMap(tokens, tokens, [[[[0.5, 0.25, 0.25], [0, 1, 0], [1, 0, 0]]]])
        >>> words = map.merge_pieces()
        >>> words.key_tokens, words.weights[0, 0]
        (['hot', 'untea'], array([[0.5, 0.5],
               [0.5, 0.5]], dtype=float32))

        So rows still sum to 1. Pieces go on with the word before if they begin with "##"; where tokens carry the space
        before them (" tea", "Ġtea", "▁tea"), if a letter or digit follows one without a space. Pieces that look at
        nothing are left out of the average.
        """
        return merged(self)

    def without_sinks(self):
        """The map without keys that get more than 30 % of all attention though they are no special tokens.

        >>> tokens = ["The", "hot", "tea"]
        >>> map = AttentionMap(tokens, tokens, [[[[1, 0, 0], [0.5, 0.5, 0], [0.75, 0, 0.25]]]]).without_sinks()
        >>> map.key_tokens, map.weights[0, 0].tolist()
        (['hot', 'tea'], [[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
        >>> map.notes[0].split(". ")[0]
        'Hidden as sinks, though no special tokens: “The”, which gets 75 % of all attention'

        The share is the mean over layers, heads and queries that look at anything. What is no share has no sinks.
        """
        return without_sinks(self)

    def strongest(self, top):
        """The map with the `top` largest weights of each row, true as they were, and 0 elsewhere.

        >>> map = AttentionMap(["tea"], ["hot", "black", "tea"], [[[[0.125, 0.25, 0.625]]]]).strongest(2)
        >>> map.weights[0, 0], map.notes[0].split(". ")[1]
        (array([[0.   , 0.25 , 0.625]], dtype=float32), 'The rest, 13 % of the whole, is left out.')

        Of equal weights the first stay; of signed ones, those farthest from 0. Raises `ValueError` where `top` is below
        1.
        """
        return strongest(self, top)

    def similar_heads(self, layer, head, count=5):
        """The heads of all layers most alike one head: [(layer, head, how far apart), ...], the nearest first.

        >>> rows = [[[1, 0], [0, 1]], [[0.5, 0.5], [0, 1]], [[0, 1], [1, 0]]]
        >>> AttentionMap(["hot", "tea"], ["hot", "tea"], [rows]).similar_heads(0, 0)
        [(0, 1, 0.25), (0, 2, 1.0)]

        How far apart is the mean over queries of the total variation distance: the share of a row that would have to
        move to make it the other's. 0 is the same, 1 nothing in common. Raises `ValueError` for a head that is not
        there.
        """
        return similar_heads(self, layer, head, count)

    def totals(self, layers=None, heads=None, queries=None, keys=None):
        """Sums of the weights of chosen layers, heads, queries and keys, all unless given, along each of these.

        >>> map = AttentionMap(["hot", "tea"], ["hot", "tea"], [[[[1, 0], [0.25, 0.75]]]] * 3)
        >>> {name: sums.tolist() for name, sums in map.totals(layers=[0, 1], queries=[1]).items()}
        {'layers': [1.0, 1.0, 1.0], 'heads': [2.0], 'queries': [2.0, 2.0], 'keys': [0.5, 1.5]}

        Along an axis, all its places are there, and what is chosen on the others is summed. Nothing is scaled.
        """
        return totals(self, layers, heads, queries, keys)

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
        float32. What is masked has none.
        """
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(CSV_COLUMNS)
        for (layer, head, query, key), weight in np.ndenumerate(self.weights):
            masked = self.mask is not None and not self.mask[query, key]
            weight = "" if masked else str(weight)
            writer.writerow([layer, head, query, key, self.query_tokens[query], self.key_tokens[key], weight])
        if path is not None:
            Path(path).write_text(text.getvalue(), encoding="utf-8", newline="")
        return text.getvalue()


def _check_kind(kind, weights):
    if kind not in KINDS:
        raise ValueError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}")
    sums = weights.sum(-1)
    if kind == "shares" and not np.all((np.abs(sums - 1) < 1e-3) | (sums == 0)):
        raise ValueError(
            "each row of weights must sum to 1 (or be all zeros, for a query that attends to nothing); "
            f"sums run from {sums.min():.4g} to {sums.max():.4g}"
        )
    if not np.all(np.isfinite(sums)):
        raise ValueError("weights must be finite numbers")
    if kind in ("parts", "amounts") and weights.min(initial=0) < 0:
        raise ValueError(f"{kind} must be 0 or more, got {weights.min():.4g}")
    if kind == "parts" and sums.max(initial=0) > 1 + 1e-3:
        raise ValueError(f"each row of parts must sum to 1 at most, got {sums.max():.4g}")
