"""Results that a chapter computed for several settings, to slide through."""

from statistics import mean

from IPython.display import HTML, Markdown

from manyheads.drawing.element import element_html, is_building
from manyheads_book.measured import rounded


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
        return HTML(element_html("result-slider", {}, data | {"unit": unit, "digits": digits, "start": start}))
    means = [
        f"| {row} | " + " | ".join(f"{mean(each):.{digits}f} {unit}".strip() for each in values) + " |"
        for row, values in series.items()
    ]
    header = " | ".join(map(str, [name, *steps]))
    return Markdown("\n".join([f"| {header} |", "|---" * (len(steps) + 1) + "|", *means]))
