"""How close two results of the same computation have to be: stated here, for all tests."""

import numpy as np
import torch


def assert_close(actual, wanted, *, terms=100, part=None, summed=0, name=""):
    """Fails unless two results have one shape and differ by no more than a part of their largest number.

    Processors sum in different orders, and every addition rounds to the precision of its numbers. So what may differ
    grows with the size of the numbers and the length of the sums, and an absolute bound that holds on one machine fails
    on the next. The part is `terms` roundings of the coarser dtype: 100 suit an attention layer or two, 1000 a model of
    many layers. Give `part` itself where more is lost than rounding takes, as in weights that were kept in 8 bits; and
    `summed`, the numbers that were added up, where they may be larger than their sums.

    NaN and infinities have to stand in the same places. `name` says what is compared, where a test compares much.
    """
    (actual, one), (wanted, other) = read(actual), read(wanted)
    before = f"{name}: " if name else ""
    assert actual.shape == wanted.shape, f"{before}the shape is {actual.shape} and not {wanted.shape}"
    finite = np.isfinite(actual) & np.isfinite(wanted)
    np.testing.assert_array_equal(actual[~finite], wanted[~finite], before + "what isn't finite")
    apart = np.abs(np.subtract(actual, wanted, where=finite, out=np.zeros(actual.shape)))
    numbers = np.concatenate([actual[finite], wanted[finite], np.ravel(read(summed)[0])])
    bound = np.abs(numbers).max(initial=0) * (terms * max(one, other) if part is None else part)
    if apart.size:
        at = np.unravel_index(apart.argmax(), apart.shape)
        place = f"at {[*map(int, at)]}, " if at else ""
        told = f"{place}{actual[at]} and not {wanted[at]}: {apart[at]:.3g} apart, where {bound:.3g} is allowed"
        assert apart[at] <= bound, before + told


def read(numbers):
    """Numbers as float64, and the precision in which they were computed: float32 for plain numbers, which don't tell."""
    if isinstance(numbers, torch.Tensor):
        precision = torch.finfo(numbers.dtype).eps if numbers.is_floating_point() else 0
        return numbers.detach().cpu().double().numpy(), precision
    array = np.asarray(numbers)
    told = array.dtype if isinstance(numbers, np.ndarray | np.generic) else np.dtype("float32")
    return array.astype(float), np.finfo(told).eps if told.kind == "f" else 0
