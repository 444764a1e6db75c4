"""What can be chosen of a map: the rows of `shared/options.json`, which `web/math/options.ts` reads and explains."""

import json
from pathlib import Path

OPTIONS = json.loads((Path(__file__).parent / "options.json").read_text(encoding="utf-8"))


def start_of(name):
    """Where an option starts.

    >>> start_of("view"), start_of("query"), start_of("head")
    ('paint', 0, None)
    """
    row = OPTIONS[name]
    return next(iter(row["values"])) if row["kind"] == "choice" else row["start"]


def names_with(column):
    """The options whose rows have such a column.

    >>> names_with("computed")
    ['sentence', 'compare']
    """
    return [name for name, row in OPTIONS.items() if column in row]


def is_whole(name, value):
    """Whether what is shown is told from whole rows: a page of such a map holds all tokens, whichever are chosen.

    >>> is_whole("special", "remove"), is_whole("special", "dim"), is_whole("first", 3)
    (True, False, False)
    """
    return "whole" in OPTIONS[name].get("values", {}).get(value, {})


def options_table():
    """The options as a table of Markdown: what each may be, where it starts, what it does.

    >>> print(options_table().splitlines()[3])
    | `compare` | a text | none | a second sentence, compared with the first head by head |
    """
    rows = [[f"`{name}`", _may_be(row), _written(start_of(name)), row["says"]] for name, row in OPTIONS.items()]
    return "\n".join(
        f"| {' | '.join(row)} |" for row in [["option", "may be", "starts as", "says"], ["---"] * 4, *rows]
    )


def _may_be(row):
    if row["kind"] == "choice":
        return ", ".join(f"`{value}`" for value in row["values"])
    kinds = {"text": "a text", "place": "a number, from 0", "query": "a number, two such as `5-9`, or a text"}
    return kinds[row["kind"]]


def _written(start):
    return "none" if start in (None, "") else f"`{start}`"
