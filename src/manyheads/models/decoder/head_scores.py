"""What each of the default decoder's 270 heads looks at, and what is lost without it.

They were measured by `manyheads_recipes.decoder.head_scores`, which says what each score is.
"""

import json
from functools import cache

import numpy as np

from manyheads.models.cards import behaviour
from manyheads.models.files import MEASURED

FILE = MEASURED / "decoder-scores.json"


@cache
def head_scores():
    """The kept scores by their names: {name: float [layer, h]}.

    >>> scores = head_scores()
    >>> scores["previous"].shape, divmod(int(scores["previous"].argmax()), 9)
    ((30, 9), (16, 0))
    """
    return {name: np.array(rows) for name, rows in json.loads(FILE.read_text(encoding="utf-8")).items()}


def head_behaviours():
    """What each head mostly does, layer by layer, by the names of `BEHAVIOURS`.

    >>> kinds = head_behaviours()
    >>> len(kinds), kinds[16 * 9]
    (270, 'previous')
    """
    scores = {name: of.ravel() for name, of in head_scores().items()}
    heads = range(len(scores["first"]))
    return [behaviour({name: of[head] for name, of in scores.items()}) for head in heads]
