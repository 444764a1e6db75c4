"""A claim's verdict, for a reader to guess."""

from IPython.display import HTML, Markdown

from manyheads.drawing.element import is_building
from manyheads.drawing.guess import guess_html
from manyheads_book.experiments import verdict_of

ANSWERS = ["holds", "in part", "not shown"]
NEAREST = {  # to a verdict that isn't among the answers, and why
    "mixed": ("in part", "The verdict is *mixed*, since a contrary is true as well."),
    "the opposite": ("not shown", "What we found is *the opposite*."),
}


def guess_verdict(claim):
    """Asks for the verdict on a claim; where no book is being built, says it.

    >>> guess_verdict("lookups").data
    '**Verdict: holds.**'
    """
    verdict = verdict_of(claim)
    if not is_building():
        return Markdown(f"**Verdict: {verdict}.**")
    right, says = NEAREST.get(verdict, (verdict, ""))
    return HTML(guess_html("Does it hold?", ANSWERS, right, says=says))
