"""What head cards of every model are measured by: the examples that score most."""

import numpy as np

NUM_EXAMPLES = 3


def strongest(values, places):
    """Where the largest values are, not two in one sentence; `places` begin with the sentence.

    >>> [*strongest(np.array([0.1, 0.9, 0.8, np.nan, 0.3]), [(0, 1), (1, 1), (1, 2), (2, 1), (3, 1)])]
    [1, 4, 0]
    """
    best = {}
    for at in np.argsort(-values):  # NaN comes last
        if np.isnan(values[at]):
            break
        best.setdefault(places[at][0], int(at))
        if len(best) == NUM_EXAMPLES:
            break
    return best.values()
