"""From weights computed elsewhere to those of a map: [layer, head, query, key]."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from manyheads.reading.sentences import Holding, TooMany
from manyheads.reading.token_names import check_text

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
CHANGED = (
    "each row must sum to 1, got sums from {least:.4g} to {most:.4g}: the model changes its weights after their "
    "softmax, as by a mask that it multiplies in, or it looks at more than these tokens, such as padding; rows as they "
    f"are, by {AS_THEY_ARE}"
)
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


def one_layer(weights):  # 2 or 3 axes -> [head, query, key]
    """The weights of one layer with an axis for heads.

    >>> [one_layer(np.ones(shape)).shape for shape in ((5, 7), (3, 5, 7))]
    [(1, 5, 7), (3, 5, 7)]
    """
    if weights.ndim not in (2, 3):
        raise ValueError(AXES.format(list(weights.shape)))
    return weights.reshape((1,) * (3 - weights.ndim) + weights.shape)


def note_on_batch(text, count, texts=None):
    """Which text of a batch is shown, or which window of a text, unless there is only one.

    >>> note_on_batch(0, 16, texts=1)
    ('Window 1 of 16 is shown: batch=0 to batch=15 choose it.',)
    """
    windows = texts is not None and count > texts and count % texts == 0
    what = f"Window {text + 1} of {count}" if windows else f"Text {text + 1} of a batch of {count}"
    return (f"{what} is shown: batch=0 to batch={count - 1} choose it.",) * (count > 1)


def scale_rows(weights, sinks=False, of_module=False):  # -> weights, kind, notes
    """The weights, rows scaled in place where rounding left them near 1, what they are, and a note that says so.

    >>> weights, kind, notes = scale_rows(np.array([[0.25, 0.753]]))
    >>> float(weights.sum()), kind, notes
    (1.0, 'shares', ('Rows sum to 1.003 at most, as half precision rounds them; they are scaled to 1.',))

    Rows that sum to less, and none to more, are parts where the model has `sinks` that are no tokens. A row of zeros,
    of a query that looks at nothing, is left as it is. Raises `ValueError` for weights that are neither, with what may
    be the reason: `of_module` says that a module was seen to compute them.
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
    if of_module:
        raise ValueError(CHANGED.format(least=least, most=most))
    if most < 1 + EXACT:
        raise ValueError(
            f"each row must sum to 1, got sums from {least:.4g}: keys are missing, or the rest went to sinks, which "
            f"HeadMap.of(model, ..., inputs=...) knows of a model; rows as they are, by {AS_THEY_ARE}"
        )
    raise ValueError(
        f"each row must sum to 1, got sums from {least:.4g} to {most:.4g}. If dropout was left on, call model.eval() "
        f"first; weights that are not shares are shown as they are by {AS_THEY_ARE}"
    )


