"""A line for each stage of a build, with the seconds that it took."""

from contextlib import contextmanager
from time import perf_counter

from sphinx.util import logging

LOG = logging.getLogger(__name__)


@contextmanager
def stage(what):
    """Says what is done, and after it how long it took: `Drawing the figures of 21 pages ... 14 s`."""
    LOG.info(f"{what} ... ", nonl=True)
    start = perf_counter()
    yield
    LOG.info(f"{perf_counter() - start:.0f} s")
