"""What the experiments found on a claim, statement by statement, as Markdown for a chapter's cells."""

from statistics import mean

from manyheads.experiments.claims import is_steady, statements_of, verdict_of
from manyheads.experiments.kept import key, rounded
from manyheads.experiments.results import result_of
from manyheads.maps.element import element_html, is_building

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


def slider(name, steps, series, unit="", digits=0, start=0):
    """What was found at each step of what `name` names, to slide through; `series` maps names to values, [step][seed].

    >>> found = slider("heads", [1, 2], {"missed": [[50.4, 49.8], [0.7, 1.1]]}, unit="%")
    >>> found.data.splitlines()[2:]
    ['| missed | 50 % | 1 % |']

    In a book, the `<result-slider>` element with a dot a seed; else a table of the means.
    """
    if is_building():
        rows = [
            {"name": row, "values": rounded([list(map(float, each)) for each in values])}
            for row, values in series.items()
        ]
        data = {"name": name, "steps": [str(step) for step in steps], "series": rows}
        return _html(element_html("result-slider", {}, data | {"unit": unit, "digits": digits, "start": start}))
    means = [
        f"| {row} | " + " | ".join(f"{mean(each):.{digits}f} {unit}".strip() for each in values) + " |"
        for row, values in series.items()
    ]
    header = " | ".join(map(str, [name, *steps]))
    return _markdown("\n".join([f"| {header} |", "|---" * (len(steps) + 1) + "|", *means]))


def made(name):
    """How a kept result came about.

    >>> made("lookups")[:13]
    '10 seeds, by '
    """
    found = result_of(name)
    processors = found["machine"]["processors"]
    origin = f"{len(found['seeds'])} seeds, by {found['command']}, {found['date']}, on {processors} processors"
    return origin if found["key"] == key(name) else f"{origin}, with other words than this book now has"


def _html(text):
    from IPython.display import HTML

    return HTML(text)


def _markdown(text):
    from IPython.display import Markdown

    return Markdown(text)
