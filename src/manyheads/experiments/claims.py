"""The eight claims: which experiments each rests on, and which statements about them would be evidence."""

from manyheads.experiments import (
    distances,
    diversity,
    generalisation,
    lookups,
    noise,
    overfitting,
    parallel,
    pruning,
)
from manyheads.experiments.evidence import verdict
from manyheads.experiments.results import runs_of

CLAIMS = {  # claim -> its statements, the experiments whose runs they are about
    "diversity": (diversity.statements, "short_trainings"),
    "overfitting": (overfitting.statements, "overfitting"),
    "parallel": (parallel.statements, "parallel"),
    "lookups": (lookups.statements, "lookups"),
    "distances": (distances.statements, "distances"),
    "generalisation": (generalisation.statements, "short_trainings"),
    "noise": (noise.statements, "short_trainings"),
    "pruning": (pruning.statements, "pruning", "short_trainings", "distances"),
}


def statements_of(claim, seeds=slice(None)):
    """What would count as evidence for a claim, and what was found: {statement: is it true?}; `seeds` takes some runs.

    >>> list(statements_of("lookups").values())[0]
    True
    """
    statements, *experiments = CLAIMS[claim]
    return statements(*(runs_of(name)[seeds] for name in experiments))


def verdict_of(claim, seeds=slice(None)):
    """`"holds"`, `"in part"`, `"not shown"` or `"the opposite"`.

    >>> verdict_of("lookups")
    'holds'
    """
    return verdict(statements_of(claim, seeds))


def is_steady(claim):
    """Whether two disjoint halves of the seeds give one verdict, the same as all of them.

    >>> is_steady("lookups")
    True
    """
    halves = slice(0, None, 2), slice(1, None, 2)
    return {verdict_of(claim, half) for half in halves} == {verdict_of(claim)}
