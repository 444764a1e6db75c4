"""What head cards of every model are measured by: long sentences, and the examples that score most."""

import numpy as np

NUM_EXAMPLES = 3
LONGER = (
    "When she had read the letter twice, she folded it, put it in a drawer, and never spoke of it again.",
    "The bank raised its rates, so the farmers along the river bank sold their land.",
    "He said that he knew that she knew; she said nothing.",
    "If it rains tomorrow, the match will be played on Sunday, unless it rains on Sunday too.",
    '"Where have you been?" asked the old man, who had waited at the window all night.',
    "Tea, coffee, cocoa, milk: whatever you drink, drink it slowly.",
    "The doctor who treated the patient that the nurse had admitted left the hospital early.",
    "Paris is the capital of France, Rome of Italy, and Madrid of Spain.",
    "Not a single one of the students who failed the exam had opened the book.",
    "My sister's neighbour's dog barks at the postman (and only at the postman) every morning.",
    "In 1969 two people walked on the moon; the third stayed in orbit and saw nothing of it.",
    "You can fool all the people some of the time, and some of the people all the time.",
)


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
