"""What would count as evidence for a claim, and what the experiments found, as Markdown for a chapter's cells."""

from manyheads.experiments.claims import is_steady, statements_of, verdict_of
from manyheads.experiments.kept import key
from manyheads.experiments.results import result_of


def evidence_for(claim):
    """What would count as evidence for a claim, as a list.

    >>> evidence_for("lookups").data.splitlines()[0]
    '- Two heads do two lookups at once: they miss less than 2 %.'
    """
    return _markdown("\n".join(f"- {statement}." for statement in statements_of(claim)))


def findings(claim):
    """What was found and the verdict that follows, and whether half of the seeds would give another.

    >>> findings("lookups").data.splitlines()[-1][:23]
    '**Verdict: holds.** Eac'
    """
    rows = [f"| {statement} | {'yes' if true else 'no'} |" for statement, true in statements_of(claim).items()]
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
