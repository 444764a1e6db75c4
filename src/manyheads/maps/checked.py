"""The inputs of a map: copied, checked, and refused in plain words where they do not fit."""

import numpy as np

from manyheads.shared.names import KINDS


def check_tokens(name, tokens):
    """Tokens as a list of strings that any file can hold; `TypeError` for anything else."""
    if isinstance(tokens, str) or not all(isinstance(token, str) for token in tokens):
        raise TypeError(f"{name} must be a list of strings, got {tokens!r}")
    return [token.encode("utf-16", "surrogatepass").decode("utf-16", "replace") for token in tokens]


def count_layers(count):
    """The names of layers that are counted.

    >>> count_layers(2)
    ['layer 1', 'layer 2']
    """
    return [f"layer {layer + 1}" for layer in range(count)]


def count_heads(count):
    """The names of heads that are counted, "head 1" first."""
    return [f"head {head + 1}" for head in range(count)]


def check_names(axis, names, counted):
    """The names of heads or layers as a list of strings, `counted` where there are none.

    >>> check_names("head", ("left", "right"), count_heads(2))
    ['left', 'right']
    """
    if names is None:
        return counted
    names = check_tokens(f"{axis}_names", names)
    if len(names) != len(counted):
        raise ValueError(f"{len(names)} {axis} names for {len(counted)} {axis}s")
    return names


def check_weights(weights, kind, expected):  # -> [layer, head, query, key]
    """Weights of a kind for so many queries and keys, as float32 that nobody can change.

    They are copied, unless they are such an array already, as where one map is made of another.
    """
    own = isinstance(weights, np.ndarray) and weights.base is None and not weights.flags.writeable
    if not own or weights.dtype != np.float32:
        weights = np.array(np.asarray(weights), dtype=np.float32)
        weights.flags.writeable = False
    if weights.ndim != 4 or weights.shape[2:] != expected:
        raise ValueError(
            f"weights must have shape [layer, head, query, key] = [*, *, {expected[0]}, {expected[1]}] "
            f"for these tokens, got {list(weights.shape)}"
        )
    check_kind(kind, weights)
    return weights


def check_norms(norms, shape):  # -> [layer, head, key] or None
    """The norms of what heads write from each token, as float32 that nobody can change, for weights of this shape.

    >>> check_norms([[[2, 0.5]]], (1, 1, 4, 2)).tolist()
    [[[2.0, 0.5]]]
    """
    if norms is None:
        return None
    norms = np.array(np.asarray(norms), dtype=np.float32)
    expected = *shape[:2], shape[3]
    if norms.shape != expected:
        raise ValueError(
            f"value_norms must have shape [layer, head, key] = {list(expected)} for these weights, "
            f"got {list(norms.shape)}"
        )
    if not np.all(np.isfinite(norms)) or norms.min(initial=0) < 0:
        raise ValueError("value_norms must be finite numbers, 0 or more")
    norms.flags.writeable = False
    return norms


def check_mask(mask, causal, expected):  # -> [query, key] or None, whether it is causal
    """The mask and the flag; a causal mask becomes the flag.

    >>> check_mask([[True, False], [True, True]], False, (2, 2))
    (None, True)
    """
    square = expected[0] == expected[1]
    if causal and mask is not None:
        raise ValueError("give causal=True or a mask, not both")
    if causal and not square:
        raise ValueError(f"causal attention has as many queries as keys, got {expected[0]} and {expected[1]}")
    if mask is None:
        return None, bool(causal)
    mask = np.array(np.asarray(mask), dtype=bool)
    if mask.shape != expected:
        raise ValueError(f"mask must have shape [query, key] = {list(expected)}, got {list(mask.shape)}")
    if square and np.array_equal(mask, np.tri(*expected, dtype=bool)):
        return None, True
    mask.flags.writeable = False
    return mask, False


def check_kind(kind, weights):
    """Refuse weights that are not of their kind, as of `AttentionMap`."""
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
