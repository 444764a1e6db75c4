"""From weights computed elsewhere to those of a map: [layer, head, query, key]."""

import math
from itertools import chain

import numpy as np

from manyheads.reading.sentences import Holding, TooMany
from manyheads.reading.tokens_from import chosen_text

# How far from 1 a row of bfloat16 may sum, of which each weight is off by 2**-8 of itself, rounded twice.
ROUNDED = 2**-7
NOTHING = 1e-4  # a row that sums to less looks at nothing
EXACT = 1e-5  # how far from 1 a row of float32 may sum
EAGER = 'load the model with attn_implementation="eager", and call it with output_attentions=True'
GENERATE = "model.generate(..., return_dict_in_generate=True, output_attentions=True)"
AXES = (
    "weights must be [query, key], [head, query, key], [layer, head, query, key] or "
    "[layer, batch, head, query, key], got {}"
)
AS_THEY_ARE = "HeadMap.of(..., normalised=False)"
PICK = "pick one text of the batch, as in [layer[:1] for layer in attentions], or let HeadMap.of(..., batch=0) do it"
UNASKED = (
    "The first {count} tokens ask nothing here: they were read before, in other chunks or into a cache, and what they "
    "looked at wasn't kept."
)
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
    if isinstance(weights, dict) or weights is None:
        raise TypeError(f"weights must be an array, a tensor or lists of numbers, got {type(weights).__name__}")
    if "complex" in str(getattr(weights, "dtype", "")):  # NumPy's and torch's alike
        raise TypeError(f"weights must be real numbers, got {weights.dtype}")
    if hasattr(weights, "detach"):
        weights = weights.detach().cpu()
        weights = weights.float() if weights.dtype.is_floating_point else weights.numpy()
    weights = on_the_cpu(weights)
    kind = getattr(weights, "dtype", None)
    if isinstance(kind, np.dtype) and kind.kind in "iu" and weights.size and weights.max() > 1:
        raise TypeError(
            "weights are shares, but these are whole numbers up to "
            f"{weights.max()}: token ids, perhaps. {GENERATE} gives the attentions as well"
        )
    return np.asarray(weights, dtype=np.float32)


def on_the_cpu(array):
    """An array of CuPy, or another that NumPy can't read where it is, on the CPU; others as they are."""
    try:
        return array.__array__() if hasattr(array, "__dlpack__") else array
    except (TypeError, AttributeError):
        import torch  # which reads arrays on any device

        return torch.from_dlpack(array).cpu().numpy()


def layers_of(weights):  # 2 or 3 axes -> [1, head, query, key]
    """The weights of one layer with an axis for layers and one for heads.

    >>> [layers_of(np.ones(shape)).shape for shape in ((5, 7), (3, 5, 7))]
    [(1, 1, 5, 7), (1, 3, 5, 7)]
    """
    if weights.ndim not in (2, 3):
        raise ValueError(AXES.format(list(weights.shape)))
    return weights.reshape((1,) * (4 - weights.ndim) + weights.shape)


def note_on_batch(text, count, texts=None):
    """Which text of a batch is shown, or which window of a text, unless there is only one.

    >>> note_on_batch(0, 16, texts=1)
    ('Window 1 of 16 is shown: batch=0 to batch=15 choose it.',)
    """
    windows = texts is not None and count > texts and count % texts == 0
    what = f"Window {text + 1} of {count}" if windows else f"Text {text + 1} of a batch of {count}"
    return (f"{what} is shown: batch=0 to batch={count - 1} choose it.",) * (count > 1)


def rows_to_one(weights, sinks=False):  # -> weights, kind, notes
    """The weights, rows scaled in place where rounding left them near 1, what they are, and a note that says so.

    >>> weights, kind, notes = rows_to_one(np.array([[0.25, 0.753]]))
    >>> float(weights.sum()), kind, notes
    (1.0, 'shares', ('Rows sum to 1.003 at most, as half precision rounds them; they are scaled to 1.',))

    Rows that sum to less, and none to more, are parts where the model has `sinks` that are no tokens. A row of zeros,
    of a query that looks at nothing, is left as it is. Raises `ValueError` for weights that are neither.
    """
    refuse_nan(weights)
    if 0 in weights.shape:
        raise ValueError("there is nothing to show: the text has no tokens")
    if weights.min(initial=0) < 0:
        raise ValueError(
            f"a weight is a share, 0 or more, got {weights.min():.4g}: scores want a softmax first; hidden states are "
            f"no attention; weights that are meant to be signed are shown as they are by {AS_THEY_ARE}"
        )
    least, most = sums_of(weights)
    if least < NOTHING:  # of a query that's masked by a large number, not by infinity
        weights[weights.sum(-1) < NOTHING] = 0
        least, most = sums_of(weights)
    away = max(1 - least, most - 1)
    if away < EXACT:
        return weights, "shares", ()
    if away < ROUNDED:
        sums = weights.sum(-1, keepdims=True)
        np.divide(weights, sums, out=weights, where=sums > 0)
        farthest = f"{most:.4g} at most" if most - 1 >= 1 - least else f"{least:.4g} at least"
        return weights, "shares", (f"Rows sum to {farthest}, as half precision rounds them; they are scaled to 1.",)
    if most < 1 + EXACT and sinks:
        rest = "the rest went to no token of the map, but to a sink that the model has learnt"
        return weights, "parts", (f"Rows sum to {least:.4g} at least: {rest}.",)
    if most < 1 + EXACT:
        raise ValueError(
            f"each row must sum to 1, got sums from {least:.4g}: keys are missing, or the rest went to sinks, which "
            f"HeadMap.of(model, ..., inputs=...) knows of a model; rows as they are, by {AS_THEY_ARE}"
        )
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
    if np.isnan(weights.sum()):
        raise ValueError("weights hold NaN, which softmax gives a query whose keys are all masked")


