"""Head cards, which say what a head does, with examples: as a table, and as the element of a page that sorts it.

Recipes measure them.
"""

from dataclasses import dataclass
from html import escape

from manyheads.drawing.element import element_html
from manyheads.shared.numbers import fixed, percent

SCORES = {  # of an encoder's head
    "previous": "attention to the token before",
    "next": "attention to the token after",
    "same": "attention to the token itself",
    "cls": "attention to [CLS]",
    "sep": "attention to [SEP]",
    "punctuation": "attention to punctuation",
    "distance": "distance of what it looks at, in tokens",
    "entropy": "entropy of its weights, in bits",
    "effect": "how far the sentence vector moves without it, as cosine distance",
}
WORDS = ("previous", "next", "same", "punctuation")  # all but what rests
EARLIER = ("previous", "induction", "duplicate", "punctuation")  # a decoder's
CLEAR, HALF = 0.3, 0.5  # the shares from which on a head is known by what it looks at, and rests
DIGITS = 5  # of a score, as pages have it
DECIMALS = {"distance": 1, "entropy": 1, "effect": 4, "loss": 3}  # shown; the other scores are parts of attention


@dataclass(frozen=True)
class Example:
    """One token asking in one sentence: what it scores there, and the token it looks at most.

    >>> from manyheads.models.encoder.head_cards import head_cards
    >>> example = head_cards()[0].strongest["previous"][0]
    >>> example.tokens[0], 0 <= example.weight <= 1
    ('[CLS]', True)

    For `effect`, which belongs to a sentence as a whole, `query` and `key` are None and `weight` is 0.
    """

    sentence: str
    tokens: list[str]
    query: int | None
    key: int | None
    weight: float
    value: float


@dataclass(frozen=True)
class HeadCard:
    """The scores of one head by their names; for each its three strongest examples and its weakest.

    >>> from manyheads.models.encoder.head_cards import head_cards
    >>> card = head_cards()[-1]
    >>> card.layer, card.head, len(card.strongest["previous"])  # layers and heads count from 0
    (5, 11, 3)
    """

    layer: int
    head: int
    scores: dict[str, float]
    strongest: dict[str, list[Example]]
    weakest: dict[str, Example]


def behaviour(scores):
    """What a head mostly does by its scores, as the name of one of `BEHAVIOURS`.

    >>> from manyheads.models.encoder.head_cards import head_cards
    >>> [behaviour(head_cards()[head].scores) for head in (2, 0)]
    ['previous', 'broad']
    >>> behaviour({"first": 0.7, "previous": 0.1, "induction": 0.4, "duplicate": 0, "punctuation": 0.1, "local": 0.3})
    'induction'

    An encoder's head that has half of its attention on [CLS] and [SEP] *rests* there. Else it's known by what gets 0.3
    of the rest: the word before, after, itself, or punctuation. Of the others those are *broad* whose entropy is at
    least 2.5 bits.

    Nearly every head of a decoder rests on the first token, and its other scores are shares of what's left. So what
    gets 0.3 of that comes first: the word before, what followed the same word earlier, that word, or punctuation.
    Of the others, those that have half of their attention on the first token rest there, and those that have half of
    what's left on the last few words look at these.
    """
    if "cls" not in scores:
        best = max(EARLIER, key=scores.get)
        if scores[best] >= CLEAR:
            return best
        return next((name for name in ("first", "local") if scores[name] >= HALF), "other")
    resting = scores["cls"] + scores["sep"]
    if resting >= HALF:
        return max(("cls", "sep"), key=scores.get)
    best = max(WORDS, key=scores.get)
    if scores[best] >= CLEAR * (1 - resting):
        return best
    return "broad" if scores["entropy"] >= 2.5 else "other"


def head_cards_element(cards, figure="map", scores=SCORES, causal=False):
    """The `<head-cards>` element of the live figure with the id `figure`; without a script, a row for each head.

    >>> from manyheads.models.encoder.head_cards import head_cards
    >>> head_cards_element(head_cards()).count("<tr>")
    73

    `scores` are the columns and what they say. The figure of a `causal` model is a `<next-word>`, which is shown the
    text up to the asking token; else a `<head-map>`. The element's examples come as JSON: `sentences` with their tokens
    and, for each head and score, examples written as [sentence, query, key, weight, value].
    """
    columns = "".join(f'<th scope="col" title="{escape(says)}">{name}</th>' for name, says in scores.items())
    rows = "".join(_row(card) for card in cards)
    table = f'<table><thead><tr><th scope="col">head</th>{columns}</tr></thead><tbody>{rows}</tbody></table>'
    return element_html("head-cards", {"for": figure}, _data(cards, scores) | {"causal": causal}, table)


def shown(name, value):
    """A score as the table writes it: a share in per cent, the others as numbers.

    >>> shown("previous", 0.714), shown("distance", 3.04), shown("effect", 0.0312)
    ('71\\xa0%', '3.0', '0.0312')
    """
    return fixed(value, DECIMALS[name]) if name in DECIMALS else percent(value)


def _row(card):
    cells = "".join(f"<td>{shown(name, round(value, DIGITS))}</td>" for name, value in card.scores.items())
    return f'<tr><th scope="row">layer {card.layer + 1}, head {card.head + 1}</th>{cells}</tr>'


def _data(cards, scores):
    sentences = {}

    def row_of(example):
        at = sentences.setdefault(example.sentence, (len(sentences), example.tokens))[0]
        return [at, example.query, example.key, round(example.weight, 4), round(example.value, DIGITS)]

    heads = [
        {
            "layer": card.layer,
            "head": card.head,
            "behaviour": behaviour(card.scores),
            "scores": [round(card.scores[name], DIGITS) for name in scores],
            "strongest": [[row_of(example) for example in card.strongest[name]] for name in scores],
            "weakest": [row_of(card.weakest[name]) for name in scores if name in card.weakest],
        }
        for card in cards
    ]
    return {
        "scores": [{"name": name, "says": says, "decimals": DECIMALS.get(name)} for name, says in scores.items()],
        "sentences": [{"text": text, "tokens": tokens} for text, (_, tokens) in sentences.items()],
        "heads": heads,
    }
