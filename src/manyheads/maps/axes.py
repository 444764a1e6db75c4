"""Which axes of weights are texts, heads, queries and keys, as far as shapes, names and equations tell."""

from torch import Tensor

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


def contracted_last(weights, place, equation, heads=None):
    """Weights as [..., q, k], where k is summed over; None where they and the values share more than that."""
    if equation is None:
        return weights if place == 0 else weights.mT
    letters, output = _letters(equation)
    if "..." in equation:
        dots = weights.ndim - len(letters[place].replace("...", ""))
        filler = "ABCDEFGH"[: max(dots, 0)]
        letters = [one.replace("...", filler) for one in letters]
        output = output.replace("...", filler)
    mine, values = letters[place], letters[1 - place]
    summed = [letter for letter in mine if letter in values and letter not in output]
    asking = [letter for letter in mine if letter not in values and letter in output]
    if len(summed) != 1 or len(mine) != weights.ndim:
        return None
    sizes = dict(zip(mine, weights.shape))
    if len(asking) == 2:  # heads that share their values
        of_heads = [letter for letter in asking if sizes[letter] == heads]
        of_keys = [letter for letter in asking if sizes[letter] == sizes[summed[0]]]
        asking = [letter for letter in asking if letter not in of_heads] if len(of_heads) == 1 else of_keys
    if len(asking) != 1:
        return None
    others = [letter for letter in mine if letter not in (*summed, *asking)]
    return weights.permute([mine.index(letter) for letter in (*others, *asking, *summed)])


def axes_of_activation(equation, learnt, result):
    """The axes of a product that come from its side that isn't learnt: keys, if the other asks."""
    if equation is None:
        return frozenset([result.ndim - 1 if learnt[0] else result.ndim - 2])
    letters, output = _letters(equation)
    if "." in equation or len(letters) != 2 or not output:
        return frozenset()
    mine, others = letters[learnt.index(False)], letters[learnt.index(True)]
    return frozenset(place for place, letter in enumerate(output) if letter in mine and letter not in others)


def mixes_heads(scores, layer, heads):
    """Whether what multiplies scores mixes their heads: it's of as many."""
    return (
        scores.ndim > 3
        and isinstance(layer, Tensor)
        and layer.shape[:2] == (heads, heads)
        and layer.numel() == heads**2
    )


def _letters(equation):
    """The letters of an einsum: of each operand, and of the result, which may be left out."""
    inputs, arrow, output = equation.replace(" ", "").partition("->")
    once = "".join(sorted(letter for letter in set(inputs) - {",", "."} if inputs.count(letter) == 1))
    return inputs.split(","), output if arrow else once
