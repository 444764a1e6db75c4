"""Checks of the inputs of attention.py and of models: those that do not fit are refused in plain words, with shapes.

Nothing here looks at a number, so that a module stays one graph for torch.compile and torch.export.
"""

import numpy as np
import torch


def check_width(num_heads, **widths):
    """Refuse heads that do not divide a width; cutting off the rest would lose it without a word.

    >>> check_width(num_heads=3, attention_dim=8)
    Traceback (most recent call last):
    ValueError: num_heads must divide attention_dim, got 3 heads for a width of 8
    """
    for name, width in widths.items():
        if num_heads < 1 or width < 1 or width % num_heads:
            raise ValueError(f"num_heads must divide {name}, got {num_heads} heads for a width of {width}")


def check_groups(num_heads, num_kv_heads, rotated_width=None):
    """Refuse groups that do not divide the heads, and rotary positions of an odd width.

    >>> check_groups(num_heads=9, num_kv_heads=2)
    Traceback (most recent call last):
    ValueError: num_kv_heads must divide num_heads, got 2 for 9 heads
    """
    if num_kv_heads < 1 or num_heads % num_kv_heads:
        raise ValueError(f"num_kv_heads must divide num_heads, got {num_kv_heads} for {num_heads} heads")
    if rotated_width and rotated_width % 2:
        raise ValueError(f"rotary positions turn pairs of columns, got heads of width {rotated_width}")


def check_cache(cache, keys, values):
    """Return the cache if it is empty or holds keys and values to which the new ones can be added.

    >>> check_cache((torch.ones(2, 3, 4),) * 2, *torch.ones(2, 2, 1, 5))
    Traceback (most recent call last):
    ValueError: the cache must be () or hold [2, any, 5] and [2, any, 5], got [[2, 3, 4], [2, 3, 4]]
    """
    old, new = [list(kept.shape) for kept in cache], [list(x.shape) for x in (keys, values)]
    for shape in (*old, *new):
        shape[-2:-1] = ["any"]
    if cache and (old != new or cache[0].shape[-2] != cache[1].shape[-2]):
        expected = " and ".join(str(shape).replace("'", "") for shape in new)
        raise ValueError(f"the cache must be () or hold {expected}, got {[list(kept.shape) for kept in cache]}")
    return cache


def check_inputs(query, key, value, mask, embed_dim, num_heads=None, past=0):
    """Fill in key and value where they are left out; return all three and the mask, which has two axes at least.

    >>> check_inputs(torch.ones(5, 4), torch.ones(7, 3), None, None, embed_dim=4)
    Traceback (most recent call last):
    ValueError: query, key and value must be [..., length, 4], got [7, 3]

    Without `num_heads` the mask broadcasts to [..., q, k], with it to [..., h, q, k]; `past` keys are in a cache.
    """
    key = query if key is None else key
    value = key if value is None else value
    for text in (query, key, value):
        if not isinstance(text, torch.Tensor) or not text.is_floating_point():
            got = getattr(text, "dtype", type(text).__name__)
            raise TypeError(f"query, key and value must be floating-point tensors, got {got}")
        if text.ndim < 2 or text.shape[-1] != embed_dim:
            raise ValueError(f"query, key and value must be [..., length, {embed_dim}], got {list(text.shape)}")
    if query.shape[:-2] != key.shape[:-2] or key.shape != value.shape:
        got = [list(text.shape) for text in (query, key, value)]
        raise ValueError(f"query, key and value must be [..., q, d], [..., k, d], [..., k, d], got {got}")
    if mask is not None:
        heads = [] if num_heads is None else [num_heads]
        shape = [*query.shape[:-2], *heads, query.shape[-2], past + key.shape[-2]]
        mask = torch.atleast_2d(check_mask(mask, shape, torch.bool))
    return query, key, value, mask


def check_mask(mask, shape, boolean, name="mask"):
    """Return the mask if it is boolean and broadcasts to the shape; a head mask must have its last axis in full.

    >>> check_mask(torch.ones(5, 4, dtype=torch.bool), (2, 5, 7), torch.bool)
    Traceback (most recent call last):
    ValueError: mask must broadcast to [2, 5, 7], got [5, 4]
    """
    if getattr(mask, "dtype", None) != boolean:
        got = getattr(mask, "dtype", type(mask).__name__)
        raise TypeError(f"{name} must be a boolean array, True for what may be attended to, got {got}")
    fits = all(size in (1, full) for size, full in zip(reversed(mask.shape), reversed(shape)))
    if mask.ndim > len(shape) or not fits or (name == "head_mask" and mask.shape[-1:] != shape[-1:]):
        raise ValueError(f"{name} must broadcast to {list(shape)}, got {list(mask.shape)}")
    return mask


def checked_heads(mask, num_layers, num_heads, *, last=False):
    """The head mask of a model as booleans [layer, h], False for a head that is off; None stays None.

    >>> checked_heads([True, False, True], num_layers=1, num_heads=3)
    tensor([[ True, False,  True]])
    >>> checked_heads([True, False, True], num_layers=2, num_heads=3)
    Traceback (most recent call last):
    ValueError: head_mask must have shape [layer, head] = [2, 3], got [3]

    A model of one layer takes [h] as well, and so does one whose `last` layer it may mean: those below are on. Raises
    `TypeError` for what isn't boolean.
    """
    if mask is None:
        return None
    mask = np.asarray(mask)
    if mask.dtype != bool:
        raise TypeError(f"head_mask must be boolean, False for a head that is off, got {mask.dtype}")
    shapes = [(num_layers, num_heads), (num_heads,)][: 2 if last or num_layers == 1 else 1]
    if mask.shape not in shapes:
        wanted = " or ".join(str(list(shape)) for shape in shapes)
        raise ValueError(f"head_mask must have shape [layer, head] = {wanted}, got {list(mask.shape)}")
    given = torch.tensor(mask).view(-1, num_heads)
    return torch.cat([torch.ones(num_layers - len(given), num_heads, dtype=torch.bool), given])
