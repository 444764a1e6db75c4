"""How many processors PyTorch computes on."""

from contextlib import contextmanager

import torch


@contextmanager
def one_thread():
    """Compute on one thread: matrices as small as ours are not worth sharing out, and sums come out the same anywhere.

    >>> before = torch.get_num_threads()
    >>> with one_thread():
    ...     torch.get_num_threads()
    1
    >>> torch.get_num_threads() == before
    True
    """
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
