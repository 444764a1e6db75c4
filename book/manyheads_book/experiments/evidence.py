"""How numbers from several seeds become a verdict. Two rules, the same for every claim."""

import math
from statistics import mean, stdev

VERDICTS = ("holds", "in part", "not shown", "the opposite")


def clearly(differences):
    """1 if the mean is clearly above 0, -1 if it is clearly below, else 0: by more than twice its standard error.

    >>> clearly([0.9, 1.1, 1.0]), clearly([-2.0, 1.0, 2.0]), clearly([-1.0, -1.0])
    (1, 0, -1)

    Give one difference per seed. Raises `ValueError` for fewer than two: one run has no spread.
    """
    if len(differences) < 2:
        raise ValueError(f"a spread needs at least two seeds, got {len(differences)}")
    error = stdev(differences) / math.sqrt(len(differences))
    if abs(mean(differences)) <= 2 * error:
        return 0
    return 1 if mean(differences) > 0 else -1


def verdict(statements):
    """What the statements for a claim come to; each is true, false, or -1 where the contrary is clearly true.

    >>> verdict({"faster": True, "better": True}), verdict({"faster": True, "better": False})
    ('holds', 'in part')
    >>> verdict({"faster": False}), verdict({"faster": False, "better": -1})
    ('not shown', 'the opposite')
    """
    found = list(statements.values())
    if min(found) > 0:
        return "holds"
    if max(found) > 0:
        return "in part"
    return "the opposite" if min(found) < 0 else "not shown"


def across(runs, *names):
    """One number of each run, found by its names.

    >>> across([{"8": {"loss": 1.5}}, {"8": {"loss": 1.0}}], 8, "loss")
    [1.5, 1.0]
    """
    found = []
    for run in runs:
        for name in names:
            run = run[str(name)]
        found.append(run)
    return found


def differences(runs, one, other):
    """A number less another, in each run; each is given by its names.

    >>> differences([{"1": {"loss": 1.5}, "8": {"loss": 1.0}}], (1, "loss"), (8, "loss"))
    [0.5]
    """
    return [a - b for a, b in zip(across(runs, *one), across(runs, *other))]
