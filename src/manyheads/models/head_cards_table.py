"""Head cards as static HTML: the table that `figures/head-cards.ts` makes sortable, and the examples that it shows."""

import json
from html import escape

from manyheads.maps.written import fixed, percent
from manyheads.models.head_cards import SCORES, SHARES


def head_cards_html(cards, map="map"):
    """The `<head-cards>` element: a table with a row for each head, whose name leads to the `<head-map>` with that id.

    >>> from manyheads.models.head_cards import head_cards
    >>> html = head_cards_html(head_cards())
    >>> html.count("<tr>"), 'data-layer="0" data-head="2"' in html
    (73, True)

    The examples come along as JSON: `sentences` with their tokens and, for each head and score, examples written as
    [sentence, query, key, weight, value].
    """
    largest = {name: 1 if name in SHARES else max(card.scores[name] for card in cards) for name in SCORES}
    columns = "".join(f'<th scope="col" title="{escape(says)}">{name}</th>' for name, says in SCORES.items())
    rows = "".join(_row(card, largest, map) for card in cards)
    data = json.dumps(_data(cards), separators=(",", ":"), ensure_ascii=False).replace("<", "\\u003c")
    return (
        f'<head-cards class="head-map head-cards" for="{escape(map)}">'
        '<div class="hc-scroll" tabindex="0" role="region" aria-label="Scores of all heads">'
        f'<table aria-label="Head cards"><thead><tr><th scope="col">head</th>{columns}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        f'<script type="application/json">{data}</script></head-cards>'
    )


def shown(name, value):
    """A score as the table writes it: a share in per cent, the others as numbers.

    >>> shown("previous", 0.714), shown("distance", 3.04), shown("effect", 0.0312)
    ('71 %', '3.0', '0.0312')
    """
    return percent(value) if name in SHARES else fixed(value, 4 if name == "effect" else 1)


def _row(card, largest, map):
    place = f'data-layer="{card.layer}" data-head="{card.head}"'
    name = f'<a href="#{escape(map)}" {place}>layer {card.layer + 1}, head {card.head + 1}</a>'
    cells = "".join(
        f'<td style="--share:{value / largest[name]:.3f}">{shown(name, value)}</td>'
        for name, value in card.scores.items()
    )
    return f'<tr><th scope="row">{name}</th>{cells}</tr>'


def _data(cards):
    sentences = {}

    def written(example):
        at = sentences.setdefault(example.sentence, (len(sentences), example.tokens))[0]
        return [at, example.query, example.key, round(example.weight, 4), round(example.value, 5)]

    heads = [
        {
            "scores": [round(card.scores[name], 5) for name in SCORES],
            "strongest": [[written(example) for example in card.strongest[name]] for name in SCORES],
            "weakest": [written(card.weakest[name]) for name in SCORES],
        }
        for card in cards
    ]
    return {
        "scores": [{"name": name, "says": says, "share": name in SHARES} for name, says in SCORES.items()],
        "sentences": [{"text": text, "tokens": tokens} for text, (_, tokens) in sentences.items()],
        "heads": heads,
    }
