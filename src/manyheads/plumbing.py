"""What attention.py need not show: input that does not fit is refused in plain words, and layers are filled.

Nothing here looks at a number, so that a module stays one graph for torch.compile and torch.export.
"""

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


def check_inputs(query, key, value, mask, embed_dim, *num_heads):
    """Fill in key and value where they are left out; return all three and the shape of the map, [..., h, q, k].

    >>> check_inputs(torch.ones(5, 4), torch.ones(7, 3), None, None, 4)
    Traceback (most recent call last):
    ValueError: query, key and value must be [..., length, 4], got [7, 3]
    """
    key = query if key is None else key
    value = key if value is None else value
    for x in (query,) if query is key is value else (query, key, value):
        if not isinstance(x, torch.Tensor) or not x.is_floating_point():
            got = getattr(x, "dtype", type(x).__name__)
            raise TypeError(f"query, key and value must be floating-point tensors, got {got}")
        if x.ndim < 2 or x.shape[-1] != embed_dim:
            raise ValueError(f"query, key and value must be [..., length, {embed_dim}], got {list(x.shape)}")
    if not query is key is value and (query.shape[:-2] != key.shape[:-2] or key.shape != value.shape):
        got = [list(x.shape) for x in (query, key, value)]
        raise ValueError(f"query, key and value must be [..., q, d], [..., k, d], [..., k, d], got {got}")
    *batch, num_queries, _ = query.shape
    shape = (*batch, *num_heads, num_queries, key.shape[-2])
    if mask is not None:
        check_mask(mask, shape, torch.bool)
    return query, key, value, shape


def check_mask(mask, shape, boolean, name="mask"):
    """Return the mask if it is boolean and broadcasts to the shape; the last axis of a head mask must be there in full.

    >>> check_mask(torch.ones(5, 4, dtype=torch.bool), (2, 5, 7), torch.bool)
    Traceback (most recent call last):
    ValueError: mask must broadcast to [2, 5, 7], got [5, 4]
    """
    if getattr(mask, "dtype", None) != boolean:
        got = getattr(mask, "dtype", type(mask).__name__)
        raise TypeError(f"{name} must be a boolean array, True for what may be attended to, got {got}")
    fits = all(size in (1, full) for size, full in zip(reversed(mask.shape), reversed(shape), strict=False))
    if mask.ndim > len(shape) or not fits or (name == "head_mask" and mask.shape[-1:] != shape[-1:]):
        raise ValueError(f"{name} must broadcast to {list(shape)}, got {list(mask.shape)}")
    return mask


def fill(module, tensors, like):
    """Load tensors in the order of the module's own, all of them and of the same shapes, and make the module `like`.

    >>> fill(torch.nn.Linear(3, 2), [torch.zeros(2, 3)], like=torch.nn.Linear(3, 2))
    Traceback (most recent call last):
    ValueError: zip() argument 2 is shorter than argument 1
    """
    module = module.to(next(like.parameters())).train(like.training)  # first: float64 must not pass through float32
    module.load_state_dict(dict(zip(module.state_dict(), tensors, strict=True)))
    return module