def leave_rows(weights):  # -> weights, kind, notes
    """Weights that need not be shares as they are, what they are, as of `AttentionMap`, and a note that says so.

    >>> leave_rows(np.array([[0.5, 1.5]]))[1:]
    ('amounts', ('These weights are not shares: rows sum to 2 to 2. They are shown as they are.',))
    >>> leave_rows(np.array([[0.5, -0.5]]))[1]
    'signed'
    """
    refuse_nan(weights)
    if weights.min(initial=0) < 0:
        return weights, "signed", ()
    least, most = sums_of(weights)
    if max(1 - least, most - 1) < EXACT:
        return weights, "shares", ()
    return (
        weights,
        "amounts",
        (f"These weights are not shares: rows sum to {least:.4g} to {most:.4g}. They are shown as they are.",),
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


@dataclass(frozen=True)
class Weighed:
    """A part with its weights."""

    part: Any
    array: np.ndarray | None  # [layer, head, query, key], by groups where these are held
    full: tuple  # how many queries and keys there were
    layer_names: list | None = None  # where they're known
    notes: tuple = ()
    in_windows: bool = False  # whether layers look at pieces of what was read


def weigh(request, part):  # Part -> Weighed
    """The weights of a part, with the names of its layers where they are known, notes, and how many tokens ask whom.

    >>> from manyheads.reading.parts import Part
    >>> from manyheads.reading.request import Request
    >>> found = weigh(Request(None), Part([None, np.ones((1, 3, 2, 2)), None, np.ones((1, 3, 2, 2))]))
    >>> found.array.shape, found.layer_names, found.notes
    ((2, 3, 2, 2), ['layer 2', 'layer 4'], ('Layers 2, 4 of 4 are shown; the others gave no attentions.',))
    >>> weigh(Request(None), Part({8: np.ones((3, 2, 2)), 4: np.ones((3, 2, 2))})).layer_names
    ['layer 5', 'layer 9']

    Layers that aren't chosen are never copied. Each other is copied once, by the groups of the request's `holding`.
    Where the part knows how much its layers saw (`full`), they are the map's own, and held as they should be: each is
    let go once it's copied, unless they're in one array.

    Raises `ValueError` for what makes no map, `TooMany` for more weights than may be held.
    """
    in_windows, chosen = part.in_windows(), part.chosen  # before layers are let go
    layers, named, notes = number_layers(part.layers, part.role != "cross", request.batch, chosen)
    present = [number for number, layer in sorted(layers.items()) if layer is not None]
    numbers = pick_layers(present, chosen)
    shapes = {tuple(getattr(layers[number], "shape", None) or np.shape(layers[number])) for number in numbers}
    if len(shapes) > 1:
        listed = ", ".join(str(list(shape)) for shape in sorted(shapes))
        raise ValueError(f"layers must be alike to be one map, got {listed}: give those alike, such as [attentions[0]]")
    if len(numbers) < len(layers):
        why = "the others gave no attentions" if chosen is None else "as chosen"
        notes += (f"Layers {', '.join(str(number + 1) for number in numbers)} of {len(layers)} are shown; {why}.",)
    (shape,) = shapes
    if len(shape) < 3:  # lists that make one layer
        layers = {0: one_layer(np.stack([array_of(layers[number]) for number in numbers]))}
        named, numbers, shape = False, [0], layers[0].shape
    if len(shape) > 4:
        raise ValueError(AXES.format([len(numbers), *shape]))
    text = check_text(request.batch, shape[0]) if len(shape) == 4 else None
    notes += note_on_batch(text, shape[0], part.texts) if len(shape) == 4 else ()
    if part.array is not None and numbers == [number for number in present if is_held(layers[number])]:
        array = part.array
    else:
        array = copy_once(layers, numbers, text, shape[-3:], None if part.full else request.holding)
    full = part.full[0] if part.full else shape[-2:]
    return Weighed(part, array, full, name_layers(numbers) if named else None, notes, in_windows)


def number_layers(layers, causal=True, batch=0, chosen=None):
    # -> {number: layer, [head, query, key] or [batch, head, query, key], or None}, whether numbers are known, notes
    """An array, a list of layers, layers by their number, or the steps of `generate`, as layers by number.

    Those of steps are made of their own text, number `batch`, and when they're asked for it.
    """
    if layers is not None and not isinstance(layers, (tuple, list, dict)):
        notes = averaged_note([layers])
        layers = [one_layer(array_of(layers))] if len(np.shape(layers)) < 4 else [*layers]
        named = chosen is not None
    else:
        named, notes = True, None
    if layers is None or not has_weights(layers.values() if isinstance(layers, dict) else layers):
        raise ValueError(f"there are no attentions: {EAGER}")
    if are_steps(layers):
        stitched = stitch(layers, causal, batch, chosen)
        before = next(iter(stitched.values())).before
        return stitched, True, (UNASKED.format(count=before),) * (before > 0)
    numbered = layers if isinstance(layers, dict) else dict(enumerate(layers))
    return numbered, named, averaged_note([*numbered.values()]) if notes is None else notes


def is_held(layer):
    """Whether a layer has numbers, and not a shape alone."""
    return not getattr(layer, "is_meta", False)


def copy_once(layers, numbers, text, shape, holding):  # [layer, head, query, key]
    """Layers by number, those of one text, as one array, by the groups of `holding`; `shape` is what each has without.

    Layers that are the map's own, for which that is None, are forgotten as they're copied. Raises `TooMany` for more
    weights than may be held.
    """
    heads, queries, keys = shape
    held = holding or Holding()
    shapes = [(len(numbers) * heads, queries, keys)]
    if not held.allows(shapes):
        raise TooMany(shapes)
    weights = np.empty([len(numbers), heads, *held.shape(queries, keys)], np.float32)
    for place, number in enumerate(numbers):
        weights[place] = held.summed(array_of(layers[number] if text is None else layers[number][text]))
        if holding is None:
            layers[number] = None
    return weights


def pick_layers(present, chosen):
    """The numbers of the layers that are wanted, of those that are there; all for None.

    >>> pick_layers([1, 3], [2])
    Traceback (most recent call last):
    ValueError: layers must be among 1, 3, counted from 0, got [2]
    """
    if chosen is None:
        return list(present)
    wanted = [chosen] if isinstance(chosen, (int, np.integer)) else list(chosen)
    if not wanted or not set(wanted) <= set(present):
        raise ValueError(f"layers must be among {', '.join(map(str, present))}, counted from 0, got {wanted}")
    return wanted


def name_layers(numbers):
    """The names of layers by their numbers, from 0.

    >>> name_layers([4, 8])
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


def stitch(steps, causal=True, batch=0, chosen=None):  # -> {number: Stitched}
    """The steps of `generate` as layers by number, those that are chosen: each new token asks those before it.

    >>> first, second = np.full((1, 1, 2, 2), 1 / 2), np.full((1, 1, 1, 3), 1 / 3)
    >>> stitch([[first], [second]])[0][0][0].round(2)
    array([[0.5 , 0.5 , 0.  ],
           [0.5 , 0.5 , 0.  ],
           [0.33, 0.33, 0.33]], dtype=float32)

    If not `causal`, it asks those of the encoder. Without a cache, each step asks anew for what came before; with a
    static one, there are places for what never came; with a window, keys that are too far are gone. Where the text was
    read in chunks, or began with a cache, the first tokens ask nothing: there are fewer queries than keys.
    """
    numbers = pick_layers(range(len(steps[0])), chosen)
    text = check_text(batch, len(steps[0][0]))
    before = max(count_unasked(array_of(steps[0][number][text])) for number in numbers) if causal else 0
    return {number: Stitched([step[number] for step in steps], causal, before) for number in numbers}


class Stitched:
    """One layer of the steps of `generate`, which is put together when it's asked for one of its texts."""

    def __init__(self, steps, causal, before):  # [text, head, query, key] each
        self._steps, self._causal, self.before = steps, causal, before
        self._ends = [before]  # of the text after each step; without a cache, a step asks anew for what came before
        for queries in (step.shape[2] for step in steps):
            self._ends.append(queries if queries > self._ends[-1] else self._ends[-1] + queries)
        texts, heads, _, keys = steps[0].shape
        self.shape = texts, heads, self._ends[-1] - before, self._ends[-1] if causal else keys

    def __getitem__(self, text):  # -> [head, query, key]
        whole = np.zeros(self.shape[1:], np.float32)
        for step, start, end in zip(self._steps, self._ends, self._ends[1:]):
            weights = array_of(step[text])[:, start - end :]
            first = max(end - weights.shape[2], 0) if self._causal else 0  # of the keys that are still there
            keys = whole[:, start - self.before : end - self.before, first : first + weights.shape[2]]
            keys[...] = weights[:, :, : keys.shape[2]]
        return whole


def count_unasked(first):  # [head, query, key]
    """How many keys of the first step stand before those of its queries: what a cache held already.

    >>> count_unasked(np.array([[[0.5, 0.5, 0], [0.4, 0.3, 0.3]]]))
    1
    >>> count_unasked(np.array([[[1, 0, 0, 0], [0.5, 0.5, 0, 0]]]))
    0
    """
    reached = np.flatnonzero(first[:, -1].any(0))  # a query looks at itself; static caches have places after it
    return max(int(reached[-1]) + 1 - first.shape[1], 0) if len(reached) else 0


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
