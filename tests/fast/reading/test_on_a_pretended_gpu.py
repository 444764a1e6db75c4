"""A model on a GPU, as far as a machine without one can tell: on tensors that refuse what a device refuses."""

import numpy as np
import pretended_gpu
import pytest
import torch
from close import assert_close
from gpu_cases import CASES

from manyheads.widgets import HeadMap


class Pretended:
    put, there = staticmethod(pretended_gpu.put), staticmethod(pretended_gpu.there)


@pytest.mark.filterwarnings("ignore:.*script_method:DeprecationWarning")  # of the compiler's own, as it's imported
@pytest.mark.parametrize("name", CASES)
def test_what_a_reader_does_with_a_model_on_a_gpu(name):
    with pretended_gpu.device():
        CASES[name](Pretended)


def test_it_refuses_what_a_device_refuses():
    with pretended_gpu.device():
        there, here = torch.ones(2, device="cuda"), torch.ones(2)
        with pytest.raises(RuntimeError, match="Expected all tensors to be on the same device"):
            there + here
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
            there.numpy()
        with pytest.raises(TypeError, match="can't convert cuda:0 device type tensor to numpy"):
            np.asarray(there)
        assert (there.cpu() + here).tolist() == [2, 2]
        assert there.numpy(force=True).tolist() == [1, 1]


class CuPyArray:
    """An array on a device as CuPy's are: NumPy can't read it, others can by DLPack."""

    def __init__(self, values):
        self.values = values
        self.shape, self.ndim, self.dtype = values.shape, values.ndim, values.dtype

    def __getitem__(self, places):
        return CuPyArray(self.values[places])

    def __len__(self):
        return len(self.values)

    def __iter__(self):
        return (self[place] for place in range(len(self)))

    def __array__(self, *_, **__):
        raise TypeError("Implicit conversion to a NumPy array is not allowed. Please use `.get()`.")

    def __dlpack__(self, **options):
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("axes", [2, 3, 4])
def test_an_array_that_numpy_cannot_read_where_it_is(axes):
    weights = np.random.default_rng(0).dirichlet(np.ones(5), (2, 3, 5)).astype(np.float32)[(0,) * (4 - axes)]
    shown = HeadMap.of(CuPyArray(weights), list("abcde")).attention
    assert_close(shown.weights.reshape(weights.shape), weights)
