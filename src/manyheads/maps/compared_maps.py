"""Maps of two sentences: which words both have, which heads moved. Twin of functions in `web/math/maps.js`."""

from dataclasses import replace

import numpy as np


def aligned(first, second):
    """The places of tokens that two lists share, by their longest common subsequence.

    >>> aligned(["the", "soup", "was"], ["the", "hot", "soup"])
    [(0, 0), (1, 2)]
    """
    longest = np.zeros((len(first) + 1, len(second) + 1), int)
    for i in reversed(range(len(first))):
        for j in reversed(range(len(second))):
            same = first[i] == second[j]
            longest[i, j] = longest[i + 1, j + 1] + 1 if same else max(longest[i + 1, j], longest[i, j + 1])
    pairs, i, j = [], 0, 0
    while i < len(first) and j < len(second):
        if first[i] == second[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        elif longest[i + 1, j] >= longest[i, j + 1]:
            i += 1
        else:
            j += 1
    return pairs


def row_in_second(map, compared, query):
    """The row of the second map that asks as `query` does in the first."""
    pairs = dict(aligned(map.query_tokens, compared.query_tokens))
    return pairs.get(query, min(query, compared.shape[2] - 1))


def moved(map, compared, layer, query):  # -> [head]
    """The share of each head's attention that lands elsewhere in the second sentence; None for other weights.

    >>> from manyheads.maps import AttentionMap
    >>> one, other = (AttentionMap(["a"], ["a", "b"], [[[row]]]) for row in ([1, 0], [0.5, 0.5]))
    >>> moved(one, other, 0, 0).tolist()
    [0.5]
    """
    if {map.kind, compared.kind} & {"amounts", "signed"}:
        return None
    pairs = np.array(aligned(map.key_tokens, compared.key_tokens), int).reshape(-1, 2)
    first_keys, second_keys = pairs.T
    second = row_in_second(map, compared, query)
    rows = map.weights[layer, :, query][:, first_keys], compared.weights[layer, :, second][:, second_keys]
    return np.maximum(0, 1 - np.minimum(*rows).sum(-1, dtype=np.float64))


def difference(map, compared):  # -> a map of kind "signed"
    """The weights of the second map less those of the first, for the tokens that both have.

    >>> from manyheads.maps import AttentionMap
    >>> one, other = (AttentionMap(["a"], ["a", "b"], [[[row]]]) for row in ([1, 0], [0.5, 0.5]))
    >>> difference(one, other).weights.tolist()
    [[[[-0.5, 0.5]]]]
    """
    asking, looked_at = aligned(map.query_tokens, compared.query_tokens), aligned(map.key_tokens, compared.key_tokens)
    (before, after), (first_keys, second_keys) = (_places(pairs) for pairs in (asking, looked_at))
    weights = compared.weights[..., after[:, None], second_keys] - map.weights[..., before[:, None], first_keys]
    return replace(
        map,
        query_tokens=[map.query_tokens[place] for place in before],
        key_tokens=[map.key_tokens[place] for place in first_keys],
        weights=weights,
        kind="signed",
        mask=None,
        causal=False,
    )


def moved_heads(map, compared, layer):  # -> [head]
    """How much of its attention each head gives elsewhere in the second sentence: the mean of the tokens in both.

    None where weights are not shares.

    >>> from manyheads.maps import AttentionMap
    >>> one, other = (AttentionMap(["a"], ["a", "b"], [[[row]]]) for row in ([1, 0], [0.5, 0.5]))
    >>> moved_heads(one, other, 0).tolist()
    [0.5]
    """
    if not {map.kind, compared.kind} <= {"shares", "parts"}:
        return None
    before, after = _places(aligned(map.query_tokens, compared.query_tokens))
    first_keys, second_keys = _places(aligned(map.key_tokens, compared.key_tokens))
    first = map.weights[layer][:, before[:, None], first_keys]
    second = compared.weights[layer][:, after[:, None], second_keys]
    stayed = np.minimum(first, second).sum(-1, dtype=np.float64)
    return np.maximum(0, 1 - stayed).sum(-1) / max(len(before), 1)


def _places(pairs):  # [pair] -> those in the first, those in the second
    return np.array(pairs, int).reshape(-1, 2).T
