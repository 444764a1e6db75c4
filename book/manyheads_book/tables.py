"""Tables of text."""

from IPython.display import Markdown


def table(columns, rows):
    """Rows of text, below the names of their columns.

    >>> print(table(["head", "adds"], [["1", "0.30"]]).data)
    | head | adds |
    | --- | --- |
    | 1 | 0.30 |
    """
    return Markdown("\n".join("| " + " | ".join(row) + " |" for row in [columns, ["---"] * len(columns), *rows]))
