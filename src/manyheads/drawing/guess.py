"""A question before a figure answers it: the `<figure-guess>` element, and its words where no script runs."""

import re
from html import escape

from manyheads.drawing.element import element_html


def guess_html(question, answers, right, *, says="", why=(), figure=None, sets=None, covers=False):
    """A question with `answers` to press, of which `right` is one, and what it `says` then.

    `why` says of each other answer, in their order, why it isn't so: to those who pressed it.

    `figure` is the id or the kind of the figure that answers, `sets` are attributes that it takes then, with their
    values, and with `covers` the figure right below stays covered until then.

    >>> html = guess_html("*Which*?", ["tea", "milk"], "milk", says="It's white.")
    >>> html.partition("<details>")[0]
    '<figure-guess><p><strong><em>Which</em>?</strong> tea / milk</p>'

    Raises `ValueError` where `right` isn't among the answers, and where `why` isn't as long as the others.
    """
    if right not in answers:
        raise ValueError(f"right must be one of {', '.join(answers)}, got {right!r}")
    others = [answer for answer in answers if answer != right]
    if why and len(why) != len(others):
        raise ValueError(f"why must say it of {', '.join(others)}, got {len(why)} sentences")
    reply = f"{right}. {says}".strip()
    shown = f"<p><strong>{_marked(question)}</strong> {_marked(' / '.join(answers))}</p>"
    plain = f"{shown}<details><summary>The answer</summary>{_marked(reply)}</details>"
    data = {"question": question, "answers": answers, "right": answers.index(right), "says": says, "sets": sets or {}}
    if why:
        data["why"] = [dict(zip(others, why)).get(answer, "") for answer in answers]
    return element_html("figure-guess", {"for": figure, "covers": "" if covers else None}, data, plain)


def _marked(text):
    """A text with *emphasis* and `code` as HTML: twin of `markedNodes` in dom.ts."""
    emphasised = re.sub(r"\*([^*]+)\*", r"<em>\1</em>", escape(text))
    return re.sub("`([^`]+)`", r"<code>\1</code>", emphasised)
