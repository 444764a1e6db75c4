"""From weights computed elsewhere to those of a map: [layer, head, query, key]."""

import numpy as np

# How far from 1 a row of bfloat16 may sum, of which each weight is off by 2**-8 of itself, rounded twice.
ROUNDED = 2**-7
EXACT = 1e-5  # how far from 1 a row of float32 may sum
EAGER = 'load the model with attn_implementation="eager", and call it with output_attentions=True'
AS_THEY_ARE = "HeadMap.of(..., normalised=False)"
PICK = "pick one text of the batch, as in [layer[:1] for layer in attentions]"
AVERAGED = (
    "{} is read as [head, query, key]. If nn.MultiheadAttention averaged over its heads and the first axis is the "
    "batch, ask it for average_attn_weights=False."
)


def array_of(weights):
    """Float32, of a tensor of any device and precision, an array, or lists of numbers.

    >>> import torch
    >>> array_of(torch.ones(2, 3, dtype=torch.bfloat16, requires_grad=True)).dtype
    dtype('float32')
    >>> array_of(np.ones(2, complex))
    Traceback (most recent call last):
    TypeError: weights must be real numbers, got complex128
    """
    if "complex" in str(getattr(weights, "dtype", "")):  # NumPy's and torch's alike
        raise TypeError(f"weights must be real numbers, got {weights.dtype}")
    if hasattr(weights, "detach"):
        weights = weights.detach().float().cpu()
    return np.asarray(weights, dtype=np.float32)


def layers_of(weights):  # 2 to 5 axes -> [layer, head, query, key]
    """The weights with an axis for layers and one for heads, and without one for a batch of one text.

    >>> [layers_of(np.ones(shape)).shape for shape in ((5, 7), (3, 5, 7), (2, 3, 5, 7), (2, 1, 3, 5, 7))]
    [(1, 1, 5, 7), (1, 3, 5, 7), (2, 3, 5, 7), (2, 3, 5, 7)]
    >>> layers_of(np.ones((2, 8, 3, 5, 7)))
    Traceback (most recent call last):
    ValueError: got a batch of 8 texts: pick one text of the batch, as in [layer[:1] for layer in attentions]
    """
    if not 2 <= weights.ndim <= 5:
        raise ValueError(
            "weights must be [query, key], [head, query, key], [layer, head, query, key] or "
            f"[layer, batch, head, query, key], got {list(weights.shape)}"
        )
    if weights.ndim == 5:
        if weights.shape[1] != 1:
            raise ValueError(f"got a batch of {weights.shape[1]} texts: {PICK}")
        return weights[:, 0]
    return weights.reshape((1,) * (4 - weights.ndim) + weights.shape)


def rows_to_one(weights):
    """The weights, rows scaled where rounding left them near 1, and a note that says so.

    >>> weights, notes = rows_to_one(np.array([[0.25, 0.753]]))
    >>> float(weights.sum()), notes
    (1.0, ('Rows sum to 1.003 at most, as half precision rounds them; they are scaled to 1.',))

    A row of zeros, of a query that looks at nothing, is left as it is. Raises `ValueError` for weights that are no
    shares.
    """
    refuse_nan(weights)
    if weights.min(initial=0) < 0:
        raise ValueError(
            f"a weight is a share, 0 or more, got {weights.min():.4g}: scores want a softmax first; weights that are "
            f"meant to be signed are shown as they are by {AS_THEY_ARE}"
        )
    least, most = sums_of(weights)
    away = max(1 - least, most - 1)
    if away < EXACT:
        return weights, ()
    if away < ROUNDED:
        sums = weights.sum(-1, keepdims=True)
        scaled = np.divide(weights, sums, out=np.zeros_like(weights), where=sums > 0)
        farthest = f"{most:.4g} at most" if most - 1 >= 1 - least else f"{least:.4g} at least"
        return scaled, (f"Rows sum to {farthest}, as half precision rounds them; they are scaled to 1.",)
    raise ValueError(
        f"each row must sum to 1, got sums from {least:.4g} to {most:.4g}. If dropout was left on, call model.eval() "
        f"first; weights that are not shares are shown as they are by {AS_THEY_ARE}"
    )


def kind_of(weights):
    """What weights are that need not be shares, as of `AttentionMap`, and a note that says so.

    >>> kind_of(np.array([[0.5, 1.5]]))
    ('amounts', ('These weights are not shares: rows sum to 2 to 2. They are shown as they are.',))
    >>> kind_of(np.array([[0.5, -0.5]]))[0]
    'signed'
    """
    refuse_nan(weights)
    if weights.min(initial=0) < 0:
        return "signed", ()
    least, most = sums_of(weights)
    if max(1 - least, most - 1) < EXACT:
        return "shares", ()
    return "amounts", (
        f"These weights are not shares: rows sum to {least:.4g} to {most:.4g}. They are shown as they are.",
    )


