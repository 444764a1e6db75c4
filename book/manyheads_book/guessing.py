"""A claim's verdict, for a reader to guess."""

from manyheads import FigureGuess
from manyheads_book.experiments import verdict_of

ANSWERS = ["holds", "in part", "not shown"]
NEAREST = {  # to a verdict that isn't among the answers, and why
    "mixed": ("in part", "The verdict is *mixed*, since a contrary is true as well."),
    "the opposite": ("not shown", "What we found is *the opposite*."),
}


def guess_verdict(claim):
    """Asks for the verdict on a claim.

    >>> guess_verdict("lookups")
    <FigureGuess>
    """
    verdict = verdict_of(claim)
    right, says = NEAREST.get(verdict, (verdict, ""))
    return FigureGuess("Does it hold?", answers=ANSWERS, right=right, says=says)
