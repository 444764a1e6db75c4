"""Weights of layers written as they come into the array that their map will be: nothing is held twice, or stacked."""

import math
import re
from collections import Counter

import numpy as np
import torch


class LayerArrays:
    """Arrays of float32, [layer, head, query, key], each for the layers of modules whose names differ in numbers alone.

    >>> arrays = LayerArrays(["layers.0.attn", "layers.1.attn"])
    >>> layers = [arrays.write(f"layers.{layer}.attn", torch.full((1, 3, 5, 7), layer)) for layer in (0, 1)]
    >>> arrays.of(layers).shape, arrays.of(layers[:1]) is None
    ((2, 3, 5, 7), True)
    """

    def __init__(self, names):
        self._counts = Counter(map(_without_numbers, names))
        self._open, self._all = {}, []  # by name and shape: an array, and how many layers it has; all arrays

    def place(self, name, shape):  # [..., q, k] -> a tensor of this shape to write into
        """Memory for the weights of one layer, beside those of the layers before."""
        key = _without_numbers(name), tuple(shape)
        array, count = self._open.get(key, (None, 0))
        if array is None or count == len(array):
            layers, count = max(self._counts[key[0]], 1), 0
            array = np.empty((layers, math.prod(shape[:-2]), *shape[-2:]), np.float32)  # touched as it's written
            self._all.append(array)
        self._open[key] = array, count + 1
        return torch.from_numpy(array[count]).view(*shape)

    def write(self, name, weights):
        """A copy of weights in their place."""
        return self.place(name, weights.shape).copy_(weights)

    def of(self, layers):  # of [b, h, q, k], where all texts have the numbers of one
        """The array that these layers fill, in its order, or None."""
        of_one = all(layer.shape[0] == 1 or layer.stride(0) == 0 for layer in layers)
        for array in self._all if of_one else ():
            places = [array[layer].ctypes.data for layer in range(len(array))]
            alike = {tuple(layer.shape[1:]) for layer in layers} == {array.shape[1:]}
            if alike and [layer.data_ptr() for layer in layers] == places:
                return array
        return None


def _without_numbers(name):
    return re.sub(r"\d+", "", name)
