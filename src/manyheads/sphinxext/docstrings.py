"""Our docstrings, which are plain text with `code`, as reStructuredText for the api page."""

import inspect
import re


def plain_docstring(app, what, name, obj, options, lines):
    """Makes reStructuredText of our docstrings, which are plain text with `code`; adds the shapes beside the `def`."""
    paragraphs = "\n".join(lines).split("\n\n")
    for place, text in enumerate(paragraphs):
        if place and text.startswith("    "):  # shown as it stands; what announces it ends with a colon
            paragraphs[place - 1] += ":"
            paragraphs[place] = text.replace("`", "")
        elif not text.startswith(">>>"):
            parts = re.split(r"`([^`]+)`", text)  # what stands between backticks is at 1, 3, ...
            parts = [f"``{part}``" if at % 2 else part.replace("|", r"\|") for at, part in enumerate(parts)]
            paragraphs[place] = "".join(parts)
    shapes = _shapes(getattr(obj, "forward", obj))
    if shapes:
        paragraphs.insert(1, f"Shapes: ``{shapes}``")
    lines[:] = "\n\n".join(paragraphs).split("\n")


def _shapes(function):
    """What the comment beside a function's signature says."""
    if not inspect.isfunction(function):
        return None
    found = re.match(r"(?:\s*@.*\n)*\s*def [^#]*?:\s*# (.*)", inspect.getsource(function))
    return found and found[1]
