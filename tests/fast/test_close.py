"""The one bound of the tests: relative to the largest number, and to the precision of what is compared."""

import numpy as np
import pytest
import torch
from close import assert_close

LOGITS = np.array([[1000.0, 0.01], [-3.0, 20.0]], np.float32)
CHANGE = np.array([[0, 0.1], [0, 0]])
WRONG = {
    "a shape": (LOGITS, LOGITS[0], r"^the shape is \(2, 2\) and not \(2,\)"),
    "more than rounding": (
        LOGITS + CHANGE,
        LOGITS,
        r"^at \[0, 1\], 0\.1\d+ and not 0\.0\d+: 0\.1 apart, where 0\.0119 is",
    ),
    "small numbers": ((LOGITS + CHANGE) / 1e6, LOGITS / 1e6, ": 1e-07 apart"),
    "a number": (1.1, 1, r"^1\.1 and not 1\.0: 0\.1 apart"),
    "numbers of float64": (LOGITS.astype(float) * (1 + 1e-6), LOGITS.astype(float), ": 0.001 apart"),
    "an infinity elsewhere": ([1, -np.inf], [-np.inf, 1], "not equal"),
    "an infinity of the other sign": ([np.inf], [-np.inf], "not equal"),
    "an infinity for a number": ([np.inf, 1], [1e38, 1], "not equal"),
    "no number": ([np.nan, 1], [0, 1], "not equal"),
}


@pytest.mark.parametrize(
    ("actual", "wanted"),
    [
        (LOGITS + np.float32(1e-3), LOGITS),
        (torch.tensor(LOGITS, requires_grad=True), LOGITS.tolist()),
        (torch.tensor(LOGITS).bfloat16(), LOGITS),
        (LOGITS[::-1] * (1 + 1e-6), np.array(LOGITS[::-1], float)),
        (1 + 1e-6, 1),
        (np.zeros((0, 3)), torch.zeros(0, 3)),
        ([[-np.inf, np.nan], [1, 0]], torch.tensor([[-np.inf, np.nan], [1, 0]])),
        (torch.tensor([1, 2]), [1, 2]),
    ],
)
def test_rounding_is_no_difference(actual, wanted):
    assert_close(actual, wanted)


@pytest.mark.parametrize("case", WRONG)
def test_more_than_rounding_is_told(case):
    actual, wanted, sentence = WRONG[case]
    with pytest.raises(AssertionError, match=sentence):
        assert_close(actual, wanted)


def test_a_bound_follows_the_length_of_the_sums_or_is_given():
    assert_close(LOGITS * 1.0001, LOGITS, terms=1000)
    assert_close(LOGITS * 1.01, LOGITS, part=0.02)
    with pytest.raises(AssertionError, match=r"^weights: at"):
        assert_close(LOGITS * 1.0001, LOGITS, name="weights")