def sums_of(weights):
    """The least and the largest sum of a row that is not all 0."""
    sums = weights.sum(-1)
    positive = sums[sums > 0] if (sums > 0).any() else np.ones(1)
    return positive.min(), positive.max()


def weights_of(layers, causal=True, batch=0, chosen=None, texts=None, holding=Holding(), full=None, array=None):
    # -> [layer, head, query, key], names, notes, (queries, keys)
    """The weights of a part, the names of its layers where they are known, notes, and how many tokens ask whom.

    >>> weights, names, notes, _ = weights_of([None, np.ones((1, 3, 2, 2)), None, np.ones((1, 3, 2, 2))])
    >>> weights.shape, names, notes
    ((2, 3, 2, 2), ['layer 2', 'layer 4'], ('Layers 2, 4 of 4 are shown; the others gave no attentions.',))
    >>> weights_of({8: np.ones((3, 2, 2)), 4: np.ones((3, 2, 2))})[1]
    ['layer 5', 'layer 9']

    `layers` are an array, a list of layers, or layers by their number, from 0. `chosen` are the numbers of those that
    are wanted: the others are never copied. Each is copied once, by the groups of `holding`. With `full`, the layers
    are the map's own, and held as they should be: each is let go once it's copied, unless they're in one `array`.

    Raises `ValueError` for what makes no map, `TooMany` for more weights than may be held.
    """
    if layers is None:
        raise ValueError(f"there are no attentions: {EAGER}")
    notes, named = (), True
    if not isinstance(layers, (tuple, list, dict)):
        if len(np.shape(layers)) < 4:
            weights = layers_of(array_of(layers))
            return _grouped(weights, holding), None, averaged_note([layers]), weights.shape[2:]
        notes, named, layers = averaged_note([layers]), chosen is not None, [*layers]
    if not has_weights(layers.values() if isinstance(layers, dict) else layers):
        raise ValueError(f"there are no attentions: {EAGER}")
    if are_steps(layers):
        return stitched(layers, causal, batch, chosen, holding)
    counted = dict(enumerate(layers)) if isinstance(layers, (tuple, list)) else layers
    present = [number for number, layer in sorted(counted.items()) if layer is not None]
    numbers = picked(present, chosen)
    shapes = {tuple(getattr(counted[number], "shape", None) or np.shape(counted[number])) for number in numbers}
    if len(shapes) > 1:
        listed = ", ".join(str(list(shape)) for shape in sorted(shapes))
        raise ValueError(f"layers must be alike to be one map, got {listed}: give those alike, such as [attentions[0]]")
    notes += averaged_note(list(counted.values()))
    if len(numbers) < len(counted):
        why = "the others gave no attentions" if chosen is None else "as chosen"
        notes += (f"Layers {', '.join(str(number + 1) for number in numbers)} of {len(counted)} are shown; {why}.",)
    (shape,) = shapes
    if len(shape) < 3:
        weights = layers_of(np.stack([array_of(counted[number]) for number in numbers]))
        return _grouped(weights, holding), None, notes, weights.shape[2:]
    if len(shape) > 4:
        raise ValueError(AXES.format([len(numbers), *shape]))
    text = chosen_text(batch, shape[0]) if len(shape) == 4 else None
    notes += note_on_batch(text, shape[0], texts) if len(shape) == 4 else ()

    def taken():
        for number in numbers:
            layer = counted[number]
            yield array_of(layer if text is None else layer[text])
            if full is not None:
                counted[number] = None

    own = array is not None and numbers == [
        number for number in present if not getattr(counted[number], "is_meta", False)
    ]
    weights = array if own else copied_once(taken(), (len(numbers), *shape[-3:]), Holding() if full else holding)
    return weights, names_of(numbers) if named else None, notes, full or shape[-2:]


