"""What the experiments found on a claim, statement by statement, as Markdown for a chapter's cells."""

from manyheads.experiments.claims import is_steady, statements_of, verdict_of
from manyheads.experiments.kept import key
from manyheads.experiments.results import result_of

FOUND = {1: "yes", 0: "no", -1: "no, the contrary"}


def findings(claim):
    """What was found and the verdict that follows, and whether half of the seeds would give another.

    >>> findings("lookups").data.splitlines()[-1][:23]
    '**Verdict: holds.** Eac'
    """
    rows = [f"| {statement} | {FOUND[int(true)]} |" for statement, true in statements_of(claim).items()]
    steady = (
        "Each half of the seeds alone gives the same verdict."
        if is_steady(claim)
        else "Half of the seeds alone would give another verdict, so take this one with care."
    )
    return _markdown(
        "\n".join(["| evidence | found |", "|---|---|", *rows, "", f"**Verdict: {verdict_of(claim)}.** {steady}"])
    )


def made(name):
    """How a kept result came about.

    >>> made("lookups")[:13]
    '10 seeds, by '
    """
    found = result_of(name)
    processors = found["machine"]["processors"]
    origin = f"{len(found['seeds'])} seeds, by {found['command']}, {found['date']}, on {processors} processors"
    return origin if found["key"] == key(name) else f"{origin}, with other words than this book now has"


def _markdown(text):
    from IPython.display import Markdown

    return Markdown(text)
