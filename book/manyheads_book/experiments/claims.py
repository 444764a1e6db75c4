"""The eight claims: which experiments each rests on, which statements about them would be evidence, what was found."""

from IPython.display import Markdown

from manyheads_book.experiments import (
    distances,
    diversity,
    generalisation,
    lookups,
    noise,
    overfitting,
    parallel,
    pruning,
)
from manyheads_book.experiments.evidence import HALVES, verdict
from manyheads_book.experiments.results import runs_of

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
FOUND = {1: "yes", 0: "no", -1: "no, the contrary"}


def statements_of(claim, seeds=slice(None)):
    """What would count as evidence for a claim: {statement: 1 if it's true, else 0 or -1}; `seeds` takes some runs.

    >>> list(statements_of("lookups").values())[0]
    1
    """
    statements, *experiments = CLAIMS[claim]
    return statements(*(runs_of(name)[seeds] for name in experiments))


def verdict_of(claim):
    """One of `VERDICTS`; "not shown" where half of the seeds say otherwise.

    >>> verdict_of("lookups")
    'holds'
    """
    return verdict(statements_of(claim)) if is_steady(claim) else "not shown"


def is_steady(claim):
    """Whether two disjoint halves of the seeds give one verdict, the same as all of them.

    >>> is_steady("lookups")
    True
    """
    return len({verdict(statements_of(claim, seeds)) for seeds in (slice(None), *HALVES)}) == 1


def findings(claim):
    """What was found and the verdict that follows, and whether half of the seeds would give another, as Markdown.

    >>> findings("lookups").data.splitlines()[-1][:23]
    '**Verdict: holds.** Eac'
    """
    rows = [f"| {statement} | {FOUND[int(true)]} |" for statement, true in statements_of(claim).items()]
    steady = (
        "Each half of the seeds alone gives the same verdict."
        if is_steady(claim)
        else "The two halves of the seeds, each alone, would not give one and the same verdict."
    )
    lines = ["| evidence | found |", "|---|---|", *rows, "", f"**Verdict: {verdict_of(claim)}.** {steady}"]
    return Markdown("\n".join(lines))
