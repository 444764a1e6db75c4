"""Which axes of weights are texts, heads, queries and keys, as far as shapes, names and equations tell."""

from torch import Tensor

DOTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"  # letters for axes that an equation doesn't name
# As modules and their configurations call the number of their heads.
HEADS = ("num_heads", "num_attention_heads", "n_heads", "n_head", "nhead", "nheads", "num_head", "heads")


def in_four_axes(weights, texts, heads=None):  # 2 axes or more -> [b, h, q, k], or None
    """Weights with an axis for texts and one for heads; `heads` is how many there are, where that's known.

    >>> import torch
    >>> [list(in_four_axes(torch.ones(shape), 2, 3).shape) for shape in ((6, 5, 5), (2, 5, 5), (3, 2, 5, 5))]
    [[2, 3, 5, 5], [2, 1, 5, 5], [2, 3, 5, 5]]
    >>> list(in_four_axes(torch.ones(2, 9, 3, 4, 4), texts=2, heads=3).shape)  # nine windows of each text
    [18, 3, 4, 4]

    None where they may be one thing or another.
    """
    count, last = len(weights), weights.shape[-1]
    if weights.ndim == 2:
        return weights[None, None]
    if weights.ndim == 3:
        if count == texts and not (heads == count == last):  # layers that read texts second read as many as tokens
            return weights[:, None]
        return weights.unflatten(0, (-1, heads)) if heads and count % heads == 0 else None
    if weights.ndim > 4:
        pairs = weights.shape[-4] * weights.shape[-3]
        if heads == pairs != weights.shape[-3]:  # groups of heads
            return weights.flatten(-4, -3).flatten(0, -4)
        return weights.flatten(0, -4) if weights.shape[-3] in (heads, pairs) else None
    second = weights.shape[1]
    if heads is None and second == texts != count:
        return None
    if count == heads != second and second == texts:
        return weights.transpose(0, 1)
    return weights if second in (heads or second, 1) else None


def heads_of(part):
    """How many heads a module says that it has; None where it doesn't.

    >>> import torch
    >>> heads_of(torch.nn.MultiheadAttention(embed_dim=4, num_heads=2)), heads_of(torch.nn.Linear(2, 2))
    (2, None)
    """
    counts = (getattr(holder, name, None) for holder in (part, getattr(part, "config", None)) for name in HEADS)
    return next((count for count in counts if isinstance(count, int) and count > 0), None)


def letters_of(equation, left, right):
    """The letters of the axes of two operands, given how many they have, and of their product, as einsum writes them.

    >>> letters_of("b h i d, b h j d -> b h i j", 4, 4), letters_of("...ij,...jd->...id", 3, 2)
    (('bhid', 'bhjd', 'bhij'), ('Aij', 'jd', 'Aid'))
    >>> letters_of(None, 4, 3), letters_of(None, 1, 2)  # of a product of matrices
    (('ABxy', 'Byz', 'ABxz'), ('y', 'yz', 'z'))
    """
    if equation is None:
        many = DOTS[: max(left, right, 2) - 2]
        first = "y" if left == 1 else many[len(many) - left + 2 :] + "xy"
        second = "y" if right == 1 else many[len(many) - right + 2 :] + "yz"
        return first, second, many + "x" * (left > 1) + "z" * (right > 1)
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    counts = [axes - len(one.replace("...", "")) for one, axes in zip(inputs.split(","), (left, right))]
    dots = [letter for letter in DOTS if letter not in inputs][: max(counts)]
    named = [one.replace("...", "".join(dots[len(dots) - count :])) for one, count in zip(inputs.split(","), counts)]
    whole = "".join(named)
    once = "".join(sorted(letter for letter in set(whole) - {*dots} if whole.count(letter) == 1))
    return *named, output.replace("...", "".join(dots)) if arrow else "".join(dots) + once


def roles_of(mine, values, output):
    """The letters of a product of weights and values by what they are: summed over, asking, of both, of values alone.

    >>> roles_of("bhqk", "bkhd", "bqhd")
    ('k', 'q', 'bh', 'd')
    """
    summed = "".join(letter for letter in mine if letter in values and letter not in output)
    asking = "".join(letter for letter in mine if letter not in values and letter in output)
    both = "".join(letter for letter in mine if letter in values and letter in output)
    return summed, asking, both, "".join(letter for letter in output if letter not in mine)


def contracted_last(weights, mine, values, output, heads=None):
    """Weights as [..., q, k], where k is summed over, and the letters of the axes before; None where it can't be told.

    >>> import torch
    >>> weights, before = contracted_last(torch.ones(2, 5, 3, 4), "bkhq", "bhkd", "bhqd")
    >>> list(weights.shape), before
    ([2, 3, 4, 5], 'bh')
    >>> list(contracted_last(torch.ones(2, 5), "bk", "bkd", "bd")[0].shape)  # one query, which has no axis
    [2, 1, 5]
    """
    summed, asking, _, _ = roles_of(mine, values, output)
    if len(summed) != 1 or len(set(mine)) != weights.ndim:
        return None
    sizes = dict(zip(mine, weights.shape))
    if len(asking) == 2:  # heads that share their values
        of_heads = [letter for letter in asking if sizes[letter] == heads]
        of_keys = [letter for letter in asking if sizes[letter] == sizes[summed]]
        asking = [letter for letter in asking if letter not in of_heads] if len(of_heads) == 1 else of_keys
    if len(asking) > 1 or not set(mine) <= {*output, *summed}:
        return None
    before = "".join(letter for letter in mine if letter not in (*summed, *asking))
    turned = weights.permute([mine.index(letter) for letter in (*before, *asking, *summed)])
    return turned if asking else turned.unsqueeze(-2), before


def mixes_heads(scores, layer, heads):
    """Whether what multiplies scores mixes their heads: it's of as many."""
    return (
        scores.ndim > 3
        and isinstance(layer, Tensor)
        and layer.shape[:2] == (heads, heads)
        and layer.numel() == heads**2
    )
