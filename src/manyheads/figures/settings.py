"""What a phrase, a guess or a link sets of a figure, as it's written in a text: `query: 4; view: matrix`."""

import re


def read_settings(text):
    """What is set of a figure; `ValueError` for what isn't written so.

    >>> read_settings("query: 4; view: matrix")
    {'query': '4', 'view': 'matrix'}
    """
    pairs = [pair.partition(":") for pair in text.split(";")]
    if not all(name.strip() and colon for name, colon, _ in pairs):
        raise ValueError(f"settings are written as name: value; name: value, got {text!r}")
    return {name.strip(): re.sub(r"\s*\n\s*", " ", value.strip(" \n")) for name, _, value in pairs}
