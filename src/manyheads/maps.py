"""AttentionMap: which token looks at which, for every head of every layer."""

from dataclasses import dataclass, field

import numpy as np

# One colour per head, the same on every page; the first four are the notes' own. Equal to those in head-map.js.
HEAD_COLOURS = (
    *("#8DB600", "#FF8C00", "#8D4E85", "#007FFF", "#D7263D", "#009688"),
    *("#B8860B", "#5B5BD6", "#8B5A2B", "#E0529C", "#4F7C8A", "#6B8E23"),
)


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
