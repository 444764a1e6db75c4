"""Attention with one well-known mistake each: {hint: what goes wrong}, tried on the inputs of the rung that fails."""

import math

import numpy as np

from manyheads.attention import softmax


def split(x, num_heads):  # [..., t, h * d] -> [..., h, t, d]
    return x.reshape(*x.shape[:-1], num_heads, -1).swapaxes(-3, -2)


def join(x):  # [..., h, t, d] -> [..., t, h * d]
    return _flat(x.swapaxes(-3, -2))


def _flat(x):
    return x.reshape(*x.shape[:-2], -1)


def _over(axis):
    """Softmax over another axis than the keys'."""
    return lambda scores, mask: np.moveaxis(softmax(np.moveaxis(scores, axis, -1)), -1, axis)


def _afterwards(scores, mask):
    return softmax(scores) * mask


def _filled(number):
    def share(scores, mask):
        return softmax(np.where(mask, scores, number))

    return share


def wrong_attention(
    X,
    Wq,
    Wk,
    Wv,
    Wo,
    num_heads,
    mask=None,
    Y=None,
    *,
    cut=split,
    divide_by=lambda X, Q, heads: math.sqrt(Q.shape[-1]),
    share=softmax,
    keys=lambda Q, K, V: (Q, K, V),
    put_together=join,
    mix=lambda context, Wo: context @ Wo,
):
    """Attention in which one step may be replaced; as it stands, it is right.

    >>> wrong_attention(*map(np.ones, ((5, 4), (4, 6), (4, 6), (4, 6), (6, 4))), 3)[1].shape
    (3, 5, 5)
    """
    Y = X if Y is None else Y
    Q, K, V = keys(*(cut(text @ W, num_heads) for text, W in ((X, Wq), (Y, Wk), (Y, Wv))))
    scores = Q @ K.swapaxes(-2, -1) / divide_by(X, Q, num_heads)
    weights = share(scores, mask)
    return mix(put_together(weights @ V), Wo), weights


WEIGHTS = {
    "The scores are not divided. Divide them by the square root of the width of a head.": {
        "divide_by": lambda X, Q, h: 1
    },
    "The scores are divided by the width of a head, not by its square root.": {
        "divide_by": lambda X, Q, h: Q.shape[-1]
    },
    "The scores are divided by the square root of the width of the words. It is the width of a head that counts.": {
        "divide_by": lambda X, Q, h: math.sqrt(X.shape[-1])
    },
    "The scores are divided by the square root of the width of all heads. It is the width of one that counts.": {
        "divide_by": lambda X, Q, h: math.sqrt(h * Q.shape[-1])
    },
    "The scores are multiplied by the square root of the width of a head. Divide them.": {
        "divide_by": lambda X, Q, h: 1 / math.sqrt(Q.shape[-1])
    },
    "Softmax runs over the queries: columns sum to 1. Each query shares out its attention, so rows must: axis=-1.": {
        "share": _over(-2)
    },
    "Softmax runs over the heads: it is the shares of one word in all heads that sum to 1. Take the last axis.": {
        "share": _over(-3)
    },
    "These are the scores. Turn each row into shares with softmax.": {"share": lambda scores, mask: scores},
    "The shares are powers that nobody divided by their sum.": {"share": lambda scores, mask: np.exp(scores)},
    "The width is cut by a reshape to [h, q, d_k], without a transpose: each head gets some words, not some columns. "
    "Reshape to [q, h, d_k], then swap the axes.": {"cut": lambda x, h: x.reshape(*x.shape[:-2], h, x.shape[-2], -1)},
    "Each head takes every num_heads-th column. They lie side by side: reshape to [q, h, d_k], not [q, d_k, h].": {
        "cut": lambda x, h: np.moveaxis(x.reshape(*x.shape[:-1], -1, h), -1, -3)
    },
    "All heads have the same map, the first head's. Give each its own columns of Wq and Wk.": {
        "keys": lambda Q, K, V: (0 * Q + Q[..., :1, :, :], 0 * K + K[..., :1, :, :], V)
    },
    "Rows and columns are swapped: keys ask queries. Scores are Q K^T, with a row for each query.": {
        "share": lambda scores, mask: softmax(scores.swapaxes(-2, -1))
    },
    "Queries are compared with queries. Use Wk for the keys.": {"keys": lambda Q, K, V: (Q, Q, V)},
    "Queries are compared with values. Use Wk for the keys.": {"keys": lambda Q, K, V: (Q, V, V)},
    "The heads come in reverse order.": {"keys": lambda *parts: tuple(part[..., ::-1, :, :] for part in parts)},
}

OUTPUTS = {
    "The heads' results are not mixed: multiply them by Wo at the end.": {"mix": lambda context, Wo: context},
    "Wo is turned over: multiply by Wo, not by its transpose.": {"mix": lambda context, Wo: context @ Wo.T},
    "The heads are joined by a reshape of [h, q, d_v], without a transpose: a row holds several words of one head. "
    "Swap the axes back to [q, h, d_v] first.": {"put_together": lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1)},
    "The heads' columns are joined in the wrong order: first all of head 1, then all of head 2. "
    "Reshape from [q, h, d_v], not from [q, d_v, h].": {"put_together": lambda x: _flat(np.moveaxis(x, -3, -1))},
    "The heads are joined in reverse order.": {"put_together": lambda x: join(x[..., ::-1, :, :])},
    "The heads' results are added up. Put them side by side, then multiply by Wo.": {
        "put_together": lambda x: np.concatenate([x.sum(-3)] * x.shape[-3], axis=-1)
    },
    "The keys are averaged instead of the values. Use Wv for what is averaged.": {"keys": lambda Q, K, V: (Q, K, K)},
    "The values are cut without a transpose, unlike queries and keys.": {
        "keys": lambda Q, K, V: (Q, K, join(V).reshape(V.shape))
    },
}

MASKS = {
    "The mask has no effect. Put minus infinity where it is False, before softmax.": {
        "share": lambda scores, mask: softmax(scores)
    },
    "The mask is turned round: what it forbids is looked at. True means: may be attended to.": {
        "share": lambda scores, mask: softmax(scores, ~mask)
    },
    "The mask comes after softmax: its rows no longer sum to 1. Put minus infinity into the scores, before softmax.": {
        "share": _afterwards
    },
    "Forbidden scores are set to 0. To softmax 0 is a score like any other: put minus infinity there.": {
        "share": _filled(0)
    },
    "The mask is added to the scores, as 0 and 1. Put minus infinity where it is False.": {
        "share": lambda scores, mask: softmax(scores + mask)
    },
    "The scores are multiplied by the mask, so forbidden ones are 0, which is a score like any other. "
    "Put minus infinity there.": {"share": lambda scores, mask: softmax(scores * mask)},
    "The mask is turned over: its rows are the queries, its columns the keys.": {
        "share": lambda scores, mask: softmax(scores, mask.swapaxes(-2, -1))
    },
}

BLIND = {
    "A query that may look at no key gets equal shares of all: equal scores, however low, are shared out evenly. "
    "Put zeros there after softmax.": {"share": _filled(-1e30)}
}
