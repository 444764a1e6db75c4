"""Results of the experiments, measured where none is kept."""

from manyheads.experiments import kept
from manyheads.experiments.running import run


def result_of(name):
    """A kept result that fits, the reader's own first; measured now where there is none.

    >>> len(result_of("lookups")["seeds"])
    10

    Raises `ValueError` for a name that is none of `EXPERIMENTS`.
    """
    result = kept.fitting(name)
    if result is None:
        run([name])
        result = kept.read(kept.own_path())[name]
    return result


def runs_of(name):
    """What each seed of an experiment gave, as its `measure` returns it.

    >>> len(runs_of("lookups")) == len(result_of("lookups")["seeds"])
    True
    """
    return result_of(name)["runs"]
