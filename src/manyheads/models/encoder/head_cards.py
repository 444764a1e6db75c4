"""Head cards: what each head of the default encoder does, with the clearest examples and a counter-example.

They were measured by `manyheads_recipes.encoder.head_cards`.
"""

import gzip
import json

from manyheads.models.cards import Example, HeadCard, behaviour
from manyheads.models.files import MEASURED
from manyheads.whole_files import read_whole

FILE = MEASURED / "cards.json.gz"  # {"key": what they were measured by, "cards": [card, ...]}


def head_cards():
    """The cards of all heads of the default encoder, layer by layer.

    >>> cards = head_cards()
    >>> len(cards), cards[13].layer, cards[13].head
    (72, 1, 1)
    >>> len(cards[0].strongest["previous"])
    3
    """
    with read_whole(FILE):
        kept = json.loads(gzip.decompress(FILE.read_bytes()))
    return [_card(**written) for written in kept["cards"]]


def head_behaviours():
    """What each head mostly does, layer by layer, by the names of `BEHAVIOURS`.

    >>> len(head_behaviours()), head_behaviours()[2]
    (72, 'previous')
    """
    return [behaviour(card.scores) for card in head_cards()]


def _card(strongest, weakest, **written):
    return HeadCard(
        **written,
        strongest={name: [Example(**example) for example in examples] for name, examples in strongest.items()},
        weakest={name: Example(**example) for name, example in weakest.items()},
    )
