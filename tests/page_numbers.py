"""Numbers that pages hand to tests."""

import numpy as np


def array(matrix):
    """A matrix whose values were sent as texts, since JSON has no infinity."""
    values = [float(value.replace("Infinity", "inf")) for value in matrix["values"]]
    return np.array(values, np.float32).reshape(matrix["shape"])


def number(text):
    """A number as people read it."""
    return float(text.replace("−", "-").replace("∞", "inf"))
