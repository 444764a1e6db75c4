"""The text files of words and sentences that our models are made of: lines below headers in square brackets."""

from functools import cache


@cache
def read_sections(path):
    """The lines below each header, {header: lines}.

    >>> from manyheads.models.focus.grammar import DATA
    >>> read_sections(DATA / "nouns.txt")["n.animal/O"][0][:17]
    'alligator ant bat'

    A line that starts with spaces goes on from the line before; one that starts with # is a comment.
    """
    found = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line.startswith(" "):
            lines[-1] += line
        elif line and not line.startswith("#"):
            lines.append(line)
    return found