def copied_once(layers, shape, holding):  # of [head, query, key] -> [layer, head, query, key]
    """Layers as one array, by the groups of `holding`, each copied as it comes; `shape` is what they'd have without.

    Raises `TooMany` for more weights than may be held.
    """
    *first, queries, keys = shape
    shapes = [(math.prod(first), queries, keys)]
    if not holding.allows(shapes):
        raise TooMany(shapes)
    weights = np.empty([*first, *holding.shape(queries, keys)], np.float32)
    for place, layer in enumerate(layers):
        weights[place] = holding.summed(layer)
    return weights


def _grouped(weights, holding):
    return copied_once(weights, weights.shape, holding)


def picked(present, chosen):
    """The numbers of the layers that are wanted, of those that are there; all for None.

    >>> picked([1, 3], [2])
    Traceback (most recent call last):
    ValueError: layers must be among 1, 3, counted from 0, got [2]
    """
    if chosen is None:
        return list(present)
    wanted = [chosen] if isinstance(chosen, (int, np.integer)) else list(chosen)
    if not wanted or not set(wanted) <= set(present):
        raise ValueError(f"layers must be among {', '.join(map(str, present))}, counted from 0, got {wanted}")
    return wanted


def names_of(numbers):
    """The names of layers by their numbers, from 0.

    >>> names_of([4, 8])
    ['layer 5', 'layer 9']
    """
    return [f"layer {number + 1}" for number in numbers]


def has_weights(layers):
    """Whether there is anything in a part: on sdpa, Hugging Face gives `()`, and `generate` `((), ())`.

    >>> [has_weights(layers) for layers in ((), ((), ()), [None, None], np.ones((2, 2)))]
    [False, False, False, True]
    """
    return any(layer is not None and (not isinstance(layer, (tuple, list)) or len(layer) > 0) for layer in layers)


def are_steps(layers):
    """Whether a part is what `generate` gives: steps, each a tuple of layers."""
    return isinstance(layers, (tuple, list)) and all(is_step(layer) for layer in layers)


def stitched(steps, causal=True, batch=0, chosen=None, holding=Holding()):
    # -> [layer, head, query, key], names, notes, (queries, keys)
    """The steps of `generate` for one text as one map, as `weights_of` gives it: each new token asks those before it.

    >>> first, second = np.full((1, 1, 2, 2), 1 / 2), np.full((1, 1, 1, 3), 1 / 3)
    >>> stitched([[first], [second]])[0][0, 0].round(2)
    array([[0.5 , 0.5 , 0.  ],
           [0.5 , 0.5 , 0.  ],
           [0.33, 0.33, 0.33]], dtype=float32)

    If not `causal`, it asks those of the encoder. Without a cache, each step asks anew for what came before; with a
    static one, there are places for what never came; with a window, keys that are too far are gone. Where the text was
    read in chunks, or began with a cache, the first tokens ask nothing: there are fewer queries than keys.
    """
    numbers = picked(range(len(steps[0])), chosen)
    texts = len(steps[0][0])
    text = chosen_text(batch, texts)
    layers = [[array_of(step[number][text]) for step in steps] for number in numbers]
    before = max(unasked(layer[0]) for layer in layers) if causal else 0
    first = _stitched_layer(layers[0], causal, before)
    rest = (_stitched_layer(layer, causal, before) for layer in layers[1:])
    weights = copied_once(chain([first], rest), (len(layers), *first.shape), holding)
    notes = (UNASKED.format(count=before),) * (before > 0)
    return weights, names_of(numbers), (*note_on_batch(text, texts), *notes), first.shape[1:]


def unasked(first):  # [head, query, key]
    """How many keys of the first step stand before those of its queries: what a cache held already.

    >>> unasked(np.array([[[0.5, 0.5, 0], [0.4, 0.3, 0.3]]])), unasked(np.array([[[1, 0, 0, 0], [0.5, 0.5, 0, 0]]]))
    (1, 0)
    """
    reached = np.flatnonzero(first[:, -1].any(0))  # a query looks at itself; static caches have places after it
    return max(int(reached[-1]) + 1 - first.shape[1], 0) if len(reached) else 0


def _stitched_layer(steps, causal, before=0):  # of [head, query, key] -> [head, query, key]
    rows = []  # [head, query, key]
    length = before  # of the text so far
    for weights in steps:
        queries = weights.shape[1]
        new = queries - length if queries > length else queries
        length += new
        rows.append(weights[:, -new:])
    if not causal:
        return np.concatenate(rows, axis=1)
    whole = np.zeros((len(rows[0]), length - before, length), np.float32)
    start = before
    for weights in rows:
        end = start + weights.shape[1]
        first = max(end - weights.shape[2], 0)  # of the keys that are still there
        keys = whole[:, start - before : end - before, first : first + weights.shape[2]]
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