def refuse_nan(weights):
    """Refuse what softmax gives a query that may look at nothing.

    >>> refuse_nan(np.array([np.nan]))
    Traceback (most recent call last):
    ValueError: weights hold NaN, which softmax gives a query whose keys are all masked
    """
    if np.isnan(weights).any():
        raise ValueError("weights hold NaN, which softmax gives a query whose keys are all masked")


def sums_of(weights):
    """The least and the largest sum of a row that is not all 0."""
    sums = weights.sum(-1)
    positive = sums[sums > 0] if (sums > 0).any() else np.ones(1)
    return positive.min(), positive.max()


def weights_of(layers, *, causal=True):  # -> [layer, head, query, key], notes
    """The weights of a part, and notes on them.

    >>> weights, notes = weights_of([None, np.ones((1, 3, 2, 2)), None, np.ones((1, 3, 2, 2))])
    >>> weights.shape, notes
    ((2, 3, 2, 2), ('Layers 2, 4 of 4 are shown; the others gave no attentions.',))
    """
    if not isinstance(layers, (tuple, list)):
        return layers_of(array_of(layers)), averaged_note([layers])
    if not has_weights(layers):
        raise ValueError(f"there are no attentions: {EAGER}")
    if are_steps(layers):
        return stitched(layers, causal=causal), ()
    present = [place for place, layer in enumerate(layers) if layer is not None]
    arrays = [array_of(layers[place]) for place in present]
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1:
        listed = ", ".join(str(list(shape)) for shape in sorted(shapes))
        raise ValueError(f"layers must be alike to be one map, got {listed}: give those alike, such as [attentions[0]]")
    notes = averaged_note(layers)
    if len(present) < len(layers):
        shown = ", ".join(str(place + 1) for place in present)
        notes += (f"Layers {shown} of {len(layers)} are shown; the others gave no attentions.",)
    return layers_of(np.stack(arrays)), notes


def has_weights(layers):
    """Whether there is anything in a part: on sdpa, Hugging Face gives `()`, and `generate` `((), ())`.

    >>> [has_weights(layers) for layers in ((), ((), ()), [None, None], np.ones((2, 2)))]
    [False, False, False, True]
    """
    return any(layer is not None and np.size(layer) != 0 for layer in layers)


def are_steps(layers):
    """Whether a part is what `generate` gives: steps, each a tuple of layers."""
    return isinstance(layers, (tuple, list)) and all(is_step(layer) for layer in layers)


def stitched(steps, *, causal=True):  # -> [layer, head, query, key]
    """The steps of `generate` as one map: each new token asks those before it (if not `causal`, those of the encoder).

    >>> first, second = np.full((1, 1, 2, 2), 1 / 2), np.full((1, 1, 1, 3), 1 / 3)
    >>> stitched([[first], [second]])[0, 0].round(2)
    array([[0.5 , 0.5 , 0.  ],
           [0.5 , 0.5 , 0.  ],
           [0.33, 0.33, 0.33]], dtype=float32)

    Without a cache, each step asks anew for what came before; with a static one, there are places for what never came;
    with a window, keys that are too far are gone. Raises `ValueError` for several texts, or beams.
    """
    return np.stack(
        [_stitched_layer([array_of(step[layer]) for step in steps], causal) for layer in range(len(steps[0]))]
    )


def _stitched_layer(steps, causal):  # of [1, head, query, key] -> [head, query, key]
    rows = []  # [head, query, key]
    length = 0  # of the text so far
    for weights in steps:
        if len(weights) != 1:
            raise ValueError(f"got {len(weights)} texts or beams at a time: generate one text, with num_beams=1")
        queries = weights.shape[2]
        new = queries - length if queries > length else queries
        length += new
        rows.append(weights[0, :, -new:])
    if not causal:
        return np.concatenate(rows, axis=1)
    whole = np.zeros((len(rows[0]), length, length), np.float32)
    start = 0
    for weights in rows:
        end = start + weights.shape[1]
        first = max(end - weights.shape[2], 0)  # of the keys that are still there
        keys = whole[:, start:end, first : first + weights.shape[2]]
        keys[...] = weights[:, :, : keys.shape[2]]
        start = end
    return whole


def is_step(layer):
    """Whether what should be one layer is one step of `generate`: a tuple of its layers.

    >>> is_step((np.ones((1, 3, 5, 5)),) * 2), is_step(np.ones((1, 3, 5, 5))), is_step(())
    (True, False, True)
    """
    return isinstance(layer, (tuple, list)) and all(getattr(part, "ndim", 0) == 4 for part in layer)


def averaged_note(layers):
    """A note on tensors of three axes, whose heads may have been averaged: the shapes alone do not tell."""
    listed = isinstance(layers, (tuple, list)) and hasattr(layers[0], "detach") and layers[0].ndim == 3
    return (AVERAGED.format(list(layers[0].shape)),) if listed else ()
