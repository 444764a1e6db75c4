"""Head cards as a table, and as the element of a page, whose script makes it sortable and shows the examples."""

from html import escape

from manyheads.maps.element import element_html, is_building
from manyheads.maps.written import fixed, percent
from manyheads.models.encoder.head_cards import SCORES, behaviour

DIGITS = 5  # of a score, as pages have it
DECIMALS = {"distance": 1, "entropy": 1, "effect": 4, "loss": 3}  # shown; the other scores are parts of attention


def head_cards_html(cards, figure="map", scores=SCORES, causal=False):
    """A table with a row for each head; in a book, the `<head-cards>` element of the live figure with the id `figure`.

    >>> from manyheads.models.encoder.head_cards import head_cards
    >>> head_cards_html(head_cards()).count("<tr>")
    73

    `scores` are the columns and what they say. The figure of a `causal` model is a `<next-word>`, which is shown the
    text up to the asking token; else a `<head-map>`. The element's examples come as JSON: `sentences` with their tokens
    and, for each head and score, examples written as [sentence, query, key, weight, value].
    """
    columns = "".join(f'<th scope="col" title="{escape(says)}">{name}</th>' for name, says in scores.items())
    rows = "".join(_row(card) for card in cards)
    table = f'<table><thead><tr><th scope="col">head</th>{columns}</tr></thead><tbody>{rows}</tbody></table>'
    if not is_building():
        return table
    return element_html("head-cards", {"for": figure}, _data(cards, scores) | {"causal": causal}, table)


def shown(name, value):
    """A score as the table writes it: a share in per cent, the others as numbers.

    >>> shown("previous", 0.714), shown("distance", 3.04), shown("effect", 0.0312)
    ('71 %', '3.0', '0.0312')
    """
    return fixed(value, DECIMALS[name]) if name in DECIMALS else percent(value)


def _row(card):
    cells = "".join(f"<td>{shown(name, round(value, DIGITS))}</td>" for name, value in card.scores.items())
    return f'<tr><th scope="row">layer {card.layer + 1}, head {card.head + 1}</th>{cells}</tr>'


def _data(cards, scores):
    sentences = {}

    def written(example):
        at = sentences.setdefault(example.sentence, (len(sentences), example.tokens))[0]
        return [at, example.query, example.key, round(example.weight, 4), round(example.value, DIGITS)]

    heads = [
        {
            "layer": card.layer,
            "head": card.head,
            "behaviour": behaviour(card) if "cls" in card.scores else None,
            "scores": [round(card.scores[name], DIGITS) for name in scores],
            "strongest": [[written(example) for example in card.strongest[name]] for name in scores],
            "weakest": [written(card.weakest[name]) for name in scores if name in card.weakest],
        }
        for card in cards
    ]
    return {
        "scores": [{"name": name, "says": says, "decimals": DECIMALS.get(name)} for name, says in scores.items()],
        "sentences": [{"text": text, "tokens": tokens} for text, (_, tokens) in sentences.items()],
        "heads": heads,
    }
